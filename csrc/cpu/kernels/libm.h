// What formulas of elementwise.h call that libm does not have.
#pragma once
#include <cmath>
#include <limits>

namespace minds::cpu {
namespace {

inline double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

// std::lgamma writes the sign to a global variable, which is a race.
inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// psi(x): reflection for x <= 0, recurrence up to 10, then the asymptotic series in 1/x^2 (Bernoulli
// numbers).
inline double digamma(double x) {
  constexpr double pi = 3.14159265358979323846;
  if (std::isnan(x) || x == std::numeric_limits<double>::infinity()) return x;
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    const double r = std::fmod(x, 1.0);  // exact; tan(pi x) would lose the digits of a large x
    if (r == 0 || std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
    return digamma(1 - x) - pi / std::tan(pi * r);
  }
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  const double z = 1 / (x * x);
  const double series =
      z *
      (1.0 / 12 -
       z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return shift + std::log(x) - 0.5 / x - series;
}

}  // namespace
}  // namespace minds::cpu

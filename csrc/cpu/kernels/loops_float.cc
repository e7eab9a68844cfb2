// Floating point loops by libm, in double and rounded once: the float32 results are right but for rare
// half-way cases.
#include <cmath>
#include <limits>

#include "cpu/kernels/loops_scalar.h"

namespace minds::cpu {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

// std::lgamma writes the sign to a global variable, which is a race.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// psi(x): reflection for x <= 0, recurrence up to 10, then the asymptotic series in 1/x^2 (Bernoulli
// numbers).
double digamma(double x) {
  if (std::isnan(x) || x == std::numeric_limits<double>::infinity()) return x;
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0) {
    const double r = std::fmod(x, 1.0);  // exact; tan(pi x) would lose the digits of a large x
    if (r == 0 || std::isinf(x)) return kNan;
    return digamma(1 - x) - kPi / std::tan(kPi * r);
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

// The remainder with the divisor's sign, as Python's %.
template <class T>
T floor_mod(T a, T b) {
  const T r = std::fmod(a, b);
  if (r == 0) return std::copysign(T{0}, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

// floor(a / b) of the exact quotient, as Python's //.
template <class T>
T floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T r = std::fmod(a, b);
  T q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= 1;
  if (q == 0) return std::copysign(T{0}, a / b);
  const T whole = std::floor(q);
  return q - whole > T{0.5} ? whole + 1 : whole;
}

double power(double a, double b) { return std::pow(a, b); }

// The exponents that programs are full of are one operation, for each element alike wherever b comes from. In float32
// that is the rounded power; float64 stays with libm, so that numbers are what CPython computes.
float power(float a, float b) {
  if (b == 2) return a * a;
  if (b == 1) return a;
  if (b == 0.5f) return a == -std::numeric_limits<float>::infinity() ? -a : std::sqrt(a + 0.0f);
  if (b == -1) return 1 / a;
  return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
}

void power_of_number(void* dst, const void* a, const void* b, int64_t n) {
  auto* d = static_cast<float*>(dst);
  const auto *x = static_cast<const float*>(a), *y = static_cast<const float*>(b);
  for (int64_t i = 0; i < n; ++i) d[i] = power(*x, y[i]);
}

// One exponent for all: the frequent ones by the vector loops.
void power_by_number(void* dst, const void* a, const void* b, int64_t n) {
  constexpr auto at = static_cast<int>(DType::kFloat32);
  auto* d = static_cast<float*>(dst);
  const auto* x = static_cast<const float*>(a);
  const float e = *static_cast<const float*>(b);
  if (e == 2) return loops().unary[static_cast<int>(UnaryOp::kSquare)][at](d, x, n);
  if (e == -1) return loops().unary[static_cast<int>(UnaryOp::kReciprocal)][at](d, x, n);
  if (e == 1) {
    for (int64_t i = 0; i < n; ++i) d[i] = x[i];
  } else {
    for (int64_t i = 0; i < n; ++i) d[i] = power(x[i], e);
  }
}

#define MINDS_BY_LIBM(op, f) \
  set_unary<T>(t, UnaryOp::op, [](T x) { return static_cast<T>(f(static_cast<double>(x))); })

template <class T>
void add(LoopTable& t) {
  MINDS_BY_LIBM(kExp, std::exp);
  MINDS_BY_LIBM(kLog, std::log);
  MINDS_BY_LIBM(kTanh, std::tanh);
  MINDS_BY_LIBM(kSigmoid, sigmoid);
  MINDS_BY_LIBM(kSin, std::sin);
  MINDS_BY_LIBM(kCos, std::cos);
  MINDS_BY_LIBM(kTan, std::tan);
  MINDS_BY_LIBM(kAsin, std::asin);
  MINDS_BY_LIBM(kAcos, std::acos);
  MINDS_BY_LIBM(kAtan, std::atan);
  MINDS_BY_LIBM(kSinh, std::sinh);
  MINDS_BY_LIBM(kCosh, std::cosh);
  MINDS_BY_LIBM(kAsinh, std::asinh);
  MINDS_BY_LIBM(kAcosh, std::acosh);
  MINDS_BY_LIBM(kAtanh, std::atanh);
  MINDS_BY_LIBM(kErf, std::erf);
  MINDS_BY_LIBM(kErfc, std::erfc);
  MINDS_BY_LIBM(kLog1p, std::log1p);
  MINDS_BY_LIBM(kExpm1, std::expm1);
  MINDS_BY_LIBM(kLgamma, log_gamma);
  MINDS_BY_LIBM(kDigamma, digamma);
  set_unary<T>(t, UnaryOp::kIsNan, [](T x) { return x != x; });
  set_unary<T>(t, UnaryOp::kIsInf, [](T x) { return std::isinf(x); });
  set_unary<T>(t, UnaryOp::kIsFinite, [](T x) { return std::isfinite(x); });
  set_binary<T>(t, BinaryOp::kFloorDivide, [](T a, T b) { return floor_divide(a, b); });
  set_binary<T>(t, BinaryOp::kMod, [](T a, T b) { return floor_mod(a, b); });
  set_binary<T>(t, BinaryOp::kFmod, [](T a, T b) { return std::fmod(a, b); });
  set_binary<T>(t, BinaryOp::kPow, [](T a, T b) { return power(a, b); });
  set_binary<T>(t, BinaryOp::kAtan2, [](T a, T b) {
    return static_cast<T>(std::atan2(static_cast<double>(a), static_cast<double>(b)));
  });
  add_logic<T>(t);
}

#undef MINDS_BY_LIBM

}  // namespace

void add_scalar_float_loops(LoopTable& t) {
  add<float>(t);
  BinaryLoops& pow = t.binary[static_cast<int>(BinaryOp::kPow)][static_cast<int>(DType::kFloat32)];
  pow.left_number = power_of_number;
  pow.right_number = power_by_number;
  add<double>(t);
}

}  // namespace minds::cpu

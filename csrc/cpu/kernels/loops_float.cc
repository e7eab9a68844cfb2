// Floating point loops by libm, in double and rounded once: the float32 results are right but for rare
// half-way cases.
#include <cmath>
#include <limits>

#include "cpu/kernels/libm.h"
#include "cpu/kernels/loops_scalar.h"

namespace minds::cpu {
namespace {

template <class T>
T truncated_mod(T a, T b) {
  return std::fmod(a, b);
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

template <class T>
T arc_tangent(T a, T b) {
  return static_cast<T>(std::atan2(static_cast<double>(a), static_cast<double>(b)));
}

template <class T>
T hypotenuse(T a, T b) {
  return static_cast<T>(std::hypot(static_cast<double>(a), static_cast<double>(b)));
}

#define MINDS_UNARY(Name, name, infinite, formula)  \
  set_unary<T>(t, UnaryOp::k##Name, [](T element) { \
    const auto x = static_cast<double>(element);    \
    return static_cast<T>(formula);                 \
  });
#define MINDS_BINARY(Name, name, takes, refused, formula) \
  set_binary<T>(t, BinaryOp::k##Name, [](T a, T b) { return static_cast<T>(formula); });

template <class T>
void add(LoopTable& t) {
  MINDS_LIBM_UNARY(MINDS_UNARY)
  MINDS_LIBM_BINARY(MINDS_BINARY)
}

#undef MINDS_UNARY
#undef MINDS_BINARY

}  // namespace

void add_scalar_float_loops(LoopTable& t) {
  add<float>(t);
  BinaryLoops& pow = t.binary[static_cast<int>(BinaryOp::kPow)][static_cast<int>(DType::kFloat32)];
  pow.left_number = power_of_number;
  pow.right_number = power_by_number;
  add<double>(t);
}

}  // namespace minds::cpu

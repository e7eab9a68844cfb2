// The elementwise ops with a kernel: one line each, from which everything else about them is made.
//
// To add an op, add a line to one of the four lists, and its definition in Python (docs/adding-an-op.md). The line
// gives the enumerator and the name, the kernel with its registration for the dtypes it takes (16-bit floats by way
// of float32), the step of fused kernels, and
//   - of an exact op, the loops for every instruction set and the instruction on words (runtime/scalar.h) for each
//     dtype of words that it takes;
//   - of an op by libm, the function of Python's numbers with CPython's errors (cpu/kernels/number.cc).
// A formula is one expression. The functions that it may call are in exact.h and in cpu/kernels/libm.h. A float32
// loop that is faster than libm is a specialization of `Polynomial` in cpu/kernels/vector_math.h, and no more.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/dtype.h"

namespace minds {

// What an op takes: a set of kinds of dtypes.
enum Takes : uint8_t {
  kBools = 1,
  kIntegers = 2,
  kFloats = 4,
  kReals = kIntegers | kFloats,
  kBits = kBools | kIntegers,
  kAny = kBools | kReals,
};

enum class Gives : bool { kSame, kBool };

// Where a function of one of Python's numbers gives infinity for a finite one: beyond the range, or at a pole, which
// is outside of the domain.
enum class Infinite : bool { kRange, kPole };

// The second operand that integers have no result for.
enum class Refused : uint8_t { kNothing, kZero, kNegative };

}  // namespace minds

// F(Name, name, takes, gives, formula of x), exact: IEEE 754 or two's complement defines every bit of the result. The
// formula is evaluated for one element and for vectors of floats, of type V.
#define MINDS_EXACT_UNARY(F)                                            \
  F(Sqrt, sqrt, kFloats, kSame, root(x))                                \
  F(Rsqrt, rsqrt, kFloats, kSame, 1 / root(x))                          \
  F(Reciprocal, reciprocal, kFloats, kSame, 1 / x)                      \
  F(Relu, relu, kReals, kSame, x <= 0 ? V{} : x)                        \
  F(Abs, abs, kReals, kSame, magnitude(x))                              \
  F(Neg, neg, kReals, kSame, negative(x))                               \
  F(Sign, sign, kReals, kSame, x > 0 ? V{} + 1 : x < 0 ? V{} - 1 : V{}) \
  F(Square, square, kReals, kSame, wide(x) * wide(x))                   \
  F(Floor, floor, kFloats, kSame, round_down(x))                        \
  F(Ceil, ceil, kFloats, kSame, round_up(x))                            \
  F(Round, round, kFloats, kSame, round_even(x))                        \
  F(Trunc, trunc, kFloats, kSame, round_to_zero(x))                     \
  F(LogicalNot, logical_not, kAny, kBool, x == 0)                       \
  F(IsNan, isnan, kAny, kBool, is_nan(x))                               \
  F(IsInf, isinf, kAny, kBool, is_infinite(x))                          \
  F(IsFinite, isfinite, kAny, kBool, !is_nan(x) && !is_infinite(x))     \
  F(BitwiseNot, bitwise_not, kBits, kSame, x ^ static_cast<V>(-1))

// F(Name, name, infinite, formula of a double x), on floats: computed in double and rounded once.
#define MINDS_LIBM_UNARY(F)               \
  F(Exp, exp, kRange, std::exp(x))        \
  F(Expm1, expm1, kRange, std::expm1(x))  \
  F(Log, log, kPole, std::log(x))         \
  F(Log1p, log1p, kPole, std::log1p(x))   \
  F(Sin, sin, kRange, std::sin(x))        \
  F(Cos, cos, kRange, std::cos(x))        \
  F(Tan, tan, kRange, std::tan(x))        \
  F(Asin, asin, kRange, std::asin(x))     \
  F(Acos, acos, kRange, std::acos(x))     \
  F(Atan, atan, kRange, std::atan(x))     \
  F(Sinh, sinh, kRange, std::sinh(x))     \
  F(Cosh, cosh, kRange, std::cosh(x))     \
  F(Tanh, tanh, kRange, std::tanh(x))     \
  F(Asinh, asinh, kRange, std::asinh(x))  \
  F(Acosh, acosh, kRange, std::acosh(x))  \
  F(Atanh, atanh, kPole, std::atanh(x))   \
  F(Erf, erf, kRange, std::erf(x))        \
  F(Erfc, erfc, kRange, std::erfc(x))     \
  F(Sigmoid, sigmoid, kRange, sigmoid(x)) \
  F(Lgamma, lgamma, kPole, log_gamma(x))  \
  F(Digamma, digamma, kPole, digamma(x))

// F(Name, name, takes, gives, formula of a and b), exact.
#define MINDS_EXACT_BINARY(F)                                    \
  F(Add, add, kAny, kSame, wide(a) + wide(b))                    \
  F(Sub, sub, kReals, kSame, wide(a) - wide(b))                  \
  F(Mul, mul, kAny, kSame, wide(a) * wide(b))                    \
  F(Div, div, kFloats, kSame, a / b)                             \
  F(Maximum, maximum, kAny, kSame, larger(a, b))                 \
  F(Minimum, minimum, kAny, kSame, smaller(a, b))                \
  F(Equal, equal, kAny, kBool, a == b)                           \
  F(NotEqual, not_equal, kAny, kBool, a != b)                    \
  F(Less, less, kAny, kBool, a < b)                              \
  F(LessEqual, less_equal, kAny, kBool, a <= b)                  \
  F(Greater, greater, kAny, kBool, a > b)                        \
  F(GreaterEqual, greater_equal, kAny, kBool, a >= b)            \
  F(LogicalAnd, logical_and, kAny, kBool, (a != 0) & (b != 0))   \
  F(LogicalOr, logical_or, kAny, kBool, (a != 0) | (b != 0))     \
  F(LogicalXor, logical_xor, kAny, kBool, (a != 0) != (b != 0))  \
  F(BitwiseAnd, bitwise_and, kBits, kSame, a & b)                \
  F(BitwiseOr, bitwise_or, kBits, kSame, a | b)                  \
  F(BitwiseXor, bitwise_xor, kBits, kSame, a ^ b)                \
  F(LeftShift, left_shift, kIntegers, kSame, shifted_left(a, b)) \
  F(RightShift, right_shift, kIntegers, kSame, shifted_right(a, b))

// F(Name, name, takes, what integers refuse, formula of a and b), element by element.
#define MINDS_LIBM_BINARY(F)                                      \
  F(FloorDivide, floor_divide, kReals, kZero, floor_divide(a, b)) \
  F(Mod, mod, kReals, kZero, floor_mod(a, b))                     \
  F(Fmod, fmod, kReals, kZero, truncated_mod(a, b))               \
  F(Pow, pow, kReals, kNegative, power(a, b))                     \
  F(Atan2, atan2, kFloats, kNothing, arc_tangent(a, b))           \
  F(Hypot, hypot, kFloats, kNothing, hypotenuse(a, b))

namespace minds {

#define MINDS_ENUMERATOR(Name, ...) k##Name,
enum class UnaryOp : uint8_t { MINDS_EXACT_UNARY(MINDS_ENUMERATOR) MINDS_LIBM_UNARY(MINDS_ENUMERATOR) kCount };
enum class BinaryOp : uint8_t { MINDS_EXACT_BINARY(MINDS_ENUMERATOR) MINDS_LIBM_BINARY(MINDS_ENUMERATOR) kCount };
#undef MINDS_ENUMERATOR

// What a line of the lists says, without its formula.
struct Elementwise {
  std::string_view name;
  uint8_t takes;
  Gives gives;
  bool exact;
  Refused refused;
};

#define MINDS_EXACT_ROW(Name, name, takes, gives, formula) {#name, takes, Gives::gives, true, Refused::kNothing},
#define MINDS_UNARY_ROW(Name, name, infinite, formula) {#name, kFloats, Gives::kSame, false, Refused::kNothing},
#define MINDS_BINARY_ROW(Name, name, takes, refused, formula) {#name, takes, Gives::kSame, false, Refused::refused},
inline constexpr Elementwise kUnaryOps[] = {MINDS_EXACT_UNARY(MINDS_EXACT_ROW) MINDS_LIBM_UNARY(MINDS_UNARY_ROW)};
inline constexpr Elementwise kBinaryOps[] = {MINDS_EXACT_BINARY(MINDS_EXACT_ROW) MINDS_LIBM_BINARY(MINDS_BINARY_ROW)};
#undef MINDS_EXACT_ROW
#undef MINDS_UNARY_ROW
#undef MINDS_BINARY_ROW

inline constexpr int kUnaryCount = static_cast<int>(UnaryOp::kCount);
inline constexpr int kBinaryCount = static_cast<int>(BinaryOp::kCount);

constexpr const Elementwise& about(UnaryOp op) { return kUnaryOps[static_cast<int>(op)]; }
constexpr const Elementwise& about(BinaryOp op) { return kBinaryOps[static_cast<int>(op)]; }

// The op of a name, as kernels are registered.
std::optional<UnaryOp> unary_named(std::string_view name);
std::optional<BinaryOp> binary_named(std::string_view name);

template <class Op>
constexpr bool gives_bool(Op op) {
  return about(op).gives == Gives::kBool;
}

// The kind of a dtype, as a set of one; of complex dtypes the empty set.
constexpr uint8_t kind_of(DType t) {
  if (t == DType::kBool) return kBools;
  return t <= DType::kUInt64 ? kIntegers : t <= DType::kFloat64 ? kFloats : 0;
}

inline std::vector<DType> dtypes_of(uint8_t takes) {
  std::vector<DType> found;
  for (int t = 0; t < kDTypeCount; ++t) {
    if (takes & kind_of(static_cast<DType>(t))) found.push_back(static_cast<DType>(t));
  }
  return found;
}

}  // namespace minds

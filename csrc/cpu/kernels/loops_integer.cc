// Integer and boolean loops. Everything is defined: overflow wraps, a shift by more than the width shifts
// everything out, division by zero gives 0 here (the kernels refuse it before) and the least number divided
// by -1 wraps to itself.
#include <type_traits>

#include "cpu/kernels/loops_scalar.h"

namespace minds::cpu {
namespace {

// Arithmetic in an unsigned type at least as wide as int: uint16_t * uint16_t would be an int, and could
// overflow.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
constexpr bool kSigned = std::is_signed_v<T>;

template <class T>
T negate(T a) {
  return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a));
}

template <class T>
T floor_divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (kSigned<T>) {
    if (b == -1) return negate(a);
    const T q = static_cast<T>(a / b);
    return static_cast<T>(q - ((a % b != 0) & ((a < 0) != (b < 0))));
  }
  return static_cast<T>(a / b);
}

template <class T>
T remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (kSigned<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <class T>
T floor_mod(T a, T b) {
  const T r = remainder(a, b);
  return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

// By squaring; a negative exponent (refused before) gives 0.
template <class T>
T power(T a, T b) {
  if (b < 0) return 0;
  Wide<T> result = 1, base = static_cast<Wide<T>>(a);
  for (auto e = static_cast<Wide<T>>(b); e != 0; e >>= 1, base *= base) {
    if (e & 1) result *= base;
  }
  return static_cast<T>(result);
}

template <class T>
constexpr Wide<T> kWidth = sizeof(T) * 8;

template <class T>
T left_shift(T a, T b) {
  const auto by = static_cast<std::make_unsigned_t<T>>(b);
  return by < kWidth<T> ? static_cast<T>(static_cast<Wide<T>>(a) << by) : T{0};
}

template <class T>
T right_shift(T a, T b) {
  const auto by = static_cast<std::make_unsigned_t<T>>(b);
  if (by >= kWidth<T>) return static_cast<T>(a < 0 ? -1 : 0);
  return static_cast<T>(a >> by);
}

template <class T>
void add(LoopTable& t) {
  using W = Wide<T>;
  set_binary<T>(t, BinaryOp::kAdd,
                [](T a, T b) { return static_cast<T>(static_cast<W>(a) + static_cast<W>(b)); });
  set_binary<T>(t, BinaryOp::kSub,
                [](T a, T b) { return static_cast<T>(static_cast<W>(a) - static_cast<W>(b)); });
  set_binary<T>(t, BinaryOp::kMul,
                [](T a, T b) { return static_cast<T>(static_cast<W>(a) * static_cast<W>(b)); });
  set_binary<T>(t, BinaryOp::kFloorDivide, [](T a, T b) { return floor_divide(a, b); });
  set_binary<T>(t, BinaryOp::kMod, [](T a, T b) { return floor_mod(a, b); });
  set_binary<T>(t, BinaryOp::kFmod, [](T a, T b) { return remainder(a, b); });
  set_binary<T>(t, BinaryOp::kPow, [](T a, T b) { return power(a, b); });
  set_binary<T>(t, BinaryOp::kMaximum, [](T a, T b) { return a > b ? a : b; });
  set_binary<T>(t, BinaryOp::kMinimum, [](T a, T b) { return a < b ? a : b; });
  set_binary<T>(t, BinaryOp::kBitwiseAnd, [](T a, T b) { return static_cast<T>(a & b); });
  set_binary<T>(t, BinaryOp::kBitwiseOr, [](T a, T b) { return static_cast<T>(a | b); });
  set_binary<T>(t, BinaryOp::kBitwiseXor, [](T a, T b) { return static_cast<T>(a ^ b); });
  set_binary<T>(t, BinaryOp::kLeftShift, [](T a, T b) { return left_shift(a, b); });
  set_binary<T>(t, BinaryOp::kRightShift, [](T a, T b) { return right_shift(a, b); });
  set_unary<T>(t, UnaryOp::kAbs, [](T a) { return a < 0 ? negate(a) : a; });
  set_unary<T>(t, UnaryOp::kNeg, [](T a) { return negate(a); });
  set_unary<T>(t, UnaryOp::kSign, [](T a) { return static_cast<T>((a > 0) - (a < 0)); });
  set_unary<T>(t, UnaryOp::kRelu, [](T a) { return a < 0 ? T{0} : a; });
  set_unary<T>(t, UnaryOp::kSquare,
               [](T a) { return static_cast<T>(static_cast<W>(a) * static_cast<W>(a)); });
  set_unary<T>(t, UnaryOp::kBitwiseNot, [](T a) { return static_cast<T>(~a); });
  add_logic<T>(t);
  add_comparisons<T>(t);
}

// Sum and maximum of two truth values are "or", product and minimum are "and".
void add_bool(LoopTable& t) {
  const auto both = [](bool a, bool b) { return static_cast<bool>(a & b); };
  const auto either = [](bool a, bool b) { return static_cast<bool>(a | b); };
  const auto one = [](bool a, bool b) { return a != b; };
  set_binary<Truth>(t, BinaryOp::kAdd, either);
  set_binary<Truth>(t, BinaryOp::kMaximum, either);
  set_binary<Truth>(t, BinaryOp::kBitwiseOr, either);
  set_binary<Truth>(t, BinaryOp::kMul, both);
  set_binary<Truth>(t, BinaryOp::kMinimum, both);
  set_binary<Truth>(t, BinaryOp::kBitwiseAnd, both);
  set_binary<Truth>(t, BinaryOp::kBitwiseXor, one);
  set_unary<Truth>(t, UnaryOp::kBitwiseNot, [](bool a) { return !a; });
  add_logic<Truth>(t);
  add_comparisons<Truth>(t);
}

// An integer is neither NaN nor infinite.
template <class T>
void add_classification(LoopTable& t) {
  set_unary<T>(t, UnaryOp::kIsNan, [](T) { return false; });
  set_unary<T>(t, UnaryOp::kIsInf, [](T) { return false; });
  set_unary<T>(t, UnaryOp::kIsFinite, [](T) { return true; });
}

template <class... T>
void add_all(LoopTable& t) {
  (add<T>(t), ...);
  (add_classification<T>(t), ...);
}

}  // namespace

void add_integer_loops(LoopTable& t) {
  add_all<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(t);
  add_bool(t);
  add_classification<Truth>(t);
}

}  // namespace minds::cpu

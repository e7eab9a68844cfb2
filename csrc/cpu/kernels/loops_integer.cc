// Integer and boolean loops. Everything is defined: overflow wraps, a shift by more than the width shifts
// everything out, division by zero gives 0 here (the kernels refuse it before) and the least number divided
// by -1 wraps to itself.
#include <type_traits>

#include "cpu/kernels/loops_scalar.h"
#include "kernel/exact.h"

namespace minds::cpu {
namespace {

template <class T>
constexpr bool kSigned = std::is_signed_v<T>;

template <class T>
T floor_divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (kSigned<T>) {
    if (b == -1) return static_cast<T>(-wide(a));
    const T q = static_cast<T>(a / b);
    return static_cast<T>(q - ((a % b != 0) & ((a < 0) != (b < 0))));
  }
  return static_cast<T>(a / b);
}

template <class T>
T truncated_mod(T a, T b) {
  if (b == 0) return 0;
  if constexpr (kSigned<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <class T>
T floor_mod(T a, T b) {
  const T r = truncated_mod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

// By squaring; a negative exponent (refused before) gives 0.
template <class T>
T power(T a, T b) {
  if (b < 0) return 0;
  auto result = wide(T{1}), base = wide(a);
  for (auto e = wide(b); e != 0; e >>= 1, base *= base) {
    if (e & 1) result *= base;
  }
  return static_cast<T>(result);
}

// An exact formula on elements of type T; of bool, it takes and gives bool however the byte lies in memory.
template <class Op, class T>
void add_exact(LoopTable& t, UnaryOp op) {
  using E = std::conditional_t<std::is_same_v<T, Truth>, bool, T>;
  if constexpr (Op::template kTakes<E>) {
    set_unary<T>(t, op, [](E x) { return static_cast<typename Op::template Result<E>>(Op::apply(x)); });
  }
}
template <class Op, class T>
void add_exact(LoopTable& t, BinaryOp op) {
  using E = std::conditional_t<std::is_same_v<T, Truth>, bool, T>;
  if constexpr (Op::template kTakes<E>) {
    set_binary<T>(t, op, [](E a, E b) { return static_cast<typename Op::template Result<E>>(Op::apply(a, b)); });
  }
}

#define MINDS_UNARY(Name, ...) add_exact<exact::Name, T>(t, UnaryOp::k##Name);
#define MINDS_BINARY(Name, ...) add_exact<exact::Name, T>(t, BinaryOp::k##Name);
#define MINDS_LIBM(Name, name, takes, refused, formula)                    \
  if constexpr (((takes) & kIntegers) != 0) {                              \
    set_binary<T>(t, BinaryOp::k##Name, [](T a, T b) { return formula; }); \
  }

template <class T>
void add(LoopTable& t) {
  MINDS_EXACT_UNARY(MINDS_UNARY)
  MINDS_EXACT_BINARY(MINDS_BINARY)
  if constexpr (!std::is_same_v<T, Truth>) {
    MINDS_LIBM_BINARY(MINDS_LIBM)
  }
}

#undef MINDS_UNARY
#undef MINDS_BINARY
#undef MINDS_LIBM

template <class... T>
void add_all(LoopTable& t) {
  (add<T>(t), ...);
}

}  // namespace

void add_integer_loops(LoopTable& t) {
  add_all<Truth, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(t);
}

}  // namespace minds::cpu

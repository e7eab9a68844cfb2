// The exact formulas of elementwise.h as types, and what they are written with.
//
// Everything takes one element (bool, an integer, a float) or a vector of floats. It is in an unnamed namespace and
// calls no inline function of the standard library, because a copy that was compiled for AVX-512 could be the one
// that the linker keeps for everybody.
#pragma once
#include <cstdint>
#include <type_traits>

#include "kernel/elementwise.h"

namespace minds {
namespace {

// The type of an element of V, and what a comparison of vectors gives: integers as wide as the elements.
template <class V>
struct LaneOf {
  using type = std::remove_cvref_t<decltype(V{}[0])>;
};
template <class V>
  requires std::is_arithmetic_v<V>
struct LaneOf<V> {
  using type = V;
};
template <class V>
using Lane = typename LaneOf<V>::type;

template <class V>
struct MaskOf {
  using type = decltype(V{} < V{});
};
template <>
struct MaskOf<float> {
  using type = int32_t;
};
template <>
struct MaskOf<double> {
  using type = int64_t;
};
template <class V>
using Mask = typename MaskOf<V>::type;

template <class V>
Mask<V> bits(V x) {
  return __builtin_bit_cast(Mask<V>, x);
}
template <class V, class M>
V from_bits(M m) {
  return __builtin_bit_cast(V, m);
}

template <class V>
constexpr Lane<Mask<V>> kSignBit = static_cast<Lane<Mask<V>>>(uint64_t{1} << (sizeof(Lane<Mask<V>>) * 8 - 1));

template <class V>
V copy_sign(V magnitude, V sign) {
  return from_bits<V>((bits(magnitude) & ~kSignBit<V>) | (bits(sign) & kSignBit<V>));
}

// Integers are added in an unsigned type at least as wide as int, so that overflow wraps: uint16_t * uint16_t would
// be an int. Floats stay as they are.
template <class V>
auto wide(V x) {
  if constexpr (std::is_integral_v<V>) {
    return static_cast<std::conditional_t<sizeof(V) == 8, uint64_t, uint32_t>>(x);
  } else {
    return x;
  }
}

template <class V>
V negative(V x) {
  if constexpr (std::is_integral_v<V>) {
    return static_cast<V>(0 - wide(x));
  } else {
    return -x;
  }
}

template <class V>
V magnitude(V x) {
  if constexpr (std::is_unsigned_v<V>) {
    return x;
  } else if constexpr (std::is_integral_v<V>) {
    return x < 0 ? negative(x) : x;
  } else {
    return from_bits<V>(bits(x) & ~kSignBit<V>);
  }
}

// NaN wins; of equal operands (+0 and -0) the first.
template <class V>
V larger(V a, V b) {
  if constexpr (std::is_same_v<V, bool>) {
    return a | b;
  } else if constexpr (std::is_integral_v<V>) {
    return a > b ? a : b;
  } else {
    return (a >= b) | (a != a) ? a : b;
  }
}
template <class V>
V smaller(V a, V b) {
  if constexpr (std::is_same_v<V, bool>) {
    return a & b;
  } else if constexpr (std::is_integral_v<V>) {
    return a < b ? a : b;
  } else {
    return (a <= b) | (a != a) ? a : b;
  }
}

template <class V>
auto is_nan(V x) {
  if constexpr (std::is_integral_v<V>) {
    return false;
  } else {
    return x != x;
  }
}

template <class V>
auto is_infinite(V x) {
  if constexpr (std::is_integral_v<V>) {
    return false;
  } else {
    return magnitude(x) == static_cast<Lane<V>>(__builtin_inf());
  }
}

inline float root_of(float x) { return __builtin_sqrtf(x); }
inline double root_of(double x) { return __builtin_sqrt(x); }

template <class V>
V root(V x) {
  if constexpr (std::is_arithmetic_v<V>) {
    return root_of(x);
  } else {
    for (int i = 0; i < static_cast<int>(sizeof(V) / sizeof(x[0])); ++i) x[i] = root_of(x[i]);
    return x;
  }
}

// To an integer by adding and subtracting 2^23 (2^52): rounds half to even, and keeps the sign of zero. Numbers that
// large are integers already; NaN goes through the comparison's false branch unchanged.
template <class V>
V round_even(V x) {
  constexpr auto big = static_cast<Lane<V>>(sizeof(Lane<V>) == 4 ? 0x1p23 : 0x1p52);
  const V a = magnitude(x);
  const V r = (a + big) - big;
  return a < big ? copy_sign(r, x) : x;
}
template <class V>
V round_down(V x) {
  const V r = round_even(x);
  return r > x ? r - 1 : r;
}
template <class V>
V round_up(V x) {
  const V r = round_even(x);
  return r < x ? copy_sign(r + 1, x) : r;  // of -0.5 it is -0
}
template <class V>
V round_to_zero(V x) {
  const V a = magnitude(x), r = round_even(a);
  return a == a ? copy_sign(r > a ? r - 1 : r, x) : x;
}

// A shift by the width or more, or by a negative number, shifts everything out.
template <class T>
T shifted_left(T a, T b) {
  const auto by = static_cast<std::make_unsigned_t<T>>(b);
  return by < sizeof(T) * 8 ? static_cast<T>(wide(a) << by) : T{0};
}
template <class T>
T shifted_right(T a, T b) {
  const auto by = static_cast<std::make_unsigned_t<T>>(b);
  if (by >= sizeof(T) * 8) return static_cast<T>(a < 0 ? -1 : 0);
  return static_cast<T>(a >> by);
}

// Op::apply is the formula; its result is converted to the result's type.
namespace exact {

template <class T>
constexpr uint8_t kind_of_type = std::is_same_v<T, bool> ? kBools : std::is_integral_v<T> ? kIntegers : kFloats;

template <uint8_t takes, Gives gives>
struct Formula {
  static constexpr bool kTruth = gives == Gives::kBool;
  template <class T>
  static constexpr bool kTakes = (takes & kind_of_type<T>) != 0;
  template <class T>
  using Result = std::conditional_t<kTruth, bool, T>;
};

#define MINDS_UNARY_FORMULA(Name, name, takes, gives, formula) \
  struct Name : Formula<takes, Gives::gives> {                 \
    template <class V>                                         \
    static auto apply(V x) {                                   \
      return formula;                                          \
    }                                                          \
  };
#define MINDS_BINARY_FORMULA(Name, name, takes, gives, formula) \
  struct Name : Formula<takes, Gives::gives> {                  \
    template <class V>                                          \
    static auto apply(V a, V b) {                               \
      return formula;                                           \
    }                                                           \
  };
MINDS_EXACT_UNARY(MINDS_UNARY_FORMULA)
MINDS_EXACT_BINARY(MINDS_BINARY_FORMULA)
#undef MINDS_UNARY_FORMULA
#undef MINDS_BINARY_FORMULA

}  // namespace exact
}  // namespace
}  // namespace minds

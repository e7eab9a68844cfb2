// Unsigned integers that are ordered as the elements they stand for.
#pragma once
#include <bit>
#include <type_traits>

#include "kernel/types.h"

namespace minds::cpu {

template <class T>
using SortKey = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

// Floats: negative ones are reversed below the positive ones, -0 counts as +0, every NaN is above infinity.
template <class T>
SortKey<T> sort_key(T x) {
  using K = SortKey<T>;
  if constexpr (kIsFloating<T>) {
    constexpr int kMantissa = std::is_same_v<T, float16>    ? 10
                              : std::is_same_v<T, bfloat16> ? 7
                              : sizeof(T) == 4              ? 23
                                                            : 52;
    constexpr K kSign = static_cast<K>(K(1) << (8 * sizeof(T) - 1));
    constexpr K kInfinity = static_cast<K>((kSign - 1) >> kMantissa << kMantissa);
    K bits = std::bit_cast<K>(x);
    if (static_cast<K>(bits & ~kSign) > kInfinity) return static_cast<K>(~K(0));
    if (bits == kSign) bits = 0;
    return static_cast<K>(bits & kSign ? ~bits : bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<K>(static_cast<K>(x) ^ (K(1) << (8 * sizeof(T) - 1)));
  } else {
    return static_cast<K>(x);
  }
}

}  // namespace minds::cpu

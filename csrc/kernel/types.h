// From run-time dtypes to C++ types, and arithmetic that is defined for all of them.
#pragma once
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/dtype.h"
#include "base/half.h"
#include "kernel/kernel.h"

namespace minds {

// Calls f(T{}) with the C++ type of an integer dtype.
template <class F>
decltype(auto) visit_integer(DType t, F&& f) {
  switch (t) {
    case DType::kInt8:
      return f(int8_t{});
    case DType::kInt16:
      return f(int16_t{});
    case DType::kInt32:
      return f(int32_t{});
    case DType::kUInt8:
      return f(uint8_t{});
    case DType::kUInt16:
      return f(uint16_t{});
    case DType::kUInt32:
      return f(uint32_t{});
    case DType::kUInt64:
      return f(uint64_t{});
    default:
      return f(int64_t{});
  }
}

// The same for all real and boolean dtypes; complex types do not come here.
template <class F>
decltype(auto) visit(DType t, F&& f) {
  switch (t) {
    case DType::kBool:
      return f(bool{});
    case DType::kFloat16:
      return f(float16{});
    case DType::kBFloat16:
      return f(bfloat16{});
    case DType::kFloat32:
      return f(float{});
    case DType::kFloat64:
      return f(double{});
    default:
      return visit_integer(t, f);
  }
}

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool kIsFloating = kIsHalf<T> || std::is_floating_point_v<T>;

// The type to compute in: float for 16-bit floats, a wide unsigned for integers so that overflow wraps.
template <class T>
using Wide = std::conditional_t<kIsHalf<T>, float,
                                std::conditional_t<std::is_floating_point_v<T>, T,
                                                   std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>>;

// The whole part of a float as an integer: in the type that x86 converts to, of which the low bits are taken, so that a
// number outside of a narrow type's range wraps. What is outside of int32 (for types up to that) or of int64, and NaN,
// is the least number there. A uint64 from 2^63 on is converted without its first bit.
template <class To, class From>
To whole_part(From x) {
  using By = std::conditional_t<sizeof(To) <= 2 || std::is_same_v<To, int32_t>, int32_t, int64_t>;
  constexpr From end = sizeof(By) == 4 ? From(0x1p31) : From(0x1p63);
  // A number that fits is put in place of one that does not, so that the conversion is defined and loops have no branch.
  const auto convert = [&](From v) { return static_cast<By>(v >= -end && v < end ? v : -end); };
  if constexpr (std::is_same_v<To, uint64_t>) {
    return x >= end ? static_cast<To>(convert(x - end)) ^ (To{1} << 63) : static_cast<To>(convert(x));
  } else {
    return static_cast<To>(convert(x));
  }
}

// A number attribute as an element: integers wrap, and so do floats.
template <class T>
T number_as(const Attrs& a, std::string_view name) {
  const auto found = a.values().find(name);
  if (found == a.values().end()) throw std::out_of_range("no attribute '" + std::string(name) + "'");
  const auto& v = found->second;
  if (const auto* d = std::get_if<double>(&v)) {
    if constexpr (kIsFloating<T>) {
      return static_cast<T>(*d);
    } else if constexpr (std::is_same_v<T, bool>) {
      return *d != 0;
    } else {
      return whole_part<T>(*d);
    }
  }
  if constexpr (kIsFloating<T>) {
    return static_cast<T>(static_cast<double>(a.i64(name)));
  } else {
    return static_cast<T>(a.i64(name));
  }
}

}  // namespace minds

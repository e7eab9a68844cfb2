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

// A number attribute as an element: integers wrap, and a float that no integer can hold goes to the nearest
// int64.
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
      if (std::isnan(*d)) return T{0};
      if (*d >= 0x1p63) return static_cast<T>(INT64_MAX);
      if (*d < -0x1p63) return static_cast<T>(INT64_MIN);
      return static_cast<T>(static_cast<int64_t>(*d));
    }
  }
  if constexpr (kIsFloating<T>) {
    return static_cast<T>(static_cast<double>(a.i64(name)));
  } else {
    return static_cast<T>(a.i64(name));
  }
}

}  // namespace minds

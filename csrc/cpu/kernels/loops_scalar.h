// Loops that apply a function to one element at a time; the compiler vectorises the simple ones.
#pragma once
#include "cpu/kernels/loops.h"

namespace minds::cpu {

// A bool as it lies in memory. Foreign memory may hold any byte, and reading that as a bool would be
// undefined.
struct Truth {
  uint8_t byte;
  operator bool() const { return byte != 0; }
};

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<Truth>() {
  return DType::kBool;
}
template <>
constexpr DType dtype_of<int8_t>() {
  return DType::kInt8;
}
template <>
constexpr DType dtype_of<int16_t>() {
  return DType::kInt16;
}
template <>
constexpr DType dtype_of<int32_t>() {
  return DType::kInt32;
}
template <>
constexpr DType dtype_of<int64_t>() {
  return DType::kInt64;
}
template <>
constexpr DType dtype_of<uint8_t>() {
  return DType::kUInt8;
}
template <>
constexpr DType dtype_of<uint16_t>() {
  return DType::kUInt16;
}
template <>
constexpr DType dtype_of<uint32_t>() {
  return DType::kUInt32;
}
template <>
constexpr DType dtype_of<uint64_t>() {
  return DType::kUInt64;
}
template <>
constexpr DType dtype_of<float>() {
  return DType::kFloat32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::kFloat64;
}

// `f` is a stateless function object; it gives the element of the result, which is T or bool.
template <class T, class Fn>
void set_unary(LoopTable& t, UnaryOp op, Fn) {
  t.unary[static_cast<int>(op)][static_cast<int>(dtype_of<T>())] = [](void* dst, const void* a, int64_t n) {
    auto* d = static_cast<decltype(Fn{}(T{}))*>(dst);
    const auto* x = static_cast<const T*>(a);
    for (int64_t i = 0; i < n; ++i) d[i] = Fn{}(x[i]);
  };
}

template <class T, class Fn>
void set_binary(LoopTable& t, BinaryOp op, Fn) {
  t.binary[static_cast<int>(op)][static_cast<int>(dtype_of<T>())].both = [](void* dst, const void* a,
                                                                            const void* b, int64_t n) {
    auto* d = static_cast<decltype(Fn{}(T{}, T{}))*>(dst);
    const auto *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
    for (int64_t i = 0; i < n; ++i) d[i] = Fn{}(x[i], y[i]);
  };
}

}  // namespace minds::cpu

// Instructions on words without a kernel: an exact op of kernel/elementwise.h on each dtype of words, which equals
// its kernel bit for bit since it is the same formula; conversions that are exact or rounded in one way; and the
// arithmetic of Python's numbers, with CPython's errors. Everything else (floor division, powers, transcendentals)
// goes through its kernel.
#pragma once
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernel/elementwise.h"
#include "runtime/value.h"

// F(Name, name, T, whether it fails, code, message): the result goes to r.
#define MINDS_CHECKED(F)                                                                                     \
  F(Add, add, int64_t, __builtin_add_overflow(a.i, b.i, &r.i), kOverflow, "the result does not fit 64 bits") \
  F(Sub, sub, int64_t, __builtin_sub_overflow(a.i, b.i, &r.i), kOverflow, "the result does not fit 64 bits") \
  F(Mul, mul, int64_t, __builtin_mul_overflow(a.i, b.i, &r.i), kOverflow, "the result does not fit 64 bits") \
  F(Div, div, double, (r.d = a.d / b.d, b.d == 0), kZeroDivision, "division by zero")

// F(From, To): all conversions between dtypes of words but those of floats to integers.
#define MINDS_CONVERSIONS(F) \
  F(bool, int64_t)           \
  F(bool, float)             \
  F(bool, double)            \
  F(int64_t, bool)           \
  F(int64_t, float)          \
  F(int64_t, double)         \
  F(float, bool)             \
  F(float, double)           \
  F(double, bool)            \
  F(double, float)

namespace minds::runtime {

// The number of a word's type, and its dtype.
template <class T>
inline constexpr uint32_t kSlot = std::is_same_v<T, bool>      ? 0
                                  : std::is_same_v<T, int64_t> ? 1
                                  : std::is_same_v<T, float>   ? 2
                                                               : 3;
inline constexpr DType kWordTypes[] = {DType::kBool, DType::kInt64, DType::kFloat32, DType::kFloat64};

// The numbers of the instructions: four of each op, one for each dtype of words, whether it takes that or not; then
// the conversions and the checked ones. They are not kept from one build to the next.
template <class T>
constexpr uint32_t scalar_number(UnaryOp op) {
  return static_cast<uint32_t>(op) * 4 + kSlot<T>;
}
template <class T>
constexpr uint32_t scalar_number(BinaryOp op) {
  return (kUnaryCount + static_cast<uint32_t>(op)) * 4 + kSlot<T>;
}
template <class From, class To>
inline constexpr uint32_t kConversion = (kUnaryCount + kBinaryCount) * 4 + kSlot<From> * 4 + kSlot<To>;
template <class T>
constexpr uint32_t checked_number(BinaryOp op) {
  return scalar_number<T>(op) + (kUnaryCount + kBinaryCount) * 4 + 16;
}

template <class T>
T get(Word w) {
  if constexpr (std::is_same_v<T, bool>) {
    return w.b != 0;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return w.i;
  } else if constexpr (std::is_same_v<T, float>) {
    return w.f;
  } else {
    return w.d;
  }
}

template <class T>
void set(Word& w, T v) {
  if constexpr (std::is_same_v<T, bool>) {
    w.bits = v;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    w.i = v;
  } else if constexpr (std::is_same_v<T, float>) {
    w.f = v;
  } else {
    w.d = v;
  }
}

struct ScalarForm {
  uint32_t number;
  std::string_view op;  // the kernel that does the same
  int operands;
  DType in, out;
  bool checked;  // with CPython's errors
};

// All instructions on words.
const std::vector<ScalarForm>& scalar_forms();
bool is_scalar(uint32_t number);

}  // namespace minds::runtime

// What every `prepare` asks of its signature. A kernel trusts nobody: shapes and dtypes are checked here
// once, so that `run` need not look.
#pragma once
#include <string>
#include <utility>

#include "kernel/kernel.h"

namespace minds {

inline Status bad_value(std::string message) { return {Code::kValue, std::move(message)}; }
inline Status bad_type(std::string message) { return {Code::kType, std::move(message)}; }

constexpr bool is_float(DType t) { return t >= DType::kFloat16 && t <= DType::kFloat64; }
constexpr bool is_integer(DType t) { return t >= DType::kInt8 && t <= DType::kUInt64; }

// The number of inputs and outputs, and no tensor of a rank or size that index arithmetic cannot hold.
Status expect_counts(const Signature& s, size_t inputs, size_t outputs);
Status expect_rank(const TensorSpec& t, const char* what, int64_t least);
Status expect_spec(const TensorSpec& t, const char* what, DType dtype, const Shape& shape);
Status expect_integers(const TensorSpec& t, const char* what);
Status expect_axis(int64_t axis, const Shape& shape);

std::string to_string(const Shape& s);

// The product of the dimensions [first, last).
inline int64_t product(const Shape& s, size_t first, size_t last) {
  int64_t n = 1;
  for (size_t d = first; d < last; ++d) n *= s[d];
  return n;
}

}  // namespace minds

// Lists for MINDS_KERNEL.
#define MINDS_INTS                                                                               \
  ::minds::DType::kInt8, ::minds::DType::kInt16, ::minds::DType::kInt32, ::minds::DType::kInt64, \
      ::minds::DType::kUInt8, ::minds::DType::kUInt16, ::minds::DType::kUInt32, ::minds::DType::kUInt64
#define MINDS_FLOATS \
  ::minds::DType::kFloat16, ::minds::DType::kBFloat16, ::minds::DType::kFloat32, ::minds::DType::kFloat64
#define MINDS_REALS MINDS_INTS, MINDS_FLOATS
#define MINDS_ALL_DTYPES \
  ::minds::DType::kBool, MINDS_REALS, ::minds::DType::kComplex64, ::minds::DType::kComplex128

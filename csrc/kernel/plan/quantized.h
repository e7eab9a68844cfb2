// What the kernels of quantised weights ask of their signatures.
#pragma once
#include "kernel/plan/check.h"

namespace minds {

// As many products of a byte and a weight as 32 bits hold the sum of.
inline constexpr int64_t kMostDepth = (int64_t{1} << 31) / (255 * 128) / 4 * 4 - 4;

// Operands 1 to 3: `rows` rows of int8 weights, each of `taps` times `channels`, their factors and their bias; of a stack of
// products, each has its own.
struct QuantizedPlan {
  int64_t stack = 1, rows = 0, taps = 1, channels = 0;
  int64_t depth = 0;  // of a row whose taps are padded to whole groups of four

  // `rank` is that of the operands of one product. Without the dimension that stacks them, x is `x` and the weights `w`.
  Status prepare(const Signature& s, size_t rank, Shape& x, Shape& w);
  // The shape of a result, stacked.
  Shape stacked(const Signature& s, size_t rank, Shape one) const;

  int64_t groups() const { return (channels + 3) / 4; }
};

}  // namespace minds

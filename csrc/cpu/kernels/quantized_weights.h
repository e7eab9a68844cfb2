// What the kernels of quantised weights share: the weights' checks and their form, and places in the workspace.
#pragma once
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/kernels/quantized.h"
#include "kernel/plan/check.h"

namespace minds::cpu {

// Places of a workspace, one after the other.
class Places {
 public:
  size_t take(int64_t bytes) {
    const size_t at = size_;
    size_ += (static_cast<size_t>(bytes) + 63) / 64 * 64;
    return at;
  }
  size_t size() const { return size_; }

 private:
  size_t size_ = 0;
};

// Operands 1 to 3: `rows` rows of int8 weights, each of `taps` times `channels`, their factors and their bias; of a stack of
// products, each has its own.
struct QuantizedWeights {
  int64_t stack = 1, rows = 0, taps = 1, channels = 0;
  int64_t depth = 0;  // of a row whose taps are padded to whole groups of four

  // `rank` is that of the operands of one product. Without the dimension that stacks them, x is `x` and the weights `w`.
  Status prepare(const Signature& s, size_t rank, Shape& x, Shape& w) {
    x = s.inputs[0].shape;
    w = s.inputs[1].shape;
    Shape factors{};
    if (x.size() == rank + 1 && w.size() == rank + 1 && x[0] == w[0]) {
      stack = x[0];
      factors.push_back(stack);
      x.erase(x.begin());
      w.erase(w.begin());
    }
    if (x.size() != rank || w.size() != rank || x[1] != w[rank - 1]) {
      return bad_value("operands of shapes " + to_string(s.inputs[0].shape) + " and " + to_string(s.inputs[1].shape) +
                       " do not fit");
    }
    rows = w[0];
    factors.push_back(rows);
    channels = w[rank - 1];
    taps = product(w, 1, rank - 1);
    if (taps > kMostDepth || taps * groups() * 4 > kMostDepth) {
      return bad_value("a sum of " + std::to_string(taps * channels) + " products of bytes does not fit 32 bits; " +
                       std::to_string(kMostDepth) + " do");
    }
    depth = taps * groups() * 4;
    if (auto failed = expect_spec(s.inputs[0], "x", DType::kFloat32, s.inputs[0].shape)) return failed;
    if (auto failed = expect_spec(s.inputs[1], "the weights", DType::kInt8, s.inputs[1].shape)) return failed;
    if (auto failed = expect_spec(s.inputs[2], "scale", DType::kFloat32, factors)) return failed;
    return expect_spec(s.inputs[3], "bias", DType::kFloat32, factors);
  }

  // The shape of a result, stacked.
  Shape stacked(const Signature& s, size_t rank, Shape one) const {
    if (s.inputs[0].shape.size() > rank) one.insert(one.begin(), stack);
    return one;
  }

  int64_t groups() const { return (channels + 3) / 4; }
  int64_t workspace() const { return channels % 4 == 0 ? 0 : rows * depth; }

  const int8_t* padded(const int8_t* weights, void* space) const {
    if (channels % 4 == 0) return weights;
    int8_t* const to = static_cast<int8_t*>(space);
    const int64_t wide = groups() * 4;
    parallel_for(rows * taps, std::max<int64_t>(1, kGrain / wide), [&](int64_t begin, int64_t end) {
      for (int64_t tap = begin; tap < end; ++tap) {
        std::memcpy(to + tap * wide, weights + tap * channels, static_cast<size_t>(channels));
        std::memset(to + tap * wide + channels, 0, static_cast<size_t>(wide - channels));
      }
    });
    return to;
  }
};

}  // namespace minds::cpu

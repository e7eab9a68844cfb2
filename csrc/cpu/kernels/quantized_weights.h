// What the kernels of quantised weights share: the weights' form, and places in the workspace.
#pragma once
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/kernels/quantized.h"
#include "kernel/plan/quantized.h"

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

struct QuantizedWeights : QuantizedPlan {
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

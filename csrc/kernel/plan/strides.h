// Strides of dense tensors, and the walk over a box in two tensors at once. Strides count elements and may be zero
// (broadcast) or negative (flip).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "base/shape.h"

namespace minds {

inline constexpr int kMaxRank = 32;  // as NumPy 1, and as check_shape allows; so that an odometer needs no allocation

// The strides of a dense row-major tensor.
Shape row_major(const Shape& shape);

// One dimension that is walked in a source and in a destination at once.
struct Dim {
  int64_t size, in, out;
};

// Drops dimensions of size 1 and merges neighbours that are one dimension in both tensors. Order is kept.
std::vector<Dim> coalesce(const std::vector<Dim>& dims);

// Walks a box in row-major order and keeps the offsets of the current element in both tensors. `dims` has no size 0
// and outlives it.
class Odometer {
 public:
  Odometer(const std::vector<Dim>& dims, int64_t start);
  void next() {
    for (int d = rank_ - 1; d >= 0; --d) {
      in += dims_[d].in;
      out += dims_[d].out;
      if (++index_[d] < dims_[d].size) return;
      in -= dims_[d].in * dims_[d].size;
      out -= dims_[d].out * dims_[d].size;
      index_[d] = 0;
    }
  }
  int64_t in = 0, out = 0;

 private:
  const Dim* dims_;
  int rank_;
  std::array<int64_t, kMaxRank> index_;
};

}  // namespace minds

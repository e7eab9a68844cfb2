// Strided boxes: what the array kernels share. Strides count elements and may be zero (broadcast) or negative
// (flip).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/shape.h"

namespace minds::cpu {

inline constexpr int kMaxRank = 32;         // as NumPy 1; so that an odometer needs no allocation
inline constexpr int64_t kGrain = 1 << 15;  // elements of simple work that are worth a thread

// The strides of a dense row-major tensor.
Shape row_major(const Shape& shape);

// One dimension that is walked in a source and in a destination at once.
struct Dim {
  int64_t size, in, out;
};

// Drops dimensions of size 1 and merges neighbours that are one dimension in both tensors. Order is kept.
std::vector<Dim> coalesce(const std::vector<Dim>& dims);

// Walks a box in row-major order and keeps the offsets of the current element in both tensors.
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

// A prepared copy of a box from one tensor into another of the same element size: concat, slice, flip,
// broadcast and transpose are all this. Runs of adjacent elements go by memcpy, exchanged axes in
// two-dimensional tiles.
class StridedCopy {
 public:
  StridedCopy() = default;
  StridedCopy(const Shape& shape, const Shape& in_strides, const Shape& out_strides, int64_t in_offset,
              int64_t out_offset, size_t item);
  void run(const void* in, void* out) const;

 private:
  enum class Mode { kNone, kRun, kFill, kTile, kStrided };
  template <class T>
  void run_as(const T* in, T* out) const;
  template <class T>
  void run_tiles(const T* in, T* out) const;

  Mode mode_ = Mode::kNone;
  std::vector<Dim> outer_;  // walked by an odometer
  int64_t outer_size_ = 1;
  Dim inner_{1, 1, 1};  // the loop that the mode is about
  Dim cross_{1, 1, 1};  // kTile: the dimension that is adjacent in the source
  int64_t piece_ = 1;   // elements of `inner_` per unit of work
  int64_t in_offset_ = 0, out_offset_ = 0;
  size_t item_ = 1;
};

}  // namespace minds::cpu

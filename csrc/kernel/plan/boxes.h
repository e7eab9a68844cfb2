// The ops that only move elements, as boxes that are copied from one tensor into another of the same dtype: transpose,
// broadcast_to, flip, strided_slice and its gradient, pad, concat and split. Each function checks the signature of its
// op.
#pragma once
#include <vector>

#include "kernel/plan/check.h"
#include "kernel/plan/strides.h"

namespace minds {

struct Box {
  Shape shape, in, out;                   // its sizes, and its strides in both tensors
  int64_t in_offset = 0, out_offset = 0;  // of its first element
  size_t item = 1;                        // bytes of an element
};

Status plan_transpose(const Signature& s, const Shape& perm, Box& box);
Status plan_broadcast_to(const Signature& s, const Shape& shape, Box& box);
Status plan_flip(const Signature& s, const Shape& axes, Box& box);

// `paddings` has two numbers per axis: elements before and after. What the box does not cover is the frame.
Status plan_pad(const Signature& s, const Shape& paddings, Box& box);

// Full rank, begin inclusive, end exclusive; with a negative step, end may be -1.
struct SliceRange {
  Shape begin, end, step;
};
Status plan_slice(const Signature& s, const SliceRange& range, Box& box);
// Into a tensor of zeros, of which `shape` is the shape.
Status plan_slice_dx(const Signature& s, const SliceRange& range, const Shape& shape, Box& box);

// One box per part.
Status plan_concat(const Signature& s, int64_t axis, std::vector<Box>& boxes);
Status plan_split(const Signature& s, int64_t axis, const Shape& sizes, std::vector<Box>& boxes);

// How a box is best copied: dims that both tensors walk alike are merged, and what the innermost ones allow is found.
struct CopyPlan {
  enum class Mode {
    kNone,     // it is empty
    kRun,      // `inner` is adjacent in both tensors
    kFill,     // `inner` is adjacent in the destination and one element of the source
    kTile,     // `inner` is adjacent in the destination, `cross` in the source
    kStrided,  // anything else
  };
  CopyPlan() = default;
  explicit CopyPlan(const Box& box);

  Mode mode = Mode::kNone;
  std::vector<Dim> outer;  // walked by an odometer
  int64_t outer_size = 1;
  Dim inner{1, 1, 1}, cross{1, 1, 1};
  int64_t in_offset = 0, out_offset = 0;
  size_t item = 1;
};

}  // namespace minds

// What the pooling kernels have in common: shapes, and where each window begins and ends.
#pragma once
#include <vector>

#include "kernel/plan/window.h"

namespace minds {

struct Planes {
  int64_t count, in_h, in_w, out_h, out_w;
  int64_t in() const { return in_h * in_w; }
  int64_t out() const { return out_h * out_w; }
};

// One axis of one window: input positions begin, begin + dilation, ... below end, all inside the plane.
struct Span {
  int64_t begin, end;
};

struct PoolPlan {
  // Reads kernel, stride, pad and dilation. Gives the output's shape for an `input` (N, C, H, W); refuses a window that
  // lies wholly in the padding, which has no value.
  Status prepare(const Attrs& a, const Shape& input, Shape& output);

  Window window;
  Planes planes;
  std::vector<Span> rows, cols;  // per output row and column
};

// The planes of an exchange between (N, C, H, W) and (N, C, OH, OW) by places in the planes of the first.
Status plan_exchange(const Shape& wide, const Shape& narrow, const TensorSpec& index, Planes& p);

}  // namespace minds

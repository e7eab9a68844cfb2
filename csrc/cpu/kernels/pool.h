// What the pooling kernels have in common: shapes and where each window begins and ends.
#pragma once
#include <vector>

#include "cpu/kernels/conv_geometry.h"

namespace minds::cpu {

struct Planes {
  int64_t count, in_h, in_w, out_h, out_w;
  int64_t in() const { return in_h * in_w; }
  int64_t out() const { return out_h * out_w; }
};

// One axis of one window: input positions begin, begin + step, ... below end, all inside the plane.
struct Span {
  int64_t begin, end;
};

// The spans of all placements along one axis. Refuses a placement that lies wholly in the padding, which has no value.
Status spans(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t before, int64_t dilation,
             std::vector<Span>& list);

// Reads kernel, stride, pad and dilation, and checks `input` (N, C, H, W) and `output` against them.
Status describe_pool(const Attrs& a, const Shape& input, Window& w, Planes& p, Shape& output);

// Planes per task, so that a task is worth a thread.
int64_t planes_grain(const Planes& p);

}  // namespace minds::cpu

// What softmax, scans, sorts, argmax and one_hot work along: one axis of a tensor, seen as (outer, size, inner).
#pragma once
#include "kernel/plan/check.h"

namespace minds {

struct AxisPlan {
  Status prepare(const Shape& shape, int64_t axis) {
    if (auto bad = expect_axis(axis, shape)) return bad;
    const size_t at = static_cast<size_t>(axis);
    outer = product(shape, 0, at);
    size = shape[at];
    inner = product(shape, at + 1, shape.size());
    return {};
  }

  int64_t outer = 1, size = 0, inner = 1;
};

}  // namespace minds

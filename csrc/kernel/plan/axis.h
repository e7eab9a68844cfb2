// What softmax, scans, sorts, argmax and one_hot work along: one axis of a tensor, seen as (outer, size, inner).
#pragma once
#include "kernel/plan/check.h"

namespace minds {

struct AxisPlan {
  Status prepare(const Shape& shape, int64_t axis);
  // With the check of a signature: the result is like the operand; it is the place of an extreme of each line; it is
  // `k` elements of each line, and their places.
  Status prepare_map(const Signature& s, int64_t axis);
  Status prepare_extreme(const Signature& s, int64_t axis, bool keepdims);
  Status prepare_order(const Signature& s, int64_t axis, int64_t k);

  static constexpr int64_t kAll = INT64_MIN;  // for k

  int64_t outer = 1, size = 0, inner = 1;
};

// tril and triu: `rows` rows of `width` elements, of matrices with `height` rows.
struct TrianglePlan {
  Status prepare(const Signature& s, int64_t k);

  int64_t height = 0, width = 0, rows = 0;
  int64_t k = 0;  // the diagonal, or one beyond the last: no sum with it overflows
};

}  // namespace minds

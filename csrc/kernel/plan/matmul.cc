#include "kernel/plan/matmul.h"

#include <algorithm>

namespace minds {
namespace {

// The dim that is `back` from the end, or 1 beyond the first.
int64_t dim_of(const Shape& s, size_t back) { return back <= s.size() ? s[s.size() - back] : 1; }

}  // namespace

Status MatmulPlan::prepare(const Attrs& a, const Signature& s) {
  if (auto failed = expect_counts(s, 2, 1)) return failed;
  const TensorSpec &x = s.inputs[0], &y = s.inputs[1];
  if (x.shape.size() < 2 || y.shape.size() < 2) {
    return bad_value("operands must have at least 2 dimensions, got " + to_string(x.shape) + " and " +
                     to_string(y.shape));
  }
  if (x.dtype != y.dtype) {
    return bad_type(std::string("operands must have one dtype, got ") + name(x.dtype) + " and " + name(y.dtype));
  }
  trans_x = a.has("transpose_a") && a.boolean("transpose_a");
  trans_y = a.has("transpose_b") && a.boolean("transpose_b");
  m = dim_of(x.shape, trans_x ? 1 : 2);
  k = dim_of(x.shape, trans_x ? 2 : 1);
  n = dim_of(y.shape, trans_y ? 2 : 1);
  const int64_t y_depth = dim_of(y.shape, trans_y ? 1 : 2);
  if (k != y_depth) {
    return bad_value("inner dimensions differ: " + std::to_string(k) + " and " + std::to_string(y_depth));
  }
  const size_t rank = std::max(x.shape.size(), y.shape.size());
  Shape out(rank);
  out[rank - 2] = m;
  out[rank - 1] = n;
  for (size_t back = 3; back <= rank; ++back) {
    const int64_t dx = dim_of(x.shape, back), dy = dim_of(y.shape, back);
    if (dx != dy && dx != 1 && dy != 1) {
      return bad_value("batch dimensions cannot be broadcast: " + to_string(x.shape) + " and " + to_string(y.shape));
    }
    out[rank - back] = dx == 1 ? dy : dx;
  }
  if (auto failed = expect_spec(s.outputs[0], "the result", x.dtype, out)) return failed;
  merge(x.shape, y.shape);
  return Status::ok();
}

void MatmulPlan::merge(const Shape& x, const Shape& y) {
  int64_t x_step = 1, y_step = 1;
  for (size_t back = 3; back <= std::max(x.size(), y.size()); ++back) {  // from the innermost batch dim
    const int64_t dx = dim_of(x, back), dy = dim_of(y, back);
    const BatchDim d{dx == 1 ? dy : dx, dx == 1 ? 0 : x_step, dy == 1 ? 0 : y_step};
    x_step *= dx;
    y_step *= dy;
    if (d.size == 1) continue;
    batches *= d.size;
    BatchDim* inner = batch.empty() ? nullptr : &batch.back();
    if (inner && (inner->x_step == 0) == (d.x_step == 0) && (inner->y_step == 0) == (d.y_step == 0)) {
      inner->size *= d.size;
    } else {
      batch.push_back(d);
    }
  }
  // Rows of a batch that meets one matrix are one taller matrix.
  if (batch.size() == 1 && batch[0].y_step == 0 && !trans_x) {
    m *= batch[0].size;
    batch.clear();
    batches = 1;
  }
}

}  // namespace minds

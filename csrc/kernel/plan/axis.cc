#include "kernel/plan/axis.h"

#include <algorithm>

namespace minds {

Status AxisPlan::prepare(const Shape& shape, int64_t axis) {
  if (auto bad = expect_axis(axis, shape)) return bad;
  const size_t at = static_cast<size_t>(axis);
  outer = product(shape, 0, at);
  size = shape[at];
  inner = product(shape, at + 1, shape.size());
  return {};
}

Status AxisPlan::prepare_map(const Signature& s, int64_t axis) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (auto bad = prepare(x.shape, axis)) return bad;
  return expect_spec(s.outputs[0], "the result", x.dtype, x.shape);
}

Status AxisPlan::prepare_extreme(const Signature& s, int64_t axis, bool keepdims) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec &x = s.inputs[0], &out = s.outputs[0];
  if (auto bad = prepare(x.shape, axis)) return bad;
  Shape shape = x.shape;
  if (keepdims) {
    shape[axis] = 1;
  } else {
    shape.erase(shape.begin() + axis);
  }
  if (auto bad = expect_spec(out, "the output", DType::kInt64, shape)) return bad;
  if (size == 0 && out.size() > 0) {
    return bad_value("axis " + std::to_string(axis) + " of shape " + to_string(x.shape) + " is empty");
  }
  return {};
}

Status AxisPlan::prepare_order(const Signature& s, int64_t axis, int64_t k) {
  if (auto bad = expect_counts(s, 1, 2)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (axis < 0) axis += static_cast<int64_t>(x.shape.size());
  if (auto bad = prepare(x.shape, axis)) return bad;
  if (k == kAll) k = size;
  if (k < 0 || k > size) {
    return bad_value("k is " + std::to_string(k) + ", the axis has " + std::to_string(size) + " elements");
  }
  Shape shape = x.shape;
  shape[axis] = k;
  if (auto bad = expect_spec(s.outputs[0], "the values", x.dtype, shape)) return bad;
  return expect_spec(s.outputs[1], "the indices", DType::kInt64, shape);
}

Status TrianglePlan::prepare(const Signature& s, int64_t diagonal) {
  if (auto bad = expect_counts(s, 1, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (auto bad = expect_rank(x, "x", 2)) return bad;
  if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, x.shape)) return bad;
  height = x.shape[x.shape.size() - 2];
  width = x.shape.back();
  rows = width > 0 ? x.size() / width : 0;
  k = std::clamp(diagonal, -height - 1, width + 1);
  return {};
}

}  // namespace minds

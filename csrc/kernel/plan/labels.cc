#include "kernel/plan/labels.h"

namespace minds {

Status NllPlan::prepare(const Signature& s) {
  if (auto bad = expect_counts(s, 2, 1)) return bad;
  const TensorSpec &logp = s.inputs[0], &labels = s.inputs[1];
  if (logp.shape.size() != 2) return bad_value("logp has shape " + to_string(logp.shape) + ", expected rank 2");
  if (auto bad = expect_integers(labels, "target")) return bad;
  rows = logp.shape[0];
  classes = logp.shape[1];
  dtype = logp.dtype;
  target = labels.dtype;
  if (auto bad = expect_spec(labels, "target", target, {rows})) return bad;
  return expect_spec(s.outputs[0], "the output", dtype, {rows});
}

Status NllPlan::prepare_gradient(const Signature& s, int64_t of) {
  if (auto bad = expect_counts(s, 2, 1)) return bad;
  const TensorSpec &dout = s.inputs[0], &labels = s.inputs[1];
  if (dout.shape.size() != 1) return bad_value("dout has shape " + to_string(dout.shape) + ", expected rank 1");
  if (auto bad = expect_integers(labels, "target")) return bad;
  rows = dout.shape[0];
  classes = of;
  dtype = dout.dtype;
  target = labels.dtype;
  if (auto bad = expect_spec(labels, "target", target, {rows})) return bad;
  return expect_spec(s.outputs[0], "the output", dtype, {rows, classes});
}

Status SoftmaxNllPlan::read(const TensorSpec& x, const TensorSpec& labels) {
  if (x.shape.size() != 2) return bad_value("the logits have shape " + to_string(x.shape) + ", expected rank 2");
  if (auto bad = expect_integers(labels, "target")) return bad;
  rows = x.shape[0];
  classes = x.shape[1];
  dtype = x.dtype;
  target = labels.dtype;
  return expect_spec(labels, "target", target, {rows});
}

Status SoftmaxNllPlan::expect_statistics(const TensorSpec* two) const {
  const DType wide = dtype == DType::kFloat64 ? dtype : DType::kFloat32;
  if (auto bad = expect_spec(two[0], "the largest logits", wide, {rows})) return bad;
  return expect_spec(two[1], "the logarithms", wide, {rows});
}

Status SoftmaxNllPlan::prepare(const Signature& s) {
  if (auto bad = expect_counts(s, 2, 3)) return bad;
  if (auto bad = read(s.inputs[0], s.inputs[1])) return bad;
  if (auto bad = expect_spec(s.outputs[0], "the output", dtype, {rows})) return bad;
  return expect_statistics(&s.outputs[1]);
}

Status SoftmaxNllPlan::prepare_gradient(const Signature& s) {
  if (auto bad = expect_counts(s, 5, 1)) return bad;
  if (auto bad = read(s.inputs[1], s.inputs[2])) return bad;
  if (auto bad = expect_spec(s.inputs[0], "dout", dtype, {rows})) return bad;
  if (auto bad = expect_statistics(&s.inputs[3])) return bad;
  return expect_spec(s.outputs[0], "the output", dtype, s.inputs[1].shape);
}

Status OneHotPlan::prepare(const Signature& s, int64_t depth, int64_t axis) {
  if (auto bad = expect_counts(s, 3, 1)) return bad;
  const TensorSpec &indices = s.inputs[0], &on = s.inputs[1];
  const int64_t rank = static_cast<int64_t>(indices.shape.size());
  if (auto bad = expect_integers(indices, "indices")) return bad;
  if (auto bad = expect_spec(on, "on_value", on.dtype, {})) return bad;
  if (auto bad = expect_spec(s.inputs[2], "off_value", on.dtype, {})) return bad;
  if (on.dtype > DType::kFloat64) return bad_type("on_value must be a real number or a boolean");
  if (axis < 0) axis += rank + 1;
  if (axis < 0 || axis > rank) return bad_value("axis is out of range for indices of " + to_string(indices.shape));
  if (depth < 0) return bad_value("depth is " + std::to_string(depth));
  Shape shape = indices.shape;
  shape.insert(shape.begin() + axis, depth);
  if (auto bad = expect_spec(s.outputs[0], "the output", on.dtype, shape)) return bad;
  index = indices.dtype;
  return around.prepare(shape, axis);
}

}  // namespace minds

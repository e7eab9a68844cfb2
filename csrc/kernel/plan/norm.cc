#include "kernel/plan/norm.h"

namespace minds {

// ---- batch_norm

Status ChannelsPlan::read(const TensorSpec& x) {
  if (x.shape.size() < 2) return bad_value("the input must have at least 2 dimensions, got " + to_string(x.shape));
  batch = x.shape[0];
  channels = x.shape[1];
  plane = product(x.shape, 2, x.shape.size());
  return {};
}

Status ChannelsPlan::expect_channels(const Signature& s, size_t from, size_t to) const {
  for (size_t i = from; i < to; ++i) {
    if (auto bad = expect_spec(s.inputs[i], "a parameter", s.inputs[0].dtype, {channels})) return bad;
  }
  return {};
}

Status ChannelsPlan::prepare(const Signature& s, bool residual) {
  if (auto bad = expect_counts(s, residual ? 4 : 3, 3)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (auto bad = read(x)) return bad;
  if (auto bad = expect_channels(s, 1, 3)) return bad;
  if (residual) {
    if (auto bad = expect_spec(s.inputs[3], "the residual", x.dtype, x.shape)) return bad;
  }
  if (auto bad = expect_spec(s.outputs[0], "the result", x.dtype, x.shape)) return bad;
  if (auto bad = expect_spec(s.outputs[1], "the mean", x.dtype, {channels})) return bad;
  return expect_spec(s.outputs[2], "the variance", x.dtype, {channels});
}

Status ChannelsPlan::prepare_gradient(const Signature& s) {
  if (auto bad = expect_counts(s, 5, 3)) return bad;
  const TensorSpec& x = s.inputs[1];
  if (auto bad = read(x)) return bad;
  if (auto bad = expect_spec(s.inputs[0], "dout", x.dtype, x.shape)) return bad;
  if (auto bad = expect_channels(s, 2, 5)) return bad;
  if (auto bad = expect_spec(s.outputs[0], "dx", x.dtype, x.shape)) return bad;
  if (auto bad = expect_spec(s.outputs[1], "dgamma", x.dtype, {channels})) return bad;
  return expect_spec(s.outputs[2], "dbeta", x.dtype, {channels});
}

Status ChannelsPlan::prepare_relu_gradient(const Signature& s, bool residual) {
  if (auto bad = expect_counts(s, 6, residual ? 4 : 3)) return bad;
  Signature plain{{s.inputs[0], s.inputs[2], s.inputs[3], s.inputs[4], s.inputs[5]},
                  {s.outputs[0], s.outputs[1], s.outputs[2]}};
  if (auto bad = prepare_gradient(plain)) return bad;
  const TensorSpec& x = s.inputs[2];
  if (auto bad = expect_spec(s.inputs[1], "the result", x.dtype, x.shape)) return bad;
  return residual ? expect_spec(s.outputs[3], "dresidual", x.dtype, x.shape) : Status{};
}

Status ChannelsPlan::prepare_inference(const Signature& s) {
  if (auto bad = expect_counts(s, 5, 1)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (auto bad = read(x)) return bad;
  if (auto bad = expect_channels(s, 1, 5)) return bad;
  return expect_spec(s.outputs[0], "the result", x.dtype, x.shape);
}

// ---- layer_norm

namespace {

Status expect_size(const TensorSpec& t, const char* what, DType dtype, int64_t size) {
  if (t.dtype != dtype) return expect_spec(t, what, dtype, t.shape);
  if (t.size() == size) return {};
  return bad_value(std::string(what) + " must have " + std::to_string(size) + " elements, got " + to_string(t.shape));
}

}  // namespace

Status LayerPlan::read(const TensorSpec& x, int64_t begin_axis) {
  const int64_t rank = static_cast<int64_t>(x.shape.size());
  if (begin_axis < 0 || begin_axis >= rank) {
    return bad_value("begin_axis " + std::to_string(begin_axis) + " is out of range for " + to_string(x.shape));
  }
  const size_t axis = static_cast<size_t>(begin_axis);
  rows = product(x.shape, 0, axis);
  width = product(x.shape, axis, x.shape.size());
  return {};
}

Status LayerPlan::prepare(const Signature& s, int64_t begin_axis) {
  if (auto bad = expect_counts(s, 3, 3)) return bad;
  const TensorSpec& x = s.inputs[0];
  if (auto bad = read(x, begin_axis)) return bad;
  if (auto bad = expect_size(s.inputs[1], "gamma", x.dtype, width)) return bad;
  if (auto bad = expect_size(s.inputs[2], "beta", x.dtype, width)) return bad;
  if (auto bad = expect_spec(s.outputs[0], "the result", x.dtype, x.shape)) return bad;
  if (auto bad = expect_size(s.outputs[1], "the mean", x.dtype, rows)) return bad;
  return expect_size(s.outputs[2], "rstd", x.dtype, rows);
}

Status LayerPlan::prepare_gradient(const Signature& s, int64_t begin_axis) {
  if (auto bad = expect_counts(s, 5, 3)) return bad;
  const TensorSpec& x = s.inputs[1];
  if (auto bad = read(x, begin_axis)) return bad;
  if (auto bad = expect_spec(s.inputs[0], "dout", x.dtype, x.shape)) return bad;
  if (auto bad = expect_size(s.inputs[2], "the mean", x.dtype, rows)) return bad;
  if (auto bad = expect_size(s.inputs[3], "rstd", x.dtype, rows)) return bad;
  if (auto bad = expect_size(s.inputs[4], "gamma", x.dtype, width)) return bad;
  if (auto bad = expect_spec(s.outputs[0], "dx", x.dtype, x.shape)) return bad;
  if (auto bad = expect_size(s.outputs[1], "dgamma", x.dtype, width)) return bad;
  return expect_size(s.outputs[2], "dbeta", x.dtype, width);
}

}  // namespace minds

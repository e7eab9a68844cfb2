#include "kernel/plan/conv.h"

#include "device/array.h"
#include "kernel/plan/window.h"

namespace minds {

Status ConvSpec::prepare(const Attrs& a, ConvPass which, const Signature& s) {
  if (auto failed = expect_counts(s, 2, 1)) return failed;
  const TensorSpec &x = s.inputs[0], &y = s.inputs[1], &out = s.outputs[0];
  pass = which;
  dtype = x.dtype;
  const bool forward = pass == ConvPass::kForward;
  const Shape input = pass == ConvPass::kData ? a.ints("in_shape") : x.shape;
  const Shape weights = pass == ConvPass::kWeight ? a.ints("w_shape") : y.shape;
  Shape output;
  if (auto failed = measure(a, input, weights, output)) return failed;
  if (pass == ConvPass::kData) {
    if (auto failed = expect_spec(x, "dout", dtype, output)) return failed;
  }
  if (auto failed = expect_spec(y, pass == ConvPass::kWeight ? "dout" : "weights", dtype,
                                pass == ConvPass::kWeight ? output : weights)) {
    return failed;
  }
  return expect_spec(out, "the result", dtype, forward ? output : pass == ConvPass::kData ? input : weights);
}

Status ConvSpec::measure(const Attrs& a, const Shape& input, const Shape& weights, Shape& output) {
  if (input.size() != 4 || weights.size() != 4) {
    return bad_value("input and weights must have 4 dimensions, got " + to_string(input) + " and " +
                     to_string(weights));
  }
  for (const Shape& shape : {input, weights}) {
    if (auto failed = check_shape(shape, dtype)) return failed;
  }
  Window w;
  if (auto failed = read_window(a, {weights[2], weights[3]}, w)) return failed;
  if (auto failed = check_window(w, input[2], input[3])) return failed;
  group = a.i64("group", 1);
  if (group < 1 || input[1] % group != 0 || weights[0] % group != 0) {
    return bad_value("group " + std::to_string(group) + " does not divide " + std::to_string(input[1]) +
                     " input and " + std::to_string(weights[0]) + " output channels");
  }
  if (weights[1] != input[1] / group) {
    return bad_value("weights of " + std::to_string(weights[1]) + " input channels do not fit an input of " +
                     std::to_string(input[1]) + (group > 1 ? " in " + std::to_string(group) + " groups" : ""));
  }
  output = {input[0], weights[0], w.out_h(input[2]), w.out_w(input[3])};
  batch = input[0];
  in_channels = input[1];
  in_h = input[2];
  in_w = input[3];
  out_channels = output[1];
  out_h = output[2];
  out_w = output[3];
  kernel_h = w.kernel_h;
  kernel_w = w.kernel_w;
  stride_h = w.stride_h;
  stride_w = w.stride_w;
  top = w.top;
  bottom = w.bottom;
  left = w.left;
  right = w.right;
  dilation_h = w.dilation_h;
  dilation_w = w.dilation_w;
  return Status::ok();
}

}  // namespace minds

#include "cpu/kernels/conv_geometry.h"

#include <string>

namespace minds::cpu {

namespace {

// An attribute of `count` integers that are at least `least`.
Status read_ints(const Attrs& a, const char* name, size_t count, int64_t least, Shape& out) {
  out = a.ints(name);
  bool good = out.size() == count;
  for (int64_t v : out) good = good && v >= least && v <= (int64_t{1} << 30);
  if (good) return Status::ok();
  return bad_value(std::string(name) + " must be " + std::to_string(count) + " integers of at least " +
                   std::to_string(least) + ", got " + to_string(out));
}

}  // namespace

Status read_window(const Attrs& a, const Shape& kernel, Window& w) {
  Shape stride, pad, dilation{1, 1};
  if (auto failed = read_ints(a, "stride", 2, 1, stride)) return failed;
  if (auto failed = read_ints(a, "pad", 4, 0, pad)) return failed;
  if (a.has("dilation")) {
    if (auto failed = read_ints(a, "dilation", 2, 1, dilation)) return failed;
  }
  if (kernel.size() != 2 || kernel[0] < 1 || kernel[1] < 1) {
    return bad_value("the kernel must have a height and a width of at least 1, got " + to_string(kernel));
  }
  w = {kernel[0], kernel[1], stride[0], stride[1], pad[0], pad[1], pad[2], pad[3], dilation[0], dilation[1]};
  return Status::ok();
}

Status check_window(const Window& w, int64_t height, int64_t width) {
  if (w.span_h() <= height + w.top + w.bottom && w.span_w() <= width + w.left + w.right) return Status::ok();
  return bad_value("the kernel spans " + to_string({w.span_h(), w.span_w()}) + ", more than the padded input's " +
                   to_string({height + w.top + w.bottom, width + w.left + w.right}));
}

Status describe_conv(const Attrs& a, const Shape& input, const Shape& weights, ConvSpec& s, Shape& output) {
  if (input.size() != 4 || weights.size() != 4) {
    return bad_value("input and weights must have 4 dimensions, got " + to_string(input) + " and " + to_string(weights));
  }
  Window w;
  if (auto failed = read_window(a, {weights[2], weights[3]}, w)) return failed;
  if (auto failed = check_window(w, input[2], input[3])) return failed;
  const int64_t group = a.i64("group", 1);
  if (group < 1 || input[1] % group != 0 || weights[0] % group != 0) {
    return bad_value("group " + std::to_string(group) + " does not divide " + std::to_string(input[1]) +
                     " input and " + std::to_string(weights[0]) + " output channels");
  }
  if (weights[1] != input[1] / group) {
    return bad_value("weights of " + std::to_string(weights[1]) + " input channels do not fit an input of " +
                     std::to_string(input[1]) + (group > 1 ? " in " + std::to_string(group) + " groups" : ""));
  }
  output = {input[0], weights[0], w.out_h(input[2]), w.out_w(input[3])};
  s.batch = input[0];
  s.in_channels = input[1];
  s.in_h = input[2];
  s.in_w = input[3];
  s.out_channels = output[1];
  s.out_h = output[2];
  s.out_w = output[3];
  s.kernel_h = w.kernel_h;
  s.kernel_w = w.kernel_w;
  s.stride_h = w.stride_h;
  s.stride_w = w.stride_w;
  s.top = w.top;
  s.bottom = w.bottom;
  s.left = w.left;
  s.right = w.right;
  s.dilation_h = w.dilation_h;
  s.dilation_w = w.dilation_w;
  s.group = group;
  return Status::ok();
}

}  // namespace minds::cpu

#include "kernel/plan/window.h"

namespace minds {
namespace {

constexpr int64_t kMost = int64_t{1} << 30;  // of any number here, so that products fit int64

// An attribute of `count` integers that are at least `least`.
Status read_ints(const Attrs& a, const char* name, size_t count, int64_t least, Shape& out) {
  out = a.ints(name);
  bool good = out.size() == count;
  for (int64_t v : out) good = good && v >= least && v <= kMost;
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
  if (kernel[0] > kMost || kernel[1] > kMost) return bad_value("the kernel is too large: " + to_string(kernel));
  w = {kernel[0], kernel[1], stride[0], stride[1], pad[0], pad[1], pad[2], pad[3], dilation[0], dilation[1]};
  return Status::ok();
}

Status check_window(const Window& w, int64_t height, int64_t width) {
  if (w.span_h() <= height + w.top + w.bottom && w.span_w() <= width + w.left + w.right) return Status::ok();
  return bad_value("the kernel spans " + to_string({w.span_h(), w.span_w()}) + ", more than the padded input's " +
                   to_string({height + w.top + w.bottom, width + w.left + w.right}));
}

}  // namespace minds

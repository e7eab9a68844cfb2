// The geometry of sliding windows over NCHW planes, shared by convolution and pooling.
#pragma once
#include "kernel/plan/check.h"

namespace minds {

// How a kernel slides over a plane.
struct Window {
  int64_t kernel_h, kernel_w, stride_h, stride_w, top, bottom, left, right, dilation_h, dilation_w;

  // Rows (columns) that one placement spans, and placements that fit.
  int64_t span_h() const { return (kernel_h - 1) * dilation_h + 1; }
  int64_t span_w() const { return (kernel_w - 1) * dilation_w + 1; }
  int64_t out_h(int64_t h) const { return (h + top + bottom - span_h()) / stride_h + 1; }
  int64_t out_w(int64_t w) const { return (w + left + right - span_w()) / stride_w + 1; }
};

// Reads stride, pad and, where present, dilation; `kernel` is (height, width). Refuses what no plane could have.
Status read_window(const Attrs& a, const Shape& kernel, Window& w);
// Refuses a kernel that is larger than the padded plane.
Status check_window(const Window& w, int64_t height, int64_t width);

}  // namespace minds

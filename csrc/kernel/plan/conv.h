// The three passes of a two-dimensional convolution: their sizes, and what their signatures must be. Planes are NCHW,
// weights OIHW.
#pragma once
#include "kernel/plan/check.h"

namespace minds {

enum class ConvPass {
  kForward,  // (x, w) -> out
  kData,     // (dout, w) -> dx
  kWeight,   // (x, dout) -> dw
};

struct ConvSpec {
  // From the attributes and the signature of conv2d, conv2d_dx (with `in_shape`) or conv2d_dw (with `w_shape`).
  Status prepare(const Attrs& a, ConvPass pass, const Signature& s);

  DType dtype;
  ConvPass pass;
  int64_t batch, in_channels, in_h, in_w, out_channels, out_h, out_w, kernel_h, kernel_w;
  int64_t stride_h, stride_w, top, bottom, left, right, dilation_h, dilation_w, group;

 private:
  Status measure(const Attrs& a, const Shape& input, const Shape& weights, Shape& output);
};

}  // namespace minds

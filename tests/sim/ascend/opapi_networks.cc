// libopapi.so: products, convolutions, pooling and normalisation.
#include "opapi.h"

using namespace minds::sim::ascend;
using minds::Attrs;
using minds::Shape;

FIRST(Matmul, const aclTensor* self, const aclTensor* other, aclTensor* out, int8_t math) {
  First f("aclnnMatmul", size, e);
  if (f.tensor(self, kFloats) && f.tensor(other, kFloats) && f.tensor(out, kFloats) &&
      f.expect(math >= 0 && math <= 3, "there is no such cubeMathType") &&
      f.expect(self->dims.size() >= 2 && other->dims.size() >= 2 && out->dims.size() <= 6,
               "2 to 6 dimensions are taken") &&
      f.expect(self->dtype == other->dtype && out->dtype == self->dtype, "operands of two dtypes")) {
    f.needs(2048);
    f.step("matmul", {}, {self, other}, {out});
  }
  return f.end();
}

namespace {

// What both functions of convolution ask of the sizes; the attributes of the CPU's kernel.
bool sizes(First& f, const aclIntArray* stride, const aclIntArray* pad, const aclIntArray* dilation, bool transposed,
           const aclIntArray* output_pad, int64_t groups, int8_t math, Attrs& a) {
  if (!f.object(stride) || !f.object(pad) || !f.object(dilation) || !f.object(output_pad)) return false;
  if (!f.expect(stride->values.size() == 2 && pad->values.size() == 2 && dilation->values.size() == 2,
                "two of each size are asked for") ||
      !f.expect(!transposed, "the simulator does not transpose convolutions") ||
      !f.expect(groups >= 1 && math >= 0 && math <= 3, "there is no such number of groups or cubeMathType")) {
    return false;
  }
  const auto& p = pad->values;
  a.set("stride", stride->values);
  a.set("pad", std::vector<int64_t>{p[0], p[0], p[1], p[1]});
  a.set("dilation", dilation->values);
  a.set("group", groups);
  f.needs(4096);
  return true;
}

bool planes(First& f, const aclTensor* t) {
  return f.tensor(t, kFloats) && f.expect(t->dims.size() == 4 && t->format == 0, "planes are NCHW, of 4 dimensions");
}

}  // namespace

FIRST(Convolution, const aclTensor* input, const aclTensor* weight, const aclTensor* bias, const aclIntArray* stride,
      const aclIntArray* pad, const aclIntArray* dilation, bool transposed, const aclIntArray* output_pad,
      int64_t groups, aclTensor* output, int8_t math) {
  First f("aclnnConvolution", size, e);
  Attrs a;
  if (planes(f, input) && planes(f, weight) && planes(f, output) &&
      f.expect(bias == nullptr, "the simulator adds no bias") &&
      sizes(f, stride, pad, dilation, transposed, output_pad, groups, math, a)) {
    f.step("conv2d", std::move(a), {input, weight}, {output});
  }
  return f.end();
}

FIRST(ConvolutionBackward, const aclTensor* dout, const aclTensor* input, const aclTensor* weight,
      const aclIntArray* bias_sizes, const aclIntArray* stride, const aclIntArray* pad, const aclIntArray* dilation,
      bool transposed, const aclIntArray* output_pad, int groups, const aclBoolArray* mask, int8_t math,
      aclTensor* dinput, aclTensor* dweight, aclTensor* dbias) {
  First f("aclnnConvolutionBackward", size, e);
  Attrs a;
  if (!planes(f, dout) || !planes(f, input) || !planes(f, weight) || !f.object(bias_sizes) || !f.object(mask))
    return f.end();
  if (!f.expect(mask->values.size() == 3, "the mask has not three values") ||
      !f.expect(mask->values[0] == (dinput != nullptr) && mask->values[1] == (dweight != nullptr),
                "the mask is not of the results") ||
      !f.expect(!mask->values[2] && dbias == nullptr, "the simulator knows no gradient of a bias") ||
      !sizes(f, stride, pad, dilation, transposed, output_pad, groups, math, a)) {
    return f.end();
  }
  if (dinput != nullptr && planes(f, dinput) && f.shaped(dinput, input->dims)) {
    Attrs of = a;
    of.set("in_shape", std::vector<int64_t>(input->dims));
    f.step("conv2d_dx", std::move(of), {dout, weight}, {dinput});
  }
  if (dweight != nullptr && planes(f, dweight) && f.shaped(dweight, weight->dims)) {
    a.set("w_shape", std::vector<int64_t>(weight->dims));
    f.step("conv2d_dw", std::move(a), {input, dout}, {dweight});
  }
  return f.end();
}

namespace {

// What both functions of an average ask of the window; the attributes of the CPU's kernel.
bool window(First& f, const aclIntArray* kernel, const aclIntArray* stride, const aclIntArray* pad, bool ceil_mode,
            bool with_pad, int64_t divisor, int8_t math, Attrs& a) {
  if (!f.object(kernel) || !f.object(stride) || !f.object(pad)) return false;
  const auto &k = kernel->values, &p = pad->values;
  if (!f.expect(k.size() == 2 && stride->values.size() == 2 && p.size() == 2, "two of each size are asked for") ||
      !f.expect(p[0] >= 0 && p[1] >= 0 && 2 * p[0] <= k[0] && 2 * p[1] <= k[1],
                "a window is padded by at most half of it") ||
      !f.expect(!ceil_mode && math >= 0 && math <= 3, "the simulator rounds sizes down; there is no such cubeMathType") ||
      !f.expect(divisor == 0 || divisor == 1, "the simulator divides by 1 or by what the window has")) {
    return false;
  }
  a.set("kernel", k);
  a.set("stride", stride->values);
  a.set("pad", std::vector<int64_t>{p[0], p[0], p[1], p[1]});
  a.set("count_include_pad", divisor == 1 || with_pad);
  f.needs(2048);
  return true;
}

Attrs area(const aclIntArray* kernel) { return one("number", kernel->values[0] * kernel->values[1]); }

}  // namespace

FIRST(AvgPool2d, const aclTensor* self, const aclIntArray* kernel, const aclIntArray* stride, const aclIntArray* pad,
      bool ceil_mode, bool with_pad, int64_t divisor, int8_t math, aclTensor* out) {
  First f("aclnnAvgPool2d", size, e);
  Attrs a;
  if (planes(f, self) && planes(f, out) && f.expect(self->dtype == out->dtype, "the result has another dtype") &&
      window(f, kernel, stride, pad, ceil_mode, with_pad, divisor, math, a)) {
    f.step("avg_pool2d", std::move(a), {self}, {out});
    if (divisor == 1) f.step("mul", area(kernel), {out}, {out});
  }
  return f.end();
}

FIRST(AvgPool2dBackward, const aclTensor* dout, const aclTensor* self, const aclIntArray* kernel,
      const aclIntArray* stride, const aclIntArray* pad, bool ceil_mode, bool with_pad, int64_t divisor, int8_t math,
      aclTensor* dself) {
  First f("aclnnAvgPool2dBackward", size, e);
  Attrs a;
  if (planes(f, dout) && planes(f, self) && planes(f, dself) && f.shaped(dself, self->dims) &&
      f.expect(dout->dtype == self->dtype && dself->dtype == self->dtype, "operands of two dtypes") &&
      window(f, kernel, stride, pad, ceil_mode, with_pad, divisor, math, a)) {
    a.set("in_shape", std::vector<int64_t>(self->dims));
    f.step("avg_pool2d_dx", std::move(a), {dout}, {dself});
    if (divisor == 1) f.step("mul", area(kernel), {dself}, {dself});
  }
  return f.end();
}

FIRST(LayerNorm, const aclTensor* input, const aclIntArray* normalized, const aclTensor* weight, const aclTensor* bias,
      double eps, aclTensor* out, aclTensor* mean, aclTensor* rstd) {
  First f("aclnnLayerNorm", size, e);
  if (!f.object(normalized) || !f.tensor(input, kFloats) || !f.tensor(out, kFloats) || !f.shaped(out, input->dims))
    return f.end();
  for (const aclTensor* t : {weight, bias}) {
    if (!f.tensor(t, kFloats) || !f.shaped(t, Shape(normalized->values))) return f.end();
  }
  const int64_t axis = static_cast<int64_t>(input->dims.size() - normalized->values.size());
  Shape rows(input->dims);
  for (size_t d = static_cast<size_t>(axis); d < rows.size(); ++d) rows[d] = 1;
  if (f.tensor(mean, kFloats) && f.tensor(rstd, kFloats) && f.shaped(mean, rows) && f.shaped(rstd, rows)) {
    Attrs a;
    a.set("begin_axis", axis);
    a.set("eps", eps);
    f.needs(1024);
    f.step("layer_norm", std::move(a), {input, weight, bias}, {out, mean, rstd});
  }
  return f.end();
}

FIRST(LayerNormBackward, const aclTensor* dout, const aclTensor* input, const aclIntArray* normalized,
      const aclTensor* mean, const aclTensor* rstd, const aclTensor* weight, const aclTensor* bias,
      const aclBoolArray* mask, aclTensor* dinput, aclTensor* dweight, aclTensor* dbias) {
  First f("aclnnLayerNormBackward", size, e);
  if (!f.object(normalized) || !f.object(mask) || !f.tensor(input, kFloats)) return f.end();
  for (const aclTensor* t : std::initializer_list<const aclTensor*>{dout, mean, rstd, weight, dinput, dweight, dbias}) {
    if (!f.tensor(t, kFloats)) return f.end();
  }
  if (bias != nullptr && !f.tensor(bias, kFloats)) return f.end();
  if (f.expect(mask->values == std::vector<bool>{true, true, true}, "the simulator gives all three gradients") &&
      f.shaped(dout, input->dims) && f.shaped(dinput, input->dims) && f.shaped(dweight, weight->dims) &&
      f.shaped(dbias, weight->dims)) {
    Attrs a;
    a.set("begin_axis", static_cast<int64_t>(input->dims.size() - normalized->values.size()));
    f.needs(1024);
    f.step("layer_norm_dx", std::move(a), {dout, input, mean, rstd, weight}, {dinput, dweight, dbias});
  }
  return f.end();
}

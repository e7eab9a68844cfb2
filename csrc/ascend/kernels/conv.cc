// The three passes of a convolution. Planes are NCHW for the operators too.
#include "kernel/plan/conv.h"
#include "ascend/kernels/parts.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

constexpr int8_t kKeepDtype = 0;  // cubeMathType: float32 is multiplied as float32

View planes(View v) {
  v.planes = true;
  return v;
}

// What is around planes.
struct Frame {
  TensorSpec around(TensorSpec s) const {
    s.shape[2] += top + bottom;
    s.shape[3] += left + right;
    return s;
  }
  View inside(View framed, const Shape& shape) const {
    framed.offset = top * framed.strides[2] + left;
    framed.shape = shape;
    return framed;
  }
  int64_t top, bottom, left, right;
};

template <ConvPass pass>
class Conv final : public CallsKernel {
 public:
  explicit Conv(const Attrs& a) : attrs_(a) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    ConvSpec c;
    if (Status bad = c.prepare(attrs_, pass, s)) return bad;
    if (s.outputs[0].size() == 0) return {};
    if (s.inputs[0].size() == 0 || s.inputs[1].size() == 0) {
      calls.add(aclnn().InplaceFillScalar, calls.out(0, s.outputs[0]), Number{int64_t{0}});
      return {};
    }
    // The operators pad equally on both sides: what is padded otherwise is in a frame of zeros before.
    const bool even = c.top == c.bottom && c.left == c.right;
    const Frame frame{c.top, c.bottom, c.left, c.right};
    View x = planes(calls.in(0, s.inputs[0])), y = planes(calls.in(1, s.inputs[1]));
    View out = planes(calls.out(0, s.outputs[0]));
    const View whole = out;
    if (!even && pass == ConvPass::kData) out = planes(calls.scratch(frame.around({out.dtype, out.shape})));
    if (!even && pass != ConvPass::kData) {
      const View framed = planes(add_filled(calls, frame.around({x.dtype, x.shape}), Number{int64_t{0}}));
      calls.add(aclnn().InplaceCopy, frame.inside(framed, x.shape), x);
      x = framed;
    }
    const Shape stride{c.stride_h, c.stride_w}, pad{even ? c.top : 0, even ? c.left : 0};
    const Shape dilation{c.dilation_h, c.dilation_w}, none{0, 0};
    if constexpr (pass == ConvPass::kForward) {
      calls.add(aclnn().Convolution, x, y, nullptr, stride, pad, dilation, false, none, c.group, out, kKeepDtype);
    } else {
      // The operand that a gradient does not depend on is given by its shape: the result's own memory.
      constexpr bool data = pass == ConvPass::kData;
      const View dout = data ? x : y, input = data ? out : x, weight = data ? y : out;
      const Shape bias{c.out_channels};
      const int groups = static_cast<int>(c.group);
      if constexpr (data) {
        calls.add(aclnn().ConvolutionBackward, dout, input, weight, bias, stride, pad, dilation, false, none, groups,
                  Wanted{{true, false, false}}, kKeepDtype, out, nullptr, nullptr);
        if (!even) calls.add(aclnn().InplaceCopy, whole, frame.inside(out, whole.shape));
      } else {
        calls.add(aclnn().ConvolutionBackward, dout, input, weight, bias, stride, pad, dilation, false, none, groups,
                  Wanted{{false, true, false}}, kKeepDtype, nullptr, out, nullptr);
      }
    }
    return {};
  }

 private:
  const Attrs attrs_;
};

MINDS_KERNEL("ascend", "conv2d", Conv<ConvPass::kForward>, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "conv2d_dx", Conv<ConvPass::kData>, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "conv2d_dw", Conv<ConvPass::kWeight>, MINDS_ASCEND_FLOATS);

}  // namespace
}  // namespace minds::ascend

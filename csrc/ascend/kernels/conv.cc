// The three passes of a convolution. Planes are NCHW for the operators too.
#include "kernel/plan/conv.h"
#include "ascend/calls.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

constexpr int8_t kKeepDtype = 0;  // cubeMathType: float32 is multiplied as float32

View planes(View v) {
  v.planes = true;
  return v;
}

template <ConvPass pass>
class Conv final : public CallsKernel {
 public:
  explicit Conv(const Attrs& a) : attrs_(a) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    ConvSpec c;
    if (Status bad = c.prepare(attrs_, pass, s)) return bad;
    if (c.top != c.bottom || c.left != c.right) {
      return bad_value("Ascend pads a convolution equally on both sides; pad the input before it");
    }
    const View x = planes(calls.in(0, s.inputs[0])), y = planes(calls.in(1, s.inputs[1]));
    const View out = planes(calls.out(0, s.outputs[0]));
    if (s.outputs[0].size() == 0) return {};
    if (s.inputs[0].size() == 0 || s.inputs[1].size() == 0) {
      calls.add(aclnn().InplaceFillScalar, calls.out(0, s.outputs[0]), Number{int64_t{0}});
      return {};
    }
    const Shape stride{c.stride_h, c.stride_w}, pad{c.top, c.left}, dilation{c.dilation_h, c.dilation_w}, none{0, 0};
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

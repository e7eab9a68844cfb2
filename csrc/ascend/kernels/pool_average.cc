// avg_pool2d and its adjoint. The operators pad a plane equally on both sides; what is padded otherwise is put in a
// frame of zeros first, and there each window's sum is divided by how many elements of the plane it has.
#include "ascend/kernels/parts.h"
#include "kernel/plan/pool.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

constexpr int8_t kKeepDtype = 0;
constexpr int64_t kAsCounted = 0, kSums = 1;  // what the sums are divided by

View as_planes(View v, const Planes& p, bool wide) {
  v = shaped(v, wide ? Shape{p.count, 1, p.in_h, p.in_w} : Shape{p.count, 1, p.out_h, p.out_w});
  v.planes = true;
  return v;
}

class Average : public CallsKernel {
 public:
  explicit Average(const Attrs& a) : attrs_(a), with_pad_(a.boolean("count_include_pad")) {}

 protected:
  Status prepare_windows(const Shape& input, Shape& output) {
    if (Status bad = pool_.prepare(attrs_, input, output)) return bad;
    const Window& w = pool_.window;
    if (w.dilation_h != 1 || w.dilation_w != 1) return bad_value("an average has no dilation");
    kernel_ = {w.kernel_h, w.kernel_w};
    stride_ = {w.stride_h, w.stride_w};
    even_ = w.top == w.bottom && w.left == w.right;
    pad_ = even_ ? Shape{w.top, w.left} : Shape{0, 0};
    return {};
  }

  View frame(Calls& calls, DType t, int64_t count, Number n) const {
    const Window& w = pool_.window;
    const Planes& p = pool_.planes;
    View v = add_filled(calls, {t, {count, 1, p.in_h + w.top + w.bottom, p.in_w + w.left + w.right}}, n);
    v.planes = true;
    return v;
  }
  // The plane within its frame.
  View inside(View v) const {
    const Planes& p = pool_.planes;
    v.offset = pool_.window.top * v.strides[2] + pool_.window.left;
    v.shape = {v.shape[0], 1, p.in_h, p.in_w};
    return v;
  }
  // How many elements each window has, or their reciprocals would be 1.
  View add_counts(Calls& calls, DType t) const {
    const Planes& p = pool_.planes;
    const View ones = frame(calls, t, 1, Number{int64_t{with_pad_}});
    calls.add(aclnn().InplaceFillScalar, inside(ones), Number{int64_t{1}});
    View counts = calls.scratch({t, {1, 1, p.out_h, p.out_w}});
    counts.planes = true;
    calls.add(aclnn().AvgPool2d, ones, kernel_, stride_, pad_, false, true, kSums, kKeepDtype, counts);
    return counts;
  }

  const Attrs attrs_;
  const bool with_pad_;
  PoolPlan pool_;
  Shape kernel_, stride_, pad_;
  bool even_ = true;
};

struct AvgPool final : Average {
  using Average::Average;
  Status plan(const Signature& s, Calls& calls) override {
    Shape output;
    if (Status bad = expect_counts(s, 1, 1)) return bad;
    if (Status bad = prepare_windows(s.inputs[0].shape, output)) return bad;
    const DType t = s.inputs[0].dtype;
    if (Status bad = expect_spec(s.outputs[0], "the result", t, output)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const Planes& p = pool_.planes;
    const View x = as_planes(calls.in(0, s.inputs[0]), p, true), out = as_planes(calls.out(0, s.outputs[0]), p, false);
    if (even_) {
      calls.add(aclnn().AvgPool2d, x, kernel_, stride_, pad_, false, with_pad_, kAsCounted, kKeepDtype, out);
      return {};
    }
    const View framed = frame(calls, t, p.count, Number{int64_t{0}});
    calls.add(aclnn().InplaceCopy, inside(framed), x);
    calls.add(aclnn().AvgPool2d, framed, kernel_, stride_, pad_, false, true, kSums, kKeepDtype, out);
    calls.add(aclnn().Div, out, add_counts(calls, t), out);
    return {};
  }
};

struct AvgPoolDx final : Average {
  using Average::Average;
  Status plan(const Signature& s, Calls& calls) override {
    Shape output;
    const Shape in_shape = attrs_.ints("in_shape");
    if (Status bad = expect_counts(s, 1, 1)) return bad;
    if (Status bad = prepare_windows(in_shape, output)) return bad;
    const DType t = s.outputs[0].dtype;
    if (Status bad = expect_spec(s.inputs[0], "dout", t, output)) return bad;
    if (Status bad = expect_spec(s.outputs[0], "the result", t, in_shape)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const Planes& p = pool_.planes;
    const View dout = as_planes(calls.in(0, s.inputs[0]), p, false), dx = as_planes(calls.out(0, s.outputs[0]), p, true);
    if (even_) {  // the operand is given by its shape: the result's own memory
      calls.add(aclnn().AvgPool2dBackward, dout, dx, kernel_, stride_, pad_, false, with_pad_, kAsCounted, kKeepDtype,
                dx);
      return {};
    }
    const View framed = frame(calls, t, p.count, Number{int64_t{0}});
    View each = calls.scratch({t, dout.shape});
    each.planes = true;
    calls.add(aclnn().Div, dout, add_counts(calls, t), each);
    calls.add(aclnn().AvgPool2dBackward, each, framed, kernel_, stride_, pad_, false, true, kSums, kKeepDtype, framed);
    calls.add(aclnn().InplaceCopy, dx, inside(framed));
    return {};
  }
};

MINDS_KERNEL("ascend", "avg_pool2d", AvgPool, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "avg_pool2d_dx", AvgPoolDx, MINDS_ASCEND_FLOATS);

}  // namespace
}  // namespace minds::ascend

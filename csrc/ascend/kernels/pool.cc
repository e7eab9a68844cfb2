// max_pool2d with the places of the maxima: the elements of all windows at one position of the window are a view with
// steps, and the maximum is taken over these views in turn. The operator of the vendor's own gives its places in a
// layout that it does not tell.
#include <limits>

#include "ascend/calls.h"
#include "kernel/plan/pool.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

class MaxPool final : public CallsKernel {
 public:
  explicit MaxPool(const Attrs& a) : attrs_(a) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = expect_counts(s, 1, 2)) return bad;
    const DType t = s.inputs[0].dtype;
    Shape output;
    PoolPlan pool;
    if (Status bad = pool.prepare(attrs_, s.inputs[0].shape, output)) return bad;
    if (Status bad = expect_spec(s.outputs[0], "the result", t, output)) return bad;
    if (Status bad = expect_spec(s.outputs[1], "the index", DType::kInt64, output)) return bad;
    const Planes& p = pool.planes;
    if (s.outputs[0].size() == 0) return {};
    const Window& w = pool.window;
    const Shape all{p.count, p.out_h, p.out_w};
    const View out = shaped(calls.out(0, s.outputs[0]), all), index = shaped(calls.out(1, s.outputs[1]), all);
    const View x = padded(calls, shaped(calls.in(0, s.inputs[0]), {p.count, p.in_h, p.in_w}), w, p);
    const View start = add_starts(calls, w, p);
    const View place = calls.scratch({DType::kInt64, {p.out_h, p.out_w}});
    const View keep = calls.scratch({DType::kBool, all}), is_nan = calls.scratch({DType::kBool, all});
    for (int64_t i = 0; i < w.kernel_h; ++i) {
      for (int64_t j = 0; j < w.kernel_w; ++j) {
        const int64_t down = i * w.dilation_h, right = j * w.dilation_w, width = x.strides[1];
        View part = x;
        part.shape = all;
        part.strides = {x.strides[0], w.stride_h * width, w.stride_w};
        part.offset = down * width + right;
        const int64_t at = (down - w.top) * p.in_w + right - w.left;
        calls.add(aclnn().Adds, start, Number{at}, Number{int64_t{1}}, place);
        if (i == 0 && j == 0) {
          calls.add(aclnn().InplaceCopy, out, part);
          calls.add(aclnn().InplaceCopy, index, place);
          continue;
        }
        // What is as large stays, and so does NaN.
        calls.add(aclnn().LeTensor, part, out, keep);
        calls.add(aclnn().NeTensor, out, out, is_nan);
        calls.add(aclnn().LogicalOr, keep, is_nan, keep);
        calls.add(aclnn().SWhere, keep, out, part, out);
        calls.add(aclnn().SWhere, keep, index, place, index);
      }
    }
    return {};
  }

 private:
  // The planes in a frame that no maximum is taken from.
  static View padded(Calls& calls, const View& x, const Window& w, const Planes& p) {
    if (w.top + w.bottom + w.left + w.right == 0) return x;
    const int64_t height = p.in_h + w.top + w.bottom, width = p.in_w + w.left + w.right;
    const View frame = calls.scratch({x.dtype, {p.count, height, width}});
    calls.add(aclnn().InplaceFillScalar, frame, Number{-std::numeric_limits<double>::infinity()});
    View inside = frame;
    inside.shape = x.shape;
    inside.offset = w.top * width + w.left;
    calls.add(aclnn().InplaceCopy, inside, x);
    return frame;
  }

  // Where each window would begin in a plane without frame.
  static View add_starts(Calls& calls, const Window& w, const Planes& p) {
    const View rows = calls.scratch({DType::kInt64, {p.out_h}}), cols = calls.scratch({DType::kInt64, {p.out_w}});
    const View start = calls.scratch({DType::kInt64, {p.out_h, p.out_w}});
    const int64_t step = w.stride_h * p.in_w;
    calls.add(aclnn().Arange, Number{int64_t{0}}, Number{p.out_h * step}, Number{step}, rows);
    calls.add(aclnn().Arange, Number{int64_t{0}}, Number{p.out_w * w.stride_w}, Number{w.stride_w}, cols);
    calls.add(aclnn().Add, shaped(rows, {p.out_h, 1}), shaped(cols, {1, p.out_w}), Number{int64_t{1}}, start);
    return start;
  }

  const Attrs attrs_;
};

struct MaxPoolDx final : CallsKernel {
  explicit MaxPoolDx(const Attrs& a) : in_shape(a.ints("in_shape")) {}
  Status plan(const Signature& s, Calls& calls) override {
    Planes p;
    if (Status bad = expect_counts(s, 2, 1)) return bad;
    if (Status bad = plan_exchange(in_shape, s.inputs[0].shape, s.inputs[1], p)) return bad;
    if (Status bad = expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, in_shape)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const View dx = shaped(calls.out(0, s.outputs[0]), {p.count, p.in()});
    calls.add(aclnn().InplaceFillScalar, dx, Number{int64_t{0}});
    if (p.out() == 0) return {};
    calls.add(aclnn().ScatterAdd, dx, int64_t{1}, shaped(calls.in(1, s.inputs[1]), {p.count, p.out()}),
              shaped(calls.in(0, s.inputs[0]), {p.count, p.out()}), dx);
    return {};
  }
  const Shape in_shape;
};

struct PoolGather final : CallsKernel {
  explicit PoolGather(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    Planes p;
    if (Status bad = expect_counts(s, 2, 1)) return bad;
    if (Status bad = plan_exchange(s.inputs[0].shape, s.inputs[1].shape, s.inputs[1], p)) return bad;
    if (Status bad = expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, s.inputs[1].shape)) return bad;
    if (s.outputs[0].size() == 0) return {};
    calls.add(aclnn().Gather, shaped(calls.in(0, s.inputs[0]), {p.count, p.in()}), int64_t{1},
              shaped(calls.in(1, s.inputs[1]), {p.count, p.out()}),
              shaped(calls.out(0, s.outputs[0]), {p.count, p.out()}));
    return {};
  }
};

MINDS_KERNEL("ascend", "max_pool2d", MaxPool, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "max_pool2d_dx", MaxPoolDx, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "pool_gather", PoolGather, MINDS_ASCEND_FLOATS);

}  // namespace
}  // namespace minds::ascend

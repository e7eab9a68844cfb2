// What adds or stores values where indices say. Values for one place are added in an order that the device fixes (it
// is asked to be deterministic); of several that are stored there, which one stays is not told.
#include "kernel/plan/scatter.h"
#include "ascend/kernels/parts.h"
#include "kernel/plan/index.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

void add_zeros(Calls& calls, const View& out) {
  calls.add(aclnn().InplaceFillScalar, out, Number{int64_t{0}});
}

struct GatherDx final : CallsKernel {
  explicit GatherDx(const Attrs& a) : shape(a.ints("shape")), axis(a.i64("axis")) {}
  Status plan(const Signature& s, Calls& calls) override {
    RowsPlan p;
    if (Status bad = p.prepare_scatter(s, shape, axis)) return bad;
    if (s.outputs[0].size() != 0) add_zeros(calls, calls.out(0, s.outputs[0]));
    if (s.inputs[0].size() == 0) return {};
    if (Status bad = check_bound(p.bound, p.count)) return bad;
    const View at = add_places(calls, shaped(calls.in(1, s.inputs[1]), {p.count}), p.bound, {FaultKind::kIndex});
    const View sums = shaped(calls.out(0, s.outputs[0]), {p.outer, p.bound, p.width});
    calls.add(aclnn().IndexAdd, sums, int64_t{1}, at, shaped(calls.in(0, s.inputs[0]), {p.outer, p.count, p.width}),
              Number{int64_t{1}}, sums);
    return {};
  }
  const Shape shape;
  const int64_t axis;
};

struct ScatterAddD final : CallsKernel {
  explicit ScatterAddD(const Attrs& a) : dim(a.i64("dim")) {}
  Status plan(const Signature& s, Calls& calls) override {
    AlongPlan p;
    if (Status bad = p.prepare_scatter(s, dim)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const View x = calls.in(0, s.inputs[0]), out = calls.out(0, s.outputs[0]);
    if (p.count == 0) {
      calls.add(aclnn().InplaceCopy, out, x);
      return {};
    }
    if (Status bad = check_bound(p.bound, p.count)) return bad;
    const View at = add_places(calls, shaped(calls.in(1, s.inputs[1]), {p.count}), p.bound, {FaultKind::kIndex});
    View src = calls.in(2, s.inputs[2]);
    src.shape = s.inputs[1].shape;  // the part that there are indices for
    calls.add(aclnn().ScatterAdd, x, dim, shaped(at, s.inputs[1].shape), src, out);
    return {};
  }
  const int64_t dim;
};

// Into zeros.
struct ScatterNd final : CallsKernel {
  explicit ScatterNd(const Attrs& a) : shape(a.ints("shape")) {}
  Status plan(const Signature& s, Calls& calls) override {
    PointsPlan p;
    if (Status bad = p.prepare_scatter(s, shape)) return bad;
    if (s.outputs[0].size() == 0) return {};
    if (!is_computed(s.outputs[0].dtype)) {
      return bad_type(std::string("on Ascend values of ") + name(s.outputs[0].dtype) + " are not scattered");
    }
    const View sums = shaped(calls.out(0, s.outputs[0]), {p.rows(), p.width});
    add_zeros(calls, sums);
    if (p.count == 0) return {};
    View rows;
    if (Status bad = add_points(calls, p, calls.in(0, s.inputs[0]), rows)) return bad;
    calls.add(aclnn().IndexAdd, sums, int64_t{0}, rows, shaped(calls.in(1, s.inputs[1]), {p.count, p.width}),
              Number{int64_t{1}}, sums);
    return {};
  }
  const Shape shape;
};

struct TensorScatter final : CallsKernel {
  explicit TensorScatter(const Attrs& a) : mode(a.str("mode")) {}
  Status plan(const Signature& s, Calls& calls) override {
    PointsPlan p;
    ScatterMode how{};
    if (Status bad = p.prepare_update(s)) return bad;
    if (Status bad = find_scatter_mode(mode, s.inputs[0].dtype, how)) return bad;
    if (how > ScatterMode::kSub) return bad_value("on Ascend tensor_scatter knows update, add and sub, not " + mode);
    if (how != ScatterMode::kUpdate && s.inputs[0].dtype == DType::kFloat64) {
      return bad_type("on Ascend float64 values are not added");
    }
    if (s.outputs[0].size() == 0) return {};
    const View out = shaped(calls.out(0, s.outputs[0]), {p.rows(), p.width});
    calls.add(aclnn().InplaceCopy, out, shaped(calls.in(0, s.inputs[0]), {p.rows(), p.width}));
    if (p.count == 0) return {};
    View rows;
    if (Status bad = add_points(calls, p, calls.in(1, s.inputs[1]), rows)) return bad;
    const View updates = shaped(calls.in(2, s.inputs[2]), {p.count, p.width});
    if (how == ScatterMode::kUpdate) {
      calls.add(aclnn().InplaceIndexCopy, out, int64_t{0}, rows, updates);
    } else {
      const int64_t sign = how == ScatterMode::kAdd ? 1 : -1;
      calls.add(aclnn().IndexAdd, out, int64_t{0}, rows, updates, Number{sign}, out);
    }
    return {};
  }
  const std::string mode;
};

MINDS_KERNEL("ascend", "gather_dx", GatherDx, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "scatter_add_d", ScatterAddD, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "scatter_nd", ScatterNd, MINDS_ASCEND_INTEGERS);
MINDS_KERNEL("ascend", "tensor_scatter", TensorScatter, MINDS_ASCEND_MOVED);

}  // namespace
}  // namespace minds::ascend

// gather, gather_d and gather_nd: indices are made places that exist, then rows or elements are fetched.
#include "ascend/kernels/parts.h"
#include "kernel/plan/index.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

struct Gather final : CallsKernel {
  explicit Gather(const Attrs& a) : axis(a.i64("axis")) {}
  Status plan(const Signature& s, Calls& calls) override {
    RowsPlan p;
    if (Status bad = p.prepare_gather(s, axis)) return bad;
    if (s.outputs[0].size() == 0) return {};
    if (Status bad = check_bound(p.bound, p.count)) return bad;
    const View at = add_places(calls, shaped(calls.in(1, s.inputs[1]), {p.count}), p.bound, {FaultKind::kIndex});
    calls.add(aclnn().IndexSelect, shaped(calls.in(0, s.inputs[0]), {p.outer, p.bound, p.width}), int64_t{1}, at,
              shaped(calls.out(0, s.outputs[0]), {p.outer, p.count, p.width}));
    return {};
  }
  const int64_t axis;
};

struct GatherD final : CallsKernel {
  explicit GatherD(const Attrs& a) : dim(a.i64("dim")) {}
  Status plan(const Signature& s, Calls& calls) override {
    AlongPlan p;
    if (Status bad = p.prepare_gather(s, dim)) return bad;
    if (p.count == 0) return {};
    if (Status bad = check_bound(p.bound, p.count)) return bad;
    const View at = add_places(calls, shaped(calls.in(1, s.inputs[1]), {p.count}), p.bound, {FaultKind::kIndex});
    calls.add(aclnn().Gather, calls.in(0, s.inputs[0]), dim, shaped(at, s.inputs[1].shape),
              calls.out(0, s.outputs[0]));
    return {};
  }
  const int64_t dim;
};

struct GatherNd final : CallsKernel {
  explicit GatherNd(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    PointsPlan p;
    if (Status bad = p.prepare_gather(s)) return bad;
    if (s.outputs[0].size() == 0) return {};
    View rows;
    if (Status bad = add_points(calls, p, calls.in(1, s.inputs[1]), rows)) return bad;
    calls.add(aclnn().IndexSelect, shaped(calls.in(0, s.inputs[0]), {p.rows(), p.width}), int64_t{0}, rows,
              shaped(calls.out(0, s.outputs[0]), {p.count, p.width}));
    return {};
  }
};

MINDS_KERNEL("ascend", "gather", Gather, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "gather_d", GatherD, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "gather_nd", GatherNd, MINDS_ASCEND_MOVED);

}  // namespace
}  // namespace minds::ascend

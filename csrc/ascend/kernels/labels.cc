// Losses by class: the place of each row's class is a mask. A class that is none is told, and stands for another.
#include "kernel/plan/labels.h"
#include "ascend/kernels/parts.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

// Where a column of classes equals 0, 1, ...: [rows, classes], of bool.
View add_mask(Calls& calls, const TensorSpec& target, int64_t rows, int64_t classes) {
  const View numbers = add_counting(calls, DType::kInt64, classes);
  const View mask = calls.scratch({DType::kBool, {rows, classes}}), wrong = calls.scratch({DType::kBool, {rows}});
  const View given = add_cast(calls, shaped(calls.in(1, target), {rows}), DType::kInt64);
  const View inside = calls.scratch({DType::kInt64, {rows}});
  calls.add(aclnn().Clamp, given, Number{int64_t{0}}, Number{classes - 1}, inside);
  calls.add(aclnn().NeTensor, given, inside, wrong);
  add_fault(calls, wrong, {.kind = FaultKind::kClass, .limit = classes, .values = &given});
  calls.add(aclnn().EqTensor, shaped(inside, {rows, 1}), shaped(numbers, {1, classes}), mask);
  return mask;
}

struct Nll final : CallsKernel {
  explicit Nll(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    NllPlan p;
    if (Status bad = p.prepare(s)) return bad;
    if (p.rows == 0) return {};
    if (Status bad = check_bound(p.classes, p.rows)) return bad;
    const View mask = add_mask(calls, s.inputs[1], p.rows, p.classes);
    const View zero = add_filled(calls, {p.dtype, {1}}, Number{int64_t{0}});
    const View chosen = calls.scratch({p.dtype, {p.rows, p.classes}}), sums = calls.scratch({p.dtype, {p.rows}});
    const View logp = shaped(calls.in(0, s.inputs[0]), {p.rows, p.classes});
    calls.add(aclnn().SWhere, mask, logp, zero, chosen);
    calls.add(aclnn().ReduceSum, chosen, Shape{1}, false, p.dtype, sums);
    calls.add(aclnn().Neg, sums, shaped(calls.out(0, s.outputs[0]), {p.rows}));
    return {};
  }
};

struct NllDx final : CallsKernel {
  explicit NllDx(const Attrs& a) : classes(a.i64("classes")) {}
  Status plan(const Signature& s, Calls& calls) override {
    NllPlan p;
    if (Status bad = p.prepare_gradient(s, classes)) return bad;
    if (p.rows == 0) return {};
    if (Status bad = check_bound(p.classes, p.rows)) return bad;
    const View mask = add_mask(calls, s.inputs[1], p.rows, p.classes);
    const View zero = add_filled(calls, {p.dtype, {1}}, Number{int64_t{0}});
    const View less = calls.scratch({p.dtype, {p.rows, 1}});
    calls.add(aclnn().Neg, shaped(calls.in(0, s.inputs[0]), {p.rows, 1}), less);
    calls.add(aclnn().SWhere, mask, less, zero, calls.out(0, s.outputs[0]));
    return {};
  }
  const int64_t classes;
};

MINDS_KERNEL("ascend", "nll", Nll, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "nll_dx", NllDx, MINDS_ASCEND_FLOATS);

}  // namespace
}  // namespace minds::ascend

// Losses by class: the place of each row's class is a mask, so a class that is none is in no place.
#include "kernel/plan/labels.h"
#include "ascend/calls.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

View with_shape(View v, const Shape& shape, const Shape& strides) {
  v.shape = shape;
  v.strides = strides;
  return v;
}

// Where a column of classes equals 0, 1, ...: [rows, classes], of bool.
View add_mask(Calls& calls, const TensorSpec& target, int64_t rows, int64_t classes) {
  const View numbers = calls.scratch({target.dtype, {classes}});
  const View mask = calls.scratch({DType::kBool, {rows, classes}});
  calls.add(aclnn().Arange, Number{int64_t{0}}, Number{classes}, Number{int64_t{1}}, numbers);
  calls.add(aclnn().EqTensor, with_shape(calls.in(1, target), {rows, 1}, {1, 1}),
            with_shape(numbers, {1, classes}, {classes, 1}), mask);
  return mask;
}

View add_zero(Calls& calls, DType t) {
  const View zero = calls.scratch({t, {1}});
  calls.add(aclnn().InplaceFillScalar, zero, Number{int64_t{0}});
  return zero;
}

// Divided by how many classes were found, which is 1, or 0 where the target is none: its loss is NaN.
struct Nll final : CallsKernel {
  explicit Nll(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    NllPlan p;
    if (Status bad = p.prepare(s)) return bad;
    if (p.rows == 0) return {};
    const View mask = add_mask(calls, s.inputs[1], p.rows, p.classes), zero = add_zero(calls, p.dtype);
    const View chosen = calls.scratch({p.dtype, {p.rows, p.classes}});
    const View sums = calls.scratch({p.dtype, {p.rows}}), found = calls.scratch({p.dtype, {p.rows}});
    const View logp = with_shape(calls.in(0, s.inputs[0]), {p.rows, p.classes}, {p.classes, 1});
    calls.add(aclnn().SWhere, mask, logp, zero, chosen);
    calls.add(aclnn().ReduceSum, chosen, Shape{1}, false, p.dtype, sums);
    calls.add(aclnn().Cast, mask, p.dtype, chosen);
    calls.add(aclnn().ReduceSum, chosen, Shape{1}, false, p.dtype, found);
    calls.add(aclnn().Neg, found, found);
    calls.add(aclnn().Div, sums, found, with_shape(calls.out(0, s.outputs[0]), {p.rows}, {1}));
    return {};
  }
};

struct NllDx final : CallsKernel {
  explicit NllDx(const Attrs& a) : classes(a.i64("classes")) {}
  Status plan(const Signature& s, Calls& calls) override {
    NllPlan p;
    if (Status bad = p.prepare_gradient(s, classes)) return bad;
    if (p.rows == 0) return {};
    const View mask = add_mask(calls, s.inputs[1], p.rows, p.classes), zero = add_zero(calls, p.dtype);
    const View less = calls.scratch({p.dtype, {p.rows, 1}});
    calls.add(aclnn().Neg, with_shape(calls.in(0, s.inputs[0]), {p.rows, 1}, {1, 1}), less);
    calls.add(aclnn().SWhere, mask, less, zero, calls.out(0, s.outputs[0]));
    return {};
  }
  const int64_t classes;
};

// NllPlan takes integers of any width; the operators compare these.
template <class K>
struct OfIndices final : CallsKernel {
  explicit OfIndices(const Attrs& a) : kernel(a) {}
  Status plan(const Signature& s, Calls& calls) override {
    const DType t = s.inputs.size() == 2 ? s.inputs[1].dtype : DType::kInt32;
    if (t != DType::kInt32 && t != DType::kInt64) {
      return bad_type(std::string("on Ascend classes must be int32 or int64, got ") + name(t));
    }
    return kernel.plan(s, calls);
  }
  K kernel;
};

MINDS_KERNEL("ascend", "nll", OfIndices<Nll>, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "nll_dx", OfIndices<NllDx>, MINDS_ASCEND_FLOATS);

}  // namespace
}  // namespace minds::ascend

// Reductions over axes, and softmax along one.
#include "kernel/plan/reduce.h"

#include <algorithm>

#include "ascend/calls.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

class Reduce : public CallsKernel {
 public:
  explicit Reduce(const Attrs& a) : axes_(a.ints("axis")), keep_(a.boolean("keepdims")) {}

 protected:
  virtual bool truth() const { return false; }
  virtual void reduce(Calls& calls, const View& x, const View& out) = 0;
  virtual Status empty(const View& out, Calls& calls) = 0;

  Status plan(const Signature& s, Calls& calls) override {
    ReducePlan checked;
    if (Status bad = checked.prepare(s, axes_, keep_, truth())) return bad;
    const View x = calls.in(0, s.inputs[0]), out = calls.out(0, s.outputs[0]);
    if (s.outputs[0].size() == 0) return {};
    if (s.inputs[0].size() == 0) return empty(out, calls);
    if (axes_.empty()) {  // to an operator that means all
      if (truth()) {
        calls.add(aclnn().InplaceCopy, out, truths(calls, x));
      } else {
        calls.add(aclnn().InplaceCopy, out, x);
      }
    } else {
      reduce(calls, x, out);
    }
    return {};
  }

  // Whether elements differ from 0.
  static View truths(Calls& calls, const View& x) {
    if (x.dtype == DType::kBool) return x;
    const View found = calls.scratch({DType::kBool, x.shape});
    calls.add(aclnn().EqScalar, x, Number{int64_t{0}}, found);
    calls.add(aclnn().LogicalNot, found, found);
    return found;
  }

  const Shape axes_;
  const bool keep_;
};

struct Sum final : Reduce {
  using Reduce::Reduce;
  void reduce(Calls& calls, const View& x, const View& out) override {
    calls.add(aclnn().ReduceSum, x, axes_, keep_, x.dtype, out);
  }
  Status empty(const View& out, Calls& calls) override {
    calls.add(aclnn().InplaceFillScalar, out, Number{int64_t{0}});
    return {};
  }
};

// One axis after another, from the last.
struct Prod final : Reduce {
  using Reduce::Reduce;
  void reduce(Calls& calls, const View& x, const View& out) override {
    std::vector<int64_t> axes(axes_.begin(), axes_.end());
    std::sort(axes.rbegin(), axes.rend());
    View from = x;
    for (size_t n = 0; n < axes.size(); ++n) {
      Shape left = from.shape;
      left[axes[n]] = 1;
      const View to = n + 1 == axes.size() ? shaped(out, left) : calls.scratch({x.dtype, left});
      calls.add(aclnn().ProdDim, from, axes[n], true, x.dtype, to);
      from = to;
    }
  }
  Status empty(const View& out, Calls& calls) override {
    calls.add(aclnn().InplaceFillScalar, out, Number{int64_t{1}});
    return {};
  }
};

using Extreme = Operator<void(const aclTensor*, const aclIntArray*, bool, aclTensor*)>;

template <Extreme Aclnn::* op>
struct ExtremeOf final : Reduce {
  using Reduce::Reduce;
  void reduce(Calls& calls, const View& x, const View& out) override { calls.add(aclnn().*op, x, axes_, keep_, out); }
  Status empty(const View&, Calls&) override {
    return bad_value("an extreme of no elements is not computed on Ascend");
  }
};

template <Extreme Aclnn::* op, bool of_nothing>
struct TruthOf final : Reduce {
  using Reduce::Reduce;
  bool truth() const override { return true; }
  void reduce(Calls& calls, const View& x, const View& out) override {
    calls.add(aclnn().*op, truths(calls, x), axes_, keep_, out);
  }
  Status empty(const View& out, Calls& calls) override {
    calls.add(aclnn().InplaceFillScalar, out, Number{int64_t{of_nothing}});
    return {};
  }
};

using AlongAxis = Operator<void(const aclTensor*, int64_t, aclTensor*)>;

template <AlongAxis Aclnn::* op>
struct Along final : CallsKernel {
  explicit Along(const Attrs& a) : axis(a.i64("axis")) {}
  Status plan(const Signature& s, Calls& calls) override {
    AxisPlan checked;
    if (Status bad = checked.prepare_map(s, axis)) return bad;
    if (s.outputs[0].size() != 0) calls.add(aclnn().*op, calls.in(0, s.inputs[0]), axis, calls.out(0, s.outputs[0]));
    return {};
  }
  const int64_t axis;
};

using All = TruthOf<&Aclnn::All, true>;
using Any = TruthOf<&Aclnn::Any, false>;

MINDS_KERNEL("ascend", "sum", Sum, MINDS_ASCEND_FLOATS, DType::kInt32, DType::kInt64);
MINDS_KERNEL("ascend", "prod", Prod, MINDS_ASCEND_FLOATS, DType::kInt32, DType::kInt64);
MINDS_KERNEL("ascend", "amax", ExtremeOf<&Aclnn::Amax>, MINDS_ASCEND_FLOATS, DType::kInt32, DType::kInt64);
MINDS_KERNEL("ascend", "amin", ExtremeOf<&Aclnn::Amin>, MINDS_ASCEND_FLOATS, DType::kInt32, DType::kInt64);
MINDS_KERNEL("ascend", "all", All, DType::kBool, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "any", Any, DType::kBool, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "softmax", Along<&Aclnn::Softmax>, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "log_softmax", Along<&Aclnn::LogSoftmax>, MINDS_ASCEND_FLOATS);

}  // namespace
}  // namespace minds::ascend

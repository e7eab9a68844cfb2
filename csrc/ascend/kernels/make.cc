// Tensors made of numbers, and masks: full, arange, eye, one_hot, tril, triu.
#include "ascend/kernels/parts.h"
#include "kernel/plan/axis.h"
#include "kernel/plan/generators.h"
#include "kernel/plan/labels.h"
#include "kernel/registry.h"
#include "kernel/types.h"

namespace minds::ascend {
namespace {

struct Full final : CallsKernel {
  explicit Full(const Attrs& a) : attrs(a) {}
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = expect_counts(s, 0, 1)) return bad;
    const TensorSpec& y = s.outputs[0];
    if (y.size() == 0) return {};
    const Number n = y.dtype >= DType::kFloat16 ? Number{number_as<double>(attrs, "value")}
                                                : Number{number_as<int64_t>(attrs, "value")};
    calls.add(aclnn().InplaceFillScalar, calls.out(0, y), n);
    return {};
  }
  const Attrs attrs;
};

// start + step * (0, 1, ...): the operator's own count of elements depends on how it rounds.
struct Arange final : CallsKernel {
  explicit Arange(const Attrs& a) : attrs(a) {}
  Status plan(const Signature& s, Calls& calls) override {
    const double stop = attrs.f64("stop");
    if (Status bad = check_arange(s, attrs.f64("start"), stop, attrs.f64("step"))) return bad;
    const TensorSpec& y = s.outputs[0];
    if (y.size() == 0) return {};
    const bool real = y.dtype >= DType::kFloat16;
    const auto number = [&](const char* name) {
      return real ? Number{attrs.f64(name)} : Number{number_as<int64_t>(attrs, name)};
    };
    const View counted = add_counting(calls, DType::kInt64, y.size());
    const View at = add_cast(calls, counted, real ? DType::kFloat32 : DType::kInt64);
    const View out = calls.out(0, y), made = cast_target(calls, out, at.dtype);
    calls.add(aclnn().Muls, at, number("step"), at);
    calls.add(aclnn().Adds, at, number("start"), Number{int64_t{1}}, made);
    finish_cast(calls, made, out);
    return {};
  }
  const Attrs attrs;
};

struct Eye final : CallsKernel {
  explicit Eye(const Attrs& a) : n(a.i64("n")), m(a.i64("m", n)) {}
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = check_eye(s, n, m)) return bad;
    if (s.outputs[0].size() != 0) calls.add(aclnn().Eye, n, m, calls.out(0, s.outputs[0]));
    return {};
  }
  const int64_t n, m;
};

struct OneHot final : CallsKernel {
  explicit OneHot(const Attrs& a) : depth(a.i64("depth")), axis(a.i64("axis")) {}
  Status plan(const Signature& s, Calls& calls) override {
    OneHotPlan p;
    if (Status bad = p.prepare(s, depth, axis)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const DType t = s.outputs[0].dtype;
    if (t != DType::kBool && !is_computed(t)) return bad_type(std::string("on Ascend one_hot gives no ") + name(t));
    const AxisPlan& a = p.around;
    const Shape all{a.outer, depth, a.inner};
    const View given = shaped(calls.in(0, s.inputs[0]), {a.outer, 1, a.inner});
    const View mask = calls.scratch({DType::kBool, all});
    calls.add(aclnn().EqTensor, add_cast(calls, given, DType::kInt64),
              shaped(add_counting(calls, DType::kInt64, depth), {1, depth, 1}), mask);
    calls.add(aclnn().SWhere, mask, shaped(calls.in(1, s.inputs[1]), {1}), shaped(calls.in(2, s.inputs[2]), {1}),
              shaped(calls.out(0, s.outputs[0]), all));
    return {};
  }
  const int64_t depth, axis;
};

using Cut = Operator<void(const aclTensor*, int64_t, aclTensor*)>;

template <Cut Aclnn::* op>
struct Triangle final : CallsKernel {
  explicit Triangle(const Attrs& a) : k(a.i64("k", 0)) {}
  Status plan(const Signature& s, Calls& calls) override {
    TrianglePlan p;
    if (Status bad = p.prepare(s, k)) return bad;
    if (s.outputs[0].size() != 0) calls.add(aclnn().*op, calls.in(0, s.inputs[0]), p.k, calls.out(0, s.outputs[0]));
    return {};
  }
  const int64_t k;
};

MINDS_KERNEL("ascend", "full", Full, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "arange", Arange, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "eye", Eye, DType::kBool, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "one_hot", OneHot, MINDS_ASCEND_INTEGERS);
MINDS_KERNEL("ascend", "tril", Triangle<&Aclnn::Tril>, DType::kBool, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "triu", Triangle<&Aclnn::Triu>, DType::kBool, MINDS_ASCEND_NUMBERS);

}  // namespace
}  // namespace minds::ascend

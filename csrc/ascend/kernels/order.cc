// What goes along one axis: sorts, the places of extremes, scans. Operands are seen as (outer, size, inner).
#include "ascend/kernels/parts.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

constexpr int64_t kAlong = 1;

Shape around(const AxisPlan& p, int64_t size) { return {p.outer, size, p.inner}; }

// What sorts and extremes are looked for in: the operators' tables lack truth values, and bfloat16 for short axes.
DType sorted_as(DType t) {
  if (t == DType::kBFloat16) return DType::kFloat32;
  return t == DType::kBool ? DType::kUInt8 : t;
}

class Ordering : public CallsKernel {
 public:
  Ordering(int64_t axis, bool descending, int64_t k) : axis_(axis), descending_(descending), k_(k) {}

 protected:
  // The whole axis is sorted, as of equal elements the first is to come first.
  Status plan(const Signature& s, Calls& calls) override {
    AxisPlan p;
    if (Status bad = p.prepare_order(s, axis_, k_)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const int64_t k = k_ == AxisPlan::kAll ? p.size : k_;
    const Shape all = around(p, p.size), some = around(p, k);
    const View values = shaped(calls.out(0, s.outputs[0]), some), places = shaped(calls.out(1, s.outputs[1]), some);
    const View x = add_cast(calls, shaped(calls.in(0, s.inputs[0]), all), sorted_as(s.inputs[0].dtype));
    View sorted = k == p.size ? cast_target(calls, values, x.dtype) : calls.scratch({x.dtype, all});
    View order = k == p.size ? places : calls.scratch({DType::kInt64, all});
    calls.add(aclnn().Sort, x, true, kAlong, descending_, sorted, order);
    if (k != p.size) {
      sorted.shape = order.shape = some;
      calls.add(aclnn().InplaceCopy, places, order);
      if (sorted.dtype == values.dtype) calls.add(aclnn().InplaceCopy, values, sorted);
    }
    finish_cast(calls, sorted, values);
    return {};
  }

 private:
  const int64_t axis_;
  const bool descending_;
  const int64_t k_;
};

struct Sort final : Ordering {
  explicit Sort(const Attrs& a)
      : Ordering(a.i64("axis", -1), a.has("descending") && a.boolean("descending"), AxisPlan::kAll) {}
};
struct TopK final : Ordering {
  explicit TopK(const Attrs& a)
      : Ordering(a.i64("axis", -1), !a.has("largest") || a.boolean("largest"), a.i64("k")) {}
};

using Extreme = Operator<void(const aclTensor*, int64_t, bool, aclTensor*)>;

template <Extreme Aclnn::* op>
struct PlaceOf final : CallsKernel {
  explicit PlaceOf(const Attrs& a) : axis(a.i64("axis")), keep(a.has("keepdims") && a.boolean("keepdims")) {}
  Status plan(const Signature& s, Calls& calls) override {
    AxisPlan p;
    if (Status bad = p.prepare_extreme(s, axis, keep)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const View x = shaped(calls.in(0, s.inputs[0]), around(p, p.size));
    calls.add(aclnn().*op, add_cast(calls, x, sorted_as(x.dtype)), kAlong, true,
              shaped(calls.out(0, s.outputs[0]), around(p, 1)));
    return {};
  }
  const int64_t axis;
  const bool keep;
};

class Scan : public CallsKernel {
 public:
  explicit Scan(const Attrs& a)
      : axis_(a.i64("axis")),
        reverse_(a.has("reverse") && a.boolean("reverse")),
        exclusive_(a.has("exclusive") && a.boolean("exclusive")) {}

 protected:
  virtual void scan(Calls& calls, const View& x, const View& out) = 0;

  Status plan(const Signature& s, Calls& calls) override {
    AxisPlan p;
    if (Status bad = p.prepare_map(s, axis_)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const Shape all = around(p, p.size);
    scan(calls, shaped(calls.in(0, s.inputs[0]), all), shaped(calls.out(0, s.outputs[0]), all));
    return {};
  }

  const int64_t axis_;
  const bool reverse_, exclusive_;
};

struct CumSum final : Scan {
  using Scan::Scan;
  void scan(Calls& calls, const View& x, const View& out) override {
    calls.add(aclnn().CumsumV2, x, kAlong, exclusive_, reverse_, out);
  }
};

// Its operator knows neither direction nor what is left out.
struct CumProd final : Scan {
  using Scan::Scan;
  void scan(Calls& calls, const View& x, const View& out) override {
    const TensorSpec whole{x.dtype, x.shape};
    View from = x;
    if (reverse_) {
      from = calls.scratch(whole);
      calls.add(aclnn().Flip, x, Shape{kAlong}, from);
    }
    View products = reverse_ || exclusive_ ? calls.scratch(whole) : out;
    calls.add(aclnn().Cumprod, from, Number{kAlong}, x.dtype, products);
    if (exclusive_) {
      const View shifted = add_filled(calls, whole, Number{int64_t{1}});
      View rest = shifted;
      rest.shape[kAlong] = products.shape[kAlong] = x.shape[kAlong] - 1;
      rest.offset = rest.strides[kAlong];
      if (numel(rest.shape) != 0) calls.add(aclnn().InplaceCopy, rest, products);
      products = shifted;
    }
    if (reverse_) {
      calls.add(aclnn().Flip, products, Shape{kAlong}, out);
    } else if (exclusive_) {
      calls.add(aclnn().InplaceCopy, out, products);
    }
  }
};

MINDS_KERNEL("ascend", "sort", Sort, DType::kBool, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "topk", TopK, DType::kBool, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "argmax", PlaceOf<&Aclnn::ArgMax>, DType::kBool, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "argmin", PlaceOf<&Aclnn::ArgMin>, DType::kBool, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "cumsum", CumSum, MINDS_ASCEND_NUMBERS);
MINDS_KERNEL("ascend", "cumprod", CumProd, MINDS_ASCEND_NUMBERS);

}  // namespace
}  // namespace minds::ascend

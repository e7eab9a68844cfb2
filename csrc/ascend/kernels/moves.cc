// What only moves elements: copies between views with strides. And casts, and one number everywhere.
#include "ascend/calls.h"
#include "kernel/plan/boxes.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"
#include "kernel/types.h"

namespace minds::ascend {
namespace {

// The part of an operand that a box walks.
Status part_of(View whole, const Box& box, bool source, View& out) {
  out = std::move(whole);
  out.strides = source ? box.in : box.out;
  out.offset = source ? box.in_offset : box.out_offset;
  out.shape = box.shape;
  for (int64_t stride : out.strides) {
    if (stride < 0) return bad_value("Ascend's operators take no negative steps");
  }
  return {};
}

Status add_copy(Calls& calls, const View& from, const View& to, const Box& box) {
  View source, target;
  if (Status bad = part_of(from, box, true, source)) return bad;
  if (Status bad = part_of(to, box, false, target)) return bad;
  if (numel(box.shape) != 0) calls.add(aclnn().InplaceCopy, target, source);
  return {};
}

// `plan` reads a list of numbers from the attribute `name`.
template <Status (*check)(const Signature&, const Shape&, Box&)>
class Move : public CallsKernel {
 public:
  Move(const Attrs& a, const char* name) : numbers_(a.ints(name)) {}

 protected:
  Status plan(const Signature& s, Calls& calls) override {
    Box box;
    if (Status bad = check(s, numbers_, box)) return bad;
    return add_copy(calls, calls.in(0, s.inputs[0]), calls.out(0, s.outputs[0]), box);
  }

 private:
  const Shape numbers_;
};

struct Transpose final : Move<plan_transpose> {
  explicit Transpose(const Attrs& a) : Move(a, "perm") {}
};
struct BroadcastTo final : Move<plan_broadcast_to> {
  explicit BroadcastTo(const Attrs& a) : Move(a, "shape") {}
};

struct Concat final : CallsKernel {
  explicit Concat(const Attrs& a) : axis(a.i64("axis")) {}
  Status plan(const Signature& s, Calls& calls) override {
    std::vector<Box> boxes;
    if (Status bad = plan_concat(s, axis, boxes)) return bad;
    for (size_t n = 0; n < boxes.size(); ++n) {
      if (Status bad = add_copy(calls, calls.in(n, s.inputs[n]), calls.out(0, s.outputs[0]), boxes[n])) return bad;
    }
    return {};
  }
  const int64_t axis;
};

struct Split final : CallsKernel {
  explicit Split(const Attrs& a) : sizes(a.ints("sizes")), axis(a.i64("axis")) {}
  Status plan(const Signature& s, Calls& calls) override {
    std::vector<Box> boxes;
    if (Status bad = plan_split(s, axis, sizes, boxes)) return bad;
    for (size_t n = 0; n < boxes.size(); ++n) {
      if (Status bad = add_copy(calls, calls.in(0, s.inputs[0]), calls.out(n, s.outputs[n]), boxes[n])) return bad;
    }
    return {};
  }
  const Shape sizes;
  const int64_t axis;
};

SliceRange range_of(const Attrs& a) { return {a.ints("begin"), a.ints("end"), a.ints("step")}; }

struct StridedSlice final : CallsKernel {
  explicit StridedSlice(const Attrs& a) : range(range_of(a)) {}
  Status plan(const Signature& s, Calls& calls) override {
    Box box;
    if (Status bad = plan_slice(s, range, box)) return bad;
    return add_copy(calls, calls.in(0, s.inputs[0]), calls.out(0, s.outputs[0]), box);
  }
  const SliceRange range;
};

struct StridedSliceDx final : CallsKernel {
  explicit StridedSliceDx(const Attrs& a) : range(range_of(a)), shape(a.ints("shape")) {}
  Status plan(const Signature& s, Calls& calls) override {
    Box box;
    if (Status bad = plan_slice_dx(s, range, shape, box)) return bad;
    if (s.outputs[0].size() == 0) return {};
    const View out = calls.out(0, s.outputs[0]);
    calls.add(aclnn().InplaceFillScalar, out, Number{int64_t{0}});
    return add_copy(calls, calls.in(0, s.inputs[0]), out, box);
  }
  const SliceRange range;
  const Shape shape;
};

// cast, and copy, which is one to the same dtype. A rank-0 result of a tensor with one element is a cast, too.
struct Cast final : CallsKernel {
  explicit Cast(const Attrs&) {}
  Status plan(const Signature& s, Calls& calls) override {
    if (Status bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec &x = s.inputs[0], &y = s.outputs[0];
    if (x.size() != y.size()) return bad_value("cannot cast " + to_string(x) + " to " + to_string(y));
    if (y.size() == 0) return {};
    const View from = calls.in(0, {x.dtype, y.shape}), to = calls.out(0, y);
    if (x.dtype == y.dtype) {
      calls.add(aclnn().InplaceCopy, to, from);
    } else {
      calls.add(aclnn().Cast, from, y.dtype, to);
    }
    return {};
  }
};

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

// What the operators that copy take; float64 and the unsigned ones are moved, and cast, but not computed with.
#define MINDS_ASCEND_MOVED DType::kBool, MINDS_ASCEND_NUMBERS, DType::kFloat64

MINDS_KERNEL("ascend", "transpose", Transpose, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "broadcast_to", BroadcastTo, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "concat", Concat, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "split", Split, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "strided_slice", StridedSlice, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "strided_slice_dx", StridedSliceDx, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "cast", Cast, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "copy", Cast, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "full", Full, DType::kBool, MINDS_ASCEND_NUMBERS);

}  // namespace
}  // namespace minds::ascend

// What only moves elements: copies between views with strides. And casts.
#include "ascend/calls.h"
#include "kernel/plan/boxes.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"
#include "kernel/types.h"

namespace minds::ascend {
namespace {

// The part of an operand that a box walks, forward: `flipped` gets the dims that it walks backward.
View part_of(View whole, const Box& box, bool source, std::vector<bool>& flipped) {
  whole.strides = source ? box.in : box.out;
  whole.offset = source ? box.in_offset : box.out_offset;
  whole.shape = box.shape;
  for (size_t d = 0; d < whole.shape.size(); ++d) {
    int64_t& stride = whole.strides[d];
    if (stride >= 0) continue;
    whole.offset += (whole.shape[d] - 1) * stride;
    stride = -stride;
    flipped[d] = !flipped[d];
  }
  return whole;
}

void add_copy(Calls& calls, const View& from, const View& to, const Box& box) {
  if (numel(box.shape) == 0) return;
  std::vector<bool> flipped(box.shape.size());
  const View source = part_of(from, box, true, flipped), target = part_of(to, box, false, flipped);
  Shape dims;
  for (size_t d = 0; d < flipped.size(); ++d) {
    if (flipped[d]) dims.push_back(static_cast<int64_t>(d));
  }
  if (dims.empty()) {
    calls.add(aclnn().InplaceCopy, target, source);
  } else {
    calls.add(aclnn().Flip, source, dims, target);
  }
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
    add_copy(calls, calls.in(0, s.inputs[0]), calls.out(0, s.outputs[0]), box);
    return {};
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
struct Flip final : Move<plan_flip> {
  explicit Flip(const Attrs& a) : Move(a, "axis") {}
};

struct Concat final : CallsKernel {
  explicit Concat(const Attrs& a) : axis(a.i64("axis")) {}
  Status plan(const Signature& s, Calls& calls) override {
    std::vector<Box> boxes;
    if (Status bad = plan_concat(s, axis, boxes)) return bad;
    for (size_t n = 0; n < boxes.size(); ++n) {
      add_copy(calls, calls.in(n, s.inputs[n]), calls.out(0, s.outputs[0]), boxes[n]);
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
      add_copy(calls, calls.in(0, s.inputs[0]), calls.out(n, s.outputs[n]), boxes[n]);
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
    add_copy(calls, calls.in(0, s.inputs[0]), calls.out(0, s.outputs[0]), box);
    return {};
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
    add_copy(calls, calls.in(0, s.inputs[0]), out, box);
    return {};
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

struct Pad final : CallsKernel {
  explicit Pad(const Attrs& a) : attrs(a) {}
  Status plan(const Signature& s, Calls& calls) override {
    Box box;
    if (Status bad = plan_pad(s, attrs.ints("paddings"), box)) return bad;
    const View out = calls.out(0, s.outputs[0]);
    const bool real = out.dtype >= DType::kFloat16;
    const Number value = real ? Number{number_as<double>(attrs, "value")} : Number{number_as<int64_t>(attrs, "value")};
    if (s.outputs[0].size() > numel(box.shape)) calls.add(aclnn().InplaceFillScalar, out, value);
    add_copy(calls, calls.in(0, s.inputs[0]), out, box);
    return {};
  }
  const Attrs attrs;
};

MINDS_KERNEL("ascend", "transpose", Transpose, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "broadcast_to", BroadcastTo, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "concat", Concat, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "split", Split, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "strided_slice", StridedSlice, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "strided_slice_dx", StridedSliceDx, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "cast", Cast, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "copy", Cast, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "flip", Flip, MINDS_ASCEND_MOVED);
MINDS_KERNEL("ascend", "pad", Pad, MINDS_ASCEND_MOVED);

}  // namespace
}  // namespace minds::ascend

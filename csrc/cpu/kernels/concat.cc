// concat and split: memcpy runs between one tensor and its parts along an axis.
#include "cpu/check.h"
#include "cpu/strides.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

// Prepares the copies between `whole` and `parts`; `gathering` is the direction of concat.
Status plan_parts(const TensorSpec& whole, const std::vector<TensorSpec>& parts, int64_t axis, bool gathering,
                  std::vector<StridedCopy>& copies) {
  if (auto bad = expect_axis(axis, whole.shape)) return bad;
  const Shape strides = row_major(whole.shape);
  int64_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    Shape expected = whole.shape;
    if (parts[i].shape.size() == expected.size()) expected[axis] = parts[i].shape[axis];
    const std::string what = "part " + std::to_string(i);
    if (auto bad = expect_spec(parts[i], what.c_str(), whole.dtype, expected)) return bad;
    const Shape own = row_major(expected);
    const size_t item = item_size(whole.dtype);
    const int64_t offset = at * strides[axis];
    copies.push_back(gathering ? StridedCopy(expected, own, strides, 0, offset, item)
                               : StridedCopy(expected, strides, own, offset, 0, item));
    at += expected[axis];
  }
  if (at != whole.shape[axis]) {
    return bad_value("the parts make " + std::to_string(at) + " along axis " + std::to_string(axis) +
                     ", the whole has " + std::to_string(whole.shape[axis]));
  }
  return {};
}

class Concat final : public Kernel {
 public:
  explicit Concat(const Attrs& a) : axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, s.inputs.size(), 1)) return bad;
    return plan_parts(s.outputs[0], s.inputs, axis_, true, copies_);
  }

  Status run(const Args& a, Stream&) const override {
    for (size_t i = 0; i < copies_.size(); ++i) copies_[i].run(a.in[i], a.out[0]);
    return {};
  }

 private:
  int64_t axis_;
  std::vector<StridedCopy> copies_;
};

class Split final : public Kernel {
 public:
  explicit Split(const Attrs& a) : sizes_(a.ints("sizes")), axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, sizes_.size())) return bad;
    if (auto bad = plan_parts(s.inputs[0], s.outputs, axis_, false, copies_)) return bad;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (s.outputs[i].shape[axis_] != sizes_[i]) return bad_value("sizes do not agree with the outputs");
    }
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    for (size_t i = 0; i < copies_.size(); ++i) copies_[i].run(a.in[0], a.out[i]);
    return {};
  }

 private:
  std::vector<int64_t> sizes_;
  int64_t axis_;
  std::vector<StridedCopy> copies_;
};

MINDS_KERNEL("cpu", "concat", Concat, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "split", Split, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

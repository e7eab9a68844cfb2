// transpose, broadcast_to and flip: one strided copy each.
#include <algorithm>

#include "cpu/check.h"
#include "cpu/strides.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

class CopyKernel : public Kernel {
 public:
  Status run(const Args& a, Stream&) const final {
    copy_.run(a.in[0], a.out[0]);
    return {};
  }

 protected:
  StridedCopy copy_;
};

class Transpose final : public CopyKernel {
 public:
  explicit Transpose(const Attrs& a) : perm_(a.ints("perm")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec& x = s.inputs[0];
    std::vector<int64_t> sorted = perm_;
    std::sort(sorted.begin(), sorted.end());
    for (size_t d = 0; d < sorted.size(); ++d) {
      if (sorted[d] != static_cast<int64_t>(d))
        return bad_value("perm " + to_string(perm_) + " is not a permutation");
    }
    if (perm_.size() != x.shape.size()) {
      return bad_value("perm " + to_string(perm_) + " does not fit shape " + to_string(x.shape));
    }
    const Shape strides = row_major(x.shape);
    Shape shape, in;
    for (int64_t d : perm_) {
      shape.push_back(x.shape[d]);
      in.push_back(strides[d]);
    }
    if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, shape)) return bad;
    copy_ = StridedCopy(shape, in, row_major(shape), 0, 0, item_size(x.dtype));
    return {};
  }

 private:
  std::vector<int64_t> perm_;
};

class BroadcastTo final : public CopyKernel {
 public:
  explicit BroadcastTo(const Attrs& a) : shape_(a.ints("shape")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec& x = s.inputs[0];
    if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, shape_)) return bad;
    const size_t lead = shape_.size() - std::min(shape_.size(), x.shape.size());
    bool fits = lead + x.shape.size() == shape_.size();
    Shape strides = row_major(x.shape), in(shape_.size(), 0);
    for (size_t d = 0; fits && d < x.shape.size(); ++d) {
      fits = x.shape[d] == 1 || x.shape[d] == shape_[lead + d];
      in[lead + d] = x.shape[d] == 1 ? 0 : strides[d];
    }
    if (!fits)
      return bad_value("shape " + to_string(x.shape) + " does not broadcast to " + to_string(shape_));
    copy_ = StridedCopy(shape_, in, row_major(shape_), 0, 0, item_size(x.dtype));
    return {};
  }

 private:
  Shape shape_;
};

class Flip final : public CopyKernel {
 public:
  explicit Flip(const Attrs& a) : axis_(a.ints("axis")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec& x = s.inputs[0];
    if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, x.shape)) return bad;
    Shape in = row_major(x.shape);
    int64_t offset = 0;
    for (int64_t d : axis_) {
      if (auto bad = expect_axis(d, x.shape)) return bad;
      if (in[d] < 0) return bad_value("axis " + std::to_string(d) + " is given twice");
      offset += in[d] * (x.shape[d] - 1);
      in[d] = -in[d];
    }
    copy_ = StridedCopy(x.shape, in, row_major(x.shape), offset, 0, item_size(x.dtype));
    return {};
  }

 private:
  std::vector<int64_t> axis_;
};

MINDS_KERNEL("cpu", "transpose", Transpose, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "broadcast_to", BroadcastTo, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "flip", Flip, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

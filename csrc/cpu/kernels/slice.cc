// strided_slice and its gradient, which writes into zeros.
#include <cstring>

#include "base/parallel.h"
#include "cpu/check.h"
#include "cpu/strides.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

// A slice of a tensor: full rank, begin inclusive, end exclusive; with a negative step, end may be -1.
struct Slice {
  explicit Slice(const Attrs& a) : begin(a.ints("begin")), end(a.ints("end")), step(a.ints("step")) {}

  // The shape of the slice of `whole`, its strides and the offset of its first element.
  Status plan(const Shape& whole) {
    const size_t rank = whole.size();
    if (begin.size() != rank || end.size() != rank || step.size() != rank) {
      return bad_value("begin, end and step must have " + std::to_string(rank) + " numbers each");
    }
    strides = row_major(whole);
    for (size_t d = 0; d < rank; ++d) {
      if (step[d] == 0) return bad_value("the step of axis " + std::to_string(d) + " is zero");
      const bool forward = step[d] > 0;
      // Unsigned: the distance of any two int64 fits, and so does a step's absolute value.
      const uint64_t span = forward ? static_cast<uint64_t>(end[d]) - static_cast<uint64_t>(begin[d])
                                    : static_cast<uint64_t>(begin[d]) - static_cast<uint64_t>(end[d]);
      const uint64_t stride = forward ? static_cast<uint64_t>(step[d]) : -static_cast<uint64_t>(step[d]);
      const bool none = forward ? begin[d] >= end[d] : begin[d] <= end[d];
      const bool inside = forward ? begin[d] >= 0 && end[d] <= whole[d] : begin[d] < whole[d] && end[d] >= -1;
      if (!none && !inside) {
        return bad_value("the slice " + std::to_string(begin[d]) + ":" + std::to_string(end[d]) + ":" +
                         std::to_string(step[d]) + " leaves axis " + std::to_string(d) + " of size " +
                         std::to_string(whole[d]));
      }
      const int64_t n = none ? 0 : static_cast<int64_t>((span - 1) / stride + 1);
      shape.push_back(n);
      if (n > 0) offset += strides[d] * begin[d];
      strides[d] *= n > 1 ? step[d] : 1;  // a step that is not taken may be huge
    }
    return {};
  }

  std::vector<int64_t> begin, end, step;
  Shape shape, strides;
  int64_t offset = 0;
};

class StridedSlice final : public Kernel {
 public:
  explicit StridedSlice(const Attrs& a) : slice_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec& x = s.inputs[0];
    if (auto bad = slice_.plan(x.shape)) return bad;
    if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, slice_.shape)) return bad;
    copy_ = StridedCopy(slice_.shape, slice_.strides, row_major(slice_.shape), slice_.offset, 0,
                        item_size(x.dtype));
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    copy_.run(a.in[0], a.out[0]);
    return {};
  }

 private:
  Slice slice_;
  StridedCopy copy_;
};

class StridedSliceDx final : public Kernel {
 public:
  explicit StridedSliceDx(const Attrs& a) : slice_(a), shape_(a.ints("shape")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec& dout = s.inputs[0];
    if (auto bad = expect_spec(s.outputs[0], "the output", dout.dtype, shape_)) return bad;
    if (auto bad = slice_.plan(shape_)) return bad;
    if (auto bad = expect_spec(dout, "dout", dout.dtype, slice_.shape)) return bad;
    copy_ = StridedCopy(slice_.shape, row_major(slice_.shape), slice_.strides, 0, slice_.offset,
                        item_size(dout.dtype));
    zeros_ = dout.size() == s.outputs[0].size() ? 0 : static_cast<int64_t>(s.outputs[0].bytes());
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    char* out = static_cast<char*>(a.out[0]);
    parallel_for(zeros_, 4 * kGrain,
                 [&](int64_t begin, int64_t end) { std::memset(out + begin, 0, end - begin); });
    copy_.run(a.in[0], a.out[0]);
    return {};
  }

 private:
  Slice slice_;
  Shape shape_;
  StridedCopy copy_;
  int64_t zeros_ = 0;  // bytes to clear first; none when the slice covers everything
};

MINDS_KERNEL("cpu", "strided_slice", StridedSlice, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "strided_slice_dx", StridedSliceDx, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

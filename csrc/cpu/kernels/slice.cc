// strided_slice and its gradient, which writes into zeros.
#include <cstring>

#include "base/parallel.h"
#include "cpu/copy.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

SliceRange range_of(const Attrs& a) { return {a.ints("begin"), a.ints("end"), a.ints("step")}; }

class StridedSlice final : public Kernel {
 public:
  explicit StridedSlice(const Attrs& a) : range_(range_of(a)) {}

  Status prepare(const Signature& s, Prepared&) override {
    Box box;
    if (auto bad = plan_slice(s, range_, box)) return bad;
    copy_ = StridedCopy(box);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    copy_.run(a.in[0], a.out[0]);
    return {};
  }

 private:
  SliceRange range_;
  StridedCopy copy_;
};

class StridedSliceDx final : public Kernel {
 public:
  explicit StridedSliceDx(const Attrs& a) : range_(range_of(a)), shape_(a.ints("shape")) {}

  Status prepare(const Signature& s, Prepared&) override {
    Box box;
    if (auto bad = plan_slice_dx(s, range_, shape_, box)) return bad;
    copy_ = StridedCopy(box);
    zeros_ = s.inputs[0].size() == s.outputs[0].size() ? 0 : static_cast<int64_t>(s.outputs[0].bytes());
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
  SliceRange range_;
  Shape shape_;
  StridedCopy copy_;
  int64_t zeros_ = 0;  // bytes to clear first; none when the slice covers everything
};

MINDS_KERNEL("cpu", "strided_slice", StridedSlice, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "strided_slice_dx", StridedSliceDx, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

// pad: the frame gets one value, the middle is a strided copy.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/copy.h"
#include "kernel/types.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

class Pad final : public Kernel {
 public:
  explicit Pad(const Attrs& a) : attrs_(a), paddings_(a.ints("paddings")) {}

  Status prepare(const Signature& s, Prepared&) override {
    Box box;
    if (auto bad = plan_pad(s, paddings_, box)) return bad;
    copy_ = StridedCopy(box);
    const TensorSpec &x = s.inputs[0], &out = s.outputs[0];
    frame_ = out.size() == x.size() ? 0 : out.size();
    dtype_ = x.dtype;
    visit(dtype_, [&]<class T>(T) {
      const T value = number_as<T>(attrs_, "value");
      std::memcpy(value_, &value, sizeof(T));
    });
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    visit(dtype_, [&]<class T>(T) {
      T value;
      std::memcpy(&value, value_, sizeof(T));
      T* out = static_cast<T*>(a.out[0]);
      parallel_for(frame_, kGrain,
                   [&](int64_t begin, int64_t end) { std::fill(out + begin, out + end, value); });
    });
    copy_.run(a.in[0], a.out[0]);
    return {};
  }

 private:
  Attrs attrs_;
  std::vector<int64_t> paddings_;
  StridedCopy copy_;
  int64_t frame_ = 0;  // elements to fill; none when nothing is padded
  DType dtype_{};
  char value_[8] = {};
};

MINDS_KERNEL("cpu", "pad", Pad, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu

// pad: the frame gets one value, the middle is a strided copy.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/check.h"
#include "cpu/strides.h"
#include "cpu/types.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

class Pad final : public Kernel {
 public:
  explicit Pad(const Attrs& a) : attrs_(a), paddings_(a.ints("paddings")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec &x = s.inputs[0], &out = s.outputs[0];
    if (paddings_.size() != 2 * x.shape.size()) {
      return bad_value("paddings has " + std::to_string(paddings_.size()) +
                       " numbers, expected two per axis of " + to_string(x.shape));
    }
    Shape shape = x.shape;
    int64_t offset = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (paddings_[2 * d] < 0 || paddings_[2 * d + 1] < 0) return bad_value("a padding is negative");
      if (__builtin_add_overflow(shape[d], paddings_[2 * d], &shape[d]) ||
          __builtin_add_overflow(shape[d], paddings_[2 * d + 1], &shape[d])) {
        return bad_value("the padded axis " + std::to_string(d) + " is too large");
      }
    }
    if (auto bad = expect_spec(out, "the output", x.dtype, shape)) return bad;
    const Shape strides = row_major(shape);
    for (size_t d = 0; d < shape.size(); ++d) offset += strides[d] * paddings_[2 * d];
    copy_ = StridedCopy(x.shape, row_major(x.shape), strides, 0, offset, item_size(x.dtype));
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

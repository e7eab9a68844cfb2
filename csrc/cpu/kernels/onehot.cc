// one_hot: `on` where the new axis equals the index, `off` elsewhere and for an index outside [0, depth).
#include <algorithm>

#include "base/parallel.h"
#include "cpu/check.h"
#include "cpu/strides.h"
#include "cpu/types.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

class OneHot final : public Kernel {
 public:
  explicit OneHot(const Attrs& a) : depth_(a.i64("depth")), axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 3, 1)) return bad;
    const TensorSpec &indices = s.inputs[0], &on = s.inputs[1];
    const int64_t rank = static_cast<int64_t>(indices.shape.size());
    if (auto bad = expect_integers(indices, "indices")) return bad;
    if (auto bad = expect_spec(on, "on_value", on.dtype, {})) return bad;
    if (auto bad = expect_spec(s.inputs[2], "off_value", on.dtype, {})) return bad;
    if (on.dtype > DType::kFloat64) return bad_type("on_value must be a real number or a boolean");
    if (axis_ < 0) axis_ += rank + 1;
    if (axis_ < 0 || axis_ > rank)
      return bad_value("axis is out of range for indices of " + to_string(indices.shape));
    if (depth_ < 0) return bad_value("depth is " + std::to_string(depth_));
    Shape shape = indices.shape;
    shape.insert(shape.begin() + axis_, depth_);
    if (auto bad = expect_spec(s.outputs[0], "the output", on.dtype, shape)) return bad;
    outer_ = product(indices.shape, 0, axis_);
    inner_ = product(indices.shape, axis_, indices.shape.size());
    index_dtype_ = indices.dtype;
    dtype_ = on.dtype;
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    visit_integer(index_dtype_, [&]<class I>(I) {
      visit(dtype_, [&]<class T>(T) {
        write(static_cast<const I*>(a.in[0]), *static_cast<const T*>(a.in[1]),
              *static_cast<const T*>(a.in[2]), static_cast<T*>(a.out[0]));
      });
    });
    return {};
  }

 private:
  template <class I, class T>
  void write(const I* indices, T on, T off, T* out) const {
    const int64_t plane = depth_ * inner_;
    if (plane == 0) return;
    parallel_for(outer_, kGrain / plane, [&](int64_t begin, int64_t end) {
      std::fill(out + begin * plane, out + end * plane, off);
      for (int64_t o = begin; o < end; ++o) {
        for (int64_t i = 0; i < inner_; ++i) {
          // As unsigned, a negative index is larger than any depth.
          const uint64_t k = static_cast<uint64_t>(static_cast<int64_t>(indices[o * inner_ + i]));
          if (k < static_cast<uint64_t>(depth_)) out[o * plane + static_cast<int64_t>(k) * inner_ + i] = on;
        }
      }
    });
  }

  int64_t depth_, axis_, outer_ = 1, inner_ = 1;
  DType index_dtype_{}, dtype_{};
};

MINDS_KERNEL("cpu", "one_hot", OneHot, MINDS_INTS);

}  // namespace
}  // namespace minds::cpu

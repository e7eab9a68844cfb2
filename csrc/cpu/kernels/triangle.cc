// tril and triu: the last two axes are matrices, what lies beyond diagonal k becomes zero.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

template <bool kLower>
class Triangle final : public Kernel {
 public:
  explicit Triangle(const Attrs& a) : k_(a.i64("k", 0)) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec& x = s.inputs[0];
    if (auto bad = expect_rank(x, "x", 2)) return bad;
    if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, x.shape)) return bad;
    height_ = x.shape[x.shape.size() - 2];
    width_ = x.shape.back();
    rows_ = width_ > 0 ? x.size() / width_ : 0;
    item_ = static_cast<int64_t>(item_size(x.dtype));
    k_ = std::clamp(k_, -height_ - 1, width_ + 1);  // beyond that nothing changes, and no sum overflows
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    const char* x = static_cast<const char*>(a.in[0]);
    char* out = static_cast<char*>(a.out[0]);
    parallel_for(rows_, kGrain / std::max<int64_t>(width_, 1), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        // Columns up to `cut` are on or below the diagonal (tril), or strictly below it (triu).
        const int64_t cut = std::clamp<int64_t>(r % height_ + k_ + (kLower ? 1 : 0), 0, width_) * item_;
        const char* src = x + r * width_ * item_;
        char* dst = out + r * width_ * item_;
        const int64_t rest = width_ * item_ - cut;
        if (kLower) {
          std::memcpy(dst, src, cut);
          std::memset(dst + cut, 0, rest);
        } else {
          std::memset(dst, 0, cut);
          std::memcpy(dst + cut, src + cut, rest);
        }
      }
    });
    return {};
  }

 private:
  int64_t k_, height_ = 0, width_ = 0, rows_ = 0, item_ = 0;
};

MINDS_KERNEL("cpu", "tril", Triangle<true>, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "triu", Triangle<false>, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

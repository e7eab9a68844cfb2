// tril and triu: the last two axes are matrices, what lies beyond diagonal k becomes zero.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

template <bool kLower>
class Triangle final : public Kernel {
 public:
  explicit Triangle(const Attrs& a) : k_(a.i64("k", 0)) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = plan_.prepare(s, k_)) return bad;
    item_ = static_cast<int64_t>(item_size(s.inputs[0].dtype));
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    const char* x = static_cast<const char*>(a.in[0]);
    char* out = static_cast<char*>(a.out[0]);
    const int64_t height = plan_.height, width = plan_.width, k = plan_.k;
    parallel_for(plan_.rows, kGrain / std::max<int64_t>(width, 1), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        // Columns up to `cut` are on or below the diagonal (tril), or strictly below it (triu).
        const int64_t cut = std::clamp<int64_t>(r % height + k + (kLower ? 1 : 0), 0, width) * item_;
        const char* src = x + r * width * item_;
        char* dst = out + r * width * item_;
        const int64_t rest = width * item_ - cut;
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
  const int64_t k_;
  TrianglePlan plan_;
  int64_t item_ = 0;
};

MINDS_KERNEL("cpu", "tril", Triangle<true>, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "triu", Triangle<false>, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

// one_hot: `on` where the new axis equals the index, `off` elsewhere and for an index outside [0, depth).
#include <algorithm>

#include "base/parallel.h"
#include "kernel/types.h"
#include "kernel/plan/labels.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

class OneHot final : public Kernel {
 public:
  explicit OneHot(const Attrs& a) : depth_(a.i64("depth")), axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = plan_.prepare(s, depth_, axis_)) return bad;
    dtype_ = s.outputs[0].dtype;
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    visit_integer(plan_.index, [&]<class I>(I) {
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
    const int64_t inner = plan_.around.inner, plane = depth_ * inner;
    if (plane == 0) return;
    parallel_for(plan_.around.outer, kGrain / plane, [&](int64_t begin, int64_t end) {
      std::fill(out + begin * plane, out + end * plane, off);
      for (int64_t o = begin; o < end; ++o) {
        for (int64_t i = 0; i < inner; ++i) {
          // As unsigned, a negative index is larger than any depth.
          const uint64_t k = static_cast<uint64_t>(static_cast<int64_t>(indices[o * inner + i]));
          if (k < static_cast<uint64_t>(depth_)) out[o * plane + static_cast<int64_t>(k) * inner + i] = on;
        }
      }
    });
  }

  const int64_t depth_, axis_;
  OneHotPlan plan_;
  DType dtype_{};
};

MINDS_KERNEL("cpu", "one_hot", OneHot, MINDS_INTS);

}  // namespace
}  // namespace minds::cpu

// nll: the negative log-likelihood of each row's class, and its gradient.
#include <algorithm>

#include "base/parallel.h"
#include "kernel/types.h"
#include "kernel/fault.h"
#include "kernel/plan/labels.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

// The first target that is no class.
template <class I>
Fault check_classes(const I* target, int64_t n, int64_t classes) {
  for (int64_t i = 0; i < n; ++i) {
    const bool inside =
        std::is_signed_v<I>
            ? static_cast<int64_t>(target[i]) >= 0 && static_cast<int64_t>(target[i]) < classes
            : static_cast<uint64_t>(target[i]) < static_cast<uint64_t>(classes);
    if (!inside) return {FaultKind::kClass, static_cast<int64_t>(target[i]), classes, i, !std::is_signed_v<I>};
  }
  return {};
}

class Nll final : public Kernel {
 public:
  explicit Nll(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override { return plan_.prepare(s); }

  Status run(const Args& a, Stream&) const override {
    const int64_t rows = plan_.rows, classes = plan_.classes;
    return visit_integer(plan_.target, [&]<class I>(I) -> Status {
      const I* target = static_cast<const I*>(a.in[1]);
      if (const Fault f = check_classes(target, rows, classes)) return fail(a, f);
      visit(plan_.dtype, [&]<class T>(T) {
        if constexpr (kIsFloating<T>) {
          const T* logp = static_cast<const T*>(a.in[0]);
          T* out = static_cast<T*>(a.out[0]);
          for (int64_t i = 0; i < rows; ++i) {
            out[i] =
                static_cast<T>(-static_cast<Wide<T>>(logp[i * classes + static_cast<int64_t>(target[i])]));
          }
        }
      });
      return {};
    });
  }

 private:
  NllPlan plan_;
};

class NllDx final : public Kernel {
 public:
  explicit NllDx(const Attrs& a) : classes_(a.i64("classes")) {}

  Status prepare(const Signature& s, Prepared&) override { return plan_.prepare_gradient(s, classes_); }

  Status run(const Args& a, Stream&) const override {
    const int64_t rows = plan_.rows, classes = plan_.classes;
    return visit_integer(plan_.target, [&]<class I>(I) -> Status {
      const I* target = static_cast<const I*>(a.in[1]);
      if (const Fault f = check_classes(target, rows, classes)) return fail(a, f);
      visit(plan_.dtype, [&]<class T>(T) {
        if constexpr (kIsFloating<T>) {
          const T* dout = static_cast<const T*>(a.in[0]);
          T* out = static_cast<T*>(a.out[0]);
          parallel_for(rows, kGrain / std::max<int64_t>(classes, 1), [&](int64_t begin, int64_t end) {
            std::fill(out + begin * classes, out + end * classes, T(0.0f));
            for (int64_t i = begin; i < end; ++i) {
              out[i * classes + static_cast<int64_t>(target[i])] =
                  static_cast<T>(-static_cast<Wide<T>>(dout[i]));
            }
          });
        }
      });
      return {};
    });
  }

 private:
  const int64_t classes_;
  NllPlan plan_;
};

MINDS_KERNEL("cpu", "nll", Nll, MINDS_FLOATS);
MINDS_KERNEL("cpu", "nll_dx", NllDx, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cpu

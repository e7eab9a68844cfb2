// arange and eye: tensors made of their attributes alone.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernel/types.h"
#include "kernel/plan/generators.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

// Element i is start + i * step, in int64 (wrapping) for integers and in float64, rounded once, for floats.
class Arange final : public Kernel {
 public:
  explicit Arange(const Attrs& a) : start_(a), stop_(a.f64("stop")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = check_arange(s, start_.real, stop_, start_.real_step)) return bad;
    size_ = s.outputs[0].shape[0];
    dtype_ = s.outputs[0].dtype;
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    visit(dtype_, [&]<class T>(T) {
      T* out = static_cast<T*>(a.out[0]);
      parallel_for(size_, kGrain, [&](int64_t begin, int64_t end) {
        if constexpr (kIsFloating<T>) {
          for (int64_t i = begin; i < end; ++i) {
            out[i] = static_cast<T>(start_.real + static_cast<double>(i) * start_.real_step);
          }
        } else {
          for (int64_t i = begin; i < end; ++i) {
            out[i] = static_cast<T>(start_.whole + static_cast<uint64_t>(i) * start_.whole_step);
          }
        }
      });
    });
    return {};
  }

 private:
  struct Terms {
    explicit Terms(const Attrs& a)
        : real(a.f64("start")),
          real_step(a.f64("step")),
          whole(static_cast<uint64_t>(number_as<int64_t>(a, "start"))),
          whole_step(static_cast<uint64_t>(number_as<int64_t>(a, "step"))) {}
    double real, real_step;
    uint64_t whole, whole_step;
  };
  Terms start_;
  double stop_;
  int64_t size_ = 0;
  DType dtype_{};
};

class Eye final : public Kernel {
 public:
  explicit Eye(const Attrs& a) : n_(a.i64("n")), m_(a.i64("m", a.i64("n"))) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = check_eye(s, n_, m_)) return bad;
    dtype_ = s.outputs[0].dtype;
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (m_ == 0) return {};  // however many rows there are
    visit(dtype_, [&]<class T>(T) {
      T* out = static_cast<T*>(a.out[0]);
      parallel_for(n_, kGrain / std::max<int64_t>(m_, 1), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          std::fill_n(out + i * m_, m_, T(0.0f));
          if (i < m_) out[i * m_ + i] = T(1.0f);
        }
      });
    });
    return {};
  }

 private:
  int64_t n_, m_;
  DType dtype_{};
};

MINDS_KERNEL("cpu", "arange", Arange, MINDS_REALS);
MINDS_KERNEL("cpu", "eye", Eye, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu

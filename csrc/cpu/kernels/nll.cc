// nll: the negative log-likelihood of each row's class, and its gradient.
#include <algorithm>

#include "base/parallel.h"
#include "cpu/check.h"
#include "cpu/strides.h"
#include "cpu/types.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

template <class I>
Status expect_classes(const I* target, int64_t n, int64_t classes) {
  for (int64_t i = 0; i < n; ++i) {
    const bool inside =
        std::is_signed_v<I>
            ? static_cast<int64_t>(target[i]) >= 0 && static_cast<int64_t>(target[i]) < classes
            : static_cast<uint64_t>(target[i]) < static_cast<uint64_t>(classes);
    if (!inside) {
      return {Code::kValue, "class id " + std::to_string(target[i]) + " at position " + std::to_string(i) +
                                " is out of range [0, " + std::to_string(classes) + ")"};
    }
  }
  return {};
}

class Nll final : public Kernel {
 public:
  explicit Nll(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 2, 1)) return bad;
    const TensorSpec &logp = s.inputs[0], &target = s.inputs[1];
    if (logp.shape.size() != 2)
      return bad_value("logp has shape " + to_string(logp.shape) + ", expected rank 2");
    if (auto bad = expect_integers(target, "target")) return bad;
    rows_ = logp.shape[0];
    classes_ = logp.shape[1];
    dtype_ = logp.dtype;
    target_dtype_ = target.dtype;
    if (auto bad = expect_spec(target, "target", target.dtype, {rows_})) return bad;
    return expect_spec(s.outputs[0], "the output", dtype_, {rows_});
  }

  Status run(const Args& a, Stream&) const override {
    return visit_integer(target_dtype_, [&]<class I>(I) -> Status {
      const I* target = static_cast<const I*>(a.in[1]);
      if (auto bad = expect_classes(target, rows_, classes_)) return bad;
      visit(dtype_, [&]<class T>(T) {
        if constexpr (kIsFloating<T>) {
          const T* logp = static_cast<const T*>(a.in[0]);
          T* out = static_cast<T*>(a.out[0]);
          for (int64_t i = 0; i < rows_; ++i) {
            out[i] =
                static_cast<T>(-static_cast<Wide<T>>(logp[i * classes_ + static_cast<int64_t>(target[i])]));
          }
        }
      });
      return {};
    });
  }

 private:
  int64_t rows_ = 0, classes_ = 0;
  DType dtype_{}, target_dtype_{};
};

class NllDx final : public Kernel {
 public:
  explicit NllDx(const Attrs& a) : classes_(a.i64("classes")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 2, 1)) return bad;
    const TensorSpec &dout = s.inputs[0], &target = s.inputs[1];
    if (dout.shape.size() != 1)
      return bad_value("dout has shape " + to_string(dout.shape) + ", expected rank 1");
    if (auto bad = expect_integers(target, "target")) return bad;
    rows_ = dout.shape[0];
    dtype_ = dout.dtype;
    target_dtype_ = target.dtype;
    if (auto bad = expect_spec(target, "target", target.dtype, {rows_})) return bad;
    return expect_spec(s.outputs[0], "the output", dtype_, {rows_, classes_});
  }

  Status run(const Args& a, Stream&) const override {
    return visit_integer(target_dtype_, [&]<class I>(I) -> Status {
      const I* target = static_cast<const I*>(a.in[1]);
      if (auto bad = expect_classes(target, rows_, classes_)) return bad;
      visit(dtype_, [&]<class T>(T) {
        if constexpr (kIsFloating<T>) {
          const T* dout = static_cast<const T*>(a.in[0]);
          T* out = static_cast<T*>(a.out[0]);
          parallel_for(rows_, kGrain / std::max<int64_t>(classes_, 1), [&](int64_t begin, int64_t end) {
            std::fill(out + begin * classes_, out + end * classes_, T(0.0f));
            for (int64_t i = begin; i < end; ++i) {
              out[i * classes_ + static_cast<int64_t>(target[i])] =
                  static_cast<T>(-static_cast<Wide<T>>(dout[i]));
            }
          });
        }
      });
      return {};
    });
  }

 private:
  int64_t classes_, rows_ = 0;
  DType dtype_{}, target_dtype_{};
};

MINDS_KERNEL("cpu", "nll", Nll, MINDS_FLOATS);
MINDS_KERNEL("cpu", "nll_dx", NllDx, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cpu

// softmax and log_softmax along one axis.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "cpu/kernels/norm_spans.h"
#include "cpu/kernels/through_float.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// x as (outer, classes, inner). Where inner is 1, a row is contiguous and stays where it is; otherwise each row is brought
// to a contiguous buffer, in blocks of neighbouring rows so that whole cache lines are used.
template <class T, bool log>
class Softmax : public Kernel {
 public:
  explicit Softmax(const Attrs& a) : axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    AxisPlan along;
    if (auto failed = along.prepare_map(s, axis_)) return failed;
    outer_ = along.outer;
    classes_ = along.size;
    inner_ = along.inner;
    if (inner_ > 1) {
      blocks_ = outer_ * ((inner_ + kRows - 1) / kRows);
      chunks_ = std::max<int64_t>(1, std::min<int64_t>(blocks_, kMostChunks));
      p.workspace = static_cast<size_t>(chunks_ * kRows * classes_) * sizeof(T);
    }
    return Status::ok();
  }

  Status run(const Args& a, Stream&) const override {
    const T* x = static_cast<const T*>(a.in[0]);
    T* out = static_cast<T*>(a.out[0]);
    if (classes_ == 0 || outer_ == 0 || inner_ == 0) return Status::ok();
    if (inner_ == 1) {
      parallel_for(outer_, items_per_thread(classes_), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) row(out + i * classes_, x + i * classes_);
      });
      return Status::ok();
    }
    const int64_t share = (blocks_ + chunks_ - 1) / chunks_, across = (inner_ + kRows - 1) / kRows;
    parallel_for(chunks_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        T* const rows = static_cast<T*>(a.workspace) + chunk * kRows * classes_;
        for (int64_t b = chunk * share; b < std::min(blocks_, (chunk + 1) * share); ++b) {
          const int64_t first = b % across * kRows;
          block(out, x, b / across * classes_ * inner_ + first, std::min(kRows, inner_ - first), rows);
        }
      }
    });
    return Status::ok();
  }

 private:
  static constexpr int64_t kRows = 16, kMostChunks = 16;

  void row(T* out, const T* x) const {
    const Spans<T>& f = spans<T>();
    const T top = f.largest(x, classes_);
    if constexpr (log) {
      const double sum = f.exponentials(nullptr, x, top, classes_);
      f.affine(out, x, nullptr, false, top, T{1}, static_cast<T>(-std::log(sum)), classes_);
    } else {
      const double sum = f.exponentials(out, x, top, classes_);
      f.divide(out, out, static_cast<T>(sum), classes_);
    }
  }

  void block(T* out, const T* x, int64_t at, int64_t width, T* rows) const {
    for (int64_t c = 0; c < classes_; ++c) {
      for (int64_t i = 0; i < width; ++i) rows[i * classes_ + c] = x[at + c * inner_ + i];
    }
    for (int64_t i = 0; i < width; ++i) row(rows + i * classes_, rows + i * classes_);
    for (int64_t c = 0; c < classes_; ++c) {
      for (int64_t i = 0; i < width; ++i) out[at + c * inner_ + i] = rows[i * classes_ + c];
    }
  }

  int64_t axis_, outer_ = 0, classes_ = 0, inner_ = 0, blocks_ = 0, chunks_ = 1;
};

template <class T>
using Plain = Softmax<T, false>;
template <class T>
using Logarithm = Softmax<T, true>;

MINDS_KERNEL("cpu", "softmax", Plain<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "softmax", Plain<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "softmax", ThroughFloat<Plain<float>>, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "log_softmax", Logarithm<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "log_softmax", Logarithm<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "log_softmax", ThroughFloat<Logarithm<float>>, DType::kFloat16, DType::kBFloat16);

}  // namespace

}  // namespace minds::cpu

// layer_norm over the axes from begin_axis on, and its gradient.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "cpu/kernels/norm_spans.h"
#include "cpu/kernels/through_float.h"
#include "kernel/plan/norm.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// (x, gamma, beta) -> (y, mean, rstd)
template <class T>
class LayerNorm : public Kernel {
 public:
  explicit LayerNorm(const Attrs& a) : begin_axis_(a.i64("begin_axis")), eps_(a.f64("eps")) {}

  Status prepare(const Signature& s, Prepared&) override { return r_.prepare(s, begin_axis_); }

  Status run(const Args& a, Stream&) const override {
    const T *x = static_cast<const T*>(a.in[0]), *gamma = static_cast<const T*>(a.in[1]);
    const T* beta = static_cast<const T*>(a.in[2]);
    T *y = static_cast<T*>(a.out[0]), *mean = static_cast<T*>(a.out[1]), *rstd = static_cast<T*>(a.out[2]);
    const Spans<T>& f = spans<T>();
    const double n = static_cast<double>(r_.width);
    parallel_for(r_.rows, items_per_thread(r_.width), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T* from = x + row * r_.width;
        const T m = static_cast<T>(f.sum(from, r_.width) / n);
        const T r = static_cast<T>(1 / std::sqrt(f.spread(from, m, r_.width) / n + eps_));
        mean[row] = m;
        rstd[row] = r;
        f.affine_rows(y + row * r_.width, from, m, r, gamma, beta, r_.width);
      }
    });
    return Status::ok();
  }

 private:
  int64_t begin_axis_;
  double eps_;
  LayerPlan r_;
};

// (dout, x, mean, rstd, gamma) -> (dx, dgamma, dbeta); with g = dout gamma and h = (x - mean) rstd of one row,
//   dx = rstd (g - mean(g) - h mean(g h)),  dgamma = sum over rows of dout h,  dbeta = sum over rows of dout
template <class T>
class LayerNormDx : public Kernel {
 public:
  explicit LayerNormDx(const Attrs& a) : begin_axis_(a.i64("begin_axis")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto failed = r_.prepare_gradient(s, begin_axis_)) return failed;
    chunks_ = std::clamp<int64_t>(r_.rows * r_.width / (1 << 13), 1, std::min<int64_t>(16, std::max<int64_t>(1, r_.rows)));
    p.workspace = static_cast<size_t>(2 * chunks_ * r_.width) * sizeof(T);
    return Status::ok();
  }

  Status run(const Args& a, Stream&) const override {
    T *dgamma = static_cast<T*>(a.out[1]), *dbeta = static_cast<T*>(a.out[2]);
    T* const partial = static_cast<T*>(a.workspace);
    const int64_t w = r_.width, share = (r_.rows + chunks_ - 1) / chunks_;
    parallel_for(chunks_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        T* const own = partial + 2 * chunk * w;
        std::fill_n(own, 2 * w, T{0});
        rows(a, chunk * share, std::min(r_.rows, (chunk + 1) * share), own, own + w);
      }
    });
    for (int64_t i = 0; i < w; ++i) {
      T dg = 0, db = 0;
      for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
        dg += partial[2 * chunk * w + i];
        db += partial[(2 * chunk + 1) * w + i];
      }
      dgamma[i] = dg;
      dbeta[i] = db;
    }
    return Status::ok();
  }

 private:
  void rows(const Args& a, int64_t begin, int64_t end, T* dgamma, T* dbeta) const {
    const T *mean = static_cast<const T*>(a.in[2]), *rstd = static_cast<const T*>(a.in[3]);
    const T* gamma = static_cast<const T*>(a.in[4]);
    const Spans<T>& f = spans<T>();
    const double n = static_cast<double>(r_.width);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t at = row * r_.width;
      const T *dout = static_cast<const T*>(a.in[0]) + at, *x = static_cast<const T*>(a.in[1]) + at;
      T* dx = static_cast<T*>(a.out[0]) + at;
      const T m = mean[row];
      const double r = static_cast<double>(rstd[row]);
      f.collect(dgamma, dbeta, dout, x, m, rstd[row], r_.width);
      f.times(dx, dout, gamma, r_.width);
      const double sum = f.sum(dx, r_.width), dot = f.product(dx, x, m, r_.width);
      f.blend(dx, dx, x, m, rstd[row], static_cast<T>(-r * r * r * dot / n), static_cast<T>(-r * sum / n), r_.width);
    }
  }

  int64_t begin_axis_, chunks_ = 1;
  LayerPlan r_;
};

MINDS_KERNEL("cpu", "layer_norm", LayerNorm<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "layer_norm", LayerNorm<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "layer_norm", ThroughFloat<LayerNorm<float>>, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "layer_norm_dx", LayerNormDx<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "layer_norm_dx", LayerNormDx<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "layer_norm_dx", ThroughFloat<LayerNormDx<float>>, DType::kFloat16, DType::kBFloat16);

}  // namespace

}  // namespace minds::cpu

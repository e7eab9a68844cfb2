// batch_norm (training), its gradient, and batch_norm_infer: per channel, over all axes but the second.
//
// One thread does a whole channel, plane after plane, so sums do not depend on the number of threads.
#include <cmath>

#include "base/parallel.h"
#include "cpu/kernels/norm_spans.h"
#include "cpu/kernels/through_float.h"
#include "kernel/plan/norm.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// (x, gamma, beta) -> (y, mean, var), var biased.
template <class T>
class BatchNorm : public Kernel {
 public:
  explicit BatchNorm(const Attrs& a) : eps_(a.f64("eps")) {}

  Status prepare(const Signature& s, Prepared&) override { return c_.prepare(s); }

  Status run(const Args& a, Stream&) const override {
    const T *x = static_cast<const T*>(a.in[0]), *gamma = static_cast<const T*>(a.in[1]);
    const T* beta = static_cast<const T*>(a.in[2]);
    T *y = static_cast<T*>(a.out[0]), *mean = static_cast<T*>(a.out[1]), *var = static_cast<T*>(a.out[2]);
    const Spans<T>& f = spans<T>();
    parallel_for(c_.channels, items_per_thread(c_.each()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const double n = static_cast<double>(c_.each());  // 0 gives NaN, as a mean of nothing does
        double sum = 0, spread = 0;
        c_.planes(c, [&](int64_t at) { sum += f.sum(x + at, c_.plane); });
        const T m = static_cast<T>(sum / n);
        c_.planes(c, [&](int64_t at) { spread += f.spread(x + at, m, c_.plane); });
        mean[c] = m;
        var[c] = static_cast<T>(spread / n);
        const T scale = gamma[c] * static_cast<T>(1 / std::sqrt(spread / n + eps_));
        c_.planes(c, [&](int64_t at) { f.affine(y + at, x + at, m, scale, beta[c], c_.plane); });
      }
    });
    return Status::ok();
  }

 private:
  double eps_;
  ChannelsPlan c_;
};

// (dout, x, mean, var, gamma) -> (dx, dgamma, dbeta)
//   dbeta = sum dout,  dgamma = r sum dout (x - mean),  r = 1 / sqrt(var + eps)
//   dx = gamma r (dout - dbeta / n - (x - mean) r dgamma / n)
template <class T>
class BatchNormDx : public Kernel {
 public:
  explicit BatchNormDx(const Attrs& a) : eps_(a.f64("eps")) {}

  Status prepare(const Signature& s, Prepared&) override { return c_.prepare_gradient(s); }

  Status run(const Args& a, Stream&) const override {
    const T *dout = static_cast<const T*>(a.in[0]), *x = static_cast<const T*>(a.in[1]);
    const T *mean = static_cast<const T*>(a.in[2]), *var = static_cast<const T*>(a.in[3]);
    const T* gamma = static_cast<const T*>(a.in[4]);
    T *dx = static_cast<T*>(a.out[0]), *dgamma = static_cast<T*>(a.out[1]), *dbeta = static_cast<T*>(a.out[2]);
    const Spans<T>& f = spans<T>();
    parallel_for(c_.channels, items_per_thread(c_.each()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const double n = static_cast<double>(c_.each()), r = 1 / std::sqrt(static_cast<double>(var[c]) + eps_);
        double sum = 0, dot = 0;
        c_.planes(c, [&](int64_t at) {
          sum += f.sum(dout + at, c_.plane);
          dot += f.product(dout + at, x + at, mean[c], c_.plane);
        });
        dbeta[c] = static_cast<T>(sum);
        dgamma[c] = static_cast<T>(dot * r);
        const double scale = static_cast<double>(gamma[c]) * r;
        const T slope = static_cast<T>(-scale * r * r * dot / n), shift = static_cast<T>(-scale * sum / n);
        c_.planes(c, [&](int64_t at) {
          f.blend(dx + at, dout + at, x + at, mean[c], static_cast<T>(scale), slope, shift, c_.plane);
        });
      }
    });
    return Status::ok();
  }

 private:
  double eps_;
  ChannelsPlan c_;
};

// (x, gamma, beta, mean, var) -> y
template <class T>
class BatchNormInfer : public Kernel {
 public:
  explicit BatchNormInfer(const Attrs& a) : eps_(a.f64("eps")) {}

  Status prepare(const Signature& s, Prepared&) override { return c_.prepare_inference(s); }

  Status run(const Args& a, Stream&) const override {
    const T *x = static_cast<const T*>(a.in[0]), *gamma = static_cast<const T*>(a.in[1]);
    const T *beta = static_cast<const T*>(a.in[2]), *mean = static_cast<const T*>(a.in[3]);
    const T* var = static_cast<const T*>(a.in[4]);
    T* y = static_cast<T*>(a.out[0]);
    const Spans<T>& f = spans<T>();
    parallel_for(c_.channels, items_per_thread(c_.each()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const T scale = gamma[c] * static_cast<T>(1 / std::sqrt(static_cast<double>(var[c]) + eps_));
        c_.planes(c, [&](int64_t at) { f.affine(y + at, x + at, mean[c], scale, beta[c], c_.plane); });
      }
    });
    return Status::ok();
  }

 private:
  double eps_;
  ChannelsPlan c_;
};

MINDS_KERNEL("cpu", "batch_norm", BatchNorm<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "batch_norm", BatchNorm<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "batch_norm", ThroughFloat<BatchNorm<float>>, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "batch_norm_dx", BatchNormDx<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "batch_norm_dx", BatchNormDx<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "batch_norm_dx", ThroughFloat<BatchNormDx<float>>, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "batch_norm_infer", BatchNormInfer<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "batch_norm_infer", BatchNormInfer<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "batch_norm_infer", ThroughFloat<BatchNormInfer<float>>, DType::kFloat16, DType::kBFloat16);

}  // namespace

}  // namespace minds::cpu

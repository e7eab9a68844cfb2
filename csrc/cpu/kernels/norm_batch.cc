// batch_norm (training), its gradient, batch_norm_infer and what follows it: per channel, over all axes but the second.
//
// One thread does a whole channel, plane after plane, so sums do not depend on the number of threads.
#include <cmath>

#include "cpu/kernels/norm_spans.h"
#include "cpu/kernels/through_float.h"
#include "kernel/plan/norm.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// What is done to a normalised batch: something is added, and what is below 0 becomes 0. The bits are those of separate
// kernels.
template <class T>
class Ending {
 public:
  explicit Ending(const Attrs& a) : relu_(a.has("relu") && a.boolean("relu")) {}

  // What is added is the operand after the `plain` ones, if there is one.
  Status prepare(const Signature& s, size_t plain, ChannelsPlan& c, Status (ChannelsPlan::*check)(const Signature&)) {
    if (s.inputs.size() != plain + 1) return (c.*check)(s);
    other_ = plain;
    Signature without = s;
    without.inputs.pop_back();
    if (auto bad = (c.*check)(without)) return bad;
    return expect_spec(s.inputs[plain], "what is added", s.inputs[0].dtype, s.inputs[0].shape);
  }

  // The planes of a channel.
  void run(const Spans<T>& f, const ChannelsPlan& c, const Args& a, int64_t channel, T mean, T scale, T shift) const {
    const T *x = static_cast<const T*>(a.in[0]), *other = other_ ? static_cast<const T*>(a.in[other_]) : nullptr;
    T* y = static_cast<T*>(a.out[0]);
    c.planes(channel, [&](int64_t at) {
      f.affine(y + at, x + at, other == nullptr ? nullptr : other + at, relu_, mean, scale, shift, c.plane);
    });
  }

 private:
  bool relu_;
  size_t other_ = 0;
};

// (x, gamma, beta) -> (y, mean, var), var biased.
template <class T>
class BatchNorm : public Kernel {
 public:
  explicit BatchNorm(const Attrs& a) : eps_(a.f64("eps")), ending_(a) {}

  Status prepare(const Signature& s, Prepared&) override { return ending_.prepare(s, 3, c_, &ChannelsPlan::prepare); }

  Status run(const Args& a, Stream&) const override {
    const T *x = static_cast<const T*>(a.in[0]), *gamma = static_cast<const T*>(a.in[1]);
    const T* beta = static_cast<const T*>(a.in[2]);
    T *mean = static_cast<T*>(a.out[1]), *var = static_cast<T*>(a.out[2]);
    const Spans<T>& f = spans<T>();
    c_.over_channels([&](int64_t c) {
      const double n = static_cast<double>(c_.each());  // 0 gives NaN, as a mean of nothing does
      double sum = 0, spread = 0;
      c_.planes(c, [&](int64_t at) { sum += f.sum(x + at, c_.plane); });
      const T m = static_cast<T>(sum / n);
      c_.planes(c, [&](int64_t at) { spread += f.spread(x + at, m, c_.plane); });
      mean[c] = m;
      var[c] = static_cast<T>(spread / n);
      const T scale = gamma[c] * static_cast<T>(1 / std::sqrt(spread / n + eps_));
      ending_.run(f, c_, a, c, m, scale, beta[c]);
    });
    return Status::ok();
  }

 private:
  double eps_;
  Ending<T> ending_;
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
    c_.over_channels([&](int64_t c) {
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
  explicit BatchNormInfer(const Attrs& a) : eps_(a.f64("eps")), ending_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    return ending_.prepare(s, 5, c_, &ChannelsPlan::prepare_inference);
  }

  Status run(const Args& a, Stream&) const override {
    const T *gamma = static_cast<const T*>(a.in[1]), *beta = static_cast<const T*>(a.in[2]);
    const T *mean = static_cast<const T*>(a.in[3]), *var = static_cast<const T*>(a.in[4]);
    const Spans<T>& f = spans<T>();
    c_.over_channels([&](int64_t c) {
      const T scale = gamma[c] * static_cast<T>(1 / std::sqrt(static_cast<double>(var[c]) + eps_));
      ending_.run(f, c_, a, c, mean[c], scale, beta[c]);
    });
    return Status::ok();
  }

 private:
  double eps_;
  Ending<T> ending_;
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

MINDS_KERNEL("cpu", "batch_norm_ending", BatchNorm<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "batch_norm_ending", BatchNorm<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "batch_norm_infer_ending", BatchNormInfer<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "batch_norm_infer_ending", BatchNormInfer<double>, DType::kFloat64);

}  // namespace

}  // namespace minds::cpu

// avg_pool2d and its adjoint.
#include <algorithm>

#include "base/parallel.h"
#include "cpu/kernels/through_float.h"
#include "kernel/plan/pool.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// What forward and adjoint share: the windows and, for each one, the number that its sum is divided by.
struct Averaging {
  Status prepare(const Attrs& a, const Shape& input, Shape& output) {
    if (auto failed = pool.prepare(a, input, output)) return failed;
    const Window& w = pool.window;
    if (w.dilation_h != 1 || w.dilation_w != 1) return bad_value("an average has no dilation");
    with_pad = a.boolean("count_include_pad");
    area = w.kernel_h * w.kernel_w;
    return Status::ok();
  }
  int64_t divisor(const Span& r, const Span& c) const {
    return with_pad ? area : (r.end - r.begin) * (c.end - c.begin);
  }

  PoolPlan pool;
  int64_t area;
  bool with_pad;
};

template <class T>
class AvgPool : public Kernel {
 public:
  explicit AvgPool(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto failed = expect_counts(s, 1, 1)) return failed;
    Shape output;
    if (auto failed = g_.prepare(attrs_, s.inputs[0].shape, output)) return failed;
    return expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, output);
  }

  Status run(const Args& a, Stream&) const override {
    parallel_for(p_.count, items_per_thread(p_.in()), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        plane(static_cast<const T*>(a.in[0]) + i * p_.in(), static_cast<T*>(a.out[0]) + i * p_.out());
      }
    });
    return Status::ok();
  }

 private:
  void plane(const T* x, T* out) const {
    for (const Span& r : g_.pool.rows) {
      for (const Span& c : g_.pool.cols) {
        T sum = 0;
        for (int64_t i = r.begin; i < r.end; ++i) {
          for (int64_t j = c.begin; j < c.end; ++j) sum += x[i * p_.in_w + j];
        }
        *out++ = sum / static_cast<T>(g_.divisor(r, c));
      }
    }
  }

  Attrs attrs_;
  Averaging g_;
  const Planes& p_ = g_.pool.planes;
};

template <class T>
class AvgPoolDx : public Kernel {
 public:
  explicit AvgPoolDx(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto failed = expect_counts(s, 1, 1)) return failed;
    Shape output;
    if (auto failed = g_.prepare(attrs_, attrs_.ints("in_shape"), output)) return failed;
    if (auto failed = expect_spec(s.inputs[0], "dout", s.outputs[0].dtype, output)) return failed;
    return expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, attrs_.ints("in_shape"));
  }

  Status run(const Args& a, Stream&) const override {
    parallel_for(p_.count, items_per_thread(p_.in()), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        plane(static_cast<const T*>(a.in[0]) + i * p_.out(), static_cast<T*>(a.out[0]) + i * p_.in());
      }
    });
    return Status::ok();
  }

 private:
  void plane(const T* dout, T* dx) const {
    std::fill_n(dx, p_.in(), T{0});
    for (const Span& r : g_.pool.rows) {
      for (const Span& c : g_.pool.cols) {
        const T each = *dout++ / static_cast<T>(g_.divisor(r, c));
        for (int64_t i = r.begin; i < r.end; ++i) {
          for (int64_t j = c.begin; j < c.end; ++j) dx[i * p_.in_w + j] += each;
        }
      }
    }
  }

  Attrs attrs_;
  Averaging g_;
  const Planes& p_ = g_.pool.planes;
};

MINDS_KERNEL("cpu", "avg_pool2d", AvgPool<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "avg_pool2d", AvgPool<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "avg_pool2d", ThroughFloat<AvgPool<float>>, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "avg_pool2d_dx", AvgPoolDx<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "avg_pool2d_dx", AvgPoolDx<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "avg_pool2d_dx", ThroughFloat<AvgPoolDx<float>>, DType::kFloat16, DType::kBFloat16);

}  // namespace

}  // namespace minds::cpu

// matmul: the provider for floats of some size, our own product for float64, integers and what is too small to hand over.
#include <algorithm>
#include <cstring>
#include <memory>

#include "base/parallel.h"
#include "cpu/kernels/matmul_own.h"
#include "cpu/kernels/through_float.h"
#include "cpu/provider/provider.h"
#include "kernel/plan/matmul.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// Multiplications up to which our own product beats the provider's call (benchmarks/kernels.py).
constexpr int64_t kSmall = 400'000;

Status make_plan(const MatmulPlan& p, DType dtype, std::unique_ptr<Plan>& plan) {
  GemmSpec g{dtype, {}, {}, p.m, p.n, p.k, p.trans_x, p.trans_y, false};
  for (size_t i = p.batch.size(); i-- > 0;) {
    g.batch_x.push_back(p.batch[i].x_step == 0 ? 1 : p.batch[i].size);
    g.batch_y.push_back(p.batch[i].y_step == 0 ? 1 : p.batch[i].size);
  }
  return provider().gemm(g, plan);
}

template <class T>
class Matmul : public Kernel {
 public:
  explicit Matmul(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared& prepared) override {
    if (auto failed = p_.prepare(attrs_, s)) return failed;
    bytes_ = s.outputs[0].bytes();
    const bool vector = p_.batches == 1 && (p_.m == 1 || p_.n == 1);  // bound by memory: there is nothing to pack
    if (std::is_same_v<T, float> && bytes_ > 0 && !vector && p_.m * p_.n * p_.k > kSmall) {
      if (auto failed = make_plan(p_, s.inputs[0].dtype, plan_)) return failed;
      if (plan_) prepared.workspace = plan_->workspace();
    }
    return Status::ok();
  }

  Status run(const Args& a, Stream&) const override {
    if (bytes_ == 0) return Status::ok();
    if (plan_) return plan_->run(a.in[0], a.in[1], a.out[0], a.workspace);
    if (p_.k == 0) {
      std::memset(a.out[0], 0, bytes_);
      return Status::ok();
    }
    const T *x = static_cast<const T*>(a.in[0]), *y = static_cast<const T*>(a.in[1]);
    T* out = static_cast<T*>(a.out[0]);
    if (p_.batches == 1) {
      one(product(x, y, out));
      return Status::ok();
    }
    const int64_t each = p_.m * p_.n * p_.k;
    parallel_for(p_.batches, std::max<int64_t>(1, (1 << 19) / each), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const MatmulPlan::Offsets at = p_.at(b);
        multiply(product(x + at.x, y + at.y, out + b * p_.m * p_.n));
      }
    });
    return Status::ok();
  }

 private:
  static void one(const Product<T>& p) {
    if constexpr (std::is_floating_point_v<T>) {
      if (p.n == 1 && p.a_col == 1 && p.b_row == 1) {
        return multiply_vector({p.m, p.k, p.a_row, p.c_row}, p.a, p.b, p.c);
      }
      if (p.m == 1 && p.a_col == 1 && p.b_row == 1) {
        return multiply_vector({p.n, p.k, p.b_col, p.c_col}, p.b, p.a, p.c);
      }
    }
    multiply_parallel(p);
  }

  Product<T> product(const T* x, const T* y, T* out) const {
    return {p_.m, p_.n, p_.k, x, p_.trans_x ? 1 : p_.k, p_.trans_x ? p_.m : 1, y, p_.trans_y ? 1 : p_.n,
            p_.trans_y ? p_.k : 1, out, p_.n, 1, false};
  }

  Attrs attrs_;
  MatmulPlan p_;
  size_t bytes_ = 0;
  std::unique_ptr<Plan> plan_;
};

// float16 and bfloat16: the provider where it has them on this machine, otherwise through float32.
class HalfMatmul : public Kernel {
 public:
  explicit HalfMatmul(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared& prepared) override {
    MatmulPlan p;
    if (auto failed = p.prepare(attrs_, s)) return failed;
    if (p.k > 0 && s.outputs[0].size() > 0) {
      if (auto failed = make_plan(p, s.inputs[0].dtype, plan_)) return failed;
    }
    if (plan_) {
      prepared.workspace = plan_->workspace();
      return Status::ok();
    }
    wide_ = std::make_unique<ThroughFloat<Matmul<float>>>(attrs_);
    return wide_->prepare(s, prepared);
  }

  Status run(const Args& a, Stream& q) const override {
    return plan_ ? plan_->run(a.in[0], a.in[1], a.out[0], a.workspace) : wide_->run(a, q);
  }

 private:
  Attrs attrs_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Kernel> wide_;
};

MINDS_KERNEL("cpu", "matmul", Matmul<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "matmul", Matmul<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "matmul", HalfMatmul, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "matmul", Matmul<int8_t>, DType::kInt8);
MINDS_KERNEL("cpu", "matmul", Matmul<int16_t>, DType::kInt16);
MINDS_KERNEL("cpu", "matmul", Matmul<int32_t>, DType::kInt32);
MINDS_KERNEL("cpu", "matmul", Matmul<int64_t>, DType::kInt64);
MINDS_KERNEL("cpu", "matmul", Matmul<uint8_t>, DType::kUInt8);
MINDS_KERNEL("cpu", "matmul", Matmul<uint16_t>, DType::kUInt16);
MINDS_KERNEL("cpu", "matmul", Matmul<uint32_t>, DType::kUInt32);
MINDS_KERNEL("cpu", "matmul", Matmul<uint64_t>, DType::kUInt64);

}  // namespace

}  // namespace minds::cpu

// matmul: the provider for floats of some size, our own product for float64, integers and what is too small to hand over.
#include <algorithm>
#include <cstring>
#include <memory>

#include "base/parallel.h"
#include "cpu/check.h"
#include "cpu/kernels/matmul_own.h"
#include "cpu/kernels/through_float.h"
#include "cpu/provider/provider.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// Multiplications up to which our own product beats the provider's call (benchmarks/kernels.py).
constexpr int64_t kSmall = 400'000;

struct BatchDim {
  int64_t size, x_step, y_step;  // steps in matrices; 0 where the operand is broadcast
};

// The problem with neighbouring batch dims merged where both operands treat them alike.
struct Problem {
  int64_t m, n, k;
  bool trans_x, trans_y;
  std::vector<BatchDim> batch;
  int64_t batches = 1;
};

Status analyse(const Attrs& a, const Signature& s, Problem& p) {
  if (auto failed = expect_counts(s, 2, 1)) return failed;
  const TensorSpec &x = s.inputs[0], &y = s.inputs[1];
  if (x.shape.size() < 2 || y.shape.size() < 2) {
    return {Code::kValue, "operands must have at least 2 dimensions, got " + to_string(x.shape) + " and " +
                              to_string(y.shape)};
  }
  if (x.dtype != y.dtype) {
    return {Code::kType, std::string("operands must have one dtype, got ") + name(x.dtype) + " and " + name(y.dtype)};
  }
  p.trans_x = a.has("transpose_a") && a.boolean("transpose_a");
  p.trans_y = a.has("transpose_b") && a.boolean("transpose_b");
  const auto last = [](const Shape& d, int back) { return d[d.size() - back]; };
  p.m = last(x.shape, p.trans_x ? 1 : 2);
  p.k = last(x.shape, p.trans_x ? 2 : 1);
  p.n = last(y.shape, p.trans_y ? 2 : 1);
  const int64_t y_depth = last(y.shape, p.trans_y ? 1 : 2);
  if (p.k != y_depth) {
    return {Code::kValue, "inner dimensions differ: " + std::to_string(p.k) + " and " + std::to_string(y_depth)};
  }
  const size_t rank = std::max(x.shape.size(), y.shape.size());
  Shape out(rank);
  out[rank - 2] = p.m;
  out[rank - 1] = p.n;
  int64_t x_step = 1, y_step = 1;
  for (size_t i = rank - 2; i-- > 0;) {  // from the innermost batch dim
    const size_t back = rank - i;
    const int64_t dx = back <= x.shape.size() ? last(x.shape, back) : 1;
    const int64_t dy = back <= y.shape.size() ? last(y.shape, back) : 1;
    if (dx != dy && dx != 1 && dy != 1) {
      return {Code::kValue, "batch dimensions cannot be broadcast: " + to_string(x.shape) + " and " + to_string(y.shape)};
    }
    const BatchDim d{dx == 1 ? dy : dx, dx == 1 ? 0 : x_step, dy == 1 ? 0 : y_step};
    out[i] = d.size;
    x_step *= dx;
    y_step *= dy;
    if (d.size == 1) continue;
    p.batches *= d.size;
    BatchDim* inner = p.batch.empty() ? nullptr : &p.batch.back();
    if (inner && (inner->x_step == 0) == (d.x_step == 0) && (inner->y_step == 0) == (d.y_step == 0)) {
      inner->size *= d.size;
    } else {
      p.batch.push_back(d);
    }
  }
  // Rows of a batch that meets one matrix are one taller matrix.
  if (p.batch.size() == 1 && p.batch[0].y_step == 0 && !p.trans_x) {
    p.m *= p.batch[0].size;
    p.batch.clear();
    p.batches = 1;
  }
  return expect_spec(s.outputs[0], "the result", x.dtype, out);
}

Status make_plan(const Problem& p, DType dtype, std::unique_ptr<Plan>& plan) {
  GemmSpec g{dtype, {}, {}, p.m, p.n, p.k, p.trans_x, p.trans_y};
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
    if (auto failed = analyse(attrs_, s, p_)) return failed;
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
        int64_t rest = b, at_x = 0, at_y = 0;
        for (const BatchDim& d : p_.batch) {
          at_x += rest % d.size * d.x_step;
          at_y += rest % d.size * d.y_step;
          rest /= d.size;
        }
        multiply(product(x + at_x * p_.m * p_.k, y + at_y * p_.k * p_.n, out + b * p_.m * p_.n));
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
  Problem p_;
  size_t bytes_ = 0;
  std::unique_ptr<Plan> plan_;
};

// float16 and bfloat16: the provider where it has them on this machine, otherwise through float32.
class HalfMatmul : public Kernel {
 public:
  explicit HalfMatmul(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared& prepared) override {
    Problem p;
    if (auto failed = analyse(attrs_, s, p)) return failed;
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

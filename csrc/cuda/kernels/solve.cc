// solve, inverse, det, slogdet: what is made of the LU factors of square matrices.
#include "cuda/kernels/linalg.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class Determinant : public Factored {
 public:
  Determinant(const char* name, size_t results) : name_(name), results_(results) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    if (Status bad = expect_counts(s, 1, results_)) return bad;
    const TensorSpec& x = s.inputs[0];
    if (Status bad = plan_factors(s, p)) return bad;
    const Shape shape(x.shape.begin(), x.shape.end() - 2);
    for (const TensorSpec& out : s.outputs) {
      if (Status bad = expect_spec(out, "the result", x.dtype, shape)) return bad;
    }
    return find(name_, function_);
  }

  Status queue(const Args& a, Stream& q) const override {
    if (matrices_ == 0) return {};
    if (Status bad = factor(a, q)) return bad;
    if (results_ == 1) return launch(*function_, q, grid(matrices_), factors(a, 0), pivots(a, 0), a.out[0], n_, matrices_);
    return launch(*function_, q, grid(matrices_), factors(a, 0), pivots(a, 0), a.out[0], a.out[1], n_, matrices_);
  }

  const char* const name_;
  const size_t results_;
  const Function* function_ = nullptr;
};

struct Det final : Determinant {
  explicit Det(const Attrs&) : Determinant("determinants", 1) {}
};
struct Slogdet final : Determinant {
  explicit Slogdet(const Attrs&) : Determinant("log_determinants", 2) {}
};

class Inverse final : public Factored {
 public:
  explicit Inverse(const Attrs&) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    if (Status bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec& x = s.inputs[0];
    if (Status bad = expect_spec(s.outputs[0], "the result", x.dtype, x.shape)) return bad;
    count_ = x.size();
    if (Status bad = plan_factors(s, p)) return bad;
    return find("identities", identities_);
  }

  // Of the transpose Aᵀ by columns the inverse by columns is that of A by rows.
  Status queue(const Args& a, Stream& q) const override {
    if (count_ == 0) return {};
    if (Status bad = launch(*identities_, q, grid(count_), a.out[0], n_, count_)) return bad;
    if (Status bad = factor(a, q)) return bad;
    if (Status bad = verify(a, FaultKind::kSingular, q)) return bad;
    std::unique_lock<std::mutex> guard;
    if (Status bad = begin(q, guard)) return bad;
    for (int64_t m = 0; m < matrices_; ++m) {
      const size_t at = static_cast<size_t>(m * n_ * n_) * item_;
      if (Status bad = MINDS_CUSOLVER(cusolverDnXgetrs, handle(), params(), CUBLAS_OP_N, n_, n_, type_, factors(a, m), n_,
                                      pivots(a, m), type_, within(a.out[0], at), n_, info(a, m))) {
        return bad;
      }
    }
    return {};
  }

  int64_t count_ = 0;
  const Function* identities_ = nullptr;
};

class Solve final : public Factored {
 public:
  explicit Solve(const Attrs&) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    if (Status bad = expect_counts(s, 2, 1)) return bad;
    const TensorSpec &x = s.inputs[0], &b = s.inputs[1], &out = s.outputs[0];
    if (Status bad = plan_factors(s, p)) return bad;
    int64_t sides = 0, results = 0;
    if (Status bad = expect_matrices(b, false, sides)) return bad;
    if (Status bad = expect_matrices(out, false, results)) return bad;
    k_ = b.shape.back();
    Shape shape(out.shape.begin(), out.shape.end() - 2);
    shape.push_back(n_);
    shape.push_back(k_);
    if (Status bad = expect_spec(out, "the result", x.dtype, shape)) return bad;
    if (b.dtype != x.dtype || b.shape[b.shape.size() - 2] != n_) return bad_value("the right-hand sides do not fit the matrices");
    count_ = out.size();
    if (Status bad = places(x.shape, out.shape, matrix_of_)) return bad;
    if (Status bad = places(b.shape, out.shape, side_of_)) return bad;
    columns_at_ = take(p.workspace, out.bytes());
    return find("transposed", transposed_);
  }

  // Which matrix of an operand, whose batch is broadcast, belongs to each of the result.
  static Status places(const Shape& from, const Shape& to, std::vector<int64_t>& out) {
    const size_t dims = to.size() - 2, missing = to.size() - from.size();
    if (from.size() > to.size()) return bad_value("an operand has more dims than the result");
    out.assign(static_cast<size_t>(product(to, 0, dims)), 0);
    for (size_t e = 0; e < out.size(); ++e) {
      int64_t rest = static_cast<int64_t>(e), step = 1;
      for (size_t d = dims; d-- > missing;) {
        const int64_t size = from[d - missing], i = rest % to[d];
        if (size != 1 && size != to[d]) return bad_value("the batches do not fit");
        if (size != 1) out[e] += i * step;
        step *= size;
        rest /= to[d];
      }
    }
    return {};
  }

  // The factors are those of Aᵀ: the library solves with their transpose.
  Status queue(const Args& a, Stream& q) const override {
    if (count_ == 0) return {};
    void* const columns = within(a.workspace, columns_at_);
    const size_t side = static_cast<size_t>(n_ * k_) * item_;
    for (size_t m = 0; m < side_of_.size(); ++m) {
      const void* const from = static_cast<const char*>(a.in[1]) + static_cast<size_t>(side_of_[m]) * side;
      if (Status bad = launch(*transposed_, q, grid(n_ * k_), from, within(columns, m * side), n_, k_, n_ * k_)) return bad;
    }
    if (Status bad = factor(a, q)) return bad;
    if (Status bad = verify(a, FaultKind::kSingular, q)) return bad;
    {
      std::unique_lock<std::mutex> guard;
      if (Status bad = begin(q, guard)) return bad;
      for (size_t m = 0; m < matrix_of_.size(); ++m) {
        if (Status bad = MINDS_CUSOLVER(cusolverDnXgetrs, handle(), params(), CUBLAS_OP_T, n_, k_, type_, factors(a, matrix_of_[m]), n_,
                                        pivots(a, matrix_of_[m]), type_, within(columns, m * side), n_, info(a, matrix_of_[m]))) {
          return bad;
        }
      }
    }
    return launch(*transposed_, q, grid(count_), columns, a.out[0], k_, n_, count_);
  }

  int64_t k_ = 0, count_ = 0;
  size_t columns_at_ = 0;
  std::vector<int64_t> matrix_of_, side_of_;
  const Function* transposed_ = nullptr;
};

#define MINDS_SOLVED DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128
MINDS_KERNEL("cuda", "det", Det, MINDS_SOLVED);
MINDS_KERNEL("cuda", "slogdet", Slogdet, DType::kFloat32, DType::kFloat64);
MINDS_KERNEL("cuda", "inverse", Inverse, MINDS_SOLVED);
MINDS_KERNEL("cuda", "solve", Solve, MINDS_SOLVED);

}  // namespace
}  // namespace minds::cuda

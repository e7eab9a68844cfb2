// cholesky: the triangular factors of positive definite matrices.
#include "cuda/kernels/linalg.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

constexpr cublasFillMode_t kLower{0};

class Cholesky final : public Linalg {
 public:
  explicit Cholesky(const Attrs& a) : upper_(a.boolean("upper")) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    if (Status bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec& x = s.inputs[0];
    int64_t matrices = 0;
    if (Status bad = expect_matrices(x, true, matrices)) return bad;
    if (Status bad = expect_spec(s.outputs[0], "the result", x.dtype, x.shape)) return bad;
    n_ = x.shape.back();
    count_ = x.size();
    if (count_ == 0) return {};
    if (Status bad = open(s, x.dtype, matrices)) return bad;
    size_t on_device = 0, on_host = 0;
    if (Status bad = MINDS_CUSOLVER(cusolverDnXpotrf_bufferSize, handle(), params(), kLower, n_, type_, nullptr, n_, type_,
                                    &on_device, &on_host)) {
      return bad;
    }
    reserve_work(p, on_device, on_host);
    columns_at_ = take(p.workspace, x.bytes());
    if (Status bad = find("transposed", by_columns_)) return bad;
    return find("triangle", triangle_);
  }

  Status queue(const Args& a, Stream& q) const override {
    if (count_ == 0) return {};
    void* const columns = within(a.workspace, columns_at_);
    if (Status bad = launch(*by_columns_, q, grid(count_), a.in[0], columns, n_, n_, count_)) return bad;
    {
      std::unique_lock<std::mutex> guard;
      if (Status bad = begin(q, guard)) return bad;
      for (int64_t m = 0; m < matrices_; ++m) {
        void* const at = within(columns, static_cast<size_t>(m * n_ * n_) * item_);
        if (Status bad = MINDS_CUSOLVER(cusolverDnXpotrf, handle(), params(), kLower, n_, type_, at, n_, type_, work(a), work_bytes_,
                                        host_work_.data(), host_work_.size(), info(a, m))) {
          return bad;
        }
      }
    }
    if (Status bad = verify(a, FaultKind::kNotDefinite, q)) return bad;
    return launch(*triangle_, q, grid(count_), columns, a.out[0], n_, count_, upper_ ? 1 : 0);
  }

  const bool upper_;
  int64_t n_ = 0, count_ = 0;
  size_t columns_at_ = 0;
  const Function *by_columns_ = nullptr, *triangle_ = nullptr;
};

MINDS_KERNEL("cuda", "cholesky", Cholesky, DType::kFloat32, DType::kFloat64);

}  // namespace
}  // namespace minds::cuda

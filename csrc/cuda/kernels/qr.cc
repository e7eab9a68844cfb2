// qr: the reduced factors of matrices, Q with orthonormal columns and R upper triangular.
#include "cuda/kernels/linalg.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class Qr final : public Linalg {
 public:
  explicit Qr(const Attrs&) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    if (Status bad = expect_counts(s, 1, 2)) return bad;
    const TensorSpec& x = s.inputs[0];
    int64_t matrices = 0;
    if (Status bad = expect_matrices(x, false, matrices)) return bad;
    const size_t rank = x.shape.size();
    m_ = x.shape[rank - 2];
    n_ = x.shape[rank - 1];
    k_ = std::min(m_, n_);
    Shape q = x.shape, r = x.shape;
    q[rank - 1] = k_;
    r[rank - 2] = k_;
    if (Status bad = expect_spec(s.outputs[0], "Q", x.dtype, q)) return bad;
    if (Status bad = expect_spec(s.outputs[1], "R", x.dtype, r)) return bad;
    if (x.size() == 0) return {};
    if (std::max(m_, n_) > INT32_MAX) return bad_value("a matrix has more than 2147483647 rows or columns");
    if (Status bad = open(s, x.dtype, matrices)) return bad;
    if (Status bad = find_work(p)) return bad;
    columns_at_ = take(p.workspace, x.bytes());
    tau_at_ = take(p.workspace, static_cast<size_t>(k_) * item_);
    if (Status bad = find("transposed", transposed_)) return bad;
    return find("upper_rows", upper_rows_);
  }

  Status find_work(Prepared& p) {
    size_t on_device = 0, on_host = 0;
    if (Status bad = MINDS_CUSOLVER(cusolverDnXgeqrf_bufferSize, handle(), params(), m_, n_, type_, nullptr, m_, type_, nullptr,
                                    type_, &on_device, &on_host)) {
      return bad;
    }
    const int m = static_cast<int>(m_), k = static_cast<int>(k_);
    if (dtype_ == DType::kFloat64) {
      if (Status bad = MINDS_CUSOLVER(cusolverDnDorgqr_bufferSize, handle(), m, k, k, nullptr, m, nullptr, &unfold_work_)) return bad;
    } else {
      if (Status bad = MINDS_CUSOLVER(cusolverDnSorgqr_bufferSize, handle(), m, k, k, nullptr, m, nullptr, &unfold_work_)) return bad;
    }
    reserve_work(p, std::max(on_device, static_cast<size_t>(unfold_work_) * item_), on_host);
    return {};
  }

  Status queue(const Args& a, Stream& q) const override {
    if (transposed_ == nullptr) return {};  // there are no elements
    char* const columns = static_cast<char*>(within(a.workspace, columns_at_));
    const int64_t whole = m_ * n_;
    if (Status bad = launch(*transposed_, q, grid(matrices_ * whole), a.in[0], columns, m_, n_, matrices_ * whole)) return bad;
    const auto at = [&](int64_t i) { return columns + static_cast<size_t>(i * whole) * item_; };
    const auto out = [&](int64_t i) { return static_cast<char*>(a.out[0]) + static_cast<size_t>(i * m_ * k_) * item_; };
    std::unique_lock<std::mutex> guard;
    if (Status bad = begin(q, guard)) return bad;
    void* const tau = within(a.workspace, tau_at_);
    for (int64_t i = 0; i < matrices_; ++i) {
      if (Status bad = MINDS_CUSOLVER(cusolverDnXgeqrf, handle(), params(), m_, n_, type_, at(i), m_, type_, tau, type_, work(a),
                                      work_bytes_, host_work_.data(), host_work_.size(), info(a, i))) {
        return bad;
      }
      char* const r = static_cast<char*>(a.out[1]) + static_cast<size_t>(i * k_ * n_) * item_;
      if (Status bad = launch(*upper_rows_, q, grid(k_ * n_), at(i), r, m_, n_, k_, k_ * n_)) return bad;
      if (Status bad = unfold(at(i), tau, a, i)) return bad;
      if (Status bad = launch(*transposed_, q, grid(m_ * k_), at(i), out(i), k_, m_, m_ * k_)) return bad;
    }
    return {};
  }

  // Q from the reflections that `geqrf` leaves below the diagonal.
  Status unfold(void* matrix, void* tau, const Args& a, int64_t i) const {
    const int m = static_cast<int>(m_), k = static_cast<int>(k_);
    if (dtype_ == DType::kFloat64) {
      return MINDS_CUSOLVER(cusolverDnDorgqr, handle(), m, k, k, static_cast<double*>(matrix), m, static_cast<const double*>(tau),
                            static_cast<double*>(work(a)), unfold_work_, info(a, i));
    }
    return MINDS_CUSOLVER(cusolverDnSorgqr, handle(), m, k, k, static_cast<float*>(matrix), m, static_cast<const float*>(tau),
                          static_cast<float*>(work(a)), unfold_work_, info(a, i));
  }

  int64_t m_ = 0, n_ = 0, k_ = 0;
  int unfold_work_ = 0;
  size_t columns_at_ = 0, tau_at_ = 0;
  const Function *transposed_ = nullptr, *upper_rows_ = nullptr;
};

MINDS_KERNEL("cuda", "qr", Qr, DType::kFloat32, DType::kFloat64);

}  // namespace
}  // namespace minds::cuda

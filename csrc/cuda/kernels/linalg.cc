#include "cuda/kernels/linalg.h"

#include "cuda/device.h"
#include "cuda/kernels/dtypes.h"
#include "cuda/stream.h"
#include "kernel/plan/check.h"

namespace minds::cuda {
namespace {

cudaDataType_t data_type(DType t) {
  switch (t) {
    case DType::kFloat32: return CUDA_R_32F;
    case DType::kFloat64: return CUDA_R_64F;
    case DType::kComplex64: return CUDA_C_32F;
    default: return CUDA_C_64F;
  }
}

}  // namespace

Status expect_matrices(const TensorSpec& x, bool square, int64_t& matrices) {
  const size_t rank = x.shape.size();
  if (rank < 2 || (square && x.shape[rank - 1] != x.shape[rank - 2])) {
    return bad_value(std::string(square ? "square " : "") + "matrices are expected, got shape " + to_string(x.shape));
  }
  matrices = product(x.shape, 0, rank - 2);
  return {};
}

Status Linalg::open(const Signature& s, DType dtype, int64_t matrices) {
  device_ = s.device;
  dtype_ = dtype;
  type_ = data_type(dtype);
  item_ = item_size(dtype);
  matrices_ = matrices;
  if (Status bad = cusolver_handle(*device_, library_)) return bad;
  return find("verify", verify_);
}

Status Linalg::find(const char* name, const Function*& out) const {
  const bool complex = dtype_ == DType::kComplex64 || dtype_ == DType::kComplex128;
  return find_function(*device_, "linalg", name, {{"ELEMENT", type_name(dtype_)}, {"COMPLEX", complex ? "1" : "0"}}, out);
}

void Linalg::reserve_work(Prepared& p, size_t on_device, size_t on_host) {
  work_bytes_ = on_device;
  work_at_ = take(p.workspace, on_device);
  info_at_ = take(p.workspace, static_cast<size_t>(matrices_) * sizeof(int));
  host_work_.resize(on_host);
}

Status Linalg::begin(Stream& q, std::unique_lock<std::mutex>& guard) const {
  guard = std::unique_lock(library_->lock);
  return MINDS_CUSOLVER(cusolverDnSetStream, handle(), stream_of(q));
}

Status Linalg::verify(const Args& a, FaultKind kind, Stream& q) const {
  return launch(*verify_, q, grid(matrices_), info(a, 0), matrices_, static_cast<int>(kind), a.fault, a.instruction);
}

Status Factored::plan_factors(const Signature& s, Prepared& p) {
  const TensorSpec& x = s.inputs[0];
  int64_t matrices = 0;
  if (Status bad = expect_matrices(x, true, matrices)) return bad;
  n_ = x.shape.back();
  if (Status bad = open(s, x.dtype, matrices)) return bad;
  size_t on_device = 0, on_host = 0;
  if (x.size() != 0) {
    if (Status bad = MINDS_CUSOLVER(cusolverDnXgetrf_bufferSize, handle(), params(), n_, n_, type_, nullptr, n_, type_,
                                    &on_device, &on_host)) {
      return bad;
    }
  }
  reserve_work(p, on_device, on_host);
  pivots_at_ = take(p.workspace, static_cast<size_t>(matrices * n_) * sizeof(int64_t));
  bytes_ = x.bytes();
  factors_at_ = take(p.workspace, bytes_);
  return {};
}

Status Factored::factor(const Args& a, Stream& q) const {
  if (bytes_ == 0) return {};
  if (Status bad = q.device().copy(factors(a, 0), a.in[0], bytes_, CopyKind::kOnDevice, q)) return bad;
  std::unique_lock<std::mutex> guard;
  if (Status bad = begin(q, guard)) return bad;
  for (int64_t m = 0; m < matrices_; ++m) {
    if (Status bad = MINDS_CUSOLVER(cusolverDnXgetrf, handle(), params(), n_, n_, type_, factors(a, m), n_, pivots(a, m), type_,
                                    work(a), work_bytes_, host_work_.data(), host_work_.size(), info(a, m))) {
      return bad;
    }
  }
  return {};
}

}  // namespace minds::cuda

// Kernels of matrices by cuSOLVER: it takes them one by one, and counts by columns.
#pragma once
#include <vector>

#include "cuda/cusolver.h"
#include "cuda/kernels/on_device.h"
#include "cuda/provider/provider.h"
#include "kernel/fault.h"

namespace minds::cuda {

class Linalg : public OnDevice {
 protected:
  // What is asked of the library for each of `matrices` matrices of `dtype`.
  Status open(const Signature& s, DType dtype, int64_t matrices);
  Status find(const char* name, const Function*& out) const;
  // Room for a matrix's factorisation; and for all matrices' words that say whether it was done.
  void reserve_work(Prepared& p, size_t on_device, size_t on_host);

  // The library, for this thread and stream alone while the guard lives.
  Status begin(Stream& q, std::unique_lock<std::mutex>& guard) const;
  void* work(const Args& a) const { return within(a.workspace, work_at_); }
  int* info(const Args& a, int64_t matrix) const { return static_cast<int*>(within(a.workspace, info_at_)) + matrix; }
  // The fault of the first matrix that was not taken apart.
  Status verify(const Args& a, FaultKind kind, Stream& q) const;

  Grid grid(int64_t n) const { return grid_for(n, *device_); }
  cusolverDnHandle_t handle() const { return library_->handle; }
  cusolverDnParams_t params() const { return library_->params; }

  DType dtype_ = DType::kFloat32;
  cudaDataType_t type_ = CUDA_R_32F;
  size_t item_ = 0;  // bytes of an element
  int64_t matrices_ = 0;
  size_t work_bytes_ = 0;
  mutable std::vector<char> host_work_;  // guarded by the library's lock

 private:
  Device* device_ = nullptr;
  CusolverHandle* library_ = nullptr;
  size_t work_at_ = 0, info_at_ = 0;
  const Function* verify_ = nullptr;
};

// The number of matrices in a batch: the product of all dims but the last two.
Status expect_matrices(const TensorSpec& x, bool square, int64_t& matrices);

// The LU factors of square matrices, with the rows that were exchanged. A matrix by rows is its transpose by columns: they
// are those of the transpose.
class Factored : public Linalg {
 protected:
  // Of the first operand.
  Status plan_factors(const Signature& s, Prepared& p);
  Status factor(const Args& a, Stream& q) const;
  char* factors(const Args& a, int64_t matrix) const {
    return static_cast<char*>(within(a.workspace, factors_at_)) + static_cast<size_t>(matrix * n_ * n_) * item_;
  }
  int64_t* pivots(const Args& a, int64_t matrix) const {
    return static_cast<int64_t*>(within(a.workspace, pivots_at_)) + matrix * n_;
  }

  int64_t n_ = 0;

 private:
  size_t bytes_ = 0, factors_at_ = 0, pivots_at_ = 0;
};

}  // namespace minds::cuda

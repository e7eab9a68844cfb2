// What computes products of matrices and convolutions on the GPU, behind two functions.
//
// A provider turns a description into a `Plan`, once; a plan runs many times without allocation, from several threads at
// once. One that has no good way to do something leaves the plan null, and the next is asked. No type of a vendor's library
// appears here. Which libraries there are is looked up once: those that MINDS_CUDA_WITHOUT names ("cudnn", "cublaslt",
// "cufft", "cusolver", "nccl", parted by commas) are not used, and our own kernels compute what they would; Fourier
// transforms, linear algebra and what processes exchange go through the host then.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/device.h"
#include "kernel/plan/conv.h"

namespace minds::cuda {

// The addresses that a plan runs on; `bias` only where the product has one.
struct Operands {
  const void *x, *y;
  void *out, *workspace;
  const void* bias = nullptr;
};

class Plan {
 public:
  virtual ~Plan() = default;
  virtual size_t workspace() const = 0;  // bytes
  virtual Status run(const Operands& a, Stream& q) const = 0;
};
using PlanPtr = std::unique_ptr<Plan>;

// out[b] = op(x[b]) · op(y[b]), row-major, with m x k and k x n operands; no size is 0.
struct ProductSpec {
  struct BatchDim {
    int64_t size, x_step, y_step, out_step;  // steps in elements
  };
  DType dtype;  // of x and y
  DType out;    // the same, or float32 where that is a 16-bit float
  int64_t m, n, k;
  bool trans_x = false, trans_y = false;
  std::vector<BatchDim> batch{};  // the innermost first
  bool tf32 = false;              // float32 may be rounded to 10 bits before it is multiplied
  bool bias = false;              // n numbers are added to each row
  bool relu = false;              // then what is negative becomes 0
};

Status make_product(Device& d, const ProductSpec& s, PlanPtr& plan);
// No operand is empty.
Status make_conv(Device& d, const ConvSpec& s, bool tf32, PlanPtr& plan);

// Whether MINDS_CUDA_WITHOUT names the library.
bool is_left_out(std::string_view library);

// Each library by name, with its version or what is missing.
std::vector<std::pair<std::string, std::string>> library_versions();

// The providers.
Status make_cublaslt_product(Device& d, const ProductSpec& s, PlanPtr& plan);
Status make_tiled_product(Device& d, const ProductSpec& s, PlanPtr& plan);
Status make_cudnn_conv(Device& d, const ConvSpec& s, bool tf32, PlanPtr& plan);
Status make_unrolled_conv(Device& d, const ConvSpec& s, bool tf32, PlanPtr& plan);

// What a provider may use at most, where it can choose: 64 MiB.
inline constexpr size_t kMostWorkspace = size_t{64} << 20;

// The place of `bytes` behind a workspace's other parts.
inline size_t take(size_t& end, size_t bytes) {
  constexpr size_t kAlign = 256;
  const size_t at = end;
  end += (bytes + kAlign - 1) / kAlign * kAlign;
  return at;
}
inline void* within(void* workspace, size_t offset) { return static_cast<char*>(workspace) + offset; }

}  // namespace minds::cuda

#include "cuda/provider/provider.h"

#include <cstdlib>
#include <string_view>

#include "cuda/cublaslt.h"
#include "cuda/cudnn.h"
#include "cuda/cufft.h"
#include "cuda/cusolver.h"
#include "cuda/nccl.h"

namespace minds::cuda {

bool is_left_out(std::string_view library) {
  const char* given = std::getenv("MINDS_CUDA_WITHOUT");
  std::string_view rest = given == nullptr ? "" : given;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) == library) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

namespace {

bool without_cublaslt() {
  static const bool out = is_left_out("cublaslt");
  return out;
}

bool has_cudnn() {
  static const bool there = !is_left_out("cudnn") && open_cudnn().is_ok();
  return there;
}

}  // namespace

Status make_product(Device& d, const ProductSpec& s, PlanPtr& plan) {
  if (is_float(s.dtype) && !without_cublaslt()) {
    if (Status bad = make_cublaslt_product(d, s, plan)) return bad;
  }
  return plan ? Status{} : make_tiled_product(d, s, plan);
}

Status make_conv(Device& d, const ConvSpec& s, bool tf32, PlanPtr& plan) {
  if (has_cudnn()) {
    if (Status bad = make_cudnn_conv(d, s, tf32, plan)) return bad;
  }
  return plan ? Status{} : make_unrolled_conv(d, s, tf32, plan);
}

std::vector<std::pair<std::string, std::string>> library_versions() {
  const auto describe = [](std::string_view name, Status opened, std::string (*version)()) {
    if (is_left_out(name)) return std::string("left out");
    return opened ? opened.message() : version();
  };
  return {{"cuBLASLt", describe("cublaslt", open_cublaslt(), cublaslt_version)},
          {"cuDNN", describe("cudnn", open_cudnn(), cudnn_version)},
          {"cuSOLVER", describe("cusolver", open_cusolver(), cusolver_version)},
          {"cuFFT", describe("cufft", open_cufft(), cufft_version)},
          {"NCCL", describe("nccl", open_nccl(), nccl_version)}};
}

}  // namespace minds::cuda

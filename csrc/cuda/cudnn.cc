#include "cuda/cudnn.h"

#include <map>

#include "device/device.h"

namespace minds::cuda {
namespace {

Cudnn table;

Status open_once() {
  const Vendor vendor{"NVIDIA's library of convolutions", {"libcudnn.so.9"}, "get it by `pip install minds[cuda]`"};
  return load_functions(vendor, {MINDS_CUDNN_FUNCTIONS(MINDS_SYMBOL)});
}

}  // namespace

Status open_cudnn() {
  static const Status opened = open_once();
  return opened ? Status{opened.code(), opened.message()} : Status{};
}

const Cudnn& cudnn() { return table; }

std::string cudnn_version() {
  const size_t v = table.cudnnGetVersion();
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

Status cudnn_handle(const Device& d, CudnnHandle*& out) {
  static std::mutex lock;
  static auto& handles = *new std::map<const Device*, CudnnHandle>;
  if (Status s = open_cudnn()) return s;
  const std::lock_guard guard(lock);
  out = &handles[&d];
  return out->handle != nullptr ? Status{} : MINDS_CUDNN(cudnnCreate, &out->handle);
}

Status check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return {};
  return {Code::kBackend, std::string(call) + ": " + table.cudnnGetErrorString(status)};
}

}  // namespace minds::cuda

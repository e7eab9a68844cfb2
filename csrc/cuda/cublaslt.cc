#include "cuda/cublaslt.h"

#include <map>
#include <mutex>

#include "cuda/driver.h"
#include "device/device.h"

namespace minds::cuda {
namespace {

CublasLt table;

Status open_once() {
  const Vendor vendor{"NVIDIA's library of matrix products",
                      toolkit_sonames("libcublasLt.so"),
                      "get it by `pip install minds[cuda]`"};
  return load_functions(vendor, {MINDS_CUBLASLT_FUNCTIONS(MINDS_SYMBOL)});
}

}  // namespace

Status open_cublaslt() {
  static const Status opened = open_once();
  return opened ? Status{opened.code(), opened.message()} : Status{};
}

const CublasLt& cublaslt() { return table; }

std::string cublaslt_version() {
  const size_t v = table.cublasLtGetVersion();  // 130100, of older ones 12040: the major number times 10000
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

Status cublaslt_handle(const Device& d, cublasLtHandle_t& out) {
  static std::mutex lock;
  static auto& handles = *new std::map<const Device*, cublasLtHandle_t>;
  if (Status s = open_cublaslt()) return s;
  const std::lock_guard guard(lock);
  const auto known = handles.find(&d);
  if (known != handles.end()) {
    out = known->second;
    return {};
  }
  if (Status s = MINDS_CUBLASLT(cublasLtCreate, &out)) return s;
  handles[&d] = out;
  return {};
}

Status check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return {Code::kBackend, std::string(call) + ": " + table.cublasLtGetStatusString(status)};
}

}  // namespace minds::cuda

#include "cuda/cusolver.h"

#include <map>

#include "cuda/driver.h"
#include "device/device.h"

namespace minds::cuda {
namespace {

Cusolver table;

Status open_once() {
  const Vendor vendor{"NVIDIA's library of linear algebra",
                      toolkit_sonames("libcusolver.so", 12, 11),
                      "get it by `pip install minds[cuda]`"};
  return load_functions(vendor, {MINDS_CUSOLVER_FUNCTIONS(MINDS_SYMBOL)});
}

}  // namespace

Status open_cusolver() {
  static const Status opened = open_once();
  return opened ? Status{opened.code(), opened.message()} : Status{};
}

const Cusolver& cusolver() { return table; }

std::string cusolver_version() {
  int v = 0;
  if (table.cusolverGetVersion(&v) != CUSOLVER_STATUS_SUCCESS) return "unknown";
  return std::to_string(v / 1000) + "." + std::to_string(v / 100 % 10) + "." + std::to_string(v % 100);
}

Status cusolver_handle(const Device& d, CusolverHandle*& out) {
  static std::mutex lock;
  static auto& handles = *new std::map<const Device*, CusolverHandle>;
  if (Status s = open_cusolver()) return s;
  const std::lock_guard guard(lock);
  out = &handles[&d];
  if (out->handle == nullptr) {
    if (Status s = MINDS_CUSOLVER(cusolverDnCreate, &out->handle)) return s;
  }
  return out->params != nullptr ? Status{} : MINDS_CUSOLVER(cusolverDnCreateParams, &out->params);
}

Status check(cusolverStatus_t status, const char* call) {
  if (status == CUSOLVER_STATUS_SUCCESS) return {};
  const Code code = status == CUSOLVER_STATUS_ALLOC_FAILED ? Code::kMemory : Code::kBackend;
  return {code, std::string(call) + ": error " + std::to_string(status)};  // the library has no texts
}

}  // namespace minds::cuda

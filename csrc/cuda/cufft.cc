#include "cuda/cufft.h"

#include "cuda/driver.h"

namespace minds::cuda {
namespace {

Cufft table;

Status open_once() {
  const Vendor vendor{"NVIDIA's library of Fourier transforms",
                      toolkit_sonames("libcufft.so", 12, 11),
                      "get it by `pip install minds[cuda]`"};
  return load_functions(vendor, {MINDS_CUFFT_FUNCTIONS(MINDS_SYMBOL)});
}

}  // namespace

Status open_cufft() {
  static const Status opened = open_once();
  return opened ? Status{opened.code(), opened.message()} : Status{};
}

const Cufft& cufft() { return table; }

std::string cufft_version() {
  int v = 0;
  if (table.cufftGetVersion(&v) != CUFFT_SUCCESS) return "unknown";
  return std::to_string(v / 1000) + "." + std::to_string(v / 100 % 10) + "." + std::to_string(v % 100);
}

Status check(cufftResult result, const char* call) {
  if (result == CUFFT_SUCCESS) return {};
  const Code code = result == CUFFT_ALLOC_FAILED ? Code::kMemory : Code::kBackend;
  return {code, std::string(call) + ": error " + std::to_string(result)};  // the library has no texts
}

}  // namespace minds::cuda

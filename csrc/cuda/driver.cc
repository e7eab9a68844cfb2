#include "cuda/driver.h"

namespace minds::cuda {
namespace {

Driver table;

constexpr char kGet[] = "it comes with NVIDIA's display driver, and the rest by `pip install minds[cuda]`";

Status open_once() {
  const Vendor vendor{"the CUDA driver", {"libcuda.so.1"}, kGet};
  if (Status s = load_functions(vendor, {MINDS_DRIVER_FUNCTIONS(MINDS_SYMBOL) MINDS_DRIVER_OPTIONAL(MINDS_OPTIONAL_SYMBOL)})) {
    return s;
  }
  const CUresult started = table.cuInit(0);
  if (started == CUDA_ERROR_NO_DEVICE) {
    return {Code::kBackend, "the CUDA driver finds no GPU of NVIDIA in this machine"};
  }
  return check(started, "cuInit");
}

}  // namespace

Status open_driver() {
  static const Status opened = open_once();
  return opened ? Status{opened.code(), opened.message()} : Status{};
}

const Driver& driver() { return table; }

int driver_version() {
  int version = 0;
  return table.cuDriverGetVersion(&version) == CUDA_SUCCESS ? version : 0;
}

std::vector<std::string> toolkit_sonames(const std::string& name, int of13, int of12) {
  constexpr int kFirstOf13 = 13000;
  std::vector<std::string> names{name + "." + std::to_string(of13), name + "." + std::to_string(of12)};
  if (open_driver().is_ok() && driver_version() < kFirstOf13) std::swap(names[0], names[1]);
  return names;
}

Status check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return {};
  const char *name = nullptr, *text = nullptr;
  table.cuGetErrorName(result, &name);
  table.cuGetErrorString(result, &text);
  const Code code = result == CUDA_ERROR_OUT_OF_MEMORY ? Code::kMemory : Code::kBackend;
  return {code, std::string(call) + ": " + (text == nullptr ? "unknown error" : text) + " (" +
                    (name == nullptr ? std::to_string(result) : name) + ")"};
}

}  // namespace minds::cuda

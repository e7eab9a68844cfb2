#include "cuda/nvrtc.h"

#include <memory>

#include "cuda/driver.h"

namespace minds::cuda {
namespace {

Nvrtc table;
std::string version;

Status check(nvrtcResult result, const char* call) {
  if (result == NVRTC_SUCCESS) return {};
  return {Code::kBackend, std::string(call) + ": " + table.nvrtcGetErrorString(result)};
}

Status open_once() {
  const Vendor vendor{"NVIDIA's compiler of kernels",
                      toolkit_sonames("libnvrtc.so"),
                      "get it by `pip install minds[cuda]`", "libnvrtc-builtins.so."};
  if (Status s = load_functions(vendor, {MINDS_NVRTC_FUNCTIONS(MINDS_SYMBOL)})) return s;
  int major = 0, minor = 0;
  if (Status s = check(table.nvrtcVersion(&major, &minor), "nvrtcVersion")) return s;
  version = std::to_string(major) + "." + std::to_string(minor);
  return {};
}

struct Destroy {
  void operator()(nvrtcProgram p) const { table.nvrtcDestroyProgram(&p); }
};

std::string log_of(nvrtcProgram program) {
  size_t size = 0;
  if (table.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (table.nvrtcGetProgramLog(program, text.data()) != NVRTC_SUCCESS) return {};
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  return text;
}

}  // namespace

Status open_nvrtc() {
  static const Status opened = open_once();
  return opened ? Status{opened.code(), opened.message()} : Status{};
}

const std::string& nvrtc_version() { return version; }

Status compile(std::string_view label, const std::string& text, const std::vector<std::string>& options,
               std::string& cubin) {
  nvrtcProgram made = nullptr;
  const std::string name(label);
  if (Status s = check(table.nvrtcCreateProgram(&made, text.c_str(), name.c_str(), 0, nullptr, nullptr),
                       "nvrtcCreateProgram")) {
    return s;
  }
  const std::unique_ptr<_nvrtcProgram, Destroy> program(made);
  std::vector<const char*> given;
  for (const std::string& o : options) given.push_back(o.c_str());
  const nvrtcResult done = table.nvrtcCompileProgram(made, static_cast<int>(given.size()), given.data());
  if (done != NVRTC_SUCCESS) {
    return {Code::kInternal, "the kernel " + name + " does not compile: " + table.nvrtcGetErrorString(done) + "\n" +
                                 log_of(made)};
  }
  size_t size = 0;
  if (Status s = check(table.nvrtcGetCUBINSize(made, &size), "nvrtcGetCUBINSize")) return s;
  cubin.resize(size);
  return check(table.nvrtcGetCUBIN(made, cubin.data()), "nvrtcGetCUBIN");
}

}  // namespace minds::cuda

// Stands in for NVRTC (libnvrtc.so.13): functions and codes as its manual, https://docs.nvidia.com/cuda/nvrtc, has
// them. A "cubin" is a shared object for the CPU. With MINDS_CUDA_RECORD each text that is asked for is written to that
// folder with its options, for the real compiler.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compile.h"

namespace {

enum nvrtcResult {
  kSuccess = 0,
  kInvalidInput = 3,
  kInvalidProgram = 4,
  kInvalidOption = 5,
  kCompilation = 6,
};
constexpr int kArchs[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

}  // namespace

struct _nvrtcProgram {
  std::string text, name, log, cubin;
  bool compiled = false, real_arch = false;
  int arch = 75;
};
using nvrtcProgram = _nvrtcProgram*;

namespace {

std::mutex lock;  // of what follows
std::map<nvrtcProgram, std::unique_ptr<_nvrtcProgram>>& programs() {
  static auto& all = *new std::map<nvrtcProgram, std::unique_ptr<_nvrtcProgram>>;
  return all;
}

nvrtcProgram known(nvrtcProgram p) {
  const std::lock_guard guard(lock);
  return programs().contains(p) ? p : nullptr;
}

bool starts(const std::string& s, const char* with) { return s.compare(0, std::strlen(with), with) == 0; }

// Options that need a value have it after `=` or as the next word.
struct Options {
  std::vector<std::string> defines, recorded;
  int arch = 75;
  bool real = false;
  std::string wrong;
};

bool take_arch(const std::string& value, Options& o) {
  const bool real = starts(value, "sm_");
  if (!real && !starts(value, "compute_")) return false;
  const std::string number = value.substr(value.find('_') + 1);
  o.arch = std::atoi(number.c_str());
  o.real = real;
  for (const int a : kArchs) {
    const std::string plain = std::to_string(a);
    if (number == plain || number == plain + "a" || number == plain + "f") return true;
  }
  return false;
}

bool take(const std::string& name, const std::string& value, Options& o) {
  if (name == "--gpu-architecture" || name == "-arch") return take_arch(value, o);
  if (name == "--define-macro" || name == "-D") {
    o.defines.push_back(value);
    return !value.empty();
  }
  if (name == "--std" || name == "-std") return value == "c++17" || value == "c++14" || value == "c++20";
  // What these two would allow is not what the CPU computes.
  if (name == "--fmad" || name == "-fmad") return value == "false";
  if (name == "--use_fast_math" || name == "-use_fast_math") return false;
  if (name == "--ptxas-options" || name == "-Xptxas") return value == "-v" || value == "--verbose" || value == "-O3";
  if (name == "--maxrregcount" || name == "-maxrregcount") return std::atoi(value.c_str()) > 0;
  if (name == "--split-compile" || name == "-split-compile") return true;
  static const char* const kPlain[] = {"--generate-line-info", "-lineinfo", "--restrict", "-restrict",
                                       "--extra-device-vectorization", "-extra-device-vectorization",
                                       "--disable-warnings", "-w", "--no-source-include", "-no-source-include",
                                       "--minimal", "-minimal", "--device-int128", "-device-int128"};
  for (const char* p : kPlain) {
    if (name == p) return value.empty();
  }
  return false;
}

Options read_options(int count, const char* const* given) {
  Options o;
  for (int n = 0; n < count; ++n) {
    const std::string whole = given[n];
    std::string name = whole.substr(0, whole.find('=')), value;
    if (starts(whole, "-D") && whole.size() > 2) {
      name = "-D", value = whole.substr(2);
    } else if (name.size() < whole.size()) {
      value = whole.substr(name.size() + 1);
    } else if ((name == "-D" || name == "-arch" || name == "--gpu-architecture") && n + 1 < count) {
      value = given[++n];
    }
    if (!take(name, value, o)) {
      o.wrong = "nvrtc: error: invalid value for --gpu-architecture, or an option that this compiler does not know: " +
                whole + "\n";
      return o;
    }
    if (name != "-arch" && name != "--gpu-architecture") {
      o.recorded.push_back(name == "-D" || name == "--define-macro" ? "-D" + value : whole);
    }
  }
  return o;
}

void record(const _nvrtcProgram& p, const Options& o) {
  const char* to = std::getenv("MINDS_CUDA_RECORD");
  if (to == nullptr) return;
  std::string options;
  for (const std::string& w : o.recorded) options += w + "\n";
  uint64_t sum = 0xcbf29ce484222325u;
  for (const unsigned char c : p.text + options) sum = (sum ^ c) * 0x100000001b3u;
  const std::string stem = p.name.substr(p.name.rfind('/') + 1) + "." + std::to_string(sum);
  std::filesystem::create_directories(to);
  std::ofstream(std::filesystem::path(to) / (stem + ".options")) << options;
  std::ofstream(std::filesystem::path(to) / (stem + ".cu")) << p.text;
}

nvrtcResult give(nvrtcProgram p, const std::string& what, bool there, size_t* size) {
  if (known(p) == nullptr || !p->compiled || !there) return kInvalidProgram;
  if (size == nullptr) return kInvalidInput;
  *size = what.size();
  return kSuccess;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const char* nvrtcGetErrorString(nvrtcResult r) {
  switch (r) {
    case kSuccess: return "NVRTC_SUCCESS";
    case kInvalidInput: return "NVRTC_ERROR_INVALID_INPUT";
    case kInvalidProgram: return "NVRTC_ERROR_INVALID_PROGRAM";
    case kInvalidOption: return "NVRTC_ERROR_INVALID_OPTION";
    case kCompilation: return "NVRTC_ERROR_COMPILATION";
    default: return "NVRTC_ERROR unknown";
  }
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return kInvalidInput;
  *major = 13, *minor = 5;
  return kSuccess;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (count == nullptr) return kInvalidInput;
  *count = static_cast<int>(std::size(kArchs));
  return kSuccess;
}

nvrtcResult nvrtcGetSupportedArchs(int* archs) {
  if (archs == nullptr) return kInvalidInput;
  std::copy(std::begin(kArchs), std::end(kArchs), archs);
  return kSuccess;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* out, const char* text, const char* name, int headers,
                               const char* const* header_texts, const char* const* header_names) {
  if (out == nullptr || text == nullptr || headers < 0) return kInvalidInput;
  if (headers > 0 && (header_texts == nullptr || header_names == nullptr)) return kInvalidInput;
  if (headers > 0) return kInvalidInput;  // our texts have none
  auto p = std::make_unique<_nvrtcProgram>();
  p->text = text;
  p->name = name == nullptr || *name == 0 ? "default_program" : name;
  *out = p.get();
  const std::lock_guard guard(lock);
  programs()[p.get()] = std::move(p);
  return kSuccess;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* p) {
  if (p == nullptr) return kInvalidInput;
  const std::lock_guard guard(lock);
  if (programs().erase(*p) == 0) return kInvalidProgram;
  *p = nullptr;
  return kSuccess;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char* const* options) {
  if (known(p) == nullptr) return kInvalidProgram;
  if (count < 0 || (count > 0 && options == nullptr)) return kInvalidInput;
  const Options o = read_options(count, options);
  p->log = o.wrong;
  if (!o.wrong.empty()) return kInvalidOption;
  record(*p, o);
  minds::sim::Compiled c = minds::sim::compile_text(p->text, p->name, o.defines, o.arch);
  p->log = c.log;
  p->compiled = c.ok;
  p->real_arch = o.real;
  p->cubin = std::move(c.object);
  return c.ok ? kSuccess : kCompilation;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t* size) {
  if (known(p) == nullptr) return kInvalidProgram;
  if (size == nullptr) return kInvalidInput;
  *size = p->log.size() + 1;
  return kSuccess;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char* log) {
  if (known(p) == nullptr) return kInvalidProgram;
  if (log == nullptr) return kInvalidInput;
  std::memcpy(log, p->log.c_str(), p->log.size() + 1);
  return kSuccess;
}

// There is one for a real architecture (sm_...) only.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t* size) {
  static const std::string none;
  return give(p, p != nullptr && known(p) != nullptr && p->real_arch ? p->cubin : none, true, size);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char* cubin) {
  if (known(p) == nullptr || !p->compiled || !p->real_arch) return kInvalidProgram;
  if (cubin == nullptr) return kInvalidInput;
  std::memcpy(cubin, p->cubin.data(), p->cubin.size());
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop

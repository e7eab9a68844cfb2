#include "cuda/module.h"

#include <algorithm>
#include <set>

#include "cuda/cache.h"
#include "cuda/nvrtc.h"
#include "cuda/texts.h"
#include "cuda/workers.h"

namespace minds::cuda {
namespace {

std::vector<std::string> options_for(int capability) {
  // Without contraction a result does not depend on what the compiler finds to fuse; kernels write fmaf where they
  // mean it.
  return {"--gpu-architecture=sm_" + std::to_string(capability), "--std=c++17", "--fmad=false"};
}

// Puts a text's lines in place of lines that include it.
Status expand(std::string_view text, std::set<std::string, std::less<>>& done, std::string& out) {
  constexpr std::string_view kInclude = "#include \"";
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.substr(0, kInclude.size()) != kInclude) {
      out.append(line).push_back('\n');
      continue;
    }
    const std::string file(line.substr(kInclude.size(), line.rfind('"') - kInclude.size()));
    if (!done.insert(file).second) continue;
    const std::string_view found = find_text(file);
    if (found.empty()) return {Code::kInternal, "there is no text " + file};
    if (Status s = expand(found, done, out)) return s;
  }
  return {};
}

CudaDevice& cuda_of(Device& d) { return static_cast<CudaDevice&>(d); }

// What a function's parameters measure.
std::optional<std::vector<size_t>> parameters_of(CUfunction f) {
  if (driver().cuFuncGetParamInfo == nullptr) return {};
  std::vector<size_t> out;
  size_t offset = 0, size = 0;
  while (driver().cuFuncGetParamInfo(f, out.size(), &offset, &size) == CUDA_SUCCESS) out.push_back(size);
  return out;
}

}  // namespace

Modules::Modules(int capability) : options_(options_for(capability)) {}

const Function* Modules::find(CudaDevice& d, const std::string& label, const std::string& text,
                              const std::string& name) {
  const std::lock_guard guard(lock_);
  const auto [at, is_new] = functions_.try_emplace(name + "\n" + text, label + "/" + name);
  Function& f = at->second;
  if (is_new) {
    in_background([this, &d, &f, label, text, name] {
      if (Status s = load(d, label, text, name, f)) f.finish(std::move(s), nullptr, {});
    });
  }
  return &f;
}

Status Modules::load(const CudaDevice& d, const std::string& label, const std::string& text, const std::string& name,
                     Function& out) const {
  if (Status s = d.enter()) return s;
  std::string whole;
  std::set<std::string, std::less<>> done;
  if (Status s = expand("#include \"prelude.cuh\"\n" + text, done, whole)) return s;
  std::string key = "nvrtc " + nvrtc_version() + "\n";
  for (const std::string& o : options_) key.append(o).push_back('\n');
  key += whole;
  std::string cubin;
  CUmodule module = nullptr;
  const bool cached = read_cached(key, cubin);
  if (!cached || driver().cuModuleLoadData(&module, cubin.data()) != CUDA_SUCCESS) {
    if (Status s = compile(label, whole, options_, cubin)) return s;
    if (Status s = MINDS_DRIVER(cuModuleLoadData, &module, cubin.data())) return s;
    write_cached(key, cubin);
  }
  CUfunction function = nullptr;
  if (Status s = MINDS_DRIVER(cuModuleGetFunction, &function, module, name.c_str())) return s;
  out.finish({}, function, parameters_of(function));
  return {};
}

void Function::finish(Status failed, CUfunction handle, std::optional<std::vector<size_t>> parameters) {
  const std::lock_guard guard(lock_);
  handle_ = handle;
  parameters_ = std::move(parameters);
  failed_ = std::move(failed);
  over_ = true;
  if (!failed_) ready_.store(true, std::memory_order_release);
  ended_.notify_all();
}

Status Function::wait() const {
  std::unique_lock guard(lock_);
  ended_.wait(guard, [this] { return over_; });
  return failed_ ? Status{failed_.code(), failed_.message()} : Status{};
}

Status find_function(Device& d, std::string_view file, std::string_view name, const Defines& defines,
                     const Function*& out) {
  const std::string stem(file);
  const std::string_view text = find_text(stem + ".cu");
  if (text.empty()) return {Code::kInternal, "there is no text " + stem + ".cu"};
  std::string whole;
  for (const auto& [key, value] : defines) whole += "#define " + key + " " + value + "\n";
  return compile_function(d, stem, whole.append(text), name, out);
}

Status compile_function(Device& d, std::string_view label, const std::string& text, std::string_view name,
                        const Function*& out) {
  CudaDevice& device = cuda_of(d);
  if (Status s = device.enter()) return s;
  out = device.modules().find(device, std::string(label), text, std::string(name));
  return {};
}

Status allow_shared(Device& d, const Function& f, unsigned bytes) {
  const unsigned most = cuda_of(d).processor().most_shared;
  if (bytes > most) {
    return {Code::kBackend, f.label() + " needs " + std::to_string(bytes) + " bytes of shared memory, the GPU has " +
                                std::to_string(most)};
  }
  if (Status s = f.loaded()) return s;
  return MINDS_DRIVER(cuFuncSetAttribute, f.handle(), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                      static_cast<int>(bytes));
}

Grid grid_for(int64_t n, const Device& d, unsigned block, unsigned each) {
  constexpr int64_t kBlocks = 16;  // waiting on each multiprocessor: enough to even out their ends
  const int64_t per_block = int64_t{block} * each, wanted = (n + per_block - 1) / per_block;
  const int64_t most = kBlocks * static_cast<const CudaDevice&>(d).processor().multiprocessors;
  Grid g;
  g.x = static_cast<unsigned>(std::clamp<int64_t>(wanted, 1, most));
  g.block = block;
  return g;
}

Status detail::launch(const Function& f, Stream& q, const Grid& g, void** arguments, const size_t* sizes,
                      size_t count) {
  if (Status s = f.loaded()) return s;
  const auto& wanted = f.parameters();
  if (wanted && !std::equal(wanted->begin(), wanted->end(), sizes, sizes + count)) {
    return {Code::kInternal, f.label() + " is launched with arguments of other sizes than its parameters"};
  }
  return check(driver().cuLaunchKernel(f.handle(), g.x, g.y, g.z, g.block, 1, 1, g.shared, stream_of(q), arguments,
                                       nullptr),
               f.label().c_str());
}

}  // namespace minds::cuda

// The simulated driver's modules, functions and launches.
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "driver_state.h"

using minds::sim::Kind;
using minds::sim::Writer;
using minds::sim::driver::Call;
using minds::sim::driver::hexadecimal;
using minds::sim::driver::inside;
using minds::sim::driver::Node;
using minds::sim::driver::state;

namespace {

constexpr size_t kMostParameters = 32764;      // bytes, of processors since sm_70 (CUDA C++ Programming Guide, "Function Parameters")
constexpr unsigned kMostThreads = 1024;
constexpr int kMostShared = 227 << 10, kPlainShared = 48 << 10;

// The bytes of an image in memory, as its own header tells; 0: it is none.
size_t size_of_image(const void* image) {
  Elf64_Ehdr h;
  std::memcpy(&h, image, sizeof h.e_ident);
  if (std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64) return 0;
  std::memcpy(&h, image, sizeof h);
  return h.e_shoff + size_t{h.e_shentsize} * h.e_shnum;
}

size_t aligned(size_t at, size_t to) { return (at + to - 1) / to * to; }

// Where a parameter lies among the others.
size_t offset_of(const CudaEntry& e, size_t n) {
  size_t at = 0;
  for (size_t k = 0; k < n; ++k) at = aligned(at, e.of[k].alignment) + e.of[k].bytes;
  return n < e.parameters ? aligned(at, e.of[n].alignment) : at;
}

// The addresses of the device among the words of an argument; each must be in a block that is in use, or at its end.
CUresult find_pointers(const Call& call, const CUfunc_st& f, size_t number, const void* argument, Node& node) {
  const auto [bytes, alignment, writes] = f.entry->of[number];
  const CUctx_st& c = call.context();
  const uintptr_t begin = c.process->begin(), end = c.process->shared() + minds::sim::driver::kPinned;
  for (size_t at = 0; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
    uintptr_t p;
    std::memcpy(&p, static_cast<const char*>(argument) + at, sizeof p);
    if (p < begin || p >= end) continue;
    if (!inside(c.blocks, p, 0) && !inside(c.pinned_blocks, p, 0)) {
      return call.wrong(kInvalidValue, "argument " + std::to_string(number) + " of " + f.name + " is " +
                                           hexadecimal(p) + ", in no block that is in use");
    }
    node.uses.push_back({p, writes});
  }
  return kSuccess;
}

CUresult check_shape(const Call& call, const CUfunc_st& f, const unsigned* grid, const unsigned* block,
                     unsigned shared) {
  constexpr unsigned kMostBlocks[] = {2147483647u, 65535u, 65535u}, kMostSide[] = {1024, 1024, 64};
  for (int n = 0; n < 3; ++n) {
    if (grid[n] == 0 || grid[n] > kMostBlocks[n] || block[n] == 0 || block[n] > kMostSide[n]) {
      return call.wrong(kInvalidValue, f.name + " is launched with a side of " + std::to_string(grid[n]) +
                                           " blocks, or of " + std::to_string(block[n]) + " threads");
    }
  }
  const size_t threads = size_t{block[0]} * block[1] * block[2];
  if (threads > kMostThreads) return call.wrong(kInvalidValue, f.name + ": more than 1024 threads in a block");
  if (f.entry->max_threads != 0 && threads > f.entry->max_threads) {
    return call.wrong(kOutOfResources, f.name + " is launched with " + std::to_string(threads) +
                                           " threads in a block; its __launch_bounds__ say " +
                                           std::to_string(f.entry->max_threads));
  }
  const size_t fixed = f.module->text->static_shared();
  if (shared + fixed > static_cast<size_t>(f.dynamic_shared) + (f.dynamic_shared == kPlainShared ? 0 : fixed)) {
    return call.wrong(kInvalidValue, f.name + " is launched with " + std::to_string(shared + fixed) +
                                         " bytes of shared memory, more than it was allowed");
  }
  return kSuccess;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuModuleLoadData(CUmod_st** out, const void* image) {
  CALL("cuModuleLoadData");
  if (out == nullptr || image == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  if (CUresult r = call.unsafe()) return r;
  const size_t bytes = size_of_image(image);
  if (bytes == 0) return kInvalidImage;
  const int file = memfd_create("cuda_text", MFD_CLOEXEC);
  if (file < 0 || write(file, image, bytes) != static_cast<ssize_t>(bytes)) return kOutOfMemory;
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
  std::unique_ptr<CUmod_st> m(new CUmod_st{&call.context(), ++call.context().modules, file, nullptr});
  if (!minds::sim::TextModule::open(path.c_str(), m->text).empty()) {
    close(file);
    return kInvalidImage;
  }
  Writer body;
  body.put(m->number).put(bytes).raw(image, bytes);
  if (minds::Status s = call.context().process->post(0, Kind::kLoad, body)) {
    return minds::sim::driver::failed(call.context(), call.name, s);
  }
  *out = state().modules.add(std::move(m));
  return kSuccess;
}

CUresult cuModuleUnload(CUmod_st* m) {
  CALL("cuModuleUnload");
  if (!state().modules.has(m)) return call.wrong(kInvalidHandle, "the module does not exist");
  if (CUresult r = call.unsafe()) return r;
  std::vector<CUfunc_st*> gone;
  for (auto& [f, owner] : state().functions) {
    if (f->module == m) gone.push_back(f);
  }
  for (CUfunc_st* f : gone) state().functions.drop(f);
  static_cast<void>(m->context->process->post(0, Kind::kUnload, Writer().put(m->number)));
  const int file = m->file;
  state().modules.drop(m);
  close(file);
  return kSuccess;
}

CUresult cuModuleGetFunction(CUfunc_st** out, CUmod_st* m, const char* name) {
  CALL("cuModuleGetFunction");
  if (out == nullptr || name == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  if (!state().modules.has(m)) return call.wrong(kInvalidHandle, "the module does not exist");
  const CudaEntry* e = m->text->find(name);
  if (e == nullptr) return call.wrong(kNotFound, std::string("the module has no kernel ") + name);
  for (auto& [f, owner] : state().functions) {
    if (f->module == m && f->name == name) {
      *out = f;
      return kSuccess;
    }
  }
  *out = state().functions.add(std::unique_ptr<CUfunc_st>(new CUfunc_st{m, name, e}));
  return kSuccess;
}

CUresult cuFuncSetAttribute(CUfunc_st* f, unsigned which, int value) {
  CALL("cuFuncSetAttribute");
  if (!state().functions.has(f)) return call.wrong(kInvalidHandle, "the function does not exist");
  constexpr unsigned kDynamicShared = 8, kCarveout = 9;
  if (which == kCarveout) return kSuccess;
  if (which != kDynamicShared) return call.wrong(kInvalidValue, "the attribute cannot be set");
  const int room = kMostShared - static_cast<int>(f->module->text->static_shared());
  if (value < 0 || value > room) return call.wrong(kInvalidValue, "the device has less shared memory");
  f->dynamic_shared = value;
  return kSuccess;
}

CUresult cuFuncGetAttribute(int* value, unsigned which, CUfunc_st* f) {
  CALL("cuFuncGetAttribute");
  if (!state().functions.has(f)) return call.wrong(kInvalidHandle, "the function does not exist");
  if (value == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  switch (which) {
    case 0: *value = f->entry->max_threads == 0 ? 1024 : static_cast<int>(f->entry->max_threads); return kSuccess;
    case 1: *value = static_cast<int>(f->module->text->static_shared()); return kSuccess;
    case 4: *value = 32; return kSuccess;  // registers: nobody's business here
    case 8: *value = f->dynamic_shared; return kSuccess;
    default: return call.wrong(kInvalidValue, "the simulator has no such attribute");
  }
}

CUresult cuFuncGetParamInfo(CUfunc_st* f, size_t number, size_t* offset, size_t* size) {
  CALL("cuFuncGetParamInfo");
  if (!state().functions.has(f)) return call.wrong(kInvalidHandle, "the function does not exist");
  if (offset == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  if (number >= f->entry->parameters) return kInvalidValue;  // how their end is found
  *offset = offset_of(*f->entry, number);
  if (size != nullptr) *size = f->entry->of[number].bytes;
  return kSuccess;
}

CUresult cuLaunchKernel(CUfunc_st* f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream_st* s, void** arguments,
                        void** extra) {
  CALL("cuLaunchKernel");
  if (!state().functions.has(f)) return call.wrong(kInvalidHandle, "the function does not exist");
  if (CUresult r = call.check(s)) return r;
  if (f->module->context != s->context) return call.wrong(kInvalidContext, "function and stream are of two contexts");
  if (extra != nullptr) return call.wrong(kNotSupported, "the simulator takes no arguments in `extra`");
  const CudaEntry& e = *f->entry;
  if (arguments == nullptr && e.parameters > 0) return call.wrong(kInvalidValue, f->name + " has no arguments");
  const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  if (CUresult r = check_shape(call, *f, grid, block, shared)) return r;
  if (offset_of(e, e.parameters) > kMostParameters) {
    return call.wrong(kInvalidValue, f->name + " has more than 32764 bytes of parameters");
  }
  Node node{Kind::kLaunch, Writer().put(f->module->number).text(f->name), {}, {}, f->name};
  node.body.raw(grid, sizeof grid).raw(block, sizeof block).put(shared).put(e.parameters);
  for (unsigned n = 0; n < e.parameters; ++n) {
    if (arguments[n] == nullptr) {
      return call.wrong(kInvalidValue, "argument " + std::to_string(n) + " of " + f->name + " is a null pointer");
    }
    if (reinterpret_cast<uintptr_t>(arguments[n]) % e.of[n].alignment != 0) {
      return call.wrong(kInvalidValue, "argument " + std::to_string(n) + " of " + f->name + " is not aligned");
    }
    if (CUresult r = find_pointers(call, *f, n, arguments[n], node)) return r;
    node.body.put(e.of[n].bytes).raw(arguments[n], e.of[n].bytes);
  }
  return call.queue(s, std::move(node));
}

}  // extern "C"
#pragma GCC visibility pop

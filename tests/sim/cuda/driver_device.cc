// The simulated driver's devices and contexts.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "driver_state.h"

using minds::sim::driver::Call;
using minds::sim::driver::current;
using minds::sim::driver::State;
using minds::sim::driver::state;

namespace {

constexpr int kAddresses = 4;  // ranges of addresses that the devices `sim` have

size_t setting(const char* name, size_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 0);
}

int devices() { return static_cast<int>(setting("MINDS_SIM_DEVICES", 2)); }

// Of a small Hopper; few multiprocessors, so that grids which fill the device stay small.
int attribute(int which) {
  const int capability = static_cast<int>(setting("MINDS_CUDA_CAPABILITY", 90));
  switch (which) {
    case 1: return 1024;          // MAX_THREADS_PER_BLOCK
    case 2: case 3: return 1024;  // MAX_BLOCK_DIM_X, Y
    case 4: return 64;
    case 5: return 2147483647;    // MAX_GRID_DIM_X
    case 6: case 7: return 65535;
    case 8: return 48 << 10;      // MAX_SHARED_MEMORY_PER_BLOCK
    case 10: return 32;           // WARP_SIZE
    case 12: return 65536;        // MAX_REGISTERS_PER_BLOCK
    case 16: return 4;            // MULTIPROCESSOR_COUNT
    case 38: return 4 << 20;      // L2_CACHE_SIZE
    case 39: return 2048;         // MAX_THREADS_PER_MULTIPROCESSOR
    case 41: return 1;            // UNIFIED_ADDRESSING
    case 75: return capability / 10;
    case 76: return capability % 10;
    case 81: return 228 << 10;    // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    case 97: return 227 << 10;    // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    case 115: return 1;           // MEMORY_POOLS_SUPPORTED
    default: return -1;
  }
}

bool exists(CUdevice d) { return d >= 0 && d < devices(); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuInit(unsigned flags) {
  CALL("cuInit", Call::kNothing);
  if (flags != 0) return call.wrong(kInvalidValue, "the flags must be 0");
  State& s = state();
  if (s.process == 0) s.process = getpid();
  if (s.process != getpid()) return kNotInitialized;
  s.contexts.resize(static_cast<size_t>(devices()));
  return kSuccess;
}

// The vendor's own libraries ask for tables of functions that no manual has: there are none.
CUresult cuGetExportTable(const void** table, const void*) {
  if (table != nullptr) *table = nullptr;
  return kNotFound;
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = 13000;
  return kSuccess;
}

CUresult cuGetErrorString(CUresult code, const char** text) {
  if (text == nullptr) return kInvalidValue;
  *text = minds::sim::driver::message_of(code);
  return *text == nullptr ? kInvalidValue : kSuccess;
}

CUresult cuGetErrorName(CUresult code, const char** text) {
  static const std::map<unsigned, const char*> kNames = {
      {0, "CUDA_SUCCESS"},
      {1, "CUDA_ERROR_INVALID_VALUE"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {3, "CUDA_ERROR_NOT_INITIALIZED"},
      {101, "CUDA_ERROR_INVALID_DEVICE"},
      {200, "CUDA_ERROR_INVALID_IMAGE"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {400, "CUDA_ERROR_INVALID_HANDLE"},
      {500, "CUDA_ERROR_NOT_FOUND"},
      {600, "CUDA_ERROR_NOT_READY"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},
      {801, "CUDA_ERROR_NOT_SUPPORTED"},
      {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
      {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
      {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
      {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
      {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
      {907, "CUDA_ERROR_CAPTURED_EVENT"},
      {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
  };
  if (text == nullptr) return kInvalidValue;
  const auto at = kNames.find(code);
  *text = at == kNames.end() ? nullptr : at->second;
  return *text == nullptr ? kInvalidValue : kSuccess;
}

CUresult cuDeviceGetCount(int* count) {
  CALL("cuDeviceGetCount", Call::kInit);
  if (count == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  *count = devices();
  return kSuccess;
}

CUresult cuDeviceGet(CUdevice* device, int index) {
  CALL("cuDeviceGet", Call::kInit);
  if (device == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  if (!exists(index)) return call.wrong(kInvalidDevice, "there is no device " + std::to_string(index));
  *device = index;
  return kSuccess;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  CALL("cuDeviceGetName", Call::kInit);
  if (name == nullptr || size <= 0) return call.wrong(kInvalidValue, "no room for the name");
  if (!exists(device)) return call.wrong(kInvalidDevice, "there is no such device");
  std::strncpy(name, "Simulated GPU", static_cast<size_t>(size));
  name[size - 1] = 0;
  return kSuccess;
}

CUresult cuDeviceGetAttribute(int* value, unsigned which, CUdevice device) {
  CALL("cuDeviceGetAttribute", Call::kInit);
  if (value == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  if (!exists(device)) return call.wrong(kInvalidDevice, "there is no such device");
  *value = attribute(static_cast<int>(which));
  if (*value >= 0) return kSuccess;
  return call.wrong(kInvalidValue, "the simulator has no attribute " + std::to_string(which));
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  CALL("cuDeviceTotalMem", Call::kInit);
  if (bytes == nullptr || !exists(device)) return call.wrong(kInvalidValue, "a null pointer, or no such device");
  *bytes = setting("MINDS_SIM_MEMORY", size_t{1} << 30);
  return kSuccess;
}

CUresult cuDevicePrimaryCtxRetain(CUctx_st** out, CUdevice device) {
  CALL("cuDevicePrimaryCtxRetain", Call::kInit);
  if (out == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  if (!exists(device)) return call.wrong(kInvalidDevice, "there is no such device");
  std::unique_ptr<CUctx_st>& c = state().contexts[static_cast<size_t>(device)];
  if (!c) {
    const size_t size = setting("MINDS_SIM_MEMORY", size_t{1} << 30);
    std::unique_ptr<minds::sim::Process> process;
    const minds::sim::Machine machine{"cuda:" + std::to_string(device), "cuda_device", kAddresses + device, size,
                                      minds::sim::driver::kPinned};
    if (minds::Status s = minds::sim::Process::start(machine, process)) {
      return call.wrong(kOutOfMemory, s.message());
    }
    const uintptr_t begin = process->begin(), shared = process->shared();
    c.reset(new CUctx_st{device,
                         std::move(process),
                         minds::sim::Space(begin, size),
                         minds::sim::Space(shared, minds::sim::driver::kPinned),
                         {},
                         {},
                         {},
                         {}});
    c->pool.context = c.get();
    c->streams[0] = true;  // the default stream's
  }
  *out = c.get();
  return kSuccess;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  CALL("cuDevicePrimaryCtxRelease", Call::kInit);
  if (!exists(device)) return call.wrong(kInvalidDevice, "there is no such device");
  return kSuccess;  // the context stays: who releases it does so at the process's end
}

CUresult cuCtxSetCurrent(CUctx_st* context) {
  CALL("cuCtxSetCurrent", Call::kInit);
  bool known = context == nullptr;
  for (const auto& c : state().contexts) known = known || c.get() == context;
  if (!known) return call.wrong(kInvalidContext, "there is no such context");
  current() = context;
  return kSuccess;
}

CUresult cuCtxGetCurrent(CUctx_st** context) {
  CALL("cuCtxGetCurrent", Call::kInit);
  if (context == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  *context = current();
  return kSuccess;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  CALL("cuCtxGetDevice");
  if (device == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  *device = call.context().index;
  return kSuccess;
}

CUresult cuCtxSynchronize() {
  CALL("cuCtxSynchronize");
  if (CUresult r = call.unsafe()) return r;
  for (const auto& c : state().captures) {
    if (c->origin->context == &call.context()) {
      c->invalid = true;
      return call.wrong(kCaptureUnsupported, "a stream of the context is capturing");
    }
  }
  CUctx_st& c = call.context();
  for (uint32_t n = 0; n < minds::sim::kStreams; ++n) {
    if (CUresult r = call.await(c, n)) return r;
  }
  return kSuccess;
}

// How many streams, events, blocks of memory, blocks of pinned memory, modules, graphs and executable graphs live: for
// tests, which see a leak by it.
void cuda_simulator_living(unsigned long long* counts) {
  const std::lock_guard guard(state().lock);
  State& s = state();
  size_t blocks = 0, pinned = 0;
  for (const auto& c : s.contexts) {
    if (!c) continue;
    blocks += c->blocks.size();
    pinned += c->pinned_blocks.size();
  }
  const size_t all[] = {s.streams.size(), s.events.size(),  blocks, pinned, s.modules.size(),
                        s.graphs.size(),  s.execs.size()};
  for (const size_t n : all) *counts++ = n;
}

}  // extern "C"
#pragma GCC visibility pop

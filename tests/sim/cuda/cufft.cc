// Stands in for cuFFT (libcufft.so.12): functions, types and codes as its manual has them, https://docs.nvidia.com/cuda/cufft.
// Transforms of one dimension between complex numbers, rows behind one another, with the caller's work area.
#include <cstdint>
#include <map>
#include <mutex>

#include "calls.h"
#include "simulator.h"

namespace {

enum cufftResult {
  kSuccess = 0,
  kInvalidPlan = 1,
  kInvalidType = 3,
  kInvalidValue = 4,
  kExecFailed = 6,
  kSetupFailed = 7,
  kInvalidSize = 8,
  kUnalignedData = 9,
  kNoWorkspace = 13,
  kNotSupported = 16
};
constexpr int kC2C = 0x29, kZ2Z = 0x69, kForward = -1, kInverse = 1;

struct FftPlan {
  bool allocates = true;
  int type = 0;  // 0: nothing is planned yet
  long long n = 0, rows = 0;
  CUstream_st* stream = nullptr;
  void* work = nullptr;
  int device = 0;
  size_t element() const { return type == kZ2Z ? 16 : 8; }
  // What the library wants is its own affair; the simulator wants a row.
  size_t work_bytes() const { return static_cast<size_t>(n) * element(); }
};

std::mutex lock;
int made = 0;
std::map<int, FftPlan>& plans() {
  static auto& all = *new std::map<int, FftPlan>;
  return all;
}

cufftResult wrong(cufftResult code, const char* caller, const char* what) {
  cuda_simulator_wrong(caller, what);
  return code;
}

// The plan of a handle; null, and told, if there is none.
FftPlan* known(int handle, const char* caller) {
  const auto found = plans().find(handle);
  if (found != plans().end()) return &found->second;
  wrong(kInvalidPlan, caller, "the plan does not exist");
  return nullptr;
}

cufftResult execute(int handle, int type, void* from, void* to, int direction, const char* caller) {
  FftPlan p;
  {
    const std::lock_guard guard(lock);
    const FftPlan* const found = known(handle, caller);
    if (found == nullptr) return kInvalidPlan;
    p = *found;
  }
  if (p.type == 0) return wrong(kInvalidPlan, caller, "nothing is planned");
  if (p.type != type) return wrong(kInvalidType, caller, "the plan is of another type");
  if (direction != kForward && direction != kInverse) return wrong(kInvalidValue, caller, "no such direction");
  if (p.work == nullptr && !p.allocates) return wrong(kNoWorkspace, caller, "no work area is set");
  if (p.device != cuda_simulator_device()) return wrong(kExecFailed, caller, "the plan is of another device");
  const auto x = reinterpret_cast<uintptr_t>(from), y = reinterpret_cast<uintptr_t>(to);
  if (x % p.element() != 0 || y % p.element() != 0) return wrong(kUnalignedData, caller, "the data is not aligned");
  const size_t bytes = static_cast<size_t>(p.n * p.rows) * p.element();
  const CudaOperand operands[] = {{x, bytes, x == y}, {y, bytes, true}, {reinterpret_cast<uintptr_t>(p.work), p.work_bytes(), true}};
  const minds::sim::Fourier body{type == kZ2Z, p.n, p.rows, direction};
  return cuda_simulator_call(p.stream, caller, "fourier", &body, sizeof body, operands, 3) == 0 ? kSuccess : kExecFailed;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cufftResult cufftGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = 12000;
  return kSuccess;
}

cufftResult cufftCreate(int* handle) {
  if (handle == nullptr) return kInvalidValue;
  if (!cuda_simulator_has_context()) return wrong(kSetupFailed, "cufftCreate", "no context is current");
  const std::lock_guard guard(lock);
  *handle = ++made;
  plans()[made].device = cuda_simulator_device();
  return kSuccess;
}

cufftResult cufftSetAutoAllocation(int handle, int allocates) {
  const std::lock_guard guard(lock);
  FftPlan* const p = known(handle, "cufftSetAutoAllocation");
  if (p == nullptr) return kInvalidPlan;
  if (p->type != 0) return wrong(kInvalidPlan, "cufftSetAutoAllocation", "the plan is made already");
  p->allocates = allocates != 0;
  return kSuccess;
}

cufftResult cufftMakePlanMany64(int handle, int rank, long long* n, long long* inembed, long long istride, long long idist,
                                long long* onembed, long long ostride, long long odist, int type, long long batch,
                                size_t* work) {
  constexpr const char* kCaller = "cufftMakePlanMany64";
  const std::lock_guard guard(lock);
  FftPlan* const p = known(handle, kCaller);
  if (p == nullptr) return kInvalidPlan;
  if (p->type != 0) return wrong(kInvalidPlan, kCaller, "the plan is made already");
  if (n == nullptr || work == nullptr) return wrong(kInvalidValue, kCaller, "a pointer is none");
  if (type != kC2C && type != kZ2Z) return wrong(kInvalidType, kCaller, "the simulator has no such type");
  const bool plain = rank == 1 && inembed == nullptr && onembed == nullptr;
  // Without `inembed` strides and distances are ignored: rows lie behind one another.
  if (!plain || istride != 1 || ostride != 1 || idist != n[0] || odist != n[0]) {
    return wrong(kNotSupported, kCaller, "the simulator has rows behind one another only");
  }
  if (p->allocates) return wrong(kNotSupported, kCaller, "the simulator allocates no work area");
  if (n[0] < 1 || batch < 1) return wrong(kInvalidSize, kCaller, "a size is not positive");
  p->type = type, p->n = n[0], p->rows = batch;
  *work = p->work_bytes();
  return kSuccess;
}

cufftResult cufftSetStream(int handle, CUstream_st* stream) {
  const std::lock_guard guard(lock);
  FftPlan* const p = known(handle, "cufftSetStream");
  if (p == nullptr) return kInvalidPlan;
  p->stream = stream;
  return kSuccess;
}

cufftResult cufftSetWorkArea(int handle, void* work) {
  const std::lock_guard guard(lock);
  FftPlan* const p = known(handle, "cufftSetWorkArea");
  if (p == nullptr) return kInvalidPlan;
  p->work = work;
  return kSuccess;
}

cufftResult cufftExecC2C(int handle, void* from, void* to, int direction) {
  return execute(handle, kC2C, from, to, direction, "cufftExecC2C");
}

cufftResult cufftExecZ2Z(int handle, void* from, void* to, int direction) {
  return execute(handle, kZ2Z, from, to, direction, "cufftExecZ2Z");
}

cufftResult cufftDestroy(int handle) {
  const std::lock_guard guard(lock);
  return plans().erase(handle) == 1 ? kSuccess : wrong(kInvalidPlan, "cufftDestroy", "the plan does not exist");
}

}  // extern "C"
#pragma GCC visibility pop

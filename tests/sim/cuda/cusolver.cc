// Stands in for cuSOLVER (libcusolver.so.12): functions, types and codes as its manual has them,
// https://docs.nvidia.com/cuda/cusolver, "cuSolverDN: dense LAPACK Function Reference".
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "calls.h"
#include "simulator.h"

namespace {

enum cusolverStatus_t { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 3, kExecutionFailed = 6, kNotSupported = 9 };

struct Handle {
  CUstream_st* stream = nullptr;
  int device = 0;
};
struct Params {};

std::mutex lock;
std::set<const void*>& living() {
  static auto& all = *new std::set<const void*>;
  return all;
}

bool known(const void* p) {
  const std::lock_guard guard(lock);
  return living().count(p) != 0;
}

template <class T>
cusolverStatus_t make(T** out, T v) {
  if (out == nullptr) return kInvalidValue;
  *out = new T(v);
  const std::lock_guard guard(lock);
  living().insert(*out);
  return kSuccess;
}

cusolverStatus_t wrong(cusolverStatus_t code, const char* caller, const std::string& what) {
  cuda_simulator_wrong(caller, what.c_str());
  return code;
}

size_t size_of(int type) { return type == 0 ? 4 : type == 1 || type == 4 ? 8 : 16; }
bool has_type(int t) { return t == 0 || t == 1 || t == 4 || t == 5; }

// What the library wants is its own affair; the simulator wants a column, and some memory of the host.
size_t work_bytes(int type, int64_t rows) { return static_cast<size_t>(rows) * size_of(type); }
constexpr size_t kHostBytes = 64;

// A matrix by columns, from the first element to behind the last.
size_t extent(int type, int64_t rows, int64_t columns, int64_t ld) {
  if (rows == 0 || columns == 0) return 0;
  return static_cast<size_t>((columns - 1) * ld + rows) * size_of(type);
}

cusolverStatus_t sizes(const Handle* h, const Params* p, int type, int compute, int64_t rows, int64_t columns, int64_t ld,
                       size_t* device, size_t* host, const char* caller) {
  if (!known(h)) return wrong(kNotInitialized, caller, "the handle does not exist");
  if (p != nullptr && !known(p)) return wrong(kInvalidValue, caller, "the params do not exist");
  if (!has_type(type) || type != compute) return wrong(kNotSupported, caller, "the combination of types is not supported");
  if (rows < 0 || columns < 0 || ld < rows || ld < 1) return wrong(kInvalidValue, caller, "a size is not right");
  if (device == nullptr || host == nullptr) return wrong(kInvalidValue, caller, "a pointer is none");
  *device = work_bytes(type, rows);
  *host = kHostBytes;
  return kSuccess;
}

struct Call {
  const char *caller, *function;
  minds::sim::Dense body;
  CudaOperand operands[5];  // as `run_dense` wants them
  size_t host_bytes;
  const void* host;
};

cusolverStatus_t run(const Handle* h, const Call& c) {
  if (!known(h)) return wrong(kNotInitialized, c.caller, "the handle does not exist");
  if (h->device != cuda_simulator_device()) return wrong(kInvalidValue, c.caller, "the handle is of another device");
  if (!has_type(c.body.type)) return wrong(kNotSupported, c.caller, "no such type");
  if (c.host_bytes != 0 && c.host == nullptr) return wrong(kInvalidValue, c.caller, "there is no work area on the host");
  const size_t item = size_of(c.body.type);
  for (const CudaOperand& o : c.operands) {
    if (o.bytes != 0 && o.at == 0) return wrong(kInvalidValue, c.caller, "a pointer is none");
  }
  if (c.operands[0].at % item != 0) return wrong(kInvalidValue, c.caller, "the matrix is not aligned");
  const unsigned r = cuda_simulator_call(h->stream, c.caller, (std::string("dense:") + c.function).c_str(), &c.body, sizeof c.body,
                                         c.operands, 5);
  return r == 0 ? kSuccess : kExecutionFailed;
}

CudaOperand area(const void* at, size_t bytes, bool writes) { return {reinterpret_cast<uintptr_t>(at), bytes, writes}; }
constexpr CudaOperand kNone{0, 0, false};

// The work areas must be as large as was said.
cusolverStatus_t expect_work(int type, int64_t rows, size_t device, size_t host, const char* caller) {
  if (device >= work_bytes(type, rows) && host >= kHostBytes) return kSuccess;
  return wrong(kInvalidValue, caller, "a work area is too small");
}

template <class T>
constexpr int kType = sizeof(T) == 4 ? 0 : 1;

template <class T>
cusolverStatus_t unfold_size(const Handle* h, int m, int n, int k, int lda, int* work, const char* caller) {
  if (!known(h)) return wrong(kNotInitialized, caller, "the handle does not exist");
  if (m < n || n < k || k < 0 || lda < m || work == nullptr) return wrong(kInvalidValue, caller, "a size is not right");
  *work = m;
  return kSuccess;
}

template <class T>
cusolverStatus_t unfold(const Handle* h, int m, int n, int k, T* a, int lda, const T* tau, T* work, int count, int* info,
                        const char* caller) {
  if (m < n || n < k || k < 0 || lda < m || count < m) return wrong(kInvalidValue, caller, "a size is not right");
  const size_t item = sizeof(T);
  return run(h, {caller, "orgqr", {kType<T>, m, n, k, lda, 0, false},
                 {area(a, extent(kType<T>, m, n, lda), true), area(tau, static_cast<size_t>(k) * item, false), kNone,
                  area(info, sizeof *info, true), area(work, static_cast<size_t>(count) * item, true)},
                 0, nullptr});
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusolverStatus_t cusolverGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = 12004;
  return kSuccess;
}

cusolverStatus_t cusolverDnCreate(Handle** out) {
  if (!cuda_simulator_has_context()) return wrong(kNotInitialized, "cusolverDnCreate", "no context is current");
  return make(out, Handle{nullptr, cuda_simulator_device()});
}
cusolverStatus_t cusolverDnCreateParams(Params** out) { return make(out, Params{}); }

cusolverStatus_t cusolverDnSetStream(Handle* h, CUstream_st* stream) {
  if (!known(h)) return wrong(kNotInitialized, "cusolverDnSetStream", "the handle does not exist");
  h->stream = stream;
  return kSuccess;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(Handle* h, Params* p, int uplo, int64_t n, int type, const void*, int64_t lda,
                                             int compute, size_t* device, size_t* host) {
  constexpr const char* kCaller = "cusolverDnXpotrf_bufferSize";
  if (uplo != 0) return wrong(kNotSupported, kCaller, "the simulator has the lower triangle only");
  return sizes(h, p, type, compute, n, n, lda, device, host, kCaller);
}
cusolverStatus_t cusolverDnXpotrf(Handle* h, Params*, int uplo, int64_t n, int type, void* a, int64_t lda, int, void* work,
                                  size_t device, void* host_work, size_t host, int* info) {
  constexpr const char* kCaller = "cusolverDnXpotrf";
  if (uplo != 0) return wrong(kNotSupported, kCaller, "the simulator has the lower triangle only");
  if (const auto bad = expect_work(type, n, device, host, kCaller)) return bad;
  return run(h, {kCaller, "potrf", {type, n, n, 0, lda, 0, false},
                 {area(a, extent(type, n, n, lda), true), kNone, kNone, area(info, sizeof *info, true), area(work, device, true)},
                 host, host_work});
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(Handle* h, Params* p, int64_t m, int64_t n, int type, const void*, int64_t lda,
                                             int compute, size_t* device, size_t* host) {
  return sizes(h, p, type, compute, m, n, lda, device, host, "cusolverDnXgetrf_bufferSize");
}
cusolverStatus_t cusolverDnXgetrf(Handle* h, Params*, int64_t m, int64_t n, int type, void* a, int64_t lda, int64_t* pivots, int,
                                  void* work, size_t device, void* host_work, size_t host, int* info) {
  constexpr const char* kCaller = "cusolverDnXgetrf";
  if (const auto bad = expect_work(type, m, device, host, kCaller)) return bad;
  const size_t exchanged = static_cast<size_t>(m < n ? m : n) * sizeof *pivots;
  return run(h, {kCaller, "getrf", {type, m, n, 0, lda, 0, false},
                 {area(a, extent(type, m, n, lda), true), area(pivots, exchanged, true), kNone, area(info, sizeof *info, true),
                  area(work, device, true)},
                 host, host_work});
}

cusolverStatus_t cusolverDnXgetrs(Handle* h, Params*, int operation, int64_t n, int64_t sides, int type, const void* a, int64_t lda,
                                  const int64_t* pivots, int type_b, void* b, int64_t ldb, int* info) {
  constexpr const char* kCaller = "cusolverDnXgetrs";
  if (operation != 0 && operation != 1) return wrong(kNotSupported, kCaller, "the simulator has no such operation");
  if (type != type_b) return wrong(kNotSupported, kCaller, "the combination of types is not supported");
  if (lda < n || ldb < n) return wrong(kInvalidValue, kCaller, "a leading dimension is less than the rows");
  return run(h, {kCaller, "getrs", {type, n, n, sides, lda, ldb, operation == 1},
                 {area(a, extent(type, n, n, lda), false), area(pivots, static_cast<size_t>(n) * sizeof *pivots, false),
                  area(b, extent(type, n, sides, ldb), true), area(info, sizeof *info, true), kNone},
                 0, nullptr});
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(Handle* h, Params* p, int64_t m, int64_t n, int type, const void*, int64_t lda, int,
                                             const void*, int compute, size_t* device, size_t* host) {
  return sizes(h, p, type, compute, m, n, lda, device, host, "cusolverDnXgeqrf_bufferSize");
}
cusolverStatus_t cusolverDnXgeqrf(Handle* h, Params*, int64_t m, int64_t n, int type, void* a, int64_t lda, int, void* tau, int,
                                  void* work, size_t device, void* host_work, size_t host, int* info) {
  constexpr const char* kCaller = "cusolverDnXgeqrf";
  if (const auto bad = expect_work(type, m, device, host, kCaller)) return bad;
  const size_t reflections = static_cast<size_t>(m < n ? m : n) * size_of(type);
  return run(h, {kCaller, "geqrf", {type, m, n, 0, lda, 0, false},
                 {area(a, extent(type, m, n, lda), true), area(tau, reflections, true), kNone, area(info, sizeof *info, true),
                  area(work, device, true)},
                 host, host_work});
}

cusolverStatus_t cusolverDnSorgqr_bufferSize(Handle* h, int m, int n, int k, const float*, int lda, const float*, int* work) {
  return unfold_size<float>(h, m, n, k, lda, work, "cusolverDnSorgqr_bufferSize");
}
cusolverStatus_t cusolverDnDorgqr_bufferSize(Handle* h, int m, int n, int k, const double*, int lda, const double*, int* work) {
  return unfold_size<double>(h, m, n, k, lda, work, "cusolverDnDorgqr_bufferSize");
}
cusolverStatus_t cusolverDnSorgqr(Handle* h, int m, int n, int k, float* a, int lda, const float* tau, float* work, int count,
                                  int* info) {
  return unfold(h, m, n, k, a, lda, tau, work, count, info, "cusolverDnSorgqr");
}
cusolverStatus_t cusolverDnDorgqr(Handle* h, int m, int n, int k, double* a, int lda, const double* tau, double* work, int count,
                                  int* info) {
  return unfold(h, m, n, k, a, lda, tau, work, count, info, "cusolverDnDorgqr");
}

}  // extern "C"
#pragma GCC visibility pop

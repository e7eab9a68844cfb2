// Stands in for cuBLASLt (libcublasLt.so.13): functions, attributes and codes as its manual has them,
// https://docs.nvidia.com/cuda/cublas, "Using the cuBLASLt API".
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include "calls.h"
#include "simulator.h"

namespace {

enum cublasStatus_t { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15 };

constexpr int kR32F = 0, kR64F = 1, kR16F = 2, kR16BF = 14;
constexpr int kCompute32F = 68, kCompute64F = 70, kComputeTF32 = 77, kCompute16F = 64, kCompute32F16F = 74,
              kCompute32F16BF = 75;
constexpr uint64_t kMark = 0x6d696e6473736d75;  // in what the library made

struct Handle {
  uint64_t mark = kMark;
};
struct Layout {
  uint64_t mark;
  int32_t type, order;
  uint64_t rows, columns;
  int64_t ld;
  int32_t batch;
  int64_t step;
};
struct Desc {
  uint64_t mark;
  int32_t compute, scale, trans_a, trans_b;
  uint32_t epilogue;
  uintptr_t bias;
  int32_t bias_type;
};
struct Preference {
  uint64_t mark;
  uint64_t workspace;
  uint32_t alignment[4];
};
struct Algo {
  uint64_t mark, problem, workspace;
  uint32_t alignment[4];
  uint64_t rest[3];
};
struct Result {
  Algo algo;
  size_t workspace;
  cublasStatus_t state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Algo) == 64, "cublasLtMatmulAlgo_t is 8 words");

std::mutex lock;
std::set<const void*>& living() {
  static auto& all = *new std::set<const void*>;
  return all;
}

template <class T>
T* made(T v) {
  T* p = new T(v);
  const std::lock_guard guard(lock);
  living().insert(p);
  return p;
}

template <class T>
bool known(const T* p) {
  const std::lock_guard guard(lock);
  return living().count(p) != 0 && p->mark == kMark;
}

template <class T>
cublasStatus_t dropped(T* p) {
  {
    const std::lock_guard guard(lock);
    if (living().erase(p) == 0) return kInvalidValue;
  }
  delete p;
  return kSuccess;
}

cublasStatus_t wrong(cublasStatus_t code, const char* caller, const std::string& what) {
  cuda_simulator_wrong(caller, what.c_str());
  return code;
}

// Sets `to` from an attribute's value, whose size must be its type's.
template <class T>
cublasStatus_t take(const char* caller, T& to, const void* from, size_t bytes) {
  if (from == nullptr || bytes != sizeof(T)) {
    return wrong(kInvalidValue, caller, "an attribute of " + std::to_string(sizeof(T)) + " bytes is given with " +
                                            std::to_string(bytes));
  }
  std::memcpy(&to, from, bytes);
  return kSuccess;
}

size_t size_of(int type) { return type == kR64F ? 8 : type == kR32F ? 4 : 2; }
bool has_type(int t) { return t == kR32F || t == kR64F || t == kR16F || t == kR16BF; }

minds::DType type_of(int t) {
  switch (t) {
    case kR16F: return minds::DType::kFloat16;
    case kR16BF: return minds::DType::kBFloat16;
    case kR32F: return minds::DType::kFloat32;
    default: return minds::DType::kFloat64;
  }
}

// Elements from the first to behind the last.
uint64_t extent(const Layout& l) {
  if (l.rows == 0 || l.columns == 0) return 0;
  const uint64_t one = (l.columns - 1) * static_cast<uint64_t>(l.ld) + l.rows;
  return static_cast<uint64_t>(l.batch - 1) * static_cast<uint64_t>(l.step) + one;
}

struct Problem {
  const Desc& d;
  const Layout &a, &b, &c, &out;
  uint64_t m() const { return d.trans_a == 0 ? a.rows : a.columns; }
  uint64_t k() const { return d.trans_a == 0 ? a.columns : a.rows; }
  uint64_t n() const { return d.trans_b == 0 ? b.columns : b.rows; }
  uint64_t k_of_b() const { return d.trans_b == 0 ? b.rows : b.columns; }

  const char* shapes() const {
    if (k() != k_of_b()) return "the inner sizes of A and B differ";
    if (c.rows != m() || c.columns != n() || out.rows != m() || out.columns != n()) return "C or D has another shape";
    for (const Layout* l : {&a, &b, &c, &out}) {
      if (l->batch != out.batch) return "the counts of batches differ";
    }
    return nullptr;
  }
  // What the table of supported types says.
  bool supported() const {
    if (a.type != b.type || c.type != out.type) return false;
    if (d.compute == kCompute64F) return a.type == kR64F && c.type == kR64F && d.scale == kR64F;
    if (d.scale != kR32F || a.type == kR64F || c.type == kR64F) return false;
    if (d.compute == kComputeTF32) return a.type == kR32F && c.type == kR32F;
    return d.compute == kCompute32F && (c.type == a.type || c.type == kR32F);
  }
  uint64_t sum() const {
    uint64_t h = 0xcbf29ce484222325u;
    const auto add = [&](uint64_t v) { h = (h ^ v) * 0x100000001b3u; };
    for (const Layout* l : {&a, &b, &c, &out}) {
      add(static_cast<uint64_t>(l->type)), add(l->rows), add(l->columns), add(static_cast<uint64_t>(l->ld));
      add(static_cast<uint64_t>(l->batch)), add(static_cast<uint64_t>(l->step));
    }
    add(static_cast<uint64_t>(d.compute)), add(static_cast<uint64_t>(d.trans_a)), add(static_cast<uint64_t>(d.trans_b));
    add(d.epilogue);
    return h;
  }
};

bool all_known(const Handle* h, const Desc* d, const Layout* a, const Layout* b, const Layout* c, const Layout* out) {
  return known(h) && known(d) && known(a) && known(b) && known(c) && known(out);
}

double scale(const Desc& d, const void* p) {
  if (d.scale == kR64F) {
    double v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  float v;
  std::memcpy(&v, p, sizeof v);
  return static_cast<double>(v);
}

constexpr size_t kWorkspace = 4096;  // bytes that every product wants, if it may

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasLtCreate(Handle** out) {
  if (out == nullptr) return kInvalidValue;
  if (!cuda_simulator_has_context()) return wrong(kNotInitialized, "cublasLtCreate", "no context is current");
  *out = made(Handle{});
  return kSuccess;
}
cublasStatus_t cublasLtDestroy(Handle* h) { return dropped(h); }
size_t cublasLtGetVersion() { return 130100; }
const char* cublasLtGetStatusString(cublasStatus_t s) {
  switch (s) {
    case kSuccess: return "CUBLAS_STATUS_SUCCESS";
    case kNotInitialized: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case kInvalidValue: return "CUBLAS_STATUS_INVALID_VALUE";
    case kExecutionFailed: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case kNotSupported: return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "an unknown status";
}

cublasStatus_t cublasLtMatrixLayoutCreate(Layout** out, int type, uint64_t rows, uint64_t columns, int64_t ld) {
  if (out == nullptr || !has_type(type)) return wrong(kInvalidValue, "cublasLtMatrixLayoutCreate", "no such type");
  if (ld < static_cast<int64_t>(rows)) {
    return wrong(kInvalidValue, "cublasLtMatrixLayoutCreate", "the leading dimension is less than the rows");
  }
  *out = made(Layout{kMark, type, 0, rows, columns, ld, 1, 0});
  return kSuccess;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(Layout* l) { return dropped(l); }
cublasStatus_t cublasLtMatrixLayoutSetAttribute(Layout* l, int what, const void* v, size_t bytes) {
  constexpr const char* kCaller = "cublasLtMatrixLayoutSetAttribute";
  if (!known(l)) return wrong(kInvalidValue, kCaller, "the layout does not exist");
  switch (what) {
    case 4: return take(kCaller, l->ld, v, bytes);
    case 5: return take(kCaller, l->batch, v, bytes);
    case 6: return take(kCaller, l->step, v, bytes);
    default: return wrong(kInvalidValue, kCaller, "the simulator has no attribute " + std::to_string(what));
  }
}

cublasStatus_t cublasLtMatmulDescCreate(Desc** out, int compute, int scale_type) {
  constexpr const char* kCaller = "cublasLtMatmulDescCreate";
  const bool plain = compute == kCompute32F || compute == kComputeTF32 || compute == kCompute64F;
  if (out == nullptr || !plain || (scale_type != kR32F && scale_type != kR64F)) {
    return wrong(kInvalidValue, kCaller, "the simulator has no such types");
  }
  *out = made(Desc{kMark, compute, scale_type, 0, 0, 1, 0, -1});
  return kSuccess;
}
cublasStatus_t cublasLtMatmulDescDestroy(Desc* d) { return dropped(d); }
cublasStatus_t cublasLtMatmulDescSetAttribute(Desc* d, int what, const void* v, size_t bytes) {
  constexpr const char* kCaller = "cublasLtMatmulDescSetAttribute";
  if (!known(d)) return wrong(kInvalidValue, kCaller, "the descriptor does not exist");
  switch (what) {
    case 3: return take(kCaller, d->trans_a, v, bytes);
    case 4: return take(kCaller, d->trans_b, v, bytes);
    case 7: return take(kCaller, d->epilogue, v, bytes);
    case 8: return take(kCaller, d->bias, v, bytes);
    case 26: return take(kCaller, d->bias_type, v, bytes);
    default: return wrong(kInvalidValue, kCaller, "the simulator has no attribute " + std::to_string(what));
  }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(Preference** out) {
  if (out == nullptr) return kInvalidValue;
  *out = made(Preference{kMark, 0, {256, 256, 256, 256}});
  return kSuccess;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(Preference* p) { return dropped(p); }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(Preference* p, int what, const void* v, size_t bytes) {
  constexpr const char* kCaller = "cublasLtMatmulPreferenceSetAttribute";
  if (!known(p)) return wrong(kInvalidValue, kCaller, "the preference does not exist");
  uint32_t unused;
  switch (what) {
    case 0: case 3: case 12: return take(kCaller, unused, v, bytes);  // how it looks for a way
    case 1: return take(kCaller, p->workspace, v, bytes);
    case 5: case 6: case 7: case 8: return take(kCaller, p->alignment[what - 5], v, bytes);
    default: return wrong(kInvalidValue, kCaller, "the simulator has no attribute " + std::to_string(what));
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(Handle* h, Desc* d, Layout* a, Layout* b, Layout* c, Layout* out,
                                              Preference* p, int wanted, Result* results, int* count) {
  constexpr const char* kCaller = "cublasLtMatmulAlgoGetHeuristic";
  if (!all_known(h, d, a, b, c, out) || !known(p) || results == nullptr || count == nullptr || wanted < 1) {
    return wrong(kInvalidValue, kCaller, "a handle, descriptor or pointer is none");
  }
  *count = 0;
  const Problem problem{*d, *a, *b, *c, *out};
  if (const char* why = problem.shapes()) return wrong(kInvalidValue, kCaller, why);
  if (!problem.supported()) return kNotSupported;
  Result r{};
  r.algo.mark = kMark;
  r.algo.problem = problem.sum();
  r.algo.workspace = r.workspace = p->workspace >= kWorkspace ? kWorkspace : 0;
  std::memcpy(r.algo.alignment, p->alignment, sizeof r.algo.alignment);
  r.waves = 1;
  results[0] = r;
  *count = 1;
  return kSuccess;
}

cublasStatus_t cublasLtMatmul(Handle* h, Desc* d, const void* alpha, const void* at_a, Layout* a, const void* at_b,
                              Layout* b, const void* beta, const void* at_c, Layout* c, void* at_d, Layout* out,
                              const Algo* algo, void* workspace, size_t bytes, CUstream_st* stream) {
  constexpr const char* kCaller = "cublasLtMatmul";
  if (!all_known(h, d, a, b, c, out)) return wrong(kInvalidValue, kCaller, "a handle or descriptor does not exist");
  if (alpha == nullptr || beta == nullptr) return wrong(kInvalidValue, kCaller, "a scale is a null pointer");
  const Problem problem{*d, *a, *b, *c, *out};
  if (const char* why = problem.shapes()) return wrong(kInvalidValue, kCaller, why);
  if (!problem.supported()) return wrong(kNotSupported, kCaller, "the combination of types is not supported");
  uint32_t alignment[] = {16, 16, 16, 16};
  size_t needed = 0;
  if (algo != nullptr) {
    if (algo->mark != kMark || algo->problem != problem.sum()) {
      return wrong(kInvalidValue, kCaller, "the algorithm was chosen for another problem");
    }
    std::memcpy(alignment, algo->alignment, sizeof alignment);
    needed = algo->workspace;
  }
  if (bytes < needed) return wrong(kInvalidValue, kCaller, "the workspace is too small");
  if (needed != 0 && reinterpret_cast<uintptr_t>(workspace) % 16 != 0) {
    return wrong(kInvalidValue, kCaller, "the workspace is not aligned");
  }
  const double beta_value = scale(*d, beta);
  const Layout* layouts[] = {a, b, c, out};
  const void* places[] = {at_a, at_b, at_c, at_d};
  CudaOperand operands[6];
  for (int n = 0; n < 4; ++n) {
    const auto at = reinterpret_cast<uintptr_t>(places[n]);
    if (at % alignment[n] != 0) {
      return wrong(kInvalidValue, kCaller, "a matrix is less aligned than was said when the algorithm was chosen");
    }
    operands[n] = {at, extent(*layouts[n]) * size_of(layouts[n]->type), n == 3};
  }
  if (beta_value == 0) operands[2].bytes = 0;
  operands[4] = {reinterpret_cast<uintptr_t>(workspace), needed, true};
  const bool has_bias = (d->epilogue & 4) != 0;
  if (has_bias && d->bias == 0) return wrong(kInvalidValue, kCaller, "the epilogue wants a bias");
  operands[5] = {has_bias ? d->bias : 0, has_bias ? problem.m() * size_of(out->type) : 0};
  const auto i64 = [](uint64_t v) { return static_cast<int64_t>(v); };
  const minds::sim::Product body{type_of(a->type), type_of(out->type), i64(problem.m()), i64(problem.n()),
                                 i64(problem.k()), d->trans_a != 0, d->trans_b != 0, a->ld, b->ld, c->ld, out->ld,
                                 out->batch, a->step, b->step, c->step, out->step, scale(*d, alpha), beta_value,
                                 d->compute == kCompute64F, d->epilogue};
  const unsigned r = cuda_simulator_call(stream, kCaller, "product", &body, sizeof body, operands, 6);
  return r == 0 ? kSuccess : kExecutionFailed;
}

}  // extern "C"
#pragma GCC visibility pop

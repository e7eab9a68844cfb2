// Stands in for cuDNN (libcudnn.so.9), of which it has the convolutions of the graph API: descriptors that are made,
// given attributes, finalized and executed, https://docs.nvidia.com/deeplearning/cudnn/backend/latest.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "calls.h"
#include "simulator.h"

namespace {

enum cudnnStatus_t {
  kSuccess = 0,
  kNotInitialized = 1001,
  kBadParam = 2000,
  kNullPointer = 2002,
  kMisaligned = 2003,
  kNotFinalized = 2004,
  kShapeMismatch = 2008,
  kAttributeType = 2010,
  kNotSupported = 3000,
  kExecutionFailed = 5000,
};
// cudnnBackendDescriptorType_t
enum Type { kConvolution = 1, kEngine, kEngineConfig, kHeuristic, kPlan, kForward = 10, kFilter, kData, kGraph = 15,
            kPack, kTensor };
// cudnnBackendAttributeType_t
enum Kind { kHandle = 0, kDataType = 1, kInt64 = 3, kFloat = 4, kDouble = 5, kPointer = 6, kConvMode = 7, kHeurMode = 8,
            kNote = 11, kDescriptor = 15 };
constexpr int64_t kFloat32 = 0, kHalf = 2, kBfloat16 = 9;
enum Note { kTensorCore = 0, kDownConverts = 1, kNondeterministic = 4 };

struct Rule {
  int type, kind;
  int64_t most;
  bool needed;
};
// By number of the attribute, those that can be set.
const std::map<int, Rule> kRules = {
    {100, {kConvolution, kDataType, 1, true}},   {101, {kConvolution, kConvMode, 1, true}},
    {102, {kConvolution, kInt64, 3, true}},      {103, {kConvolution, kInt64, 3, true}},
    {104, {kConvolution, kInt64, 3, true}},      {105, {kConvolution, kInt64, 3, true}},
    {106, {kConvolution, kInt64, 1, true}},      {200, {kHeuristic, kHeurMode, 1, true}},
    {201, {kHeuristic, kDescriptor, 1, true}},   {300, {kEngineConfig, kDescriptor, 1, true}},
    {400, {kPlan, kHandle, 1, false}},           {401, {kPlan, kDescriptor, 1, true}},
    {700, {kForward, kFloat, 1, true}},          {701, {kForward, kFloat, 1, true}},
    {702, {kForward, kDescriptor, 1, true}},     {703, {kForward, kDescriptor, 1, true}},
    {704, {kForward, kDescriptor, 1, true}},     {705, {kForward, kDescriptor, 1, true}},
    {706, {kData, kFloat, 1, true}},             {707, {kData, kFloat, 1, true}},
    {708, {kData, kDescriptor, 1, true}},        {709, {kData, kDescriptor, 1, true}},
    {710, {kData, kDescriptor, 1, true}},        {711, {kData, kDescriptor, 1, true}},
    {712, {kFilter, kFloat, 1, true}},           {713, {kFilter, kFloat, 1, true}},
    {714, {kFilter, kDescriptor, 1, true}},      {715, {kFilter, kDescriptor, 1, true}},
    {716, {kFilter, kDescriptor, 1, true}},      {717, {kFilter, kDescriptor, 1, true}},
    {800, {kGraph, kHandle, 1, true}},           {801, {kGraph, kDescriptor, 1, true}},
    {900, {kTensor, kInt64, 1, true}},           {901, {kTensor, kDataType, 1, true}},
    {902, {kTensor, kInt64, 8, true}},           {903, {kTensor, kInt64, 8, true}},
    {906, {kTensor, kInt64, 1, true}},           {1000, {kPack, kInt64, 64, true}},
    {1001, {kPack, kPointer, 64, true}},         {1003, {kPack, kPointer, 1, false}},
};

struct Descriptor;
using Ref = std::shared_ptr<Descriptor>;

struct Descriptor {
  int type;
  bool finalized = false;
  std::map<int, std::vector<int64_t>> numbers;  // enumerations, integers, addresses; floats by their bits
  std::map<int, Ref> parts;
  // Of an engine: its number, and the operation that it computes.
  int engine = -1;
  Ref operation;

  int64_t one(int name) const { return numbers.at(name).at(0); }
  const std::vector<int64_t>& all(int name) const { return numbers.at(name); }
};

struct Handle {
  CUstream_st* stream = nullptr;
};

std::mutex lock;  // of what follows
std::map<void*, Ref>& living() {
  static auto& all = *new std::map<void*, Ref>;
  return all;
}
std::map<void*, Handle>& handles() {
  static auto& all = *new std::map<void*, Handle>;
  return all;
}

cudnnStatus_t wrong(cudnnStatus_t code, const char* caller, const std::string& what) {
  cuda_simulator_wrong(caller, what.c_str());
  return code;
}

Ref find(void* d) {
  const std::lock_guard guard(lock);
  const auto at = living().find(d);
  return at == living().end() ? nullptr : at->second;
}

bool has_handle(void* h) {
  const std::lock_guard guard(lock);
  return handles().count(h) != 0;
}

size_t size_of(int kind) {
  switch (kind) {
    case kInt64: case kDouble: case kHandle: case kPointer: case kDescriptor: return 8;
    default: return 4;
  }
}

size_t item(int64_t dtype) { return dtype == kFloat32 ? 4 : 2; }

// The parts of an operation by their names.
struct Operation {
  const Descriptor &op, &conv, &x, &w, &y;
  double alpha, beta;
};

double as_float(int64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  float v;
  std::memcpy(&v, &low, sizeof v);
  return static_cast<double>(v);
}

Operation parts_of(const Descriptor& op) {
  const int first = op.type == kForward ? 700 : op.type == kData ? 706 : 712;
  const int w = first + 3, x = first + 4, y = first + 5;  // of the data pass: w, dx, dy; of the filter's: dw, x, dy
  return {op, *op.parts.at(first + 2), *op.parts.at(x), *op.parts.at(w), *op.parts.at(y), as_float(op.one(first)),
          as_float(op.one(first + 1))};
}

// ---- what finalizing checks

const char* check_tensor(const Descriptor& t) {
  const std::vector<int64_t>&size = t.all(902), &step = t.all(903);
  if (size.size() != step.size() || size.size() < 3) return "dimensions and strides differ in number, or are too few";
  for (size_t n = 0; n < size.size(); ++n) {
    if (size[n] < 1 || step[n] < 1) return "a dimension or a stride is less than 1";
  }
  const int64_t alignment = t.one(900);
  if (alignment < 1 || (alignment & (alignment - 1)) != 0) return "the alignment is no power of two";
  const int64_t type = t.one(901);
  if (alignment % static_cast<int64_t>(item(type)) != 0) return "the alignment is less than an element";
  return type == kFloat32 || type == kHalf || type == kBfloat16 ? nullptr : "the simulator has no such data type";
}

const char* check_convolution(const Descriptor& c) {
  const auto dims = static_cast<size_t>(c.one(106));
  if (dims != 2) return "the simulator has convolutions of 2 dimensions";
  for (const int name : {102, 103, 104, 105}) {
    if (c.all(name).size() != dims) return "an attribute has not one number for each dimension";
    for (const int64_t v : c.all(name)) {
      if (v < (name <= 103 ? 1 : 0)) return "a stride, dilation or padding is too small";
    }
  }
  if (c.one(100) != kFloat32) return "the simulator computes in CUDNN_DATA_FLOAT";
  return c.one(101) == 1 ? nullptr : "the simulator has CUDNN_CROSS_CORRELATION";
}

const char* check_operation(const Descriptor& op) {
  const Operation o = parts_of(op);
  if (o.conv.type != kConvolution || o.x.type != kTensor || o.w.type != kTensor || o.y.type != kTensor) {
    return "a part is a descriptor of another type";
  }
  if (o.x.one(901) != o.w.one(901) || o.x.one(901) != o.y.one(901)) return "the tensors' types differ";
  if (o.x.one(906) == o.w.one(906) || o.x.one(906) == o.y.one(906) || o.w.one(906) == o.y.one(906)) {
    return "two tensors have one name";
  }
  const std::vector<int64_t>&x = o.x.all(902), &w = o.w.all(902), &y = o.y.all(902);
  if (x.size() != 4 || w.size() != 4 || y.size() != 4) return "a tensor has not 4 dimensions";
  if (x[0] != y[0] || w[0] != y[1] || x[1] % w[1] != 0 || w[0] % (x[1] / w[1]) != 0) {
    return "batches, channels or groups do not fit";
  }
  for (size_t n = 0; n < 2; ++n) {
    const int64_t reach = (w[n + 2] - 1) * o.conv.all(102)[n] + 1;
    const int64_t room = x[n + 2] + o.conv.all(105)[n] + o.conv.all(104)[n] - reach;
    if (room < 0 || y[n + 2] != room / o.conv.all(103)[n] + 1) return "the size of y is not what the convolution gives";
  }
  return nullptr;
}

const char* check_pack(const Descriptor& p) {
  std::vector<int64_t> names = p.all(1000);
  if (names.size() != p.all(1001).size()) return "there are more names than pointers, or fewer";
  std::sort(names.begin(), names.end());
  return std::unique(names.begin(), names.end()) == names.end() ? nullptr : "a name is there twice";
}

const char* check_plan(const Descriptor& p) {
  if (p.parts.at(401)->type != kEngineConfig) return "the configuration is another descriptor";
  return p.parts.at(401)->parts.count(300) != 0 ? nullptr : "the configuration has no engine";
}

const char* check(const Descriptor& d) {
  switch (d.type) {
    case kTensor: return check_tensor(d);
    case kConvolution: return check_convolution(d);
    case kForward: case kData: case kFilter: return check_operation(d);
    case kPack: return check_pack(d);
    case kPlan: return check_plan(d);
    default: return nullptr;
  }
}

// ---- engines: the first uses tensor cores, of float32 with fewer bits; the second sums in any order; the third is plain.

constexpr int kEngines = 3;
constexpr int64_t kWorkspace[kEngines] = {0, 512, 4096};

bool channels_last(const Descriptor& t) { return t.all(903)[1] == 1; }

bool runs(const Operation& o) {
  if (o.conv.all(104) != o.conv.all(105)) return false;  // pads alike before and after
  return o.x.one(901) == kFloat32 || (channels_last(o.x) && channels_last(o.w) && channels_last(o.y));
}

std::vector<int32_t> notes(const Descriptor& engine) {
  const bool wide = parts_of(*engine.operation).x.one(901) == kFloat32;
  if (engine.engine == 0) return wide ? std::vector<int32_t>{kTensorCore, kDownConverts} : std::vector<int32_t>{kTensorCore};
  return engine.engine == 1 ? std::vector<int32_t>{kNondeterministic} : std::vector<int32_t>{};
}

int64_t extent(const Descriptor& t) {
  int64_t last = 0;
  for (size_t n = 0; n < 4; ++n) last += (t.all(902)[n] - 1) * t.all(903)[n];
  return last + 1;
}

cudnnStatus_t execute(const Handle& h, const Descriptor& plan, const Descriptor& pack) {
  constexpr const char* kCaller = "cudnnBackendExecute";
  const Descriptor& engine = *plan.parts.at(401)->parts.at(300);
  const Operation o = parts_of(*engine.operation);
  minds::sim::Convolution c{};
  c.pass = o.op.type == kForward ? minds::sim::Convolution::kForward
           : o.op.type == kData ? minds::sim::Convolution::kData
                                : minds::sim::Convolution::kFilter;
  const int made = o.op.type == kForward ? 2 : o.op.type == kData ? 0 : 1;
  const int64_t type = o.x.one(901);
  c.dtype = type == kHalf ? minds::DType::kFloat16 : type == kBfloat16 ? minds::DType::kBFloat16 : minds::DType::kFloat32;
  CudaOperand operands[4] = {};
  const Descriptor* tensors[] = {&o.x, &o.w, &o.y};
  int64_t* sizes[] = {c.x, c.w, c.y};
  int64_t* steps[] = {c.x_step, c.w_step, c.y_step};
  const std::vector<int64_t>& names = pack.all(1000);
  if (names.size() != 3) return wrong(kBadParam, kCaller, "the pack has another number of tensors than the graph");
  for (size_t n = 0; n < 3; ++n) {
    const Descriptor& t = *tensors[n];
    const auto at = std::find(names.begin(), names.end(), t.one(906));
    if (at == names.end()) return wrong(kBadParam, kCaller, "a tensor of the graph is not in the pack");
    const int64_t place = pack.all(1001)[static_cast<size_t>(at - names.begin())];
    if (place % t.one(900) != 0) return wrong(kMisaligned, kCaller, "a pointer is less aligned than its tensor says");
    operands[n] = {static_cast<uintptr_t>(place), static_cast<size_t>(extent(t)) * item(type), static_cast<int>(n) == made};
    std::copy(t.all(902).begin(), t.all(902).end(), sizes[n]);
    std::copy(t.all(903).begin(), t.all(903).end(), steps[n]);
  }
  const int64_t needed = kWorkspace[engine.engine];
  const int64_t workspace = pack.numbers.count(1003) != 0 ? pack.one(1003) : 0;
  if (needed != 0 && workspace == 0) return wrong(kNullPointer, kCaller, "the plan wants a workspace");
  operands[3] = {static_cast<uintptr_t>(workspace), static_cast<size_t>(needed), true};
  for (size_t n = 0; n < 2; ++n) {
    c.pad[n] = o.conv.all(105)[n];
    c.stride[n] = o.conv.all(103)[n];
    c.dilation[n] = o.conv.all(102)[n];
  }
  c.alpha = o.alpha;
  c.beta = o.beta;
  const unsigned r = cuda_simulator_call(h.stream, kCaller, "convolution", &c, sizeof c, operands, 4);
  return r == 0 ? kSuccess : kExecutionFailed;
}

// Fills a descriptor that the caller made.
cudnnStatus_t fill(const char* caller, void* given, int type, const Ref& operation, int engine) {
  const Ref d = find(given);
  if (!d || d->type != type || d->finalized) return wrong(kBadParam, caller, "a result is no new descriptor of its type");
  d->finalized = true;
  d->operation = operation;
  d->engine = engine;
  if (type == kEngineConfig) {
    Ref e = std::make_shared<Descriptor>(Descriptor{kEngine, true, {}, {}, engine, operation});
    d->parts[300] = std::move(e);
  }
  return kSuccess;
}

template <class T>
void give(const std::vector<T>& values, int64_t room, int64_t* count, void* to) {
  if (count != nullptr) *count = static_cast<int64_t>(values.size());
  if (to != nullptr && !values.empty()) {
    std::memcpy(to, values.data(), static_cast<size_t>(std::min<int64_t>(room, static_cast<int64_t>(values.size()))) * sizeof(T));
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

size_t cudnnGetVersion() { return 92800; }
const char* cudnnGetErrorString(cudnnStatus_t s) {
  switch (s) {
    case kSuccess: return "CUDNN_STATUS_SUCCESS";
    case kNotInitialized: return "CUDNN_STATUS_NOT_INITIALIZED";
    case kNotSupported: return "CUDNN_STATUS_NOT_SUPPORTED";
    case kExecutionFailed: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_STATUS_BAD_PARAM";
  }
}

cudnnStatus_t cudnnCreate(void** out) {
  if (out == nullptr) return kNullPointer;
  if (!cuda_simulator_has_context()) return wrong(kNotInitialized, "cudnnCreate", "no context is current");
  *out = new char;
  const std::lock_guard guard(lock);
  handles()[*out] = {};
  return kSuccess;
}
cudnnStatus_t cudnnDestroy(void* h) {
  {
    const std::lock_guard guard(lock);
    if (handles().erase(h) == 0) return kBadParam;
  }
  delete static_cast<char*>(h);
  return kSuccess;
}
cudnnStatus_t cudnnSetStream(void* h, CUstream_st* stream) {
  if (!has_handle(h)) return wrong(kBadParam, "cudnnSetStream", "the handle does not exist");
  const std::lock_guard guard(lock);
  handles()[h].stream = stream;
  return kSuccess;
}

cudnnStatus_t cudnnBackendCreateDescriptor(int type, void** out) {
  constexpr const char* kCaller = "cudnnBackendCreateDescriptor";
  constexpr int kTypes[] = {kConvolution, kEngine, kEngineConfig, kHeuristic, kPlan, kForward, kFilter, kData, kGraph,
                            kPack, kTensor};
  if (out == nullptr) return wrong(kNullPointer, kCaller, "a null pointer");
  if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
    return wrong(kNotSupported, kCaller, "the simulator has no descriptor of type " + std::to_string(type));
  }
  Ref d = std::make_shared<Descriptor>();
  d->type = type;
  *out = d.get();
  const std::lock_guard guard(lock);
  living()[d.get()] = d;
  return kSuccess;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(void* d) {
  const std::lock_guard guard(lock);
  if (living().erase(d) == 0) return wrong(kBadParam, "cudnnBackendDestroyDescriptor", "the descriptor does not exist");
  return kSuccess;
}

cudnnStatus_t cudnnBackendSetAttribute(void* given, int name, int kind, int64_t count, const void* values) {
  constexpr const char* kCaller = "cudnnBackendSetAttribute";
  const std::string which = "attribute " + std::to_string(name);
  const Ref d = find(given);
  if (!d) return wrong(kBadParam, kCaller, "the descriptor does not exist");
  if (d->finalized) return wrong(kNotInitialized, kCaller, which + " of a descriptor that is finalized");
  const auto rule = kRules.find(name);
  if (rule == kRules.end() || rule->second.type != d->type) {
    return wrong(kNotSupported, kCaller, which + " is not of this type of descriptor, or not simulated");
  }
  if (rule->second.kind != kind) return wrong(kAttributeType, kCaller, which + " has another type");
  if (count < 1 || count > rule->second.most || values == nullptr) {
    return wrong(kBadParam, kCaller, which + " is given " + std::to_string(count) + " elements");
  }
  std::vector<int64_t>& to = d->numbers[name];
  to.assign(static_cast<size_t>(count), 0);
  for (size_t n = 0; n < to.size(); ++n) {
    std::memcpy(&to[n], static_cast<const char*>(values) + n * size_of(kind), size_of(kind));
  }
  if (kind == kHandle && !has_handle(reinterpret_cast<void*>(to[0]))) return wrong(kBadParam, kCaller, "no such handle");
  if (kind != kDescriptor) return kSuccess;
  const Ref part = find(reinterpret_cast<void*>(to[0]));
  if (!part || !part->finalized) return wrong(kNotFinalized, kCaller, which + " is a descriptor that is not finalized");
  d->parts[name] = part;
  return kSuccess;
}

cudnnStatus_t cudnnBackendFinalize(void* given) {
  constexpr const char* kCaller = "cudnnBackendFinalize";
  const Ref d = find(given);
  if (!d || d->finalized) return wrong(kBadParam, kCaller, "the descriptor does not exist, or is finalized");
  for (const auto& [name, rule] : kRules) {
    if (rule.type == d->type && rule.needed && d->numbers.count(name) == 0) {
      return wrong(kBadParam, kCaller, "attribute " + std::to_string(name) + " is not set");
    }
  }
  if (const char* why = check(*d)) return wrong(kBadParam, kCaller, why);
  if (d->type == kHeuristic && !runs(parts_of(*d->parts.at(201)->parts.at(801)))) return kNotSupported;
  d->finalized = true;
  return kSuccess;
}

cudnnStatus_t cudnnBackendGetAttribute(void* given, int name, int kind, int64_t room, int64_t* count, void* to) {
  constexpr const char* kCaller = "cudnnBackendGetAttribute";
  const Ref d = find(given);
  if (!d || !d->finalized) return wrong(kNotFinalized, kCaller, "the descriptor does not exist, or is not finalized");
  if (name == 202 && d->type == kHeuristic && kind == kDescriptor) {
    if (count != nullptr) *count = kEngines;
    for (int n = 0; n < std::min<int64_t>(room, kEngines) && to != nullptr; ++n) {
      const Ref& operation = d->parts.at(201)->parts.at(801);
      if (const cudnnStatus_t s = fill(kCaller, static_cast<void**>(to)[n], kEngineConfig, operation, n)) return s;
    }
    return kSuccess;
  }
  if (name == 300 && d->type == kEngineConfig && kind == kDescriptor) {
    if (count != nullptr) *count = 1;
    return to == nullptr ? kSuccess : fill(kCaller, *static_cast<void**>(to), kEngine, d->operation, d->engine);
  }
  if (name == 1303 && d->type == kEngine && kind == kNote) {
    give(notes(*d), room, count, to);
    return kSuccess;
  }
  if (name == 402 && d->type == kPlan && kind == kInt64) {
    give(std::vector<int64_t>{kWorkspace[d->parts.at(401)->parts.at(300)->engine]}, room, count, to);
    return kSuccess;
  }
  return wrong(kNotSupported, kCaller, "the simulator does not tell attribute " + std::to_string(name));
}

cudnnStatus_t cudnnBackendExecute(void* handle, void* given_plan, void* given_pack) {
  constexpr const char* kCaller = "cudnnBackendExecute";
  const Ref plan = find(given_plan), pack = find(given_pack);
  if (!has_handle(handle)) return wrong(kBadParam, kCaller, "the handle does not exist");
  if (!plan || plan->type != kPlan || !plan->finalized || !pack || pack->type != kPack || !pack->finalized) {
    return wrong(kNotFinalized, kCaller, "the plan or the pack is none that is finalized");
  }
  Handle h;
  {
    const std::lock_guard guard(lock);
    h = handles()[handle];
  }
  return execute(h, *plan, *pack);
}

}  // extern "C"
#pragma GCC visibility pop

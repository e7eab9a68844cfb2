// libascendcl.so: start, devices and contexts, memory, copies.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "acl_state.h"

namespace minds::sim::ascend {
namespace {

constexpr int kAddresses = 24;  // from this device of the ranges on

struct State {
  std::mutex lock;
  bool initialised = false;
  std::map<int, std::unique_ptr<Device>> devices;
};
State& state() {
  static State& all = *new State;
  return all;
}

thread_local Device* context = nullptr;
// It outlives the thread's end, for what is said then.
std::string& message() {
  thread_local std::string& text = *new std::string;
  return text;
}

size_t setting(const char* name, size_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 0);
}
int device_count() { return static_cast<int>(setting("MINDS_SIM_DEVICES", 2)); }

bool pinned(uintptr_t at, size_t bytes) {
  const Process& p = *current()->process;
  return at >= p.shared() && at + bytes <= p.shared() + kPinned;
}

int start(int index, Device*& out) {
  auto made = std::make_unique<Device>();
  made->index = index;
  const Machine m{"ascend:" + std::to_string(index), "ascend_device", kAddresses + index,
                  setting("MINDS_SIM_MEMORY", size_t{1} << 30), kPinned};
  if (Status bad = Process::start(m, made->process)) return wrong(kDeviceFailed, "aclrtSetDevice", bad.message());
  made->memory = std::make_unique<Space>(made->process->begin(), made->process->size());
  made->pinned = std::make_unique<Space>(made->process->shared(), kPinned);
  out = made.get();
  state().devices.emplace(index, std::move(made));
  return 0;
}

}  // namespace

bool initialised() { return state().initialised; }
Device* current() { return context; }

int device_said(const char* call, const Status& s) { return s ? wrong(kDeviceFailed, call, s.message()) : 0; }

int wrong(int code, const char* call, const std::string& what) {
  message() = what;
  std::fprintf(stderr, "ascend simulator: %s: %s\n", call, what.c_str());
  if (const char* report = std::getenv("MINDS_ASCEND_REPORT"))
    std::ofstream(report, std::ios::app) << call << ": " << what << "\n";
  return code;
}

int entered(const char* call) {
  if (!initialised()) return wrong(kUninitialized, call, "aclInit was not called");
  if (context == nullptr) return wrong(kInvalidParam, call, "this thread has no context");
  return 0;
}

bool forgotten(const char* call) {
  const char* const named = std::getenv("MINDS_ASCEND_FORGET");
  return named != nullptr && std::string(named) == call;
}

bool of_device(uintptr_t at) {
  return context != nullptr && at >= context->process->begin() && at < context->process->shared();
}

int post(const char* call, Stream& s, Kind kind, const Writer& body, const std::vector<Use>& uses, uint64_t* number) {
  Device& d = *s.device;
  const std::lock_guard guard(d.lock);
  uint64_t own = 0;
  if (Status bad = d.process->post(s.number, kind, body, &own)) return wrong(kDeviceFailed, call, bad.message());
  if (number != nullptr) *number = own;
  const std::string race = d.order.queue(s.number, own, call, uses);
  return race.empty() ? 0 : wrong(kDeviceFailed, call, race);
}

int await(const char* call, Device& d, uint32_t stream) {
  uint64_t last = 0;
  Clock seen;
  {
    const std::lock_guard guard(d.lock);
    last = d.process->posted(stream);
    seen = d.order.before(stream);
  }
  const int said = device_said(call, d.process->await(stream, last));
  const std::lock_guard guard(d.lock);
  d.order.wait_on_host(seen);
  return said;
}

namespace {

void put(Writer& w, const std::vector<Operand>& operands, bool writes, std::vector<Use>& uses) {
  w.put(static_cast<uint32_t>(operands.size()));
  for (const Operand& o : operands) {
    w.put(o.data).specs({o.spec}).list(o.strides).put(o.offset).put(o.elements);
    if (o.spec.size() != 0) uses.push_back({o.data, writes});
  }
}

}  // namespace

int queue(const char* call, void* stream, void* workspace, uint64_t bytes, const std::vector<Step>& steps) {
  Stream* const s = stream_of(call, stream);
  if (s == nullptr) return kInvalidParam;
  Writer w;
  std::vector<Use> uses;
  w.text(call).put(workspace).put(bytes).put(static_cast<uint32_t>(steps.size()));
  if (bytes != 0) uses.push_back({reinterpret_cast<uintptr_t>(workspace), true});
  for (const Step& one : steps) {
    w.text(one.op).attrs(one.attrs);
    put(w, one.in, false, uses);
    put(w, one.out, true, uses);
  }
  return post(call, *s, Kind::kCall, w, uses);
}

}  // namespace minds::sim::ascend

using namespace minds::sim;
using namespace minds::sim::ascend;

// ---- start

ACL_EXPORT int aclInit(const char*) {
  if (state().initialised) return 100002;
  state().initialised = true;
  return 0;
}

ACL_EXPORT const char* aclGetRecentErrMsg() { return message().c_str(); }
ACL_EXPORT const char* aclrtGetSocName() { return "Ascend simulator"; }

ACL_EXPORT int aclrtGetDeviceCount(uint32_t* count) {
  if (!initialised()) return wrong(kUninitialized, "aclrtGetDeviceCount", "aclInit was not called");
  *count = static_cast<uint32_t>(device_count());
  return 0;
}

ACL_EXPORT int aclrtSetDevice(int32_t index) {
  State& s = state();
  if (!s.initialised) return wrong(kUninitialized, "aclrtSetDevice", "aclInit was not called");
  if (index < 0 || index >= device_count()) return wrong(kInvalidParam, "aclrtSetDevice", "there is no such device");
  const std::lock_guard guard(s.lock);
  const auto known = s.devices.find(index);
  if (known == s.devices.end()) return start(index, context);
  context = known->second.get();
  return 0;
}

ACL_EXPORT int aclrtGetCurrentContext(void** out) {
  if (int r = entered("aclrtGetCurrentContext")) return r;
  *out = context;
  return 0;
}

ACL_EXPORT int aclrtSetCurrentContext(void* wanted) {
  const std::lock_guard guard(state().lock);
  for (const auto& [index, device] : state().devices) {
    if (device.get() != wanted) continue;
    context = device.get();
    return 0;
  }
  return wrong(kInvalidParam, "aclrtSetCurrentContext", "this is no context");
}

ACL_EXPORT int aclrtCtxSetSysParamOpt(int option, int64_t value) {
  const char* const call = "aclrtCtxSetSysParamOpt";
  if (int r = entered(call)) return r;
  if (option != 0 || value < 0 || value > 1) {
    return wrong(kInvalidParam, call, "the simulator knows whether the context is deterministic only");
  }
  return 0;
}

ACL_EXPORT int aclrtSynchronizeDevice() {
  const char* const call = "aclrtSynchronizeDevice";
  FORGETS(call);
  if (int r = entered(call)) return r;
  int first = 0;
  for (uint32_t n = 0; n < kStreams; ++n) {
    const int r = await(call, *context, n);
    if (first == 0) first = r;
  }
  return first;
}

// ---- memory

ACL_EXPORT int aclrtMalloc(void** out, size_t bytes, int policy) {
  if (int r = entered("aclrtMalloc")) return r;
  if (bytes == 0 || policy < 0 || policy > 5) return wrong(kInvalidParam, "aclrtMalloc", "no bytes, or no such policy");
  Device& d = *context;
  const std::lock_guard guard(d.lock);
  Marks marks;
  uintptr_t at = 0;
  if (!d.memory->take(bytes + kBlock, at, marks)) {
    message() = "no memory left on the device";
    return kNoMemory;
  }
  const uintptr_t aligned = (at + kBlock - 1) / kBlock * kBlock;
  d.blocks.emplace(aligned, Device::Block{at, bytes});
  uint64_t number = 0;
  if (minds::Status bad = d.process->post(kBook, Kind::kAllocate, Writer().put(aligned).put(bytes), &number)) {
    return wrong(kDeviceFailed, "aclrtMalloc", bad.message());
  }
  *out = reinterpret_cast<void*>(aligned);
  return device_said("aclrtMalloc", d.process->reach(kBook, number));
}

ACL_EXPORT int aclrtFree(void* p) {
  FORGETS("aclrtFree");
  if (int r = entered("aclrtFree")) return r;
  Device& d = *context;
  const std::lock_guard guard(d.lock);
  const auto at = reinterpret_cast<uintptr_t>(p);
  const auto known = d.blocks.find(at);
  if (known == d.blocks.end())
    return wrong(kInvalidParam, "aclrtFree", "this was not allocated by aclrtMalloc, or was freed before");
  for (uint32_t n = 0; n < kBook; ++n) {
    if (!d.process->finished(n, d.process->posted(n))) {
      return wrong(kInvalidParam, "aclrtFree", "memory is freed while work is queued that may use it");
    }
  }
  uint64_t number = 0;
  if (minds::Status bad = d.process->post(kBook, Kind::kFree, Writer().put(at), &number)) {
    return wrong(kDeviceFailed, "aclrtFree", bad.message());
  }
  d.order.forget(at, known->second.bytes);
  d.memory->give(known->second.part, kBook, number);
  d.blocks.erase(known);
  return device_said("aclrtFree", d.process->reach(kBook, number));
}

ACL_EXPORT int aclrtMallocHost(void** out, size_t bytes) {
  if (int r = entered("aclrtMallocHost")) return r;
  Device& d = *context;
  const std::lock_guard guard(d.lock);
  Marks marks;
  uintptr_t at = 0;
  if (bytes == 0 || !d.pinned->take(bytes, at, marks)) return kNoMemory;
  if (minds::Status bad = d.process->post(0, Kind::kShare, Writer().put(at).put(bytes))) {
    return wrong(kDeviceFailed, "aclrtMallocHost", bad.message());
  }
  *out = reinterpret_cast<void*>(at);
  return 0;
}

ACL_EXPORT int aclrtGetMemInfo(int which, size_t* available, size_t* total) {
  if (int r = entered("aclrtGetMemInfo")) return r;
  if (which != 0 && which != 1) return wrong(kInvalidParam, "aclrtGetMemInfo", "there is no such memory");
  const std::lock_guard guard(context->lock);
  *total = context->process->size();
  *available = *total - context->memory->in_use();
  return 0;
}

ACL_EXPORT int aclrtMemcpyAsync(void* to, size_t room, const void* from, size_t bytes, int kind, void* stream) {
  const char* const call = "aclrtMemcpyAsync";
  FORGETS(call);
  if (int r = entered(call)) return r;
  Stream* const s = stream_of(call, stream);
  const auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
  if (s == nullptr) return kInvalidParam;
  if (bytes == 0 || bytes > room) return wrong(kInvalidParam, call, "no bytes, or more than there is room");
  const bool target_right = kind == 2 ? pinned(target, bytes) : of_device(target);
  const bool source_right = kind == 1 ? pinned(source, bytes) : of_device(source);
  if (kind < 1 || kind > 3 || !target_right || !source_right) {
    return wrong(kInvalidParam, call, "the addresses are not of the kind of copy, or the host's are not pinned");
  }
  return post(call, *s, Kind::kCopy, Writer().put(target).put(source).put(bytes), {{target, true}, {source, false}});
}

ACL_EXPORT int aclrtMemsetAsync(void* to, size_t room, int32_t value, size_t bytes, void* stream) {
  const char* const call = "aclrtMemsetAsync";
  if (int r = entered(call)) return r;
  Stream* const s = stream_of(call, stream);
  const auto at = reinterpret_cast<uintptr_t>(to);
  if (s == nullptr) return kInvalidParam;
  if (!of_device(at) || bytes > room) return wrong(kInvalidParam, call, "no memory of the device, or no room");
  const Writer body = Writer().put(at).put(size_t{1}).put(bytes).put(static_cast<unsigned char>(value));
  return post(call, *s, Kind::kFill, body, {{at, true}});
}

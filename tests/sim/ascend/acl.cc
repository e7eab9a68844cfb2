// libascendcl.so: device, contexts, memory, streams, events, copies.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "process.h"
#include "simulator.h"
#include "space.h"

namespace minds::sim::ascend {
namespace {

constexpr int kAddresses = 24;  // from this device of the ranges on
constexpr size_t kPinned = size_t{256} << 20;
constexpr uint32_t kBook = kStreams - 1;  // the stream of allocations
constexpr size_t kBlock = 512;

struct Stream {
  uint32_t number;
};
struct Event {
  uint32_t flags;
  int timer;
  bool recorded;
  uint32_t stream;
  uint64_t number;
};

struct State {
  std::mutex lock;
  bool initialised = false;
  std::unique_ptr<Process> process;  // of device 0, the only one
  std::unique_ptr<Space> memory, pinned;
  std::map<uintptr_t, uintptr_t> blocks;  // where the part of the space begins
  std::set<Stream*> streams;
  std::set<Event*> events;
  uint32_t last_stream = 0;
  int last_timer = 0;
};
State& state() {
  static State& all = *new State;
  return all;
}

thread_local bool has_context = false;
thread_local std::string message;

size_t memory_size() {
  const char* given = std::getenv("MINDS_SIM_MEMORY");
  return given == nullptr ? size_t{1} << 30 : std::strtoull(given, nullptr, 0);
}

bool pinned(uintptr_t at, size_t bytes) {
  const Process& p = *state().process;
  return at >= p.shared() && at + bytes <= p.shared() + kPinned;
}

Event* event_of(void* e) {
  const std::lock_guard guard(state().lock);
  Event* found = static_cast<Event*>(e);
  return state().events.count(found) == 0 ? nullptr : found;
}

int device_said(const char* call, const Status& s) { return s ? wrong(kDeviceFailed, call, s.message()) : 0; }

}  // namespace

int wrong(int code, const char* call, const std::string& what) {
  message = what;
  std::fprintf(stderr, "ascend simulator: %s: %s\n", call, what.c_str());
  if (const char* report = std::getenv("MINDS_ASCEND_REPORT"))
    std::ofstream(report, std::ios::app) << call << ": " << what << "\n";
  return code;
}

int entered(const char* call) {
  if (!state().initialised) return wrong(kUninitialized, call, "aclInit was not called");
  if (!has_context) return wrong(kInvalidParam, call, "this thread has no context");
  return 0;
}

bool of_device(uintptr_t at) { return at >= state().process->begin() && at < state().process->shared(); }

int stream_number(void* stream) {
  const std::lock_guard guard(state().lock);
  auto* found = static_cast<Stream*>(stream);
  return state().streams.count(found) == 0 ? -1 : static_cast<int>(found->number);
}

namespace {

void put(Writer& w, const std::vector<Operand>& operands) {
  w.put(static_cast<uint32_t>(operands.size()));
  for (const Operand& o : operands) {
    w.put(o.data).specs({o.spec}).list(o.strides).put(o.offset).put(o.elements);
  }
}

}  // namespace

int queue(const char* call, int stream, void* workspace, uint64_t bytes, const std::vector<Step>& steps) {
  Writer w;
  w.text(call).put(workspace).put(bytes).put(static_cast<uint32_t>(steps.size()));
  for (const Step& s : steps) {
    w.text(s.op).attrs(s.attrs);
    put(w, s.in);
    put(w, s.out);
  }
  return device_said(call, state().process->post(static_cast<uint32_t>(stream), Kind::kCall, w));
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

ACL_EXPORT const char* aclGetRecentErrMsg() { return message.c_str(); }
ACL_EXPORT const char* aclrtGetSocName() { return "Ascend simulator"; }

ACL_EXPORT int aclrtGetDeviceCount(uint32_t* count) {
  if (!state().initialised) return wrong(kUninitialized, "aclrtGetDeviceCount", "aclInit was not called");
  *count = 1;
  return 0;
}

ACL_EXPORT int aclrtSetDevice(int32_t device) {
  State& s = state();
  if (!s.initialised) return wrong(kUninitialized, "aclrtSetDevice", "aclInit was not called");
  if (device != 0) return wrong(kInvalidParam, "aclrtSetDevice", "there is no such device");
  const std::lock_guard guard(s.lock);
  if (!s.process) {
    const Machine m{"ascend:0", "ascend_device", kAddresses, memory_size(), kPinned};
    if (minds::Status bad = Process::start(m, s.process)) return wrong(kDeviceFailed, "aclrtSetDevice", bad.message());
    s.memory = std::make_unique<Space>(s.process->begin(), s.process->size());
    s.pinned = std::make_unique<Space>(s.process->shared(), kPinned);
  }
  has_context = true;
  return 0;
}

ACL_EXPORT int aclrtGetCurrentContext(void** context) {
  if (int r = entered("aclrtGetCurrentContext")) return r;
  *context = &state();
  return 0;
}

ACL_EXPORT int aclrtSetCurrentContext(void* context) {
  if (context != &state()) return wrong(kInvalidParam, "aclrtSetCurrentContext", "this is no context");
  has_context = true;
  return 0;
}

ACL_EXPORT int aclrtSynchronizeDevice() {
  if (int r = entered("aclrtSynchronizeDevice")) return r;
  Process& p = *state().process;
  int first = 0;
  for (uint32_t n = 0; n < kStreams; ++n) {
    const int r = device_said("aclrtSynchronizeDevice", p.await(n, p.posted(n)));
    if (first == 0) first = r;
  }
  return first;
}

ACL_EXPORT int aclrtCtxSetSysParamOpt(int option, int64_t value) {
  const char* const call = "aclrtCtxSetSysParamOpt";
  if (int r = entered(call)) return r;
  if (option != 0 || value < 0 || value > 1) {
    return wrong(kInvalidParam, call, "the simulator knows whether the context is deterministic only");
  }
  return 0;
}

// ---- memory

ACL_EXPORT int aclrtMalloc(void** out, size_t bytes, int policy) {
  if (int r = entered("aclrtMalloc")) return r;
  if (bytes == 0 || policy < 0 || policy > 5) return wrong(kInvalidParam, "aclrtMalloc", "no bytes, or no such policy");
  State& s = state();
  const std::lock_guard guard(s.lock);
  Marks marks;
  uintptr_t at = 0;
  if (!s.memory->take(bytes + kBlock, at, marks)) {
    message = "no memory left on the device";
    return kNoMemory;
  }
  const uintptr_t aligned = (at + kBlock - 1) / kBlock * kBlock;
  s.blocks.emplace(aligned, at);
  uint64_t number = 0;
  if (minds::Status bad = s.process->post(kBook, Kind::kAllocate, Writer().put(aligned).put(bytes), &number)) {
    return wrong(kDeviceFailed, "aclrtMalloc", bad.message());
  }
  *out = reinterpret_cast<void*>(aligned);
  return device_said("aclrtMalloc", s.process->reach(kBook, number));
}

ACL_EXPORT int aclrtFree(void* p) {
  if (int r = entered("aclrtFree")) return r;
  State& s = state();
  const std::lock_guard guard(s.lock);
  const auto at = reinterpret_cast<uintptr_t>(p);
  const auto known = s.blocks.find(at);
  if (known == s.blocks.end())
    return wrong(kInvalidParam, "aclrtFree", "this was not allocated by aclrtMalloc, or was freed before");
  for (uint32_t n = 0; n < kBook; ++n) {
    if (!s.process->finished(n, s.process->posted(n))) {
      return wrong(kInvalidParam, "aclrtFree", "memory is freed while work is queued that may use it");
    }
  }
  uint64_t number = 0;
  if (minds::Status bad = s.process->post(kBook, Kind::kFree, Writer().put(at), &number)) {
    return wrong(kDeviceFailed, "aclrtFree", bad.message());
  }
  s.memory->give(known->second, kBook, number);
  s.blocks.erase(known);
  return device_said("aclrtFree", s.process->reach(kBook, number));
}

ACL_EXPORT int aclrtMallocHost(void** out, size_t bytes) {
  if (int r = entered("aclrtMallocHost")) return r;
  State& s = state();
  const std::lock_guard guard(s.lock);
  Marks marks;
  uintptr_t at = 0;
  if (bytes == 0 || !s.pinned->take(bytes, at, marks)) return kNoMemory;
  if (minds::Status bad = s.process->post(0, Kind::kShare, Writer().put(at).put(bytes))) {
    return wrong(kDeviceFailed, "aclrtMallocHost", bad.message());
  }
  *out = reinterpret_cast<void*>(at);
  return 0;
}

ACL_EXPORT int aclrtGetMemInfo(int which, size_t* available, size_t* total) {
  if (int r = entered("aclrtGetMemInfo")) return r;
  if (which != 0 && which != 1) return wrong(kInvalidParam, "aclrtGetMemInfo", "there is no such memory");
  const std::lock_guard guard(state().lock);
  *total = state().process->size();
  *available = *total - state().memory->in_use();
  return 0;
}

ACL_EXPORT int aclrtMemcpyAsync(void* to, size_t room, const void* from, size_t bytes, int kind, void* stream) {
  const char* const call = "aclrtMemcpyAsync";
  if (int r = entered(call)) return r;
  const int n = stream_number(stream);
  const auto target = reinterpret_cast<uintptr_t>(to), source = reinterpret_cast<uintptr_t>(from);
  if (n < 0) return wrong(kInvalidParam, call, "the stream is none");
  if (bytes == 0 || bytes > room) return wrong(kInvalidParam, call, "no bytes, or more than there is room");
  const bool target_right = kind == 2 ? pinned(target, bytes) : of_device(target);
  const bool source_right = kind == 1 ? pinned(source, bytes) : of_device(source);
  if (kind < 1 || kind > 3 || !target_right || !source_right) {
    return wrong(kInvalidParam, call, "the addresses are not of the kind of copy, or the host's are not pinned");
  }
  return device_said(
      call, state().process->post(static_cast<uint32_t>(n), Kind::kCopy, Writer().put(target).put(source).put(bytes)));
}

ACL_EXPORT int aclrtMemsetAsync(void* to, size_t room, int32_t value, size_t bytes, void* stream) {
  const char* const call = "aclrtMemsetAsync";
  if (int r = entered(call)) return r;
  const int n = stream_number(stream);
  const auto at = reinterpret_cast<uintptr_t>(to);
  if (n < 0 || !of_device(at) || bytes > room)
    return wrong(kInvalidParam, call, "no stream, no memory of the device, or no room");
  const Writer body = Writer().put(at).put(size_t{1}).put(bytes).put(static_cast<unsigned char>(value));
  return device_said(call, state().process->post(static_cast<uint32_t>(n), Kind::kFill, body));
}

// ---- streams and events

ACL_EXPORT int aclrtCreateStream(void** out) {
  if (int r = entered("aclrtCreateStream")) return r;
  State& s = state();
  const std::lock_guard guard(s.lock);
  if (s.last_stream + 1 >= kBook) return wrong(kInvalidParam, "aclrtCreateStream", "the simulator has no more streams");
  auto* made = new Stream{++s.last_stream};
  s.streams.insert(made);
  *out = made;
  return 0;
}

ACL_EXPORT int aclrtSynchronizeStream(void* stream) {
  if (int r = entered("aclrtSynchronizeStream")) return r;
  const int n = stream_number(stream);
  if (n < 0) return wrong(kInvalidParam, "aclrtSynchronizeStream", "the stream is none");
  Process& p = *state().process;
  return device_said("aclrtSynchronizeStream", p.await(static_cast<uint32_t>(n), p.posted(static_cast<uint32_t>(n))));
}

ACL_EXPORT int aclrtStreamQuery(void* stream, int* status) {
  if (int r = entered("aclrtStreamQuery")) return r;
  const int n = stream_number(stream);
  if (n < 0) return wrong(kInvalidParam, "aclrtStreamQuery", "the stream is none");
  const Process& p = *state().process;
  *status = p.finished(static_cast<uint32_t>(n), p.posted(static_cast<uint32_t>(n))) ? 0 : 1;
  return 0;
}

ACL_EXPORT int aclrtCreateEventExWithFlag(void** out, uint32_t flags) {
  if (int r = entered("aclrtCreateEventExWithFlag")) return r;
  if (flags == 0 || flags > 15) return wrong(kInvalidParam, "aclrtCreateEventExWithFlag", "there are no such flags");
  State& s = state();
  const std::lock_guard guard(s.lock);
  const int timer = (flags & 8) != 0 ? s.last_timer++ % static_cast<int>(kTimers) : -1;
  auto* made = new Event{flags, timer, false, 0, 0};
  s.events.insert(made);
  *out = made;
  return 0;
}

ACL_EXPORT int aclrtDestroyEvent(void* event) {
  if (int r = entered("aclrtDestroyEvent")) return r;
  Event* e = event_of(event);
  if (e == nullptr) return wrong(kInvalidParam, "aclrtDestroyEvent", "the event is none, or was destroyed before");
  const std::lock_guard guard(state().lock);
  state().events.erase(e);
  delete e;
  return 0;
}

ACL_EXPORT int aclrtRecordEvent(void* event, void* stream) {
  if (int r = entered("aclrtRecordEvent")) return r;
  Event* e = event_of(event);
  const int n = stream_number(stream);
  if (e == nullptr || n < 0) return wrong(kInvalidParam, "aclrtRecordEvent", "the event or the stream is none");
  Process& p = *state().process;
  e->recorded = true;
  e->stream = static_cast<uint32_t>(n);
  if (e->timer < 0) {
    e->number = p.posted(e->stream);
    return 0;
  }
  return device_said("aclrtRecordEvent",
                     p.post(e->stream, Kind::kTime, Writer().put(static_cast<uint32_t>(e->timer)), &e->number));
}

ACL_EXPORT int aclrtStreamWaitEvent(void* stream, void* event) {
  if (int r = entered("aclrtStreamWaitEvent")) return r;
  Event* e = event_of(event);
  const int n = stream_number(stream);
  if (e == nullptr || n < 0) return wrong(kInvalidParam, "aclrtStreamWaitEvent", "the event or the stream is none");
  if (!e->recorded) return wrong(kInvalidParam, "aclrtStreamWaitEvent", "the event was never recorded");
  if (static_cast<uint32_t>(n) == e->stream) return 0;
  const Writer body = Writer().put(e->stream).put(e->number);
  return device_said("aclrtStreamWaitEvent", state().process->post(static_cast<uint32_t>(n), Kind::kWait, body));
}

ACL_EXPORT int aclrtQueryEventStatus(void* event, int* status) {
  if (int r = entered("aclrtQueryEventStatus")) return r;
  Event* e = event_of(event);
  if (e == nullptr || !e->recorded)
    return wrong(kInvalidParam, "aclrtQueryEventStatus", "the event is none, or was never recorded");
  *status = state().process->finished(e->stream, e->number) ? 1 : 0;
  return 0;
}

ACL_EXPORT int aclrtSynchronizeEvent(void* event) {
  if (int r = entered("aclrtSynchronizeEvent")) return r;
  Event* e = event_of(event);
  if (e == nullptr || !e->recorded)
    return wrong(kInvalidParam, "aclrtSynchronizeEvent", "the event is none, or was never recorded");
  return device_said("aclrtSynchronizeEvent", state().process->await(e->stream, e->number));
}

ACL_EXPORT int aclrtEventElapsedTime(float* ms, void* first, void* second) {
  if (int r = entered("aclrtEventElapsedTime")) return r;
  Event *a = event_of(first), *b = event_of(second);
  if (a == nullptr || b == nullptr || a->timer < 0 || b->timer < 0) {
    return wrong(kInvalidParam, "aclrtEventElapsedTime", "an event is none, or has no time");
  }
  const Process& p = *state().process;
  if (!p.finished(a->stream, a->number) || !p.finished(b->stream, b->number)) {
    return wrong(kInvalidParam, "aclrtEventElapsedTime", "an event has not happened");
  }
  *ms = static_cast<float>(p.time(static_cast<uint32_t>(b->timer)) - p.time(static_cast<uint32_t>(a->timer))) * 1e-6f;
  return 0;
}

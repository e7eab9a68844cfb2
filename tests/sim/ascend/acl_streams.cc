// libascendcl.so: streams and events, and which of them are alive.
#include "acl_state.h"

namespace minds::sim::ascend {
namespace {

struct Known {
  std::mutex lock;
  std::set<Stream*> streams;
  std::set<Event*> events;
  int last_timer = 0;
};

Known& known() {
  static Known& all = *new Known;
  return all;
}

// Null, and said, if it is none.
Event* event_of(const char* call, void* event) {
  const std::lock_guard guard(known().lock);
  auto* const found = static_cast<Event*>(event);
  if (known().events.count(found) == 0) {
    wrong(kInvalidParam, call, "the event is none, or was destroyed before");
    return nullptr;
  }
  return found;
}

Event* recorded_event(const char* call, void* event) {
  Event* const e = event_of(call, event);
  if (e == nullptr || e->recorded) return e;
  wrong(kInvalidParam, call, "the event was never recorded");
  return nullptr;
}

}  // namespace

Stream* stream_of(const char* call, void* stream) {
  const std::lock_guard guard(known().lock);
  auto* const found = static_cast<Stream*>(stream);
  if (known().streams.count(found) == 0) {
    wrong(kInvalidParam, call, "the stream is none");
    return nullptr;
  }
  if (found->device != current()) {
    wrong(kInvalidParam, call, "the stream is of another device than this thread's context");
    return nullptr;
  }
  return found;
}

}  // namespace minds::sim::ascend

using namespace minds::sim;
using namespace minds::sim::ascend;

// ---- streams

ACL_EXPORT int aclrtCreateStream(void** out) {
  if (int r = entered("aclrtCreateStream")) return r;
  Device& d = *current();
  const std::lock_guard guard(known().lock);
  if (d.last_stream + 1 >= kBook) return wrong(kInvalidParam, "aclrtCreateStream", "the simulator has no more streams");
  auto* made = new Stream{&d, ++d.last_stream};
  known().streams.insert(made);
  *out = made;
  return 0;
}

ACL_EXPORT int aclrtSynchronizeStream(void* stream) {
  const char* const call = "aclrtSynchronizeStream";
  FORGETS(call);
  if (int r = entered(call)) return r;
  Stream* const s = stream_of(call, stream);
  return s == nullptr ? kInvalidParam : await(call, *s->device, s->number);
}

ACL_EXPORT int aclrtStreamQuery(void* stream, int* status) {
  const char* const call = "aclrtStreamQuery";
  if (int r = entered(call)) return r;
  Stream* const s = stream_of(call, stream);
  if (s == nullptr) return kInvalidParam;
  Device& d = *s->device;
  const std::lock_guard guard(d.lock);
  const bool done = d.process->finished(s->number, d.process->posted(s->number));
  if (done) d.order.wait_on_host(d.order.before(s->number));
  *status = done ? 0 : 1;
  return 0;
}

ACL_EXPORT int aclrtStreamWaitEvent(void* stream, void* event) {
  const char* const call = "aclrtStreamWaitEvent";
  FORGETS(call);
  if (int r = entered(call)) return r;
  Stream* const s = stream_of(call, stream);
  Event* const e = recorded_event(call, event);
  if (s == nullptr || e == nullptr) return kInvalidParam;
  if (e->device != s->device) return wrong(kInvalidParam, call, "the event is of another device");
  if (s->number == e->stream) return 0;
  {
    const std::lock_guard guard(s->device->lock);
    s->device->order.wait(s->number, e->clock);
  }
  return post(call, *s, Kind::kWait, Writer().put(e->stream).put(e->number), {});
}

// ---- events

// For tests: how many there are.
ACL_EXPORT uint64_t ascend_simulator_events() {
  const std::lock_guard guard(known().lock);
  return known().events.size();
}

ACL_EXPORT int aclrtCreateEventExWithFlag(void** out, uint32_t flags) {
  const char* const call = "aclrtCreateEventExWithFlag";
  if (int r = entered(call)) return r;
  if (flags == 0 || flags > 15) return wrong(kInvalidParam, call, "there are no such flags");
  const std::lock_guard guard(known().lock);
  const int timer = (flags & 8) != 0 ? known().last_timer++ % static_cast<int>(kTimers) : -1;
  auto* made = new Event{current(), timer, false, 0, 0, {}};
  known().events.insert(made);
  *out = made;
  return 0;
}

ACL_EXPORT int aclrtDestroyEvent(void* event) {
  const char* const call = "aclrtDestroyEvent";
  if (int r = entered(call)) return r;
  Event* const e = event_of(call, event);
  if (e == nullptr) return kInvalidParam;
  const std::lock_guard guard(known().lock);
  known().events.erase(e);
  delete e;
  return 0;
}

ACL_EXPORT int aclrtRecordEvent(void* event, void* stream) {
  const char* const call = "aclrtRecordEvent";
  FORGETS(call);
  if (int r = entered(call)) return r;
  Event* const e = event_of(call, event);
  Stream* const s = stream_of(call, stream);
  if (e == nullptr || s == nullptr) return kInvalidParam;
  if (e->device != s->device) return wrong(kInvalidParam, call, "the event is of another device");
  Device& d = *s->device;
  if (e->timer >= 0) {
    if (int r = post(call, *s, Kind::kTime, Writer().put(static_cast<uint32_t>(e->timer)), {}, &e->number)) return r;
  }
  const std::lock_guard guard(d.lock);
  if (e->timer < 0) e->number = d.process->posted(s->number);
  e->stream = s->number;
  e->clock = d.order.before(s->number);
  e->recorded = true;
  return 0;
}

ACL_EXPORT int aclrtQueryEventStatus(void* event, int* status) {
  const char* const call = "aclrtQueryEventStatus";
  if (int r = entered(call)) return r;
  Event* const e = recorded_event(call, event);
  if (e == nullptr) return kInvalidParam;
  const std::lock_guard guard(e->device->lock);
  const bool done = e->device->process->finished(e->stream, e->number);
  if (done) e->device->order.wait_on_host(e->clock);
  *status = done ? 1 : 0;
  return 0;
}

ACL_EXPORT int aclrtSynchronizeEvent(void* event) {
  const char* const call = "aclrtSynchronizeEvent";
  FORGETS(call);
  if (int r = entered(call)) return r;
  Event* const e = recorded_event(call, event);
  if (e == nullptr) return kInvalidParam;
  const int said = device_said(call, e->device->process->await(e->stream, e->number));
  const std::lock_guard guard(e->device->lock);
  e->device->order.wait_on_host(e->clock);
  return said;
}

ACL_EXPORT int aclrtEventElapsedTime(float* ms, void* first, void* second) {
  const char* const call = "aclrtEventElapsedTime";
  if (int r = entered(call)) return r;
  Event *const a = recorded_event(call, first), *const b = recorded_event(call, second);
  if (a == nullptr || b == nullptr) return kInvalidParam;
  if (a->timer < 0 || b->timer < 0) return wrong(kInvalidParam, call, "an event has no time");
  Process& p = *a->device->process;
  for (const Event* e : {a, b}) {
    if (!p.finished(e->stream, e->number)) return wrong(kInvalidParam, call, "an event is not there yet");
  }
  *ms = static_cast<float>(p.time(static_cast<uint32_t>(b->timer)) - p.time(static_cast<uint32_t>(a->timer))) / 1e6f;
  return 0;
}

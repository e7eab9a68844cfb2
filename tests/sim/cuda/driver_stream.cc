// The simulated driver's streams and events.
#include <algorithm>

#include "driver_state.h"

using minds::sim::Kind;
using minds::sim::Writer;
using minds::sim::driver::Call;
using minds::sim::driver::Capture;
using minds::sim::driver::state;

namespace {

constexpr unsigned kNonBlocking = 1, kDisableTiming = 2;

template <class Bits>
int take(Bits& used) {
  const auto free = std::find(used.begin(), used.end(), false);
  if (free == used.end()) return -1;
  *free = true;
  return static_cast<int>(free - used.begin());
}

CUresult create(const Call& call, CUstream_st** out, unsigned flags) {
  if (out == nullptr || flags > kNonBlocking) return call.wrong(kInvalidValue, "a null pointer, or no such flags");
  CUctx_st& c = call.context();
  const int number = take(c.streams);
  if (number < 0) return call.wrong(kOutOfMemory, "the simulator has no more streams");
  *out = state().streams.add(std::unique_ptr<CUstream_st>(new CUstream_st{&c, static_cast<uint32_t>(number), flags, {}}));
  return kSuccess;
}

// The stream goes on after the nodes that the event stands for, in the event's capture.
CUresult join(const Call& call, CUstream_st* s, const CUevent_st& e) {
  if (s->capture && s->capture != e.capture) return call.wrong(kCaptureMerge, "two captures would be joined");
  s->capture = e.capture;
  std::vector<uint32_t>& last = s->capture->last[s];
  last.insert(last.end(), e.after.begin(), e.after.end());
  std::sort(last.begin(), last.end());
  last.erase(std::unique(last.begin(), last.end()), last.end());
  return kSuccess;
}

CUresult captured(const Call& call, CUstream_st* s) {
  if (!s->capture) return kSuccess;
  s->capture->invalid = true;
  return call.wrong(kCaptureUnsupported, "the stream is capturing");
}

// Whether the event's work has ended, and can be asked for.
CUresult waitable(const Call& call, const CUevent_st* e) {
  if (!e->capture) return kSuccess;
  e->capture->invalid = true;
  return call.wrong(kCapturedEvent, "the event was last recorded in a capturing stream");
}

bool happened(const CUevent_st& e) { return !e.recorded || e.context->process->finished(e.stream, e.number); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuStreamCreate(CUstream_st** out, unsigned flags) {
  CALL("cuStreamCreate");
  return create(call, out, flags);
}

CUresult cuStreamCreateWithPriority(CUstream_st** out, unsigned flags, int) {
  CALL("cuStreamCreateWithPriority");
  return create(call, out, flags);
}

CUresult cuStreamDestroy_v2(CUstream_st* s) {
  CALL("cuStreamDestroy");
  if (CUresult r = call.check(s)) return r;
  if (s->capture) return call.wrong(kCaptureUnsupported, "the stream is capturing");
  s->context->streams[s->number] = false;  // what is queued still runs; who gets the number comes behind it
  state().streams.drop(s);
  return kSuccess;
}

CUresult cuStreamSynchronize(CUstream_st* s) {
  CALL("cuStreamSynchronize");
  if (CUresult r = call.check(s)) return r;
  if (CUresult r = captured(call, s)) return r;
  if (CUresult r = call.unsafe()) return r;
  return call.await(*s->context, s->number);
}

CUresult cuStreamQuery(CUstream_st* s) {
  CALL("cuStreamQuery");
  if (CUresult r = call.check(s)) return r;
  if (CUresult r = captured(call, s)) return r;
  if (CUresult r = call.unsafe()) return r;
  CUctx_st& c = *s->context;
  if (!c.process->finished(s->number, c.process->posted(s->number))) {
    return c.process->alive() ? call.await(c, s->number) : kNotReady;
  }
  return call.await(c, s->number);
}

CUresult cuStreamGetCtx(CUstream_st* s, CUctx_st** out) {
  CALL("cuStreamGetCtx");
  if (CUresult r = call.check(s)) return r;
  if (out == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  *out = s->context;
  return kSuccess;
}

CUresult cuStreamWaitEvent(CUstream_st* s, CUevent_st* e, unsigned flags) {
  CALL("cuStreamWaitEvent");
  if (CUresult r = call.check(s)) return r;
  if (!state().events.has(e)) return call.wrong(kInvalidHandle, "the event does not exist");
  if (flags > 1) return call.wrong(kInvalidValue, "there are no such flags");
  if (e->capture) return join(call, s, *e);
  if (s->capture) {
    s->capture->invalid = true;
    return call.wrong(kCaptureIsolation, "a capturing stream waits for work that is not captured");
  }
  if (e->context == s->context && e->recorded) s->context->order.wait(s->number, e->clock);
  if (happened(*e)) return kSuccess;
  if (e->context != s->context) {  // of another device's process: the host waits
    return call.await(*e->context, e->stream, e->number, e->clock);
  }
  if (e->stream == s->number) return kSuccess;
  return call.queue(s, {Kind::kWait, Writer().put(e->stream).put(e->number), {}, {}, "wait"});
}

CUresult cuEventCreate(CUevent_st** out, unsigned flags) {
  CALL("cuEventCreate");
  if (out == nullptr || flags > 7) return call.wrong(kInvalidValue, "a null pointer, or no such flags");
  CUctx_st& c = call.context();
  const int timer = (flags & kDisableTiming) != 0 ? -1 : take(c.timers);
  if ((flags & kDisableTiming) == 0 && timer < 0) return call.wrong(kOutOfMemory, "the simulator has no more timers");
  *out = state().events.add(std::unique_ptr<CUevent_st>(new CUevent_st{&c, flags, timer, false, 0, 0, {}, {}, {}}));
  return kSuccess;
}

CUresult cuEventDestroy_v2(CUevent_st* e) {
  CALL("cuEventDestroy");
  if (!state().events.has(e)) return call.wrong(kInvalidHandle, "the event does not exist");
  if (e->timer >= 0) e->context->timers[static_cast<size_t>(e->timer)] = false;
  state().events.drop(e);
  return kSuccess;
}

CUresult cuEventRecord(CUevent_st* e, CUstream_st* s) {
  CALL("cuEventRecord");
  if (CUresult r = call.check(s)) return r;
  if (CUresult r = call.check(e)) return r;
  if (s->capture) {
    e->capture = s->capture;
    e->after = s->capture->last[s];
    return kSuccess;
  }
  e->capture = nullptr;
  e->recorded = true;
  e->stream = s->number;
  CUresult r = kSuccess;
  if (e->timer >= 0) {
    r = call.queue(s, {Kind::kTime, Writer().put(static_cast<uint32_t>(e->timer)), {}, {}, "time"}, &e->number);
  } else {
    e->number = s->context->process->posted(s->number);
  }
  e->clock = s->context->order.before(s->number);
  return r;
}

CUresult cuEventQuery(CUevent_st* e) {
  CALL("cuEventQuery");
  if (CUresult r = call.check(e)) return r;
  if (CUresult r = waitable(call, e)) return r;
  if (CUresult r = call.unsafe()) return r;
  if (!happened(*e) && !e->context->process->alive()) return kNotReady;
  return e->recorded ? call.await(*e->context, e->stream, e->number, e->clock) : kSuccess;
}

CUresult cuEventSynchronize(CUevent_st* e) {
  CALL("cuEventSynchronize");
  if (CUresult r = call.check(e)) return r;
  if (CUresult r = waitable(call, e)) return r;
  if (CUresult r = call.unsafe()) return r;
  return e->recorded ? call.await(*e->context, e->stream, e->number, e->clock) : kSuccess;
}

CUresult cuEventElapsedTime_v2(float* ms, CUevent_st* start, CUevent_st* end) {
  CALL("cuEventElapsedTime");
  if (CUresult r = call.check(start)) return r;
  if (CUresult r = call.check(end)) return r;
  if (ms == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  if (start->timer < 0 || end->timer < 0) return call.wrong(kInvalidHandle, "an event was made without timing");
  if (!start->recorded || !end->recorded) return call.wrong(kInvalidHandle, "an event was not recorded");
  if (!happened(*start) || !happened(*end)) return kNotReady;
  const minds::sim::Process& p = *call.context().process;
  const int64_t ns = p.time(static_cast<uint32_t>(end->timer)) - p.time(static_cast<uint32_t>(start->timer));
  *ms = static_cast<float>(static_cast<double>(ns) * 1e-6);
  return kSuccess;
}

CUresult cuEventElapsedTime(float* ms, CUevent_st* start, CUevent_st* end) { return cuEventElapsedTime_v2(ms, start, end); }

}  // extern "C"
#pragma GCC visibility pop

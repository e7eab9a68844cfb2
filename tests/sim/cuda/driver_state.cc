#include "driver_state.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace minds::sim::driver {

State& state() {
  static State& s = *new State;  // as in the driver, nothing ends before the process does
  return s;
}

CUctx_st*& current() {
  static thread_local CUctx_st* c = nullptr;
  return c;
}

std::string hexadecimal(uint64_t v) {
  char text[20];
  std::snprintf(text, sizeof text, "%#zx", static_cast<size_t>(v));
  return text;
}

bool is_forgotten(const char* call) {
  static const char* given = std::getenv("MINDS_CUDA_FORGET");
  return given != nullptr && std::strcmp(given, call) == 0;
}

bool inside(const Blocks& blocks, uintptr_t at, size_t bytes) {
  const auto next = blocks.upper_bound(at);
  if (next == blocks.begin()) return false;
  const auto& [begin, block] = *std::prev(next);
  return at + bytes <= begin + block.bytes;
}

CUresult wrong(CUresult code, const char* call, const std::string& what) {
  const std::string line = std::string("simulated CUDA: ") + call + ": " + what + "\n";
  std::fputs(line.c_str(), stderr);
  if (const char* report = std::getenv("MINDS_CUDA_REPORT")) {
    if (FILE* f = std::fopen(report, "a")) {
      std::fputs(line.c_str(), f);
      std::fclose(f);
    }
  }
  return code;
}

namespace {

std::string& last_failure() {
  static std::string& text = *new std::string;
  return text;
}

}  // namespace

CUresult failed(CUctx_st& c, const char* call, const Status& s) {
  if (c.broken != kSuccess) return c.broken;
  const std::string& text = s.message();
  c.broken = text.find("not aligned") != text.npos        ? kMisaligned
             : text.find("that is in use") != text.npos ? kIllegalAddress
                                                          : kLaunchFailed;
  last_failure() = text;
  return wrong(c.broken, call, text);
}

const char* message_of(CUresult code) {
  switch (code) {
    case kSuccess: return "no error";
    case kInvalidValue: return "invalid argument";
    case kOutOfMemory: return "out of memory";
    case kNotInitialized: return "initialization error";
    case kInvalidDevice: return "invalid device ordinal";
    case kInvalidImage: return "device kernel image is invalid";
    case kInvalidContext: return "invalid device context";
    case kInvalidHandle: return "invalid resource handle";
    case kNotFound: return "named symbol not found";
    case kNotReady: return "device not ready";
    case kIllegalAddress:
    case kMisaligned:
    case kLaunchFailed: return last_failure().c_str();
    case kOutOfResources: return "too many resources requested for launch";
    case kNotSupported: return "operation not supported";
    case kCaptureUnsupported: return "operation not permitted when stream is capturing";
    case kCaptureInvalidated: return "operation failed due to a previous error during capture";
    case kCaptureMerge: return "operation would result in a merge of separate capture sequences";
    case kCaptureUnmatched: return "capture was not ended in the same stream as it began";
    case kCaptureUnjoined: return "capturing stream has unjoined work";
    case kCaptureIsolation: return "dependency created on uncaptured work in another stream";
    case kCapturedEvent: return "operation not permitted on an event last recorded in a capturing stream";
    case kCaptureWrongThread: return "attempt to terminate a thread-local capture sequence from another thread";
  }
  return nullptr;
}

Call::Call(const char* called, Needs needs) : name(called), lock_(state().lock) {
  if (needs == kNothing) return;
  if (state().process == 0) {
    result = wrong(kNotInitialized, "cuInit was not called");
  } else if (state().process != getpid()) {
    result = wrong(kNotInitialized, "the driver was initialised before this process was forked off");
  } else if (needs == kContext) {
    context_ = current();
    result = context_ == nullptr ? wrong(kInvalidContext, "no context is current to the calling thread")
                                 : context_->broken;
  }
}

CUresult Call::unsafe() const {
  CUresult found = kSuccess;
  for (const auto& c : state().captures) {
    constexpr unsigned kGlobal = 0, kRelaxed = 2;
    if (c->mode == kRelaxed || (c->mode != kGlobal && c->thread != std::this_thread::get_id())) continue;
    c->invalid = true;
    found = wrong(kCaptureUnsupported, "is not permitted while a stream is capturing");
  }
  return found;
}

CUresult Call::check(CUstream_st* s) const {
  if (s == nullptr) return wrong(kNotSupported, "the default stream synchronises with others; it is not simulated");
  if (!state().streams.has(s)) return wrong(kInvalidHandle, "the stream does not exist");
  if (s->context != context_) return wrong(kInvalidHandle, "the stream is of a context that is not current");
  return s->context->broken;
}

CUresult Call::check(CUevent_st* e) const {
  if (!state().events.has(e)) return wrong(kInvalidHandle, "the event does not exist");
  if (e->context != context_) return wrong(kInvalidHandle, "the event is of a context that is not current");
  return e->context->broken;
}

CUresult Call::queue(CUstream_st* s, Node node, uint64_t* number) const {
  if (s->capture) {
    Capture& c = *s->capture;
    if (c.invalid) return wrong(kCaptureInvalidated, "the stream's capture is invalid");
    std::vector<uint32_t>& last = c.last[s];
    node.after = last;
    last = {static_cast<uint32_t>(c.nodes.size())};
    c.nodes.push_back(std::move(node));
    return kSuccess;
  }
  uint64_t own = 0;
  if (Status failure = s->context->process->post(s->number, node.kind, node.body, &own)) {
    return failed(*s->context, name, failure);
  }
  if (number != nullptr) *number = own;
  std::string race = s->context->order.queue(s->number, own, node.what, node.uses);
  return race.empty() ? kSuccess : failed(*s->context, name, {Code::kBackend, std::move(race)});
}

CUresult Call::await(CUctx_st& c, uint32_t stream, uint64_t number, const Clock& clock) {
  const Clock seen = clock;
  lock_.unlock();
  Status s = c.process->await(stream, number);
  lock_.lock();
  c.order.wait_on_host(seen);
  return s ? failed(c, name, s) : c.broken;
}

}  // namespace minds::sim::driver

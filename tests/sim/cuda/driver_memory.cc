// The simulated driver's memory: pools ordered by streams, pinned memory, copies and fills.
#include <cstring>

#include "driver_state.h"

using minds::sim::Kind;
using minds::sim::Marks;
using minds::sim::Writer;
using minds::sim::driver::Blocks;
using minds::sim::driver::Call;
using minds::sim::driver::hexadecimal;
using minds::sim::driver::inside;
using minds::sim::driver::Node;

namespace {

uintptr_t address(const void* p) { return reinterpret_cast<uintptr_t>(p); }

// An area of the device's memory, in the order of calls: what was freed is nobody's, though work on it may be queued.
CUresult of_device(const Call& call, CUdeviceptr at, size_t bytes) {
  if (inside(call.context().blocks, at, bytes)) return kSuccess;
  return call.wrong(kInvalidValue, std::to_string(bytes) + " bytes at " + hexadecimal(at) +
                                       " are in no block of the device's memory that is in use");
}

enum class Host { kPageable, kPinned, kWrong };

Host of_host(const Call& call, const void* p, size_t bytes) {
  CUctx_st& c = call.context();
  const uintptr_t at = address(p);
  if (at >= c.process->begin() && at < c.process->shared()) return Host::kWrong;
  if (at < c.process->shared() || at >= c.process->shared() + minds::sim::driver::kPinned) return Host::kPageable;
  return inside(c.pinned_blocks, at, bytes) ? Host::kPinned : Host::kWrong;
}

Node copy(uintptr_t to, uintptr_t from, size_t bytes) {
  Node n{Kind::kCopy, Writer().put(to).put(from).put(bytes), {}, {}, "copy"};
  n.uses = {{to, true}, {from, false}};
  return n;
}

CUresult fill(const Call& call, CUdeviceptr at, const void* item, size_t size, size_t count, CUstream_st* s) {
  if (CUresult r = call.check(s)) return r;
  if (at % size != 0) return call.wrong(kInvalidValue, "the address is not a multiple of the item's size");
  if (CUresult r = of_device(call, at, size * count)) return r;
  Node n{Kind::kFill, Writer().put(static_cast<uintptr_t>(at)).put(size).put(count).raw(item, size), {}, {}, "memset"};
  n.uses = {{at, true}};
  return call.queue(s, std::move(n));
}

// A range for `bytes`; what it was used for before is waited for by the stream.
CUresult take(const Call& call, size_t bytes, CUstream_st* s, uintptr_t& at) {
  CUctx_st& c = call.context();
  Marks marks;
  if (!c.memory.take(bytes, at, marks)) return kOutOfMemory;
  for (const auto& [other, number] : marks) {
    minds::sim::driver::Clock before{};
    before[other] = number;
    c.order.wait(s->number, before);
    if (other == s->number || c.process->finished(other, number)) continue;
    if (CUresult r = call.queue(s, {Kind::kWait, Writer().put(other).put(number), {}, {}, "wait"})) return r;
  }
  c.blocks[at] = {bytes};
  c.order.forget(at, bytes);
  return call.queue(s, {Kind::kAllocate, Writer().put(at).put(bytes), {}, {}, "allocation"});
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuMemGetInfo_v2(size_t* available, size_t* total) {
  CALL("cuMemGetInfo");
  if (available == nullptr || total == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  *total = call.context().process->size();
  *available = *total - call.context().memory.in_use();
  return kSuccess;
}

CUresult cuDeviceGetDefaultMemPool(CUmemPoolHandle_st** pool, CUdevice device) {
  CALL("cuDeviceGetDefaultMemPool", Call::kInit);
  auto& all = minds::sim::driver::state().contexts;
  if (pool == nullptr || device < 0 || static_cast<size_t>(device) >= all.size()) {
    return call.wrong(kInvalidValue, "a null pointer, or no such device");
  }
  if (!all[static_cast<size_t>(device)]) return call.wrong(kInvalidContext, "the device's context was not retained");
  *pool = &all[static_cast<size_t>(device)]->pool;
  return kSuccess;
}

CUresult cuMemPoolSetAttribute(CUmemPoolHandle_st* pool, unsigned which, void* value) {
  CALL("cuMemPoolSetAttribute", Call::kInit);
  if (pool == nullptr || value == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  unsigned long long v = 0;
  switch (which) {
    case 1: case 2: case 3:  // what the pool may reuse; int
    case 4:                  // RELEASE_THRESHOLD
      return kSuccess;
    case 6: case 8:          // RESERVED_MEM_HIGH, USED_MEM_HIGH
      std::memcpy(&v, value, sizeof v);
      if (v != 0) return call.wrong(kInvalidValue, "a high watermark can be set to 0 only");
      pool->context->memory.reset_peaks();
      return kSuccess;
    default:
      return call.wrong(kInvalidValue, "the attribute cannot be set");
  }
}

CUresult cuMemPoolGetAttribute(CUmemPoolHandle_st* pool, unsigned which, void* value) {
  CALL("cuMemPoolGetAttribute", Call::kInit);
  if (pool == nullptr || value == nullptr) return call.wrong(kInvalidValue, "a null pointer");
  const minds::sim::Space& m = pool->context->memory;
  unsigned long long v = 0;
  switch (which) {
    case 4: v = ~0ull; break;
    case 5: case 6: v = m.reach(); break;
    case 7: v = m.in_use(); break;
    case 8: v = m.peak(); break;
    default: return call.wrong(kInvalidValue, "the simulator has no such attribute");
  }
  std::memcpy(value, &v, sizeof v);
  return kSuccess;
}

CUresult cuMemPoolTrimTo(CUmemPoolHandle_st* pool, size_t) {
  CALL("cuMemPoolTrimTo", Call::kInit);
  return pool == nullptr ? call.wrong(kInvalidValue, "a null pointer") : kSuccess;
}

CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream_st* s) {
  CALL("cuMemAllocAsync");
  if (out == nullptr || bytes == 0) return call.wrong(kInvalidValue, "a null pointer, or no bytes");
  if (CUresult r = call.check(s)) return r;
  if (s->capture) return call.wrong(kCaptureUnsupported, "the simulator has no allocations in a capture");
  uintptr_t at = 0;
  if (CUresult r = take(call, bytes, s, at)) return r;
  *out = at;
  return kSuccess;
}

CUresult cuMemFreeAsync(CUdeviceptr at, CUstream_st* s) {
  CALL("cuMemFreeAsync");
  if (CUresult r = call.check(s)) return r;
  if (s->capture) return call.wrong(kCaptureUnsupported, "the simulator has no allocations in a capture");
  CUctx_st& c = call.context();
  if (c.blocks.erase(at) == 0) {
    return call.wrong(kInvalidValue, hexadecimal(at) + " was not allocated, or was freed before");
  }
  uint64_t number = 0;
  if (CUresult r = call.queue(s, {Kind::kFree, Writer().put(static_cast<uintptr_t>(at)), {}, {}, "free"}, &number)) {
    return r;
  }
  c.memory.give(at, s->number, number);
  return kSuccess;
}

CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  CALL("cuMemHostAlloc");
  if (out == nullptr || bytes == 0 || flags > 7) return call.wrong(kInvalidValue, "no pointer, no bytes or no such flags");
  if (CUresult r = call.unsafe()) return r;
  CUctx_st& c = call.context();
  uintptr_t at = 0;
  Marks marks;
  if (!c.pinned.take(bytes, at, marks)) return kOutOfMemory;
  std::memset(reinterpret_cast<void*>(at), minds::sim::kFresh, bytes);
  c.pinned_blocks[at] = {bytes};
  if (minds::Status s = c.process->post(0, Kind::kShare, Writer().put(at).put(bytes))) {
    return minds::sim::driver::failed(c, call.name, s);
  }
  *out = reinterpret_cast<void*>(at);
  return kSuccess;
}

CUresult cuMemFreeHost(void* p) {
  CALL("cuMemFreeHost");
  if (CUresult r = call.unsafe()) return r;
  CUctx_st& c = call.context();
  if (c.pinned_blocks.erase(address(p)) == 0) {
    return call.wrong(kInvalidValue, "the memory was not allocated by cuMemHostAlloc, or was freed before");
  }
  for (uint32_t n = 0; n < minds::sim::kStreams; ++n) {
    if (CUresult r = call.await(c, n)) return r;
  }
  c.pinned.give(address(p), 0, 0);
  if (minds::Status s = c.process->post(0, Kind::kUnshare, Writer().put(address(p)))) {
    return minds::sim::driver::failed(c, call.name, s);
  }
  return kSuccess;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream_st* s) {
  CALL("cuMemcpyHtoDAsync");
  if (CUresult r = call.check(s)) return r;
  if (bytes == 0) return kSuccess;
  if (CUresult r = of_device(call, to, bytes)) return r;
  switch (of_host(call, from, bytes)) {
    case Host::kPinned:
      return call.queue(s, copy(to, address(from), bytes));
    case Host::kPageable:  // staged before the call returns
      if (s->capture) return call.wrong(kCaptureUnsupported, "a copy of memory that is not pinned is captured");
      return call.queue(s, {Kind::kWrite,
                            Writer().put(static_cast<uintptr_t>(to)).put(bytes).raw(from, bytes),
                            {},
                            {{static_cast<uintptr_t>(to), true}},
                            "copy"});
    default:
      return call.wrong(kInvalidValue, "the source is no memory of the host that is in use");
  }
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream_st* s) {
  CALL("cuMemcpyDtoHAsync");
  if (CUresult r = call.check(s)) return r;
  if (bytes == 0) return kSuccess;
  if (CUresult r = of_device(call, from, bytes)) return r;
  CUctx_st& c = call.context();
  switch (of_host(call, to, bytes)) {
    case Host::kPinned:
      return call.queue(s, copy(address(to), from, bytes));
    case Host::kPageable: {  // done when the call returns
      if (s->capture) return call.wrong(kCaptureUnsupported, "a copy to memory that is not pinned is captured");
      if (CUresult r = call.await(c, s->number)) return r;
      minds::Status failure = c.process->read(to, from, bytes);
      return failure ? minds::sim::driver::failed(c, call.name, failure) : kSuccess;
    }
    default:
      return call.wrong(kInvalidValue, "the destination is no memory of the host that is in use");
  }
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream_st* s) {
  CALL("cuMemcpyDtoDAsync");
  if (CUresult r = call.check(s)) return r;
  if (bytes == 0) return kSuccess;
  if (CUresult r = of_device(call, to, bytes)) return r;
  if (CUresult r = of_device(call, from, bytes)) return r;
  if (to < from + bytes && from < to + bytes) return call.wrong(kInvalidValue, "the areas overlap");
  return call.queue(s, copy(to, from, bytes));
}

CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char v, size_t n, CUstream_st* s) {
  CALL("cuMemsetD8Async");
  return fill(call, at, &v, sizeof v, n, s);
}
CUresult cuMemsetD16Async(CUdeviceptr at, unsigned short v, size_t n, CUstream_st* s) {
  CALL("cuMemsetD16Async");
  return fill(call, at, &v, sizeof v, n, s);
}
CUresult cuMemsetD32Async(CUdeviceptr at, unsigned v, size_t n, CUstream_st* s) {
  CALL("cuMemsetD32Async");
  return fill(call, at, &v, sizeof v, n, s);
}

}  // extern "C"
#pragma GCC visibility pop

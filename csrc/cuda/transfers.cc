#include "cuda/transfers.h"

#include <algorithm>
#include <cstring>

#include "cuda/device.h"

namespace minds::cuda {

// The next slot, made when it is used for the first time; waits for what it was used for before.
Status Transfers::take(Ring& ring, Slot*& out) {
  Slot& slot = ring.slots[ring.turn];
  ring.turn = (ring.turn + 1) % ring.slots.size();
  out = &slot;
  if (slot.memory == nullptr) {
    if (Status s = MINDS_DRIVER(cuEventCreate, &slot.done, CU_EVENT_DISABLE_TIMING)) return s;
    void* memory = nullptr;
    if (Status s = MINDS_DRIVER(cuMemHostAlloc, &memory, ring.size, 0)) return s;
    slot.memory = static_cast<char*>(memory);
  }
  if (!slot.busy) return {};
  if (Status s = MINDS_DRIVER(cuEventSynchronize, slot.done)) return s;
  return finish(slot);
}

// Of a slot whose work has ended.
Status Transfers::finish(Slot& slot) {
  if (slot.to != nullptr) std::memcpy(slot.to, slot.memory, slot.bytes);
  slot.to = nullptr;
  slot.busy = false;
  return {};
}

Status Transfers::upload(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  const std::lock_guard guard(lock_);
  Ring& ring = ring_for(bytes);
  for (size_t at = 0; at < bytes;) {
    const size_t part = std::min(bytes - at, ring.size);
    Slot* slot = nullptr;
    if (Status s = take(ring, slot)) return s;
    std::memcpy(slot->memory, static_cast<const char*>(from) + at, part);
    if (Status s = MINDS_DRIVER(cuMemcpyHtoDAsync_v2, to + at, slot->memory, part, stream)) return s;
    if (Status s = MINDS_DRIVER(cuEventRecord, slot->done, stream)) return s;
    slot->busy = true;
    at += part;
  }
  return {};
}

Status Transfers::download(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  const std::lock_guard guard(lock_);
  Ring& ring = ring_for(bytes);
  for (size_t at = 0; at < bytes;) {
    const size_t part = std::min(bytes - at, ring.size);
    Slot* slot = nullptr;
    if (Status s = take(ring, slot)) return s;
    if (Status s = MINDS_DRIVER(cuMemcpyDtoHAsync_v2, slot->memory, from + at, part, stream)) return s;
    if (Status s = MINDS_DRIVER(cuEventRecord, slot->done, stream)) return s;
    slot->busy = true;
    slot->to = static_cast<char*>(to) + at;
    slot->bytes = part;
    at += part;
  }
  return {};
}

Status Transfers::deliver() {
  const std::lock_guard guard(lock_);
  for (Ring* ring : {&small_, &large_}) {
    for (Slot& slot : ring->slots) {
      if (slot.to == nullptr) continue;
      const CUresult r = driver().cuEventQuery(slot.done);
      if (r == CUDA_ERROR_NOT_READY) continue;
      if (r != CUDA_SUCCESS) {  // it will never be there
        slot.to = nullptr;
        continue;
      }
      if (Status s = finish(slot)) return s;
    }
  }
  return {};
}

}  // namespace minds::cuda

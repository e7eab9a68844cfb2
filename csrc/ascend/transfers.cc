#include "ascend/transfers.h"

#include <algorithm>
#include <cstring>

#include "ascend/device.h"

namespace minds::ascend {
namespace {

Status copy_async(void* to, const void* from, size_t bytes, aclrtMemcpyKind kind, aclrtStream stream) {
  return MINDS_ACL(aclrtMemcpyAsync, to, bytes, from, bytes, kind, stream);
}

}  // namespace

// The next slot, made when it is used for the first time; waits for what it was used for before.
Status Transfers::take(Ring& ring, Slot*& out) {
  Slot& slot = ring.slots[ring.turn];
  ring.turn = (ring.turn + 1) % ring.slots.size();
  out = &slot;
  if (slot.memory == nullptr) {
    if (Status s = MINDS_ACL(aclrtCreateEventExWithFlag, &slot.done, ACL_EVENT_SYNC)) return s;
    void* memory = nullptr;
    if (Status s = MINDS_ACL(aclrtMallocHost, &memory, ring.size)) return s;
    slot.memory = static_cast<char*>(memory);
  }
  if (!slot.busy) return {};
  if (Status s = MINDS_ACL(aclrtSynchronizeEvent, slot.done)) return s;
  return finish(slot);
}

// Of a slot whose work has ended.
Status Transfers::finish(Slot& slot) {
  if (slot.to != nullptr) std::memcpy(slot.to, slot.memory, slot.bytes);
  slot.to = nullptr;
  slot.busy = false;
  return {};
}

Status Transfers::upload(char* to, const void* from, size_t bytes, aclrtStream stream) {
  const std::lock_guard guard(lock_);
  Ring& ring = ring_for(bytes);
  for (size_t at = 0; at < bytes;) {
    const size_t part = std::min(bytes - at, ring.size);
    Slot* slot = nullptr;
    if (Status s = take(ring, slot)) return s;
    std::memcpy(slot->memory, static_cast<const char*>(from) + at, part);
    if (Status s = copy_async(to + at, slot->memory, part, ACL_MEMCPY_HOST_TO_DEVICE, stream)) return s;
    if (Status s = MINDS_ACL(aclrtRecordEvent, slot->done, stream)) return s;
    slot->busy = true;
    at += part;
  }
  return {};
}

Status Transfers::download(void* to, const char* from, size_t bytes, aclrtStream stream) {
  const std::lock_guard guard(lock_);
  Ring& ring = ring_for(bytes);
  for (size_t at = 0; at < bytes;) {
    const size_t part = std::min(bytes - at, ring.size);
    Slot* slot = nullptr;
    if (Status s = take(ring, slot)) return s;
    if (Status s = copy_async(slot->memory, from + at, part, ACL_MEMCPY_DEVICE_TO_HOST, stream)) return s;
    if (Status s = MINDS_ACL(aclrtRecordEvent, slot->done, stream)) return s;
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
      aclrtEventRecordedStatus status{};
      const aclError r = acl().aclrtQueryEventStatus(slot.done, &status);
      if (r == ACL_SUCCESS && status == ACL_EVENT_RECORDED_STATUS_NOT_READY) continue;
      if (r != ACL_SUCCESS) {  // it will never be there
        slot.to = nullptr;
        continue;
      }
      if (Status s = finish(slot)) return s;
    }
  }
  return {};
}

}  // namespace minds::ascend

// Copies between the host and a device by way of slots of pinned memory: the host's own pages may be moved by the
// system, so that vendors copy them by making the host wait, or not at all.
//
// A vendor says what it calls things: the types `Event` and `Stream`, and the static functions
//   Status make(Event&, void*& memory, size_t bytes)  an event, and pinned memory
//   Status to_device(void* to, const void* from, size_t bytes, Stream), Status to_host(the same)
//   Status record(Event, Stream), Status wait(Event)  the latter on the host
//   Progress progress(Event)
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "base/status.h"

namespace minds {

enum class Progress : uint8_t { kRunning, kEnded, kFailed };

template <class Vendor>
class Transfers {
 public:
  // The bytes have been taken when it returns.
  Status upload(void* to, const void* from, size_t bytes, typename Vendor::Stream stream) {
    return in_parts(bytes, stream, [&](Slot& slot, size_t at, size_t part) {
      std::memcpy(slot.memory, static_cast<const char*>(from) + at, part);
      return Vendor::to_device(static_cast<char*>(to) + at, slot.memory, part, stream);
    });
  }

  // The bytes are there after a `deliver` that follows the end of the stream's work.
  Status download(void* to, const void* from, size_t bytes, typename Vendor::Stream stream) {
    return in_parts(
        bytes, stream,
        [&](Slot& slot, size_t at, size_t part) {
          return Vendor::to_host(slot.memory, static_cast<const char*>(from) + at, part, stream);
        },
        static_cast<char*>(to));
  }

  // Hands out all that have ended.
  void deliver() {
    const std::lock_guard guard(lock_);
    for (Ring* ring : {&small_, &large_}) {
      for (Slot& slot : ring->slots) {
        if (slot.to == nullptr) continue;
        const Progress found = Vendor::progress(slot.done);
        if (found == Progress::kEnded) slot.finish();
        if (found == Progress::kFailed) slot.to = nullptr;  // it will never be there
      }
    }
  }

 private:
  struct Slot {
    char* memory = nullptr;
    typename Vendor::Event done{};
    char* to = nullptr;  // of a download that has not been handed out
    size_t bytes = 0;
    bool busy = false;

    // Once its work has ended.
    void finish() {
      if (to != nullptr) std::memcpy(to, memory, bytes);
      to = nullptr;
      busy = false;
    }
  };
  // Slots of one size, used in turns.
  struct Ring {
    explicit Ring(size_t size) : size(size) {}
    const size_t size;
    std::array<Slot, 16> slots;
    size_t turn = 0;
  };

  // Queues copies of parts that fit in a slot; `to` is where they are to be handed out, if that is on the host.
  template <class Copy>
  Status in_parts(size_t bytes, typename Vendor::Stream stream, const Copy& copy, char* to = nullptr) {
    const std::lock_guard guard(lock_);
    Ring& ring = bytes <= small_.size ? small_ : large_;
    for (size_t at = 0; at < bytes;) {
      const size_t part = std::min(bytes - at, ring.size);
      Slot* slot = nullptr;
      if (Status s = take(ring, slot)) return s;
      if (Status s = copy(*slot, at, part)) return s;
      if (Status s = Vendor::record(slot->done, stream)) return s;
      slot->busy = true;
      slot->to = to == nullptr ? nullptr : to + at;
      slot->bytes = part;
      at += part;
    }
    return {};
  }

  // The next slot, made when it is used for the first time; waits for what it was used for before.
  Status take(Ring& ring, Slot*& out) {
    Slot& slot = ring.slots[ring.turn];
    ring.turn = (ring.turn + 1) % ring.slots.size();
    out = &slot;
    if (slot.memory == nullptr) {
      void* memory = nullptr;
      if (Status s = Vendor::make(slot.done, memory, ring.size)) return s;
      slot.memory = static_cast<char*>(memory);
    }
    if (!slot.busy) return {};
    if (Status s = Vendor::wait(slot.done)) return s;
    slot.finish();
    return {};
  }

  std::mutex lock_;  // of what follows
  Ring small_{size_t{64} << 10}, large_{size_t{4} << 20};
};

}  // namespace minds

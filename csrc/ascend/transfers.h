// Copies between the host and the device, by way of slots of pinned memory: CANN copies asynchronously to and from
// no other memory of the host.
#pragma once
#include <array>
#include <mutex>

#include "ascend/acl.h"

namespace minds::ascend {

class Transfers {
 public:
  // The bytes have been taken when it returns.
  Status upload(char* to, const void* from, size_t bytes, aclrtStream stream);
  // The bytes are there after a `deliver` that follows the end of the stream's work.
  Status download(void* to, const char* from, size_t bytes, aclrtStream stream);
  // Hands out all that have ended.
  Status deliver();

 private:
  struct Slot {
    char* memory = nullptr;
    aclrtEvent done = nullptr;
    void* to = nullptr;  // of a download that has not been handed out
    size_t bytes = 0;
    bool busy = false;
  };
  // Slots of one size, used in turns.
  struct Ring {
    explicit Ring(size_t size) : size(size) {}
    const size_t size;
    std::array<Slot, 16> slots;
    size_t turn = 0;
  };
  Ring& ring_for(size_t bytes) { return bytes <= small_.size ? small_ : large_; }
  Status take(Ring& ring, Slot*& out);
  Status finish(Slot& slot);

  std::mutex lock_;  // of what follows
  Ring small_{size_t{64} << 10}, large_{size_t{4} << 20};
};

}  // namespace minds::ascend

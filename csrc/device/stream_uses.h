// What streams other than its home did last with a block of memory: who gets the memory next waits for them.
#pragma once
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.h"

namespace minds {

class StreamUses {
 public:
  // After work that touches the block was queued on `q`.
  void add(Device& device, Stream& q) noexcept {
    const std::lock_guard guard(lock_);
    auto at = std::find_if(uses_.begin(), uses_.end(), [&](const Use& u) { return u.stream == &q; });
    if (at == uses_.end()) {
      std::unique_ptr<Event> event = device.event(false);
      if (event == nullptr) return;
      at = uses_.insert(at, Use{&q, std::move(event)});
    }
    static_cast<void>(q.record(*at->done));  // a device that fails to record has failed for good
  }

  // What `home` is given from now on runs after them.
  void wait(Stream& home) noexcept {
    for (const Use& use : uses_) static_cast<void>(home.wait(*use.done));
  }

 private:
  struct Use {
    Stream* stream;
    std::unique_ptr<Event> done;
  };
  std::mutex lock_;
  std::vector<Use> uses_;
};

}  // namespace minds

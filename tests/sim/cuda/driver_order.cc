#include "driver_order.h"

#include <algorithm>
#include <cstdio>

namespace minds::sim::driver {

void Order::join(Clock& to, const Clock& c) {
  for (size_t n = 0; n < to.size(); ++n) to[n] = std::max(to[n], c[n]);
}

Clock Order::before(uint32_t stream) const {
  Clock c = clocks_[stream];
  join(c, host_);
  return c;
}

std::string Order::queue(uint32_t stream, uint64_t number, const std::string& what, const std::vector<Use>& uses) {
  const Clock earlier = before(stream);
  clocks_[stream] = earlier;
  clocks_[stream][stream] = number;
  std::string race;
  const auto check = [&](const Commands& others, const Use& u, const char* does) {
    for (const auto& [other, last] : others) {
      if (other == stream || last.number <= earlier[other] || !race.empty()) continue;
      char at[24];
      std::snprintf(at, sizeof at, "%#zx", static_cast<size_t>(u.at));
      race = what + " on stream " + std::to_string(stream) + (u.writes ? " writes " : " reads ") + at + ", which " +
             last.what + " on stream " + std::to_string(other) + " " + does + "; neither waits for the other";
    }
  };
  for (const Use& u : uses) {
    Uses& known = uses_[u.at];
    check(known.writers, u, "writes");
    if (u.writes) check(known.readers, u, "reads");
    (u.writes ? known.writers : known.readers)[stream] = {number, what};
  }
  return race;
}

void Order::forget(uintptr_t at, size_t bytes) { uses_.erase(uses_.lower_bound(at), uses_.lower_bound(at + bytes)); }

}  // namespace minds::sim::driver

// Which commands of a device come before which: by their streams, by events, by what the host waited for. Two that touch
// the same address, one of them writing, and of which neither comes before the other, are a race, however they happen to
// run.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "protocol.h"

namespace minds::sim::driver {

// The last command of each stream that comes before something.
using Clock = std::array<uint64_t, kStreams>;

// An address among a command's operands.
struct Use {
  uintptr_t at;
  bool writes;
};

class Order {
 public:
  // What comes before that which is queued next on a stream.
  Clock before(uint32_t stream) const;
  // What is queued from now on, on a stream or by the host on any, comes after.
  void wait(uint32_t stream, const Clock& c) { join(clocks_[stream], c); }
  void wait_on_host(const Clock& c) { join(host_, c); }
  // Notes a command. Gives the message of a race, else nothing.
  std::string queue(uint32_t stream, uint64_t number, const std::string& what, const std::vector<Use>& uses);
  // The memory is another block's now.
  void forget(uintptr_t at, size_t bytes);

 private:
  struct Command {
    uint64_t number;
    std::string what;
  };
  using Commands = std::map<uint32_t, Command>;  // by stream, its last
  struct Uses {
    Commands writers, readers;
  };
  static void join(Clock& to, const Clock& c);

  std::array<Clock, kStreams> clocks_{};
  Clock host_{};
  std::map<uintptr_t, Uses> uses_;
};

}  // namespace minds::sim::driver

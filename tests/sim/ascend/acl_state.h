// What the files of libascendcl.so share: devices, which are contexts too, and what is alive on them.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "driver_order.h"
#include "process.h"
#include "simulator.h"
#include "space.h"

namespace minds::sim::ascend {

using driver::Clock;
using driver::Use;

struct Device {
  int index;
  std::unique_ptr<Process> process;
  std::unique_ptr<Space> memory, pinned;
  std::mutex lock;  // of what follows, and of queueing, so that the order is that of the commands
  struct Block {
    uintptr_t part;  // of the space
    size_t bytes;
  };
  std::map<uintptr_t, Block> blocks;
  driver::Order order;
  uint32_t last_stream = 0;
};

struct Stream {
  Device* device;
  uint32_t number;
};
struct Event {
  Device* device;
  int timer;  // -1: it has none
  bool recorded;
  uint32_t stream;
  uint64_t number;
  Clock clock;  // what comes before it
};

inline constexpr size_t kPinned = size_t{256} << 20;
inline constexpr uint32_t kBook = kStreams - 1;  // the stream of allocations
inline constexpr size_t kBlock = 512;

bool initialised();
Device* current();  // of this thread; null: it has no context
// Of the current device; null, and said, if it is none.
Stream* stream_of(const char* call, void* stream);

int device_said(const char* call, const Status& s);
// Whether MINDS_ASCEND_FORGET names the call: then it does nothing, to see that somebody notices.
bool forgotten(const char* call);

// Queues a command that uses these addresses.
int post(const char* call, Stream& s, Kind kind, const Writer& body, const std::vector<Use>& uses,
         uint64_t* number = nullptr);
// Waits for what was queued on a stream; the host has then seen it.
int await(const char* call, Device& d, uint32_t stream);

}  // namespace minds::sim::ascend

#define FORGETS(call) \
  if (forgotten(call)) return 0

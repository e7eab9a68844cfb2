// What a device's own library does for collectives among processes, each with a device of its own.
//
// All members of a group make the same calls in the same order. A call queues work on a stream and returns; what it queued
// ends when the others have come to it too, or after `abort`. Who calls sees to it that they do (comm/device_group.h).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/status.h"

namespace minds {

class Device;
class Stream;

enum class Reduction : uint8_t { kSum, kProd, kMax, kMin };

// The same elements before and after; they do not overlap, or are the same.
struct Reduced {
  const void* in;
  void* out;
  int64_t count;
};

// To or from a member of the group; the same size on both sides.
struct Passed {
  int member;
  const void* in;  // of what is sent
  void* out;       // of what is received
  size_t bytes;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  // Whether the last call, or making this, has got so far that the next may be made.
  virtual Status ready(bool& yes) = 0;
  // What is queued ends, with results that mean nothing; no call is made after that. By any thread.
  virtual void abort() noexcept = 0;

  virtual Status all_reduce(Reduction op, DType t, std::span<const Reduced> parts, Stream& q) = 0;
  // The `root`-th gets it; what is at `out` of the others is undefined.
  virtual Status reduce(Reduction op, DType t, const Reduced& part, int root, Stream& q) = 0;
  // `count` elements of the result for each.
  virtual Status reduce_scatter(Reduction op, DType t, const Reduced& part, Stream& q) = 0;
  virtual Status all_gather(const void* in, void* out, size_t bytes, Stream& q) = 0;  // of each
  virtual Status broadcast(const void* in, void* out, size_t bytes, int root, Stream& q) = 0;
  // All at once; messages of one sender to one receiver arrive in order.
  virtual Status exchange(std::span<const Passed> send, std::span<const Passed> receive, Stream& q) = 0;
};

// What a kind of devices offers of these.
struct Communication {
  // The dtypes that it adds up; none: it does not communicate in this process.
  std::vector<DType> (*reduces)();
  // What one member of a group makes and all are given; and this process's part of it, which may take until all have asked
  // (Communicator::ready).
  Status (*group_key)(Device& d, std::string& key);
  Status (*join)(Device& d, const std::string& key, int member, int members, std::unique_ptr<Communicator>& out);
  // `check` is asked whenever the host has waited for a device: what it says is what the wait says.
  void (*check_waits)(Status (*check)());
};

}  // namespace minds

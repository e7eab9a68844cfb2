// The blocks of the device's memory that are in use, as the streams see it: a command that touches anything else is
// a mistake of whoever sent it.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>

#include "base/status.h"

namespace minds::sim {

class Blocks {
 public:
  // Poisons what becomes and what was a block.
  Status allocate(uintptr_t at, size_t bytes);
  Status free(uintptr_t at);
  // Without poison: what the host uses too.
  Status add(uintptr_t at, size_t bytes);
  Status remove(uintptr_t at, size_t& bytes);
  // The block that holds an address.
  bool find(uintptr_t at, uintptr_t& begin, uintptr_t& end) const;
  // Whether all of [at, at + bytes) is in one block.
  Status check(uintptr_t at, size_t bytes) const;

 private:
  mutable std::mutex lock_;
  std::map<uintptr_t, size_t> blocks_;
};

}  // namespace minds::sim

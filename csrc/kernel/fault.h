// Why a kernel could not go on with its data: numbers, as a device cannot make text and the host does not wait.
#pragma once
#include <cstdint>

namespace minds {

// In device memory, one per run of a program; zeros: nothing failed.
struct FaultWord {
  uint64_t what;  // the kind, and the instruction from bit 8 on; set once, by the first that fails
  int64_t value, limit, place;  // what the kind's text needs
};

}  // namespace minds

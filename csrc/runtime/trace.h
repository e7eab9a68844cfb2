// Watching what runs: when each kernel ran, and which was the first to give a NaN. While nobody watches it costs one
// load per kernel.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/array.h"

namespace minds::runtime {

// One kernel, or a whole run of a program.
struct Span {
  std::string op;        // the kernel's; empty: a run
  uint64_t program = 0;  // its number; 0: an eager call
  int64_t where = 0;     // the instruction; of an eager call its line (python/sites.cc)
  int64_t begin = 0, end = 0;  // nanoseconds of the steady clock
  uint32_t thread = 0;
  size_t in_use = 0;  // bytes of the device's memory at the end
};

enum Watch : int { kNothing = 0, kTimes = 1, kNan = 2 };
extern std::atomic<int> watching;  // a sum of Watch

inline int watched() { return watching.load(std::memory_order_relaxed); }
int64_t now();
void note(Span span);  // the thread is the caller's
std::vector<Span> take_spans();

// One operand or result of a kernel, for the search for NaN.
struct Watched {
  const TensorSpec* spec;
  const void* data;
};

// Which of them holds a NaN; -1: none does. What lies on a device that the host cannot follow is copied by `q`.
Status find_nan(Device& device, Stream& q, std::span<const Watched> all, int& found);
// The error of a kernel that gave one: `operand` held one before it ran, or -1.
Status nan_given(int operand);

}  // namespace minds::runtime

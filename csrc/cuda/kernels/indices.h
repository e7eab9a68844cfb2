// Arguments of kernels that read indices (indices.cuh).
#pragma once
#include "kernel/fault.h"

namespace minds::cuda {

struct Told {
  explicit Told(const Args& a) : word(a.fault), instruction(a.instruction) {}
  FaultWord* word;
  int64_t instruction;
};

}  // namespace minds::cuda

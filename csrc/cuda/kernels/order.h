// A stable order of numbers of rows: which points fall into which row, in the order of the points (order.cu).
#pragma once
#include "cuda/module.h"
#include "kernel/kernel.h"

namespace minds::cuda {

class Order {
 public:
  // Of `count` keys, none above `most`; each is 8 bytes if `wide`, else 4. Adds what it needs to the workspace.
  Status prepare(Device& d, int64_t count, int64_t most, bool wide, Prepared& p);

  struct Result {
    const void *keys, *points;  // in order, in the workspace
  };
  Status run(const void* keys, const Args& a, Stream& q, Result& out) const;

 private:
  const Function *few_ = nullptr, *count_digits_ = nullptr, *scan_ = nullptr, *place_ = nullptr;
  int64_t count_ = 0, share_ = 0;  // keys of a block
  int passes_ = 0;                 // of eight bits
  unsigned blocks_ = 1;
  size_t keys_[2] = {}, points_[2] = {}, counts_ = 0;  // in the workspace
};

}  // namespace minds::cuda

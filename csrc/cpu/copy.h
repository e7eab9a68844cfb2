// A prepared copy of a box: concat, slice, pad, flip, broadcast and transpose are all this.
#pragma once
#include "kernel/plan/boxes.h"

namespace minds::cpu {

// Runs of adjacent elements go by memcpy, exchanged axes in two-dimensional tiles.
class StridedCopy {
 public:
  StridedCopy() = default;
  explicit StridedCopy(const Box& box);
  void run(const void* in, void* out) const;

 private:
  template <class T>
  void run_as(const T* in, T* out) const;
  template <class T>
  void run_tiles(const T* in, T* out) const;

  CopyPlan plan_;
  int64_t piece_ = 1;  // elements of the plan's `inner` per unit of work
};

}  // namespace minds::cpu

// How a reduction over any axes is cut for a GPU. The cut depends on the shape alone, so the result does not depend on
// the GPU.
#pragma once
#include <vector>

#include "cuda/module.h"
#include "kernel/plan/reduce.h"

namespace minds::cuda {

struct ReduceCut {
  ReduceCut() = default;
  ReduceCut(const std::vector<ReducePlan::Group>& groups, DType t);

  static constexpr int kMostAxes = 16;  // of a kind, as they alternate
  struct Axes {                         // as in reduce.cu
    int64_t size[kMostAxes] = {}, stride[kMostAxes] = {};
  };

  bool inner = true;       // the innermost axis is reduced
  Axes kept, over;         // the outer axes
  int kept_count = 0, over_count = 0;
  int64_t outputs = 1;     // of one: a run, or a column
  int64_t count = 1;       // elements that are reduced into one
  int64_t run = 1;         // inner: adjacent elements; otherwise adjacent columns
  int64_t elements = 1;    // of the operand
  int pack = 1;            // elements of a load
  unsigned lanes = 1;      // inner: threads of an output; otherwise columns of a block
  int64_t blocks = 1;      // of one segment
  int64_t segments = 1, share = 1;
};

}  // namespace minds::cuda

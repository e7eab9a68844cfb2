// How rows and columns of elements are dealt to the threads of blocks of 256 (blocks.cuh).
#pragma once
#include <cstdint>

#include "base/dtype.h"
#include "cuda/module.h"

namespace minds::cuda {

inline constexpr unsigned kThreads = 256;

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The least power of two that is not below n, at most `most`.
constexpr unsigned power_above(int64_t n, unsigned most) {
  unsigned p = 1;
  while (p < most && p < n) p *= 2;
  return p;
}

// The most elements that adjacent rows of `width` can be read in at once: a power of two, of 16 bytes or less.
int pack_of(int64_t width, DType t);

// Rows of `width` adjacent elements, each by a group of threads, which keep what they read where it is not too much.
struct RowCut {
  RowCut() = default;
  RowCut(int64_t width, DType t);

  Grid grid(int64_t rows) const;
  Defines defines(DType t) const;  // ELEMENT, WIDE, VEC, PACKS

  int pack = 1, packs = 0;
  unsigned lanes = 1;
};

// Blocks that have `width` columns each.
constexpr unsigned column_width(int64_t columns) { return power_above(columns, 32); }

// In how many parts `blocks` blocks of work are cut along `steps` steps, so that a GPU has enough of them; a part has
// `least` steps or more. It depends on the shape alone, as the order of sums does.
int64_t segments_of(int64_t blocks, int64_t steps, int64_t least);

}  // namespace minds::cuda

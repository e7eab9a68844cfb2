// How a reduction over any set of axes is cut into units of work. The cut depends on the shape alone, so the
// result does not depend on the number of threads.
#pragma once
#include <vector>

#include "cpu/kernels/reduce.h"
#include "kernel/plan/reduce.h"
#include "kernel/plan/strides.h"

namespace minds::cpu {

// A unit is a tile of adjacent outputs and a segment of what is reduced into them. When the innermost axis is
// reduced, a tile is one output and a step is a block of up to kReduceBlock adjacent elements; where the next outputs' elements
// lie nearer than the output's own next run, a tile has some of them too, so that memory is read in its order. When the
// innermost axis is kept, a tile is up to kTile columns and a step is up to `step_rows` rows.
struct ReduceCut {
  static constexpr int64_t kTile = 512;

  // The operand is not empty.
  explicit ReduceCut(const ReducePlan& plan);
  ReduceCut() = default;

  int64_t width(int64_t tile) const {
    return std::min(tile_width, columns - tile % tiles_across * tile_width);
  }

  bool inner = true;
  std::vector<Dim> kept;             // the outer kept axes; `in` is their stride
  std::vector<Dim> over;             // the outer reduced axes
  int64_t runs = 1;                  // product of `over`
  int64_t run = 1;                   // inner: adjacent elements of a run; otherwise its rows
  int64_t row_stride = 1;            // of rows
  int64_t columns = 1;               // adjacent kept elements, or outputs of the innermost kept axis
  int64_t column_stride = 1;
  int64_t tile_width = kTile;        // columns of a tile
  int64_t fold = 1;                  // rows that are taken together as one wide row, because a row is narrow
  int64_t step_size = kReduceBlock;  // elements or rows per step
  int64_t steps = 1;                 // per tile: runs * steps of a run
  int64_t tiles = 1, tiles_across = 1;
  int64_t segments = 1, steps_per_segment = 1;

 private:
  void take_outputs_together();
};

// Sums partial results in a binary tree, so that errors grow with the logarithm of their number.
class Cascade {
 public:
  Cascade(const ReduceLoops* loops, int64_t width) : loops_(loops), width_(width) {}
  char* next() { return part_; }  // where to put the next partial result before `push`
  void push();
  void total(void* acc);

 private:
  static constexpr int kLevels = 16;  // the last one takes everything that is left
  const ReduceLoops* loops_;
  int64_t width_;
  uint64_t count_ = 0;
  alignas(64) char part_[ReduceCut::kTile * sizeof(double)];
  alignas(64) char level_[kLevels][ReduceCut::kTile * sizeof(double)];
};

}  // namespace minds::cpu

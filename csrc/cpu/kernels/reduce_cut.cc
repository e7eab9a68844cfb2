#include "cpu/kernels/reduce_cut.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"

namespace minds::cpu {
namespace {

constexpr int64_t kEnoughTiles = 64;  // from here on tiles alone keep all threads busy
constexpr int64_t kMaxSegments = 256;
constexpr int64_t kFewUnits = 8;      // enough for all threads
constexpr int64_t kNarrow = 32;  // columns below which rows are taken together
constexpr int64_t kStepRows = 128;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

ReduceCut::ReduceCut(const ReducePlan& plan) {
  std::vector<ReducePlan::Group> groups = plan.groups;
  inner = !groups.empty() && groups.back().reduced;
  if (inner) {
    run = groups.back().size;
    groups.pop_back();
  } else {
    if (!groups.empty()) {
      columns = groups.back().size;
      groups.pop_back();
    }
    row_stride = columns;
    if (!groups.empty()) {
      run = groups.back().size;
      groups.pop_back();
    }
    if (columns < kNarrow && run >= 4 * kNarrow)
      fold = ReduceCut::kTile / kNarrow;  // whole vectors of any number type
    step_size = kStepRows * fold;
  }
  for (const ReducePlan::Group& g : groups) (g.reduced ? over : kept).push_back({g.size, g.stride, 0});
  for (const Dim& d : over) runs *= d.size;
  tiles_across = inner ? 1 : ceil_div(columns, kTile);
  tiles = tiles_across;
  for (const Dim& d : kept) tiles *= d.size;

  const int64_t per_run = ceil_div(run, step_size);
  steps = runs * per_run;
  const int64_t work = runs * run * (inner ? 1 : std::min(columns, kTile));
  if (tiles < kEnoughTiles && work > 2 * kGrain)
    segments = std::min({ceil_div(work, kGrain), kMaxSegments, steps});
  steps_per_segment = ceil_div(steps, segments);
  segments = ceil_div(steps, steps_per_segment);
  if (inner && !over.empty() && !kept.empty() && kept.back().in < over.back().in) take_outputs_together();
}

// What an output is made of, and in which order, stays as it is.
void ReduceCut::take_outputs_together() {
  columns = kept.back().size;
  column_stride = kept.back().in;
  kept.pop_back();
  tile_width = std::min(columns, kTile);
  while (tile_width > 1 && tiles / tile_width * segments < kFewUnits) tile_width = ceil_div(tile_width, 2);
  tiles_across = ceil_div(columns, tile_width);
  tiles = tiles / columns * tiles_across;
}

void Cascade::push() {
  int level = 0;
  while (level < kLevels - 1 && (count_ >> level & 1) != 0) {
    loops_->combine(part_, level_[level], width_);
    ++level;
  }
  if (level == kLevels - 1 && count_ >> level != 0) {
    loops_->combine(level_[level], part_, width_);
  } else {
    std::memcpy(level_[level], part_, static_cast<size_t>(width_) * loops_->acc_size);
  }
  ++count_;
}

void Cascade::total(void* acc) {
  loops_->identity(acc, width_);
  for (int level = 0; level < kLevels; ++level) {
    const bool used = level < kLevels - 1 ? (count_ >> level & 1) != 0 : count_ >> level != 0;
    if (used) loops_->combine(acc, level_[level], width_);
  }
}

}  // namespace minds::cpu

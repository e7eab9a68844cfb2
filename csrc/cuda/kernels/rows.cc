#include "cuda/kernels/rows.h"

#include <algorithm>
#include <string>

#include "cuda/kernels/dtypes.h"

namespace minds::cuda {
namespace {

constexpr int64_t kKeptBytes = 128;  // of a thread's part of a row, in what is computed with
constexpr int64_t kMostPacks = 8;
constexpr int64_t kEnoughBlocks = 1024;

}  // namespace

int pack_of(int64_t width, DType t) {
  int pack = static_cast<int>(16 / item_size(t));
  while (pack > 1 && width % pack != 0) pack /= 2;
  return pack;
}

RowCut::RowCut(int64_t width, DType t) : pack(pack_of(width, t)) {
  const int64_t all = width / pack, item = t == DType::kFloat64 ? 8 : 4;
  const int64_t most = std::min(kMostPacks, kKeptBytes / (item * pack));
  lanes = power_above(all, 32);
  if (ceil_div(all, lanes) > most) lanes = kThreads;
  packs = static_cast<int>(power_above(ceil_div(all, lanes), static_cast<unsigned>(2 * most)));
  if (packs > most) packs = 0;
}

Grid RowCut::grid(int64_t rows) const {
  Grid g;
  g.x = static_cast<unsigned>(ceil_div(rows, kThreads / lanes));
  return g;
}

Defines RowCut::defines(DType t) const {
  return {{"ELEMENT", type_name(t)},
          {"WIDE", compute_name(t)},
          {"VEC", std::to_string(pack)},
          {"PACKS", std::to_string(packs)}};
}

int64_t segments_of(int64_t blocks, int64_t steps, int64_t least) {
  return std::clamp<int64_t>(std::min(kEnoughBlocks / std::max<int64_t>(blocks, 1), steps / least), 1, kEnoughBlocks);
}

}  // namespace minds::cuda

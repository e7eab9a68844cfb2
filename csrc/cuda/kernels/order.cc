#include "cuda/kernels/order.h"

#include <algorithm>
#include <bit>

#include "cuda/kernels/boxes.h"
#include "cuda/kernels/on_device.h"

namespace minds::cuda {
namespace {

constexpr int64_t kFew = 512;          // that one block ranks by comparing all with all
constexpr int64_t kLeastShare = 2048;  // keys that are worth a block
constexpr int64_t kBlocks = 256;       // so that one block can add up the counts of all

}  // namespace

Status Order::prepare(Device& d, int64_t count, int64_t most, bool wide, Prepared& p) {
  count_ = count;
  if (count == 0) return {};
  const size_t bytes = static_cast<size_t>(count) * (wide ? 8 : 4);
  const Defines defines{{"WIDE", flag(wide)}, {"FEW", std::to_string(kFew)}};
  const auto find = [&](const char* kernel, const Function*& f) { return find_function(d, "order", kernel, defines, f); };
  const bool few = count <= kFew;
  for (int n = 0; n < (few ? 1 : 2); ++n) {
    keys_[n] = reserve(p, bytes);
    points_[n] = reserve(p, bytes);
  }
  if (few) return find("order_few", few_);
  passes_ = std::max(1, (static_cast<int>(std::bit_width(static_cast<uint64_t>(most))) + 7) / 8);
  share_ = std::max(kLeastShare, (count + kBlocks - 1) / kBlocks);
  blocks_ = static_cast<unsigned>((count + share_ - 1) / share_);
  counts_ = reserve(p, size_t{256} * blocks_ * (wide ? 8 : 4));
  if (Status bad = find("order_count", count_digits_)) return bad;
  if (Status bad = find("order_scan", scan_)) return bad;
  return find("order_place", place_);
}

Status Order::run(const void* keys, const Args& a, Stream& q, Result& out) const {
  char* const sorted[] = {within(a, keys_[0]), within(a, keys_[1])};
  char* const points[] = {within(a, points_[0]), within(a, points_[1])};
  out = {sorted[0], points[0]};
  if (count_ == 0) return {};
  if (few_ != nullptr) return launch(*few_, q, Grid(), keys, sorted[0], points[0], static_cast<int>(count_));
  char* counts = within(a, counts_);
  Grid all;
  all.x = blocks_;
  const void* from = nullptr;  // the points of the first pass are the places of the keys
  for (int pass = 0; pass < passes_; ++pass) {
    const int shift = 8 * pass, to = pass % 2;
    if (Status bad = launch(*count_digits_, q, all, keys, counts, count_, share_, shift)) return bad;
    if (Status bad = launch(*scan_, q, Grid(), counts, static_cast<int>(256 * blocks_))) return bad;
    if (Status bad = launch(*place_, q, all, keys, from, counts, sorted[to], points[to], count_, share_, shift)) {
      return bad;
    }
    keys = sorted[to];
    from = points[to];
  }
  out = {keys, from};
  return {};
}

}  // namespace minds::cuda

#include "cuda/kernels/boxes.h"

#include <algorithm>
#include <cstdlib>

#include "cuda/kernels/dtypes.h"

namespace minds::cuda {
namespace {

constexpr int64_t kLeastTile = 8;  // a side that is shorter leaves most of a tile's threads idle

}  // namespace

Lists::Lists(std::initializer_list<List> lists) {
  const size_t own = lists.begin()->values.size();
  rank_ = *std::find_if(std::begin(kRanks), std::end(kRanks), [&](int r) { return static_cast<size_t>(r) >= own; });
  for (const List& l : lists) {
    values_.insert(values_.end(), static_cast<size_t>(rank_) - own, l.fill);
    values_.insert(values_.end(), l.values.begin(), l.values.end());
  }
}

Lists Lists::exactly(std::vector<int64_t> values) {
  Lists l;
  l.rank_ = static_cast<int>(values.size());
  if (values.empty()) values.push_back(1);
  l.values_ = std::move(values);
  return l;
}

Lists walk_of(const std::vector<Dim>& dims) {
  Lists::List size{{}, 1}, in{{}, 0}, out{{}, 0};
  for (const Dim& d : dims) {
    size.values.push_back(d.size);
    in.values.push_back(d.in);
    out.values.push_back(d.out);
  }
  return Lists{size, in, out};
}

int64_t common_unit(size_t item, std::initializer_list<int64_t> numbers, const std::vector<Dim>& dims) {
  int64_t unit = 16 / static_cast<int64_t>(item);
  const auto shorten = [&](int64_t n) {
    while (n % unit != 0) unit /= 2;
  };
  for (int64_t n : numbers) shorten(n);
  for (const Dim& d : dims) {
    shorten(d.in);
    shorten(d.out);
  }
  return unit;
}

// A thread of a grid that goes on by the grid's size adds that to its place before it looks.
bool is_wide(int64_t elements) { return elements >= int64_t{1} << 30; }

bool is_wide(const std::vector<Dim>& dims) {
  int64_t elements = 1, in = 0, out = 0;
  for (const Dim& d : dims) {
    elements *= d.size;
    in += std::abs(d.in) * (d.size - 1);
    out += std::abs(d.out) * (d.size - 1);
  }
  return is_wide(std::max({elements, in, out}));
}

Status BoxCopy::prepare(Device& d, const Box& box) {
  using Mode = CopyPlan::Mode;
  const CopyPlan plan(box);
  if (plan.mode == Mode::kNone) return {};
  const int64_t item = static_cast<int64_t>(plan.item);
  in_at_ = plan.in_offset * item;
  out_at_ = plan.out_offset * item;
  if (plan.mode == Mode::kRun && plan.outer.empty()) {
    bytes_ = plan.inner.size * item;
    return {};
  }
  std::vector<Dim> dims = plan.outer;
  int64_t unit = 1;
  tiled_ = plan.mode == Mode::kTile && std::min(plan.inner.size, plan.cross.size) >= kLeastTile;
  if (plan.mode == Mode::kRun) {
    unit = common_unit(plan.item, {plan.inner.size, plan.in_offset, plan.out_offset}, dims);
    for (Dim& o : dims) o = {o.size, o.in / unit, o.out / unit};
    dims.push_back({plan.inner.size / unit, 1, 1});
  } else {
    if (plan.mode == Mode::kTile) dims.push_back(plan.cross);
    dims.push_back(plan.inner);
  }
  const bool wide = is_wide(dims);
  count_ = plan.outer_size * plan.cross.size * plan.inner.size / unit;
  grid_ = grid_for(count_, d);
  if (tiled_) {
    const int64_t down = (plan.inner.size + 31) / 32, across = (plan.cross.size + 31) / 32;
    exchange_ = {plan.inner.size, plan.cross.size, plan.inner.in, plan.cross.out, plan.outer_size * down * across};
    dims = plan.outer;
    grid_ = grid_for(exchange_.tiles * 256, d);
  }
  box_ = walk_of(dims);
  const Defines defines{{"T", bits_name(item * unit)}, {"RANK", std::to_string(box_.rank())}, {"WIDE", flag(wide)}};
  return find_function(d, "move", tiled_ ? "move_tiles" : "move_box", defines, function_);
}

Status BoxCopy::run(const void* in, void* out, Stream& q) const {
  const char* from = static_cast<const char*>(in) + in_at_;
  char* to = static_cast<char*>(out) + out_at_;
  if (bytes_ > 0) return q.device().copy(to, from, static_cast<size_t>(bytes_), CopyKind::kOnDevice, q);
  if (function_ == nullptr) return {};
  return tiled_ ? launch_lists(*function_, q, grid_, from, to, box_, exchange_)
                : launch_lists(*function_, q, grid_, from, to, box_, count_);
}

}  // namespace minds::cuda

// sort and topk along an axis, stable, with indices.
#include <algorithm>

#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/rows.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

constexpr int64_t kTile = 2048;  // as in sort.cu

// As `Lines` of sort.cu.
struct Lines {
  int64_t count, size, inner, k;
  int descending;
};

class Ordering : public Kernel {
 public:
  Ordering(int64_t axis, bool descending, int64_t k) : axis_(axis), descending_(descending), k_(k) {}

  Status prepare(const Signature& s, Prepared& p) override {
    AxisPlan along;
    if (auto bad = along.prepare_order(s, axis_, k_)) return bad;
    if (k_ == AxisPlan::kAll) k_ = along.size;
    lines_ = {along.outer * along.inner, along.size, along.inner, k_, descending_};
    if (lines_.count == 0 || k_ == 0) return {};
    const DType t = s.inputs[0].dtype;
    key_bytes_ = item_size(t) == 8 ? 8 : 4;
    const bool large = lines_.size >= int64_t{1} << 32;
    const Defines defines{
        {"ELEMENT", type_name(t)}, {"KEY", key_bytes_ == 8 ? "u64" : "u32"}, {"PLACE", large ? "u64" : "u32"}};
    room_ = std::max(2u, power_above(lines_.size, kTile));
    tiles_ = ceil_div(lines_.size, kTile);
    grid_.x = static_cast<unsigned>(tiles_ > 1 ? lines_.count * tiles_ : ceil_div(lines_.count, kTile / room_));
    if (auto bad = find_function(*s.device, "sort", "sort_tiles", defines, sort_)) return bad;
    if (tiles_ == 1) return {};
    int64_t slots = 0;  // of the level that has most
    for (int64_t runs = tiles_, cover = kTile; runs > 1; runs = (runs + 1) / 2, cover *= 2) {
      slots = std::max(slots, lines_.count * runs * std::min(k_, cover));
    }
    keys_ = aligned(static_cast<size_t>(slots) * key_bytes_);
    half_ = keys_ + aligned(static_cast<size_t>(slots) * (large ? 8 : 4));
    p.workspace = 2 * half_;
    merge_grid_ = grid_for(slots, *s.device);
    return find_function(*s.device, "sort", "merge_runs", defines, merge_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (sort_ == nullptr) return {};
    int64_t run = std::min(k_, kTile);
    char *keys = nullptr, *places = nullptr, *other = static_cast<char*>(a.workspace);
    if (tiles_ > 1) {
      keys = other;
      places = keys + keys_;
      other += half_;
    }
    if (auto bad = launch(*sort_, q, grid_, a.in[0], a.out[0], a.out[1], keys, places, lines_, tiles_, run, room_)) {
      return bad;
    }
    int64_t cover = kTile;
    for (int64_t runs = tiles_; runs > 1; runs = (runs + 1) / 2) {
      const int64_t next = std::min(k_, 2 * cover);
      char *const to_keys = runs > 2 ? other : nullptr, *const to_places = runs > 2 ? other + keys_ : nullptr;
      if (auto bad = launch(*merge_, q, merge_grid_, a.in[0], a.out[0], a.out[1], keys, places, to_keys, to_places, lines_,
                            runs, cover, run, next)) {
        return bad;
      }
      other = keys;
      keys = to_keys;
      places = to_places;
      run = next;
      cover *= 2;
    }
    return {};
  }

 private:
  static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

  const int64_t axis_;
  const bool descending_;
  int64_t k_;
  Lines lines_{};
  int64_t tiles_ = 1;
  unsigned room_ = 2;
  size_t key_bytes_ = 4, keys_ = 0, half_ = 0;  // of the workspace: two halves, keys and then places
  Grid grid_, merge_grid_;
  const Function *sort_ = nullptr, *merge_ = nullptr;
};

struct Sort final : Ordering {
  explicit Sort(const Attrs& a)
      : Ordering(a.i64("axis", -1), a.has("descending") && a.boolean("descending"), AxisPlan::kAll) {}
};

struct TopK final : Ordering {
  explicit TopK(const Attrs& a)
      : Ordering(a.i64("axis", -1), !a.has("largest") || a.boolean("largest"), a.i64("k")) {}
};

MINDS_KERNEL("cuda", "sort", Sort, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cuda", "topk", TopK, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cuda

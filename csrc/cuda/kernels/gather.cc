// gather, gather_d and gather_nd: rows fetched by index.
#include <algorithm>

#include "cuda/kernels/boxes.h"
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/indices.h"
#include "cuda/kernels/on_device.h"
#include "kernel/plan/index.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

struct Rows {  // as in gather.cu
  int64_t outer, bound, count, width, copies;
};

// Rows that are moved in pieces as large as they allow; where there is nothing to move, only the indices are read.
struct Pieces {
  Pieces(Rows r, size_t item) : rows(r) {
    const int64_t unit = common_unit(item, {r.width});
    rows.width /= unit;
    bytes = unit * static_cast<int64_t>(item);
    wide = is_wide(std::max(r.outer * r.bound * rows.width, r.outer * r.count * rows.width));
    rows.copies = r.outer * r.width == 0 ? 0 : 1;
    if (rows.copies == 0) rows.outer = rows.width = 1;
  }
  int64_t elements() const { return rows.outer * rows.count * rows.width; }

  Rows rows;
  int64_t bytes = 0;
  bool wide = false;
};

class Gather final : public OnDevice {
 public:
  explicit Gather(const Attrs& a) : axis_(a.i64("axis")) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    RowsPlan plan;
    if (Status bad = plan.prepare_gather(s, axis_)) return bad;
    if (plan.count == 0) return {};
    const Pieces p({plan.outer, plan.bound, plan.count, plan.width, 1}, item_size(s.inputs[0].dtype));
    rows_ = p.rows;
    grid_ = grid_for(p.elements(), *s.device);
    const Defines defines{{"T", bits_name(p.bytes)}, {"I", type_name(plan.index)}, {"WIDE", flag(p.wide)}};
    return find_function(*s.device, "gather", "gather_rows", defines, function_);
  }
  Status queue(const Args& a, Stream& q) const override {
    if (function_ == nullptr) return {};
    return launch(*function_, q, grid_, a.in[0], a.in[1], a.out[0], rows_, Told(a));
  }

  const int64_t axis_;
  Rows rows_{};
  Grid grid_;
  const Function* function_ = nullptr;
};

class GatherNd final : public OnDevice {
 public:
  explicit GatherNd(const Attrs&) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    PointsPlan plan;
    if (Status bad = plan.prepare_gather(s)) return bad;
    if (plan.count == 0) return {};
    const Pieces p({1, plan.rows(), plan.count, plan.width, 1}, item_size(s.inputs[0].dtype));
    rows_ = p.rows;
    grid_ = grid_for(p.elements(), *s.device);
    bounds_ = Lists::exactly(plan.bounds);
    const Defines defines{{"T", bits_name(p.bytes)},
                          {"I", type_name(plan.index)},
                          {"DEPTH", std::to_string(plan.depth())},
                          {"WIDE", flag(p.wide)}};
    return find_function(*s.device, "gather", "gather_points", defines, function_);
  }
  Status queue(const Args& a, Stream& q) const override {
    if (function_ == nullptr) return {};
    return launch_lists(*function_, q, grid_, a.in[0], a.in[1], a.out[0], rows_, bounds_, Told(a));
  }

  Rows rows_{};
  Lists bounds_;
  Grid grid_;
  const Function* function_ = nullptr;
};

// out[.., i at dim, ..] = x[.., index[.., i, ..] at dim, ..].
class GatherD final : public OnDevice {
 public:
  explicit GatherD(const Attrs& a) : dim_(a.i64("dim")) {}

 private:
  Status plan(const Signature& s, Prepared&) override {
    if (Status bad = plan_.prepare_gather(s, dim_)) return bad;
    if (plan_.count == 0) return {};
    box_ = walk_of(coalesce(plan_.dims));
    grid_ = grid_for(plan_.count, *s.device);
    const DType t = s.inputs[0].dtype;
    const bool wide = is_wide(std::max(plan_.count, s.inputs[0].size()));
    const Defines defines{{"T", bits_name(t)},
                          {"I", type_name(plan_.index)},
                          {"RANK", std::to_string(box_.rank())},
                          {"WIDE", flag(wide)}};
    return find_function(*s.device, "gather", "gather_along", defines, function_);
  }
  Status queue(const Args& a, Stream& q) const override {
    if (function_ == nullptr) return {};
    return launch_lists(*function_, q, grid_, a.in[0], a.in[1], a.out[0], box_, plan_.count, plan_.bound, plan_.stride,
                        Told(a));
  }

  const int64_t dim_;
  AlongPlan plan_;
  Lists box_;
  Grid grid_;
  const Function* function_ = nullptr;
};

MINDS_KERNEL("cuda", "gather", Gather, MINDS_ALL_DTYPES);
MINDS_KERNEL("cuda", "gather_d", GatherD, MINDS_ALL_DTYPES);
MINDS_KERNEL("cuda", "gather_nd", GatherNd, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cuda

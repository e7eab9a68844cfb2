// gather_dx, scatter_nd, tensor_scatter and scatter_add_d: rows combined into a tensor by index.
//
// The rows that the points name are put in order; then each element is computed by one thread, which takes its points in
// the order in which the CPU does.
#include <algorithm>
#include <string>

#include "cuda/kernels/boxes.h"
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/indices.h"
#include "cuda/kernels/on_device.h"
#include "cuda/kernels/order.h"
#include "kernel/plan/index.h"
#include "kernel/plan/scatter.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

// The numbers of a scatter: `outer` copies of `bound` rows of `width` elements, `count` points each.
struct Rows {  // as in combine.cu
  int64_t outer = 1, bound = 0, width = 1, count = 0;
};

// Order of scattered rows, and what combines them. The rows are at the start of the workspace.
class Combine {
 public:
  // `reach`: how many elements there are in the largest operand; `from`: where the element of a point is in the source,
  // if not in the order of the points.
  Status prepare(Device& d, DType t, Rows r, ScatterMode mode, int64_t reach, const std::vector<Dim>* from, Prepared& p) {
    if (t >= DType::kComplex64) {  // to what adds or replaces, real numbers whose rows are twice as wide
      t = t == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
      r.width *= 2;
      reach *= 2;
    }
    if (t == DType::kBool) t = DType::kUInt8;
    rows_ = r;
    wide_ = is_wide(std::max({reach, r.outer * r.bound * r.width, r.outer * r.count * r.width}));
    reserve(p, static_cast<size_t>(r.count) * (wide_ ? 8 : 4));
    if (Status bad = order_.prepare(d, r.count, r.bound, wide_, p)) return bad;
    const int64_t elements = r.outer * r.count * r.width;
    if (elements == 0) return {};
    grid_ = grid_for(elements, d);
    Defines defines{{"T", type_name(t)},
                    {"A", compute_name(t)},
                    {"JOIN", "join_" + std::string(kScatterModes[static_cast<size_t>(mode)])},
                    {"LAST_ONLY", flag(mode == ScatterMode::kUpdate)},
                    {"WIDE", flag(wide_)}};
    if (from != nullptr) {
      from_ = walk_of(coalesce(*from));
      walks_ = true;
      defines.emplace_back("RANK", std::to_string(from_.rank()));
    }
    return find_function(d, "combine", "combine", defines, function_);
  }

  bool wide() const { return wide_; }

  Status run(const void* src, void* dst, const Args& a, Stream& q) const {
    if (function_ == nullptr) return {};
    Order::Result in_order;
    if (Status bad = order_.run(a.workspace, a, q, in_order)) return bad;
    return walks_ ? launch_lists(*function_, q, grid_, in_order.keys, in_order.points, src, dst, rows_, from_)
                  : launch(*function_, q, grid_, in_order.keys, in_order.points, src, dst, rows_);
  }

 private:
  Rows rows_;
  bool wide_ = false, walks_ = false;
  Order order_;
  Lists from_;
  Grid grid_;
  const Function* function_ = nullptr;
};

// What the four have in common.
class Scatter : public OnDevice {
 protected:
  // `x` is what the result starts as; zeros if it is null.
  Status start(const void* x, void* out, Stream& q) const {
    const uint8_t zero = 0;
    if (x == nullptr) return q.device().fill(out, &zero, 1, bytes_, q);
    return x == out ? Status() : q.device().copy(out, x, bytes_, CopyKind::kOnDevice, q);
  }
  Status plan_combine(const Signature& s, size_t src, const Rows& r, ScatterMode mode, const std::vector<Dim>* from,
                      Prepared& p) {
    const TensorSpec& out = s.outputs[0];
    bytes_ = out.bytes();
    grid_ = grid_for(r.count, *s.device);
    count_ = r.count;
    bound_ = r.bound;
    return combine_.prepare(*s.device, out.dtype, r, mode, std::max(out.size(), s.inputs[src].size()), from, p);
  }
  Status find_rows(const Signature& s, const char* kernel, DType index, Defines more) {
    if (count_ == 0) return {};
    more.insert(more.end(), {{"I", type_name(index)}, {"WIDE", flag(combine_.wide())}});
    return find_function(*s.device, "scatter", kernel, more, rows_);
  }

  size_t bytes_ = 0;
  int64_t count_ = 0, bound_ = 0;  // of points, and of rows
  Grid grid_;
  Combine combine_;
  const Function* rows_ = nullptr;  // none: there is no point
};

class GatherDx final : public Scatter {
 public:
  explicit GatherDx(const Attrs& a) : shape_(a.ints("shape")), axis_(a.i64("axis")) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    RowsPlan plan;
    if (Status bad = plan.prepare_scatter(s, shape_, axis_)) return bad;
    const Rows r{plan.outer, plan.bound, plan.width, plan.count};
    if (Status bad = plan_combine(s, 0, r, ScatterMode::kAdd, nullptr, p)) return bad;
    return find_rows(s, "scatter_rows", plan.index, {});
  }
  Status queue(const Args& a, Stream& q) const override {
    if (Status bad = start(nullptr, a.out[0], q)) return bad;
    if (rows_ == nullptr) return {};
    if (Status bad = launch(*rows_, q, grid_, a.in[1], a.workspace, count_, bound_, bound_, Told(a))) return bad;
    return combine_.run(a.in[0], a.out[0], a, q);
  }

  const Shape shape_;
  const int64_t axis_;
};

// Rows that points name by coordinates.
class ScatterPoints : public Scatter {
 protected:
  Status plan_points(const Signature& s, const PointsPlan& plan, size_t updates, ScatterMode mode, Prepared& p) {
    const Rows r{1, plan.rows(), plan.width, plan.count};
    bounds_ = Lists::exactly(plan.bounds);
    if (Status bad = plan_combine(s, updates, r, mode, nullptr, p)) return bad;
    return find_rows(s, "scatter_points", plan.index, {{"DEPTH", std::to_string(plan.depth())}});
  }
  Status queue_points(const void* x, const void* points, const void* updates, const Args& a, Stream& q) const {
    if (Status bad = start(x, a.out[0], q)) return bad;
    if (rows_ == nullptr) return {};
    if (Status bad = launch_lists(*rows_, q, grid_, points, a.workspace, count_, bounds_, bound_, Told(a))) return bad;
    return combine_.run(updates, a.out[0], a, q);
  }

 private:
  Lists bounds_;
};

class ScatterNd final : public ScatterPoints {
 public:
  explicit ScatterNd(const Attrs& a) : shape_(a.ints("shape")) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    PointsPlan plan;
    if (Status bad = plan.prepare_scatter(s, shape_)) return bad;
    return plan_points(s, plan, 1, ScatterMode::kAdd, p);
  }
  Status queue(const Args& a, Stream& q) const override { return queue_points(nullptr, a.in[0], a.in[1], a, q); }

  const Shape shape_;
};

class TensorScatter final : public ScatterPoints {
 public:
  explicit TensorScatter(const Attrs& a) : name_(a.str("mode")) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    PointsPlan plan;
    ScatterMode mode{};
    if (Status bad = plan.prepare_update(s)) return bad;
    if (Status bad = find_scatter_mode(name_, s.inputs[0].dtype, mode)) return bad;
    return plan_points(s, plan, 2, mode, p);
  }
  Status queue(const Args& a, Stream& q) const override { return queue_points(a.in[0], a.in[1], a.in[2], a, q); }

  const std::string name_;
};

// out = x; out[.., index[.., i, ..] at dim, ..] += src[.., i, ..].
class ScatterAddD final : public Scatter {
 public:
  explicit ScatterAddD(const Attrs& a) : dim_(a.i64("dim")) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    if (Status bad = plan_.prepare_scatter(s, dim_)) return bad;
    const Rows r{1, s.outputs[0].size(), 1, plan_.count};
    box_ = walk_of(coalesce(plan_.dims));
    if (Status bad = plan_combine(s, 2, r, ScatterMode::kAdd, &plan_.dims, p)) return bad;
    return find_rows(s, "scatter_along", plan_.index, {{"RANK", std::to_string(box_.rank())}});
  }
  Status queue(const Args& a, Stream& q) const override {
    if (Status bad = start(a.in[0], a.out[0], q)) return bad;
    if (rows_ == nullptr) return {};
    if (Status bad = launch_lists(*rows_, q, grid_, a.in[1], a.workspace, box_, count_, plan_.bound, plan_.stride, bound_,
                                  Told(a))) {
      return bad;
    }
    return combine_.run(a.in[2], a.out[0], a, q);
  }

  const int64_t dim_;
  AlongPlan plan_;
  Lists box_;
};

MINDS_KERNEL("cuda", "gather_dx", GatherDx, MINDS_REALS, DType::kComplex64, DType::kComplex128);
MINDS_KERNEL("cuda", "scatter_nd", ScatterNd, MINDS_INTS);
MINDS_KERNEL("cuda", "tensor_scatter", TensorScatter, MINDS_ALL_DTYPES);
MINDS_KERNEL("cuda", "scatter_add_d", ScatterAddD, MINDS_REALS);

}  // namespace
}  // namespace minds::cuda

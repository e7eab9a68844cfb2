// cumsum and cumprod along an axis.
#include <algorithm>

#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/rows.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

DType running_type(DType t) {
  if (t >= DType::kComplex64) return DType::kComplex128;
  if (t == DType::kFloat32 || t == DType::kFloat64) return DType::kFloat64;
  if (is_float(t)) return DType::kFloat32;
  return item_size(t) == 8 ? DType::kUInt64 : DType::kUInt32;  // they wrap
}

// As `Lines` of scan.cu.
struct Lines {
  int64_t count, n, inner, pieces, share;
  int reverse, exclusive;
};

template <bool kProduct>
class Scan final : public Kernel {
 public:
  explicit Scan(const Attrs& a)
      : axis_(a.i64("axis")),
        reverse_(a.has("reverse") && a.boolean("reverse")),
        exclusive_(a.has("exclusive") && a.boolean("exclusive")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    AxisPlan along;
    if (auto bad = along.prepare_map(s, axis_)) return bad;
    lines_ = {along.outer * along.inner, along.size, along.inner, 1, along.size, reverse_, exclusive_};
    const DType t = s.inputs[0].dtype, running = running_type(t);
    if (lines_.count == 0 || lines_.n == 0) return {};
    in_order_ = lines_.n <= kShort || (along.inner > 1 && lines_.count >= kManyLines);
    if (in_order_) {
      grid_ = grid_for(lines_.count, *s.device);
      return find(*s.device, "in_order", t, running, main_);
    }
    const int64_t segments = segments_of(lines_.count, ceil_div(lines_.n, kTile), 4);
    lines_.share = ceil_div(ceil_div(lines_.n, segments), kTile) * kTile;
    lines_.pieces = ceil_div(lines_.n, lines_.share);
    grid_.x = static_cast<unsigned>(lines_.count * lines_.pieces);
    if (auto bad = find(*s.device, "pieces", t, running, main_)) return bad;
    if (lines_.pieces == 1) return {};
    p.workspace = 2 * bytes_of(running);
    return find(*s.device, "pieces", running, running, before_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (main_ == nullptr) return {};
    if (in_order_) return launch(*main_, q, grid_, a.in[0], a.out[0], lines_);
    void *totals = nullptr, *before = nullptr, *const none = nullptr;
    if (lines_.pieces > 1) {
      totals = a.workspace;
      before = static_cast<char*>(a.workspace) + bytes_;
      if (auto bad = launch(*main_, q, grid_, a.in[0], none, totals, none, lines_)) return bad;
      const Lines pieces{lines_.count, lines_.pieces, 1, 1, lines_.pieces, 0, 1};
      Grid g;
      g.x = static_cast<unsigned>(lines_.count);
      if (auto bad = launch(*before_, q, g, totals, before, none, none, pieces)) return bad;
    }
    return launch(*main_, q, grid_, a.in[0], a.out[0], none, before, lines_);
  }

 private:
  static constexpr int64_t kShort = 64;  // up to this length a thread does a line
  static constexpr int64_t kManyLines = 4096;
  static constexpr int64_t kTile = 1024;  // elements that a block takes at once

  size_t bytes_of(DType running) {
    bytes_ = (static_cast<size_t>(lines_.count * lines_.pieces) * item_size(running) + 15) / 16 * 16;
    return bytes_;
  }

  static Status find(Device& d, std::string_view name, DType t, DType running, const Function*& out) {
    const Defines defines{
        {"ELEMENT", type_name(t)}, {"RUNNING", type_name(running)}, {"PRODUCT", kProduct ? "1" : "0"}};
    return find_function(d, "scan", name, defines, out);
  }

  const int64_t axis_;
  const bool reverse_, exclusive_;
  bool in_order_ = false;
  Lines lines_{};
  Grid grid_;
  size_t bytes_ = 0;  // of the totals of all pieces
  const Function *main_ = nullptr, *before_ = nullptr;
};

MINDS_KERNEL("cuda", "cumsum", Scan<false>, MINDS_REALS, DType::kComplex64, DType::kComplex128);
MINDS_KERNEL("cuda", "cumprod", Scan<true>, MINDS_REALS, DType::kComplex64, DType::kComplex128);

}  // namespace
}  // namespace minds::cuda

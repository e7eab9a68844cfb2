// layer_norm over the axes from begin_axis on, and its gradient.
#include <algorithm>

#include "cuda/kernels/rows.h"
#include "kernel/plan/norm.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

// (x, gamma, beta) -> (y, mean, rstd)
class LayerNorm final : public Kernel {
 public:
  explicit LayerNorm(const Attrs& a) : begin_axis_(a.i64("begin_axis")), eps_(a.f64("eps")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = r_.prepare(s, begin_axis_)) return bad;
    if (r_.rows == 0) return {};
    const DType t = s.inputs[0].dtype;
    cut_ = RowCut(r_.width, t);
    return find_function(*s.device, "norm_layer", "forward", cut_.defines(t), function_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (r_.rows == 0) return {};
    return launch(*function_, q, cut_.grid(r_.rows), a.in[0], a.in[1], a.in[2], a.out[0], a.out[1], a.out[2],
                  static_cast<uint64_t>(r_.rows), static_cast<uint64_t>(r_.width), eps_, cut_.lanes);
  }

 private:
  const int64_t begin_axis_;
  const double eps_;
  LayerPlan r_;
  RowCut cut_;
  const Function* function_ = nullptr;
};

// (dout, x, mean, rstd, gamma) -> (dx, dgamma, dbeta)
class LayerNormDx final : public Kernel {
 public:
  explicit LayerNormDx(const Attrs& a) : begin_axis_(a.i64("begin_axis")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = r_.prepare_gradient(s, begin_axis_)) return bad;
    if (r_.width == 0) return {};
    const DType t = s.inputs[0].dtype;
    cut_ = RowCut(r_.width, t);
    const int64_t steps = ceil_div(r_.rows, kThreads / kColumns);
    segments_ = segments_of(ceil_div(r_.width, kColumns), steps, 8);
    share_ = std::max<int64_t>(1, ceil_div(steps, segments_)) * (kThreads / kColumns);
    segments_ = std::max<int64_t>(1, ceil_div(r_.rows, share_));
    const Defines defines = cut_.defines(t);
    if (auto bad = find_function(*s.device, "norm_layer", "backward", defines, rows_)) return bad;
    if (auto bad = find_function(*s.device, "norm_layer", "parameters", defines, parameters_)) return bad;
    if (segments_ == 1) return {};
    p.workspace = static_cast<size_t>(2 * segments_ * r_.width) * (t == DType::kFloat64 ? 8 : 4);
    return find_function(*s.device, "norm_layer", "segments", defines, join_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (r_.width == 0) return {};
    const uint64_t rows = static_cast<uint64_t>(r_.rows), width = static_cast<uint64_t>(r_.width);
    if (r_.rows > 0) {
      if (auto bad = launch(*rows_, q, cut_.grid(r_.rows), a.in[0], a.in[1], a.in[2], a.in[3], a.in[4], a.out[0], rows,
                            width, cut_.lanes)) {
        return bad;
      }
    }
    Grid g;
    g.x = static_cast<unsigned>(ceil_div(r_.width, kColumns));
    g.y = static_cast<unsigned>(segments_);
    if (auto bad = launch(*parameters_, q, g, a.in[0], a.in[1], a.in[2], a.in[3], a.workspace, a.out[1], a.out[2], rows,
                          width, static_cast<uint64_t>(share_))) {
      return bad;
    }
    if (segments_ == 1) return {};
    g.y = 1;
    return launch(*join_, q, g, a.workspace, a.out[1], a.out[2], width, static_cast<unsigned>(segments_));
  }

 private:
  static constexpr int64_t kColumns = 32;

  const int64_t begin_axis_;
  LayerPlan r_;
  RowCut cut_;
  int64_t segments_ = 1, share_ = 1;  // of the rows that the parameters' gradients sum over
  const Function *rows_ = nullptr, *parameters_ = nullptr, *join_ = nullptr;
};

MINDS_KERNEL("cuda", "layer_norm", LayerNorm, MINDS_FLOATS);
MINDS_KERNEL("cuda", "layer_norm_dx", LayerNormDx, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cuda

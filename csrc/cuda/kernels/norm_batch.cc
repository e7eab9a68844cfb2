// batch_norm (training), alone or followed by relu, its gradient, and batch_norm_infer: per channel, over all axes but the
// second.
#include <algorithm>
#include <string>

#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/rows.h"
#include "kernel/plan/norm.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

// As `Channels` of norm_batch.cu: how the elements of each channel are cut.
struct Channels {
  uint64_t channels, plane, each, segments, share;

  Channels() = default;
  Channels(const ChannelsPlan& c, DType t)
      : channels(static_cast<uint64_t>(c.channels)),
        plane(static_cast<uint64_t>(c.plane)),
        each(static_cast<uint64_t>(c.each())) {
    const int64_t at_once = int64_t{kThreads} * pack_of(c.plane, t), steps = ceil_div(c.each(), at_once);
    const int64_t part = std::max<int64_t>(1, ceil_div(steps, segments_of(c.channels, steps, 4))) * at_once;
    share = static_cast<uint64_t>(part);
    segments = static_cast<uint64_t>(std::max<int64_t>(1, ceil_div(c.each(), part)));
  }

  Grid grid() const {
    Grid g;
    g.x = static_cast<unsigned>(channels * segments);
    return g;
  }
};

// What follows the normalisation.
struct Ending {
  bool relu = false, residual = false;
};

Defines defines_for(DType t, const ChannelsPlan& c, Ending e = {}) {
  return {{"RELU", e.relu ? "1" : "0"},
          {"RESIDUAL", e.residual ? "1" : "0"},
          {"ELEMENT", type_name(t)},
          {"WIDE", compute_name(t)},
          {"INDEX", c.each() < int64_t{1} << 31 ? "u32" : "u64"},
          {"VEC", std::to_string(pack_of(c.plane, t))}};
}

// Two launches: sums over segments of the channels, to the workspace, and what is made of them.
class InTwoSteps : public Kernel {
 protected:
  InTwoSteps(const Attrs& a, bool relu) : eps_(a.f64("eps")) { ending_.relu = relu; }

  Status find(const Signature& s, const ChannelsPlan& plan, const char* sums, const char* result, Prepared& p) {
    c_ = Channels(plan, s.inputs[0].dtype);
    if (c_.channels == 0) return {};
    p.workspace = static_cast<size_t>(c_.channels * c_.segments) * 2 * sizeof(double);  // of each segment two numbers
    const Defines defines = defines_for(s.inputs[0].dtype, plan, ending_);
    if (auto bad = find_function(*s.device, "norm_batch", sums, defines, sums_)) return bad;
    return find_function(*s.device, "norm_batch", result, defines, result_);
  }

  const double eps_;
  Ending ending_;
  Channels c_;
  const Function *sums_ = nullptr, *result_ = nullptr;
};

// (x, gamma, beta) -> (y, mean, var), var biased; where relu follows, perhaps with a residual.
template <bool kRelu>
class BatchNorm final : public InTwoSteps {
 public:
  explicit BatchNorm(const Attrs& a) : InTwoSteps(a, kRelu) {}

  Status prepare(const Signature& s, Prepared& p) override {
    ChannelsPlan plan;
    ending_.residual = kRelu && s.inputs.size() == 4;
    if (auto bad = plan.prepare(s, ending_.residual)) return bad;
    return find(s, plan, "moments", "normalize", p);
  }

  Status run(const Args& a, Stream& q) const override {
    if (c_.channels == 0) return {};
    if (auto bad = launch(*sums_, q, c_.grid(), a.in[0], a.workspace, c_)) return bad;
    return launch(*result_, q, c_.grid(), a.in[0], a.in[1], a.in[2], ending_.residual ? a.in[3] : nullptr, a.workspace,
                  a.out[0], a.out[1], a.out[2], c_, eps_);
  }
};

// (dout, x, mean, var, gamma) -> (dx, dgamma, dbeta)
class BatchNormDx final : public InTwoSteps {
 public:
  explicit BatchNormDx(const Attrs& a) : InTwoSteps(a, false) {}

  Status prepare(const Signature& s, Prepared& p) override {
    ChannelsPlan plan;
    if (auto bad = plan.prepare_gradient(s)) return bad;
    return find(s, plan, "products", "backward", p);
  }

  Status run(const Args& a, Stream& q) const override {
    if (c_.channels == 0) return {};
    const void* const none = nullptr;
    if (auto bad = launch(*sums_, q, c_.grid(), a.in[0], none, a.in[1], a.in[2], a.workspace, c_)) return bad;
    return launch(*result_, q, c_.grid(), a.in[0], none, a.in[1], a.in[2], a.in[3], a.in[4], a.workspace, a.out[0],
                  a.out[1], a.out[2], none, c_, eps_);
  }
};

// (dout, y, x, mean, var, gamma) -> (dx, dgamma, dbeta), and the residual's gradient where there was one.
class BatchNormReluDx final : public InTwoSteps {
 public:
  explicit BatchNormReluDx(const Attrs& a) : InTwoSteps(a, true) {}

  Status prepare(const Signature& s, Prepared& p) override {
    ChannelsPlan plan;
    ending_.residual = s.outputs.size() == 4;
    if (auto bad = plan.prepare_relu_gradient(s, ending_.residual)) return bad;
    return find(s, plan, "products", "backward", p);
  }

  Status run(const Args& a, Stream& q) const override {
    if (c_.channels == 0) return {};
    if (auto bad = launch(*sums_, q, c_.grid(), a.in[0], a.in[1], a.in[2], a.in[3], a.workspace, c_)) return bad;
    return launch(*result_, q, c_.grid(), a.in[0], a.in[1], a.in[2], a.in[3], a.in[4], a.in[5], a.workspace, a.out[0],
                  a.out[1], a.out[2], ending_.residual ? a.out[3] : nullptr, c_, eps_);
  }
};

// (x, gamma, beta, mean, var) -> y
class BatchNormInfer final : public Kernel {
 public:
  explicit BatchNormInfer(const Attrs& a) : eps_(a.f64("eps")) {}

  Status prepare(const Signature& s, Prepared&) override {
    ChannelsPlan plan;
    if (auto bad = plan.prepare_inference(s)) return bad;
    c_ = Channels(plan, s.inputs[0].dtype);
    return find_function(*s.device, "norm_batch", "infer", defines_for(s.inputs[0].dtype, plan), function_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (c_.channels == 0 || c_.each == 0) return {};
    return launch(*function_, q, c_.grid(), a.in[0], a.in[1], a.in[2], a.in[3], a.in[4], a.out[0], c_, eps_);
  }

 private:
  const double eps_;
  Channels c_;
  const Function* function_ = nullptr;
};

MINDS_KERNEL("cuda", "batch_norm", BatchNorm<false>, MINDS_FLOATS);
MINDS_KERNEL("cuda", "batch_norm_relu", BatchNorm<true>, MINDS_FLOATS);
MINDS_KERNEL("cuda", "batch_norm_relu_dx", BatchNormReluDx, MINDS_FLOATS);
MINDS_KERNEL("cuda", "batch_norm_dx", BatchNormDx, MINDS_FLOATS);
MINDS_KERNEL("cuda", "batch_norm_infer", BatchNormInfer, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cuda

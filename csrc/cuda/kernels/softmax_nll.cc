// softmax_nll: log_softmax and nll as one, and its gradient.
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/rows.h"
#include "kernel/plan/labels.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class Labelled : public Kernel {
 protected:
  Status find(const Signature& s, const char* name) {
    if (plan_.rows == 0) return {};
    cut_ = RowCut(plan_.classes, plan_.dtype);
    Defines defines = cut_.defines(plan_.dtype);
    defines.emplace_back("TARGET", type_name(plan_.target));
    defines.emplace_back("UNSIGNED", plan_.target >= DType::kUInt8 ? "true" : "false");
    return find_function(*s.device, "softmax_nll", name, defines, function_);
  }
  uint64_t rows() const { return static_cast<uint64_t>(plan_.rows); }
  uint64_t classes() const { return static_cast<uint64_t>(plan_.classes); }

  SoftmaxNllPlan plan_;
  RowCut cut_;
  const Function* function_ = nullptr;
};

// (x, target) -> (loss, tops, logs)
class Forward final : public Labelled {
 public:
  explicit Forward(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = plan_.prepare(s)) return bad;
    return find(s, "forward");
  }

  Status run(const Args& a, Stream& q) const override {
    if (plan_.rows == 0) return {};
    return launch(*function_, q, cut_.grid(plan_.rows), a.in[0], a.in[1], a.out[0], a.out[1], a.out[2], rows(), classes(),
                  cut_.lanes, a.fault, a.instruction);
  }
};

// (dout, x, target, tops, logs) -> dx
class Backward final : public Labelled {
 public:
  explicit Backward(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = plan_.prepare_gradient(s)) return bad;
    return find(s, "backward");
  }

  Status run(const Args& a, Stream& q) const override {
    if (plan_.rows == 0) return {};
    return launch(*function_, q, cut_.grid(plan_.rows), a.in[0], a.in[1], a.in[2], a.in[3], a.in[4], a.out[0], rows(),
                  classes(), cut_.lanes, a.fault, a.instruction);
  }
};

MINDS_KERNEL("cuda", "softmax_nll", Forward, MINDS_FLOATS);
MINDS_KERNEL("cuda", "softmax_nll_dx", Backward, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cuda

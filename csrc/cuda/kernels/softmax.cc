// softmax and log_softmax along one axis.
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/rows.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

template <bool kLog>
class Softmax final : public Kernel {
 public:
  explicit Softmax(const Attrs& a) : axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = along_.prepare_map(s, axis_)) return bad;
    const DType t = s.inputs[0].dtype;
    if (empty()) return {};
    cut_ = RowCut(rows() ? along_.size : 1, t);
    Defines defines = cut_.defines(t);
    defines.emplace_back("LOGARITHM", kLog ? "1" : "0");
    return find_function(*s.device, "softmax", rows() ? "rows" : "columns", defines, function_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (empty()) return {};
    const uint64_t outer = static_cast<uint64_t>(along_.outer), classes = static_cast<uint64_t>(along_.size);
    if (rows()) return launch(*function_, q, cut_.grid(along_.outer), a.in[0], a.out[0], outer, classes, cut_.lanes);
    const unsigned width = column_width(along_.inner);
    Grid g;
    g.x = static_cast<unsigned>(along_.outer * ceil_div(along_.inner, width));
    return launch(*function_, q, g, a.in[0], a.out[0], classes, static_cast<uint64_t>(along_.inner), width);
  }

 private:
  bool rows() const { return along_.inner == 1; }
  bool empty() const { return along_.outer == 0 || along_.size == 0 || along_.inner == 0; }

  const int64_t axis_;
  AxisPlan along_;
  RowCut cut_;
  const Function* function_ = nullptr;
};

MINDS_KERNEL("cuda", "softmax", Softmax<false>, MINDS_FLOATS);
MINDS_KERNEL("cuda", "log_softmax", Softmax<true>, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cuda

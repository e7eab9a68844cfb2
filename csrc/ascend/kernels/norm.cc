// layer_norm, as rows that are normalised.
#include "kernel/plan/norm.h"
#include "ascend/calls.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

struct LayerNorm final : CallsKernel {
  explicit LayerNorm(const Attrs& a) : begin_axis(a.i64("begin_axis")), eps(a.f64("eps")) {}
  Status plan(const Signature& s, Calls& calls) override {
    LayerPlan p;
    if (Status bad = p.prepare(s, begin_axis)) return bad;
    if (p.rows == 0 || p.width == 0) return bad_value("a layer norm of nothing is not computed on Ascend");
    const Shape all{p.rows, p.width}, row{p.width}, column{p.rows, 1};
    calls.add(aclnn().LayerNorm, shaped(calls.in(0, s.inputs[0]), all), row, shaped(calls.in(1, s.inputs[1]), row),
              shaped(calls.in(2, s.inputs[2]), row), eps, shaped(calls.out(0, s.outputs[0]), all),
              shaped(calls.out(1, s.outputs[1]), column), shaped(calls.out(2, s.outputs[2]), column));
    return {};
  }
  const int64_t begin_axis;
  const double eps;
};

struct LayerNormDx final : CallsKernel {
  explicit LayerNormDx(const Attrs& a) : begin_axis(a.i64("begin_axis")) {}
  Status plan(const Signature& s, Calls& calls) override {
    LayerPlan p;
    if (Status bad = p.prepare_gradient(s, begin_axis)) return bad;
    if (p.rows == 0 || p.width == 0) return bad_value("a layer norm of nothing is not computed on Ascend");
    const Shape all{p.rows, p.width}, row{p.width}, column{p.rows, 1};
    calls.add(aclnn().LayerNormBackward, shaped(calls.in(0, s.inputs[0]), all), shaped(calls.in(1, s.inputs[1]), all),
              row, shaped(calls.in(2, s.inputs[2]), column), shaped(calls.in(3, s.inputs[3]), column),
              shaped(calls.in(4, s.inputs[4]), row), nullptr, Wanted{{true, true, true}},
              shaped(calls.out(0, s.outputs[0]), all), shaped(calls.out(1, s.outputs[1]), row),
              shaped(calls.out(2, s.outputs[2]), row));
    return {};
  }
  const int64_t begin_axis;
};

MINDS_KERNEL("ascend", "layer_norm", LayerNorm, DType::kFloat32);
MINDS_KERNEL("ascend", "layer_norm_dx", LayerNormDx, DType::kFloat32);

}  // namespace
}  // namespace minds::ascend

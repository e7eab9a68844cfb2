// layer_norm as rows that are normalised, and batch_norm as sums: what the third result of aclnnBatchNorm is, a variance
// or the reciprocal of a deviation, depends on the processor. 16-bit floats are normalised as float32. Gradients of
// batch_norm, and what it does without training, are decomposed by their definitions.
#include "kernel/plan/norm.h"
#include "ascend/kernels/parts.h"
#include "kernel/registry.h"

namespace minds::ascend {
namespace {

constexpr DType kIn = DType::kFloat32;  // what is computed in

// An operand of the kernel as rows, columns or channels, in float32.
View wide(Calls& calls, const Signature& s, size_t n, const Shape& shape) {
  return add_cast(calls, shaped(calls.in(n, s.inputs[n]), shape), kIn);
}

struct LayerNorm final : CallsKernel {
  explicit LayerNorm(const Attrs& a) : begin_axis(a.i64("begin_axis")), eps(a.f64("eps")) {}
  Status plan(const Signature& s, Calls& calls) override {
    LayerPlan p;
    if (Status bad = p.prepare(s, begin_axis)) return bad;
    if (p.rows == 0 || p.width == 0) return bad_value("a layer norm of nothing is not computed on Ascend");
    const Shape all{p.rows, p.width}, row{p.width}, column{p.rows, 1};
    const Shape* shapes[] = {&all, &column, &column};
    View out[3], made[3];
    for (size_t n = 0; n < 3; ++n) {
      out[n] = shaped(calls.out(n, s.outputs[n]), *shapes[n]);
      made[n] = cast_target(calls, out[n], kIn);
    }
    calls.add(aclnn().LayerNorm, wide(calls, s, 0, all), row, wide(calls, s, 1, row), wide(calls, s, 2, row), eps,
              made[0], made[1], made[2]);
    for (size_t n = 0; n < 3; ++n) finish_cast(calls, made[n], out[n]);
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
    const Shape* shapes[] = {&all, &row, &row};
    View out[3], made[3];
    for (size_t n = 0; n < 3; ++n) {
      out[n] = shaped(calls.out(n, s.outputs[n]), *shapes[n]);
      made[n] = cast_target(calls, out[n], kIn);
    }
    calls.add(aclnn().LayerNormBackward, wide(calls, s, 0, all), wide(calls, s, 1, all), row,
              wide(calls, s, 2, column), wide(calls, s, 3, column), wide(calls, s, 4, row), nullptr,
              Wanted{{true, true, true}}, made[0], made[1], made[2]);
    for (size_t n = 0; n < 3; ++n) finish_cast(calls, made[n], out[n]);
    return {};
  }
  const int64_t begin_axis;
};

struct BatchNorm final : CallsKernel {
  explicit BatchNorm(const Attrs& a) : eps(a.f64("eps")) {}
  Status plan(const Signature& s, Calls& calls) override {
    ChannelsPlan p;
    if (Status bad = p.prepare(s)) return bad;
    if (s.outputs[0].size() == 0) return bad_value("a batch norm of nothing is not computed on Ascend");
    const Shape all{p.batch, p.channels, p.plane}, channel{1, p.channels, 1}, others{0, 2};
    const Number share{1.0 / static_cast<double>(p.each())}, one{int64_t{1}};
    const View y = shaped(calls.out(0, s.outputs[0]), all), made = cast_target(calls, y, kIn);
    const View offset = calls.scratch({kIn, all}), scale = calls.scratch({kIn, channel});
    View out[2], part[2];  // the mean and the variance
    for (size_t n = 0; n < 2; ++n) {
      out[n] = shaped(calls.out(n + 1, s.outputs[n + 1]), channel);
      part[n] = cast_target(calls, out[n], kIn);
    }
    const View x = wide(calls, s, 0, all);
    calls.add(aclnn().ReduceSum, x, others, true, kIn, part[0]);
    calls.add(aclnn().Muls, part[0], share, part[0]);
    calls.add(aclnn().Sub, x, part[0], one, offset);
    calls.add(aclnn().Mul, offset, offset, made);
    calls.add(aclnn().ReduceSum, made, others, true, kIn, part[1]);
    calls.add(aclnn().Muls, part[1], share, part[1]);
    calls.add(aclnn().Adds, part[1], Number{eps}, one, scale);
    calls.add(aclnn().Rsqrt, scale, scale);
    calls.add(aclnn().Mul, scale, wide(calls, s, 1, channel), scale);
    calls.add(aclnn().Mul, offset, scale, made);
    calls.add(aclnn().Add, made, wide(calls, s, 2, channel), one, made);
    finish_cast(calls, made, y);
    for (size_t n = 0; n < 2; ++n) finish_cast(calls, part[n], out[n]);
    return {};
  }
  const double eps;
};

MINDS_KERNEL("ascend", "layer_norm", LayerNorm, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "layer_norm_dx", LayerNormDx, MINDS_ASCEND_FLOATS);
MINDS_KERNEL("ascend", "batch_norm", BatchNorm, MINDS_ASCEND_FLOATS);

}  // namespace
}  // namespace minds::ascend

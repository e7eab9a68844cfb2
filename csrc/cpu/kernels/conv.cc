// conv2d, conv2d_dx, conv2d_dw: by fewer multiplications where that pays, the provider in a layout that measurements
// favour, our own product for float64.
#include <cstring>
#include <memory>

#include "cpu/kernels/conv_own.h"
#include "cpu/kernels/conv_pointwise.h"
#include "cpu/kernels/through_float.h"
#include "cpu/kernels/winograd.h"
#include "cpu/provider/provider.h"
#include "kernel/plan/conv.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// Measured by benchmarks/kernels.py: the plain layout saves the reorders where the product itself is cheap (1x1) or
// channels are too few to fill a vector.
ConvLayout layout_in_float32(const ConvSpec& s, bool pointwise) {
  const int64_t in = s.in_channels / s.group;
  if (pointwise && s.group == 1 && s.stride_h == 1 && s.stride_w == 1 && s.pass != ConvPass::kWeight) {
    return ConvLayout::kPlain;
  }
  if (s.pass == ConvPass::kData && s.group == 1 && in <= 4) return ConvLayout::kPlain;
  if (s.pass == ConvPass::kWeight && s.group == 1 && in > 4 && in < 16) return ConvLayout::kChannelsLast;
  return ConvLayout::kBlocked;
}

// Of bfloat16, measured on the shapes of ResNet-50. Where images are small, the plain product has rows too short for it, and
// its gradient by weights would be a sum over threads, whose number would show in the bits.
ConvLayout layout_in_bfloat16(const ConvSpec& s, bool pointwise) {
  constexpr int64_t kSmall = 256;
  const bool large = s.out_h * s.out_w > kSmall, strided = s.stride_h != 1 || s.stride_w != 1;
  const bool favoured = s.pass == ConvPass::kForward ? large && !strided
                        : s.pass == ConvPass::kData  ? large || strided
                                                     : large;
  return pointwise && favoured ? ConvLayout::kPlain : ConvLayout::kBlocked;
}

ConvLayout layout_for(const ConvSpec& s) {
  const bool pointwise = s.kernel_h == 1 && s.kernel_w == 1 && s.top + s.bottom + s.left + s.right == 0;
  const bool wide = s.group == 1 && s.in_channels >= 16;
  return s.dtype == DType::kBFloat16 && wide ? layout_in_bfloat16(s, pointwise) : layout_in_float32(s, pointwise);
}

template <ConvPass pass>
class Conv : public Kernel {
 public:
  explicit Conv(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared& prepared) override {
    ConvSpec spec;
    if (auto failed = spec.prepare(attrs_, pass, s)) return failed;
    bytes_ = s.outputs[0].bytes();
    empty_ = s.inputs[0].size() == 0 || s.inputs[1].size() == 0 || bytes_ == 0;
    if (empty_) return Status::ok();
    plan_ = make_winograd(spec);
    if (!plan_) {
      if (auto failed = make_pointwise(spec, plan_)) return failed;
    }
    if (!plan_ && spec.dtype != DType::kFloat64) {
      if (auto failed = provider().conv(spec, layout_for(spec), plan_)) return failed;
    }
    if (plan_) {
      prepared.workspace = plan_->workspace();
    } else if (spec.dtype == DType::kFloat64) {
      double_.plan(spec);
      prepared.workspace = double_.workspace();
    } else if (spec.dtype == DType::kFloat32) {
      float_.plan(spec);
      prepared.workspace = float_.workspace();
    } else {
      wide_ = std::make_unique<ThroughFloat<Conv<pass>>>(attrs_);
      return wide_->prepare(s, prepared);
    }
    in_double_ = spec.dtype == DType::kFloat64;
    return Status::ok();
  }

  Status run(const Args& a, Stream& q) const override {
    if (empty_) {
      if (bytes_ > 0) std::memset(a.out[0], 0, bytes_);
      return Status::ok();
    }
    if (plan_) return plan_->run(a.in[0], a.in[1], a.out[0], a.workspace);
    if (wide_) return wide_->run(a, q);
    if (in_double_) {
      run_own(double_, a);
    } else {
      run_own(float_, a);
    }
    return Status::ok();
  }

 private:
  template <class T>
  static void run_own(const OwnConv<T>& conv, const Args& a) {
    conv.run(static_cast<const T*>(a.in[0]), static_cast<const T*>(a.in[1]), static_cast<T*>(a.out[0]), a.workspace);
  }

  Attrs attrs_;
  size_t bytes_ = 0;
  bool empty_ = false, in_double_ = false;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Kernel> wide_;
  OwnConv<float> float_;
  OwnConv<double> double_;
};

MINDS_KERNEL("cpu", "conv2d", Conv<ConvPass::kForward>, MINDS_FLOATS);
MINDS_KERNEL("cpu", "conv2d_dx", Conv<ConvPass::kData>, MINDS_FLOATS);
MINDS_KERNEL("cpu", "conv2d_dw", Conv<ConvPass::kWeight>, MINDS_FLOATS);

}  // namespace

}  // namespace minds::cpu

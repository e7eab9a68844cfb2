// conv2d, conv2d_dx, conv2d_dw: convolutions and their gradients, by a provider.
#include "cuda/device.h"
#include "cuda/provider/provider.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

template <ConvPass pass>
class Conv final : public Kernel {
 public:
  explicit Conv(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared& prepared) override {
    ConvSpec spec;
    if (Status bad = spec.prepare(attrs_, pass, s)) return bad;
    bytes_ = s.outputs[0].bytes();
    if (bytes_ == 0) return {};
    if (s.inputs[0].size() == 0 || s.inputs[1].size() == 0) {
      return static_cast<CudaDevice*>(s.device)->prepare_fill(1);
    }
    const bool tf32 =
        spec.dtype == DType::kFloat32 && attrs_.has("allow_tf32") && attrs_.boolean("allow_tf32");
    if (Status bad = make_conv(*s.device, spec, tf32, plan_)) return bad;
    prepared.workspace = plan_->workspace();
    return {};
  }

  Status run(const Args& a, Stream& q) const override {
    if (bytes_ == 0) return {};
    if (plan_) return plan_->run({a.in[0], a.in[1], a.out[0], a.workspace}, q);
    constexpr uint8_t kZero = 0;
    return q.device().fill(a.out[0], &kZero, 1, bytes_, q);
  }

 private:
  const Attrs attrs_;
  size_t bytes_ = 0;
  PlanPtr plan_;
};

MINDS_KERNEL("cuda", "conv2d", Conv<ConvPass::kForward>, MINDS_FLOATS);
MINDS_KERNEL("cuda", "conv2d_dx", Conv<ConvPass::kData>, MINDS_FLOATS);
MINDS_KERNEL("cuda", "conv2d_dw", Conv<ConvPass::kWeight>, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cuda

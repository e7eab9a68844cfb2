// Convolutions by cuDNN. Outside images are NCHW and weights OIHW; inside channels come last, as its engines want them,
// and what is padded unevenly, which few of them take, is padded on the way there. float32 is computed as it lies where
// it can be: without tensor cores there is nothing to win.
#include <array>

#include "cuda/kernels/dtypes.h"
#include "cuda/module.h"
#include "cuda/provider/cudnn_plan.h"
#include "cuda/provider/provider.h"

namespace minds::cuda {
namespace {

// As in kernels/conv_layout.cu.
struct Planes {
  int64_t samples, channels, h, w, top, left, framed_h, framed_w;

  // Both layouts are one.
  bool is_plain() const {
    return framed_h == h && framed_w == w && (channels == 1 || h * w == 1);
  }
  int64_t framed() const { return samples * channels * framed_h * framed_w; }
};

class CudnnConv final : public Plan {
 public:
  // `found`: whether the library has a way.
  Status prepare(Device& d, const ConvSpec& outside, bool tf32, bool& found) {
    ConvSpec s = outside;
    const bool even = s.top == s.bottom && s.left == s.right;
    last_ = s.dtype != DType::kFloat32 || tf32 || !even;
    const int64_t top = even ? 0 : s.top, left = even ? 0 : s.left;
    if (!even) {
      s.in_h += s.top + s.bottom;
      s.in_w += s.left + s.right;
      s.top = s.bottom = s.left = s.right = 0;
    }
    pass_ = s.pass;
    tensors_[kImage] = {s.batch, s.in_channels, outside.in_h, outside.in_w, top, left, s.in_h, s.in_w};
    tensors_[kWeights] = {s.out_channels, s.in_channels / s.group, s.kernel_h, s.kernel_w, 0, 0, s.kernel_h, s.kernel_w};
    tensors_[kResult] = {s.batch, s.out_channels, s.out_h, s.out_w, 0, 0, s.out_h, s.out_w};
    if (Status bad = CudnnPlan::make(d, s, last_, tf32, plan_)) return bad;
    found = plan_ != nullptr;
    if (!found) return {};
    for (int i = 0; i < kTensors; ++i) {
      moved_[i] = last_ && !tensors_[i].is_plain();
      if (moved_[i]) at_[i] = take(bytes_, static_cast<size_t>(tensors_[i].framed()) * item_size(s.dtype));
    }
    inner_at_ = take(bytes_, plan_->workspace());
    const Defines bits{{"T", bits_name(s.dtype)}};
    if (Status bad = find_function(d, "conv_layout", "channels_to_last", bits, to_last_)) return bad;
    return find_function(d, "conv_layout", "channels_to_first", bits, to_first_);
  }

  size_t workspace() const override { return bytes_; }

  Status run(const Operands& a, Stream& q) const override {
    // The operands by role; the pass's own result is `out`.
    std::array<const void*, kTensors> data{};
    const int made = pass_ == ConvPass::kForward ? kResult : pass_ == ConvPass::kData ? kImage : kWeights;
    data[pass_ == ConvPass::kData ? kResult : kImage] = a.x;
    data[pass_ == ConvPass::kWeight ? kResult : kWeights] = a.y;
    data[static_cast<size_t>(made)] = a.out;
    for (int i = 0; i < kTensors; ++i) {
      if (!moved_[i]) continue;
      void* const inside = within(a.workspace, at_[i]);
      if (i != made) {
        const Planes& p = tensors_[i];
        if (Status bad = launch(*to_last_, q, grid(p, p.framed_h * p.framed_w), data[i], inside, p)) return bad;
      }
      data[i] = inside;
    }
    if (Status bad = plan_->run(data[kImage], data[kWeights], data[kResult], within(a.workspace, inner_at_), q)) return bad;
    if (!moved_[made]) return {};
    const Planes& p = tensors_[made];
    return launch(*to_first_, q, grid(p, p.h * p.w), data[made], a.out, p);
  }

 private:
  enum Role { kImage, kWeights, kResult, kTensors };

  static Grid grid(const Planes& p, int64_t places) {
    constexpr int64_t kTile = 32, kMost = int64_t{1} << 30;  // the tile as in kernels/conv_layout.cu
    const int64_t tiles = (places + kTile - 1) / kTile * ((p.channels + kTile - 1) / kTile) * p.samples;
    Grid g;
    g.x = static_cast<unsigned>(std::min(tiles, kMost));
    return g;
  }

  ConvPass pass_ = ConvPass::kForward;
  bool last_ = false;
  std::array<Planes, kTensors> tensors_{};
  std::array<bool, kTensors> moved_{};
  std::array<size_t, kTensors> at_{};
  size_t bytes_ = 0, inner_at_ = 0;
  std::shared_ptr<const CudnnPlan> plan_;
  const Function *to_last_ = nullptr, *to_first_ = nullptr;
};

}  // namespace

Status make_cudnn_conv(Device& d, const ConvSpec& s, bool tf32, PlanPtr& plan) {
  if (s.dtype == DType::kFloat64) return {};
  auto made = std::make_unique<CudnnConv>();
  bool found = false;
  if (Status bad = made->prepare(d, s, tf32, found)) return bad;
  if (found) plan = std::move(made);
  return {};
}

}  // namespace minds::cuda

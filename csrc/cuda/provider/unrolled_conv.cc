// Convolutions as products of matrices: for float64, and where cuDNN is absent or has no way. An image's windows are laid
// out as columns, as many samples at once as fit into the workspace.
#include <algorithm>

#include "cuda/kernels/dtypes.h"
#include "cuda/module.h"
#include "cuda/provider/provider.h"

namespace minds::cuda {
namespace {

// As in kernels/unroll.cu.
struct Window {
  int64_t in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, top, left, dilation_h, dilation_w;
};

struct Sizes {
  int64_t in_group, out_group, window, places, in_sample, out_sample, weights, columns;  // the last two of all groups
};

Sizes sizes_of(const ConvSpec& s) {
  Sizes z{};
  z.in_group = s.in_channels / s.group;
  z.out_group = s.out_channels / s.group;
  z.window = z.in_group * s.kernel_h * s.kernel_w;
  z.places = s.out_h * s.out_w;
  z.in_sample = s.in_channels * s.in_h * s.in_w;
  z.out_sample = s.out_channels * z.places;
  z.weights = s.out_channels * z.window;
  z.columns = s.group * z.window * z.places;
  return z;
}

class UnrolledConv final : public Plan {
 public:
  explicit UnrolledConv(const ConvSpec& s)
      : s_(s),
        z_(sizes_of(s)),
        window_{s.in_h,     s.in_w,     s.out_h, s.out_w, s.kernel_h,   s.kernel_w,
                s.stride_h, s.stride_w, s.top,   s.left,  s.dilation_h, s.dilation_w} {}

  Status prepare(Device& d, bool tf32) {
    sum_ = s_.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
    // The columns of an image are what it is itself.
    direct_ = s_.kernel_h == 1 && s_.kernel_w == 1 && s_.stride_h == 1 && s_.stride_w == 1 && s_.out_h == s_.in_h &&
              s_.out_w == s_.in_w && s_.top == 0 && s_.left == 0;
    const bool back = s_.pass == ConvPass::kData, weights = s_.pass == ConvPass::kWeight;
    const DType held = back ? sum_ : s_.dtype;  // gradients of columns are added up before they are rounded
    const size_t columns = direct_ ? 0 : static_cast<size_t>(z_.columns) * item_size(held);
    const size_t parts = weights ? static_cast<size_t>(z_.weights) * item_size(sum_) : 0;
    const size_t each = std::max<size_t>(1, columns + parts);
    chunk_ = std::clamp<int64_t>(static_cast<int64_t>(kMostWorkspace / each), 1, s_.batch);
    columns_at_ = take(bytes_, static_cast<size_t>(chunk_) * columns);
    parts_at_ = take(bytes_, static_cast<size_t>(chunk_) * parts);
    sums_at_ = take(bytes_, parts);
    if (Status bad = find(d)) return bad;
    if (Status bad = product(d, chunk_, tf32, whole_)) return bad;
    if (s_.batch % chunk_ != 0) {
      if (Status bad = product(d, s_.batch % chunk_, tf32, rest_)) return bad;
    }
    const size_t inner = std::max(whole_->workspace(), rest_ ? rest_->workspace() : 0);
    inner_at_ = take(bytes_, inner);
    return {};
  }

  size_t workspace() const override { return bytes_; }

  Status run(const Operands& a, Stream& q) const override {
    const auto item = static_cast<int64_t>(item_size(s_.dtype));
    for (int64_t n = 0; n < s_.batch; n += chunk_) {
      const int64_t count = std::min(chunk_, s_.batch - n);
      const size_t image = static_cast<size_t>(n * z_.in_sample * item), plane = static_cast<size_t>(n * z_.out_sample * item);
      Status bad;
      switch (s_.pass) {
        case ConvPass::kForward: bad = forward(count, at(a.x, image), a.y, within(a.out, plane), a.workspace, q); break;
        case ConvPass::kData: bad = data(count, at(a.x, plane), a.y, within(a.out, image), a.workspace, q); break;
        case ConvPass::kWeight: bad = weight(count, n, at(a.x, image), at(a.y, plane), a.out, a.workspace, q); break;
      }
      if (bad) return bad;
    }
    return {};
  }

 private:
  static const void* at(const void* p, size_t offset) { return static_cast<const char*>(p) + offset; }

  Status find(Device& d) {
    const int64_t most = chunk_ * std::max({z_.columns, z_.in_sample, int64_t{1}});
    const char* const index = most < int64_t{1} << 31 ? "u32" : "u64";
    const Defines bits{{"T", bits_name(s_.dtype)}, {"SUM", type_name(sum_)}, {"INDEX", index}};
    const Defines numbers{{"T", type_name(s_.dtype)}, {"SUM", type_name(sum_)}, {"INDEX", index}};
    if (s_.pass == ConvPass::kData) return direct_ ? Status{} : find_function(d, "unroll", "roll_back", numbers, gather_);
    if (s_.pass == ConvPass::kWeight) {
      if (Status bad = find_function(d, "unroll", "add_parts", numbers, add_)) return bad;
    }
    return direct_ ? Status{} : find_function(d, "unroll", "unroll", bits, unroll_);
  }

  // The product of `count` samples and all groups.
  Status product(Device& d, int64_t count, bool tf32, PlanPtr& plan) const {
    ProductSpec p{s_.dtype, s_.dtype, 0, 0, 0};
    p.tf32 = tf32;
    const int64_t columns = z_.window * z_.places, dout = z_.out_group * z_.places, w = z_.out_group * z_.window;
    switch (s_.pass) {
      case ConvPass::kForward:  // w · columns
        p.m = z_.out_group;
        p.n = z_.places;
        p.k = z_.window;
        p.batch = {{s_.group, w, columns, dout}, {count, 0, columns * s_.group, dout * s_.group}};
        break;
      case ConvPass::kData:  // w' · dout
        p.m = z_.window;
        p.n = z_.places;
        p.k = z_.out_group;
        p.trans_x = true;
        if (!direct_) p.out = sum_;
        p.batch = {{s_.group, w, dout, columns}, {count, 0, dout * s_.group, columns * s_.group}};
        break;
      case ConvPass::kWeight:  // dout · columns', one for each sample
        p.m = z_.out_group;
        p.n = z_.window;
        p.k = z_.places;
        p.trans_y = true;
        p.out = sum_;
        p.batch = {{s_.group, dout, columns, w}, {count, dout * s_.group, columns * s_.group, w * s_.group}};
        break;
    }
    p.batch.erase(std::remove_if(p.batch.begin(), p.batch.end(), [](const auto& b) { return b.size == 1; }),
                  p.batch.end());
    return make_product(d, p, plan);
  }

  const Plan& plan_for(int64_t count) const { return count == chunk_ ? *whole_ : *rest_; }

  Status columns_of(int64_t count, const void* x, void* columns, Stream& q) const {
    const int64_t n = count * z_.columns;
    return launch(*unroll_, q, grid_for(n, q.device()), x, columns, window_, n);
  }

  Status forward(int64_t count, const void* x, const void* w, void* out, void* workspace, Stream& q) const {
    void* const columns = within(workspace, columns_at_);
    if (!direct_) {
      if (Status bad = columns_of(count, x, columns, q)) return bad;
    }
    return plan_for(count).run({w, direct_ ? x : columns, out, within(workspace, inner_at_)}, q);
  }

  Status data(int64_t count, const void* dout, const void* w, void* dx, void* workspace, Stream& q) const {
    void* const columns = direct_ ? dx : within(workspace, columns_at_);
    if (Status bad = plan_for(count).run({w, dout, columns, within(workspace, inner_at_)}, q)) return bad;
    if (direct_) return {};
    const int64_t n = count * z_.in_sample;
    return launch(*gather_, q, grid_for(n, q.device()), static_cast<const void*>(columns), dx, window_, n);
  }

  Status weight(int64_t count, int64_t first, const void* x, const void* dout, void* dw, void* workspace,
                Stream& q) const {
    void* const columns = within(workspace, columns_at_);
    void* const parts = within(workspace, parts_at_);
    if (!direct_) {
      if (Status bad = columns_of(count, x, columns, q)) return bad;
    }
    if (Status bad = plan_for(count).run({dout, direct_ ? x : columns, parts, within(workspace, inner_at_)}, q)) {
      return bad;
    }
    void* const to = first + count == s_.batch ? dw : nullptr;
    const int begin = first == 0 ? 1 : 0;
    return launch(*add_, q, grid_for(z_.weights, q.device()), static_cast<const void*>(parts), count,
                  within(workspace, sums_at_), to, z_.weights, begin);
  }

  const ConvSpec s_;
  const Sizes z_;
  const Window window_;
  DType sum_ = DType::kFloat32;
  bool direct_ = false;
  int64_t chunk_ = 1;  // samples at once
  size_t bytes_ = 0, columns_at_ = 0, parts_at_ = 0, sums_at_ = 0, inner_at_ = 0;
  PlanPtr whole_, rest_;  // of a chunk, and of the samples that are left
  const Function *unroll_ = nullptr, *gather_ = nullptr, *add_ = nullptr;
};

}  // namespace

Status make_unrolled_conv(Device& d, const ConvSpec& s, bool tf32, PlanPtr& plan) {
  auto made = std::make_unique<UnrolledConv>(s);
  if (Status bad = made->prepare(d, tf32)) return bad;
  plan = std::move(made);
  return {};
}

}  // namespace minds::cuda

// max_pool2d with the places of the maxima, avg_pool2d, their gradients, and the gradient of max_pool2d's.
#include <algorithm>

#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/rows.h"
#include "kernel/plan/pool.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

Status find(const Signature& s, std::string_view name, DType t, const Function*& out) {
  return find_function(*s.device, "pool", name, {{"ELEMENT", type_name(t)}}, out);
}

// (x) -> (out, index)
class MaxPool final : public Kernel {
 public:
  explicit MaxPool(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 2)) return bad;
    Shape output;
    if (auto bad = pool_.prepare(attrs_, s.inputs[0].shape, output)) return bad;
    if (auto bad = expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, output)) return bad;
    if (auto bad = expect_spec(s.outputs[1], "the index", DType::kInt64, output)) return bad;
    const int64_t most = s.inputs[0].dtype == DType::kFloat64 ? INT64_MAX : INT32_MAX;  // as the CPU's
    if (pool_.planes.in() > most) return bad_value("planes are too large");
    size_ = s.outputs[0].size();
    grid_ = grid_for(size_, *s.device);
    return find(s, "max_pool2d", s.inputs[0].dtype, function_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (size_ == 0) return {};
    return launch(*function_, q, grid_, a.in[0], a.out[0], a.out[1], pool_.planes, pool_.window);
  }

 private:
  const Attrs attrs_;
  PoolPlan pool_;
  int64_t size_ = 0;
  Grid grid_;
  const Function* function_ = nullptr;
};

// (dout, index) -> dx: adds each cotangent to the place that its maximum came from.
class MaxPoolDx final : public Kernel {
 public:
  explicit MaxPoolDx(const Attrs& a) : in_shape_(a.ints("in_shape")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = expect_counts(s, 2, 1)) return bad;
    if (auto bad = plan_exchange(in_shape_, s.inputs[0].shape, s.inputs[1], p_)) return bad;
    const DType t = s.inputs[0].dtype;
    if (auto bad = expect_spec(s.outputs[0], "the result", t, in_shape_)) return bad;
    if (p_.count == 0) return {};
    constexpr int64_t kWarps = kThreads / 32, kEnoughWarps = 2048, kLeastPlaces = 1024;
    slices_ = std::max({int64_t{1}, std::min(kEnoughWarps / p_.count, p_.in() / kLeastPlaces),
                        ceil_div(p_.in(), int64_t{1} << 31)});
    grid_.x = static_cast<unsigned>(ceil_div(p_.count * slices_, kWarps));
    rounds_ = item_size(t) == 2;
    if (rounds_) p.workspace = static_cast<size_t>(p_.count * p_.in()) * sizeof(float);
    return find(s, "max_pool2d_dx", t, function_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (p_.count == 0) return {};
    return launch(*function_, q, grid_, a.in[0], a.in[1], a.out[0], rounds_ ? a.workspace : a.out[0], p_, slices_,
                  a.fault, a.instruction);
  }

 private:
  const Shape in_shape_;
  Planes p_{};
  int64_t slices_ = 1;
  bool rounds_ = false;  // sums are of another type than dx
  Grid grid_;
  const Function* function_ = nullptr;
};

// (x, index) -> out: each plane's elements at the places in `index`.
class PoolGather final : public Kernel {
 public:
  explicit PoolGather(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 2, 1)) return bad;
    if (auto bad = plan_exchange(s.inputs[0].shape, s.inputs[1].shape, s.inputs[1], p_)) return bad;
    if (auto bad = expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, s.inputs[1].shape)) return bad;
    size_ = s.outputs[0].size();
    grid_ = grid_for(size_, *s.device);
    return find(s, "pool_gather", s.inputs[0].dtype, function_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (size_ == 0) return {};
    return launch(*function_, q, grid_, a.in[0], a.in[1], a.out[0], p_, a.fault, a.instruction);
  }

 private:
  Planes p_{};
  int64_t size_ = 0;
  Grid grid_;
  const Function* function_ = nullptr;
};

template <bool kGradient>
class AvgPool final : public Kernel {
 public:
  explicit AvgPool(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto bad = expect_counts(s, 1, 1)) return bad;
    const TensorSpec &in = s.inputs[0], &out = s.outputs[0];
    const Shape& shape = kGradient ? attrs_.ints("in_shape") : in.shape;
    Shape output;
    if (auto bad = pool_.prepare(attrs_, shape, output)) return bad;
    const Window& w = pool_.window;
    if (w.dilation_h != 1 || w.dilation_w != 1) return bad_value("an average has no dilation");
    area_ = attrs_.boolean("count_include_pad") ? w.kernel_h * w.kernel_w : 0;
    if (kGradient) {
      if (auto bad = expect_spec(in, "dout", out.dtype, output)) return bad;
      if (auto bad = expect_spec(out, "the result", in.dtype, shape)) return bad;
    } else if (auto bad = expect_spec(out, "the result", in.dtype, output)) {
      return bad;
    }
    size_ = out.size();
    grid_ = grid_for(size_, *s.device);
    return find(s, kGradient ? "avg_pool2d_dx" : "avg_pool2d", in.dtype, function_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (size_ == 0) return {};
    return launch(*function_, q, grid_, a.in[0], a.out[0], pool_.planes, pool_.window, area_);
  }

 private:
  const Attrs attrs_;
  PoolPlan pool_;
  int64_t area_ = 0, size_ = 0;  // what each sum is divided by; 0: the elements of its window
  Grid grid_;
  const Function* function_ = nullptr;
};

MINDS_KERNEL("cuda", "max_pool2d", MaxPool, MINDS_FLOATS);
MINDS_KERNEL("cuda", "max_pool2d_dx", MaxPoolDx, MINDS_FLOATS);
MINDS_KERNEL("cuda", "pool_gather", PoolGather, MINDS_FLOATS);
MINDS_KERNEL("cuda", "avg_pool2d", AvgPool<false>, MINDS_FLOATS);
MINDS_KERNEL("cuda", "avg_pool2d_dx", AvgPool<true>, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cuda

// permutation(key, n): the CPU's order of 0 .. n - 1 (permutation.cu).
#include "cuda/kernels/boxes.h"
#include "cuda/kernels/dtypes.h"
#include "cuda/kernels/on_device.h"
#include "cuda/kernels/order.h"
#include "kernel/plan/generators.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class Permutation final : public OnDevice {
 public:
  explicit Permutation(const Attrs& a) : n_(a.i64("n")) {}

 private:
  Status plan(const Signature& s, Prepared& p) override {
    if (Status bad = check_permutation(s, n_)) return bad;
    if (n_ == 0) return {};
    const bool wide = is_wide(n_);
    reserve(p, static_cast<size_t>(n_) * (wide ? 8 : 4));  // the draws, at the start of the workspace
    if (Status bad = order_.prepare(*s.device, n_, n_ - 1, wide, p)) return bad;
    const Defines defines{{"T", type_name(s.outputs[0].dtype)}, {"WIDE", flag(wide)}};
    draw_grid_ = grid_for(n_, *s.device, 256, 2);
    take_grid_ = grid_for(n_, *s.device);
    if (Status bad = find_function(*s.device, "permutation", "permutation_draw", defines, draw_)) return bad;
    return find_function(*s.device, "permutation", "permutation_take", defines, take_);
  }

  Status queue(const Args& a, Stream& q) const override {
    if (n_ == 0) return {};
    Order::Result steps;
    if (Status bad = launch(*draw_, q, draw_grid_, a.in[0], a.workspace, n_)) return bad;
    if (Status bad = order_.run(a.workspace, a, q, steps)) return bad;
    return launch(*take_, q, take_grid_, a.workspace, steps.keys, steps.points, a.out[0], n_);
  }

  const int64_t n_;
  Order order_;
  Grid draw_grid_, take_grid_;
  const Function *draw_ = nullptr, *take_ = nullptr;
};

MINDS_KERNEL("cuda", "permutation", Permutation, DType::kInt64);

}  // namespace
}  // namespace minds::cuda

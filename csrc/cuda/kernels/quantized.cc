// quantized_matmul(x, w, scale, bias), or a stack of such.
#include "cuda/kernels/rows.h"
#include "cuda/provider/provider.h"
#include "kernel/plan/quantized.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class QuantizedMatmul final : public Kernel {
 public:
  explicit QuantizedMatmul(const Attrs&) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = expect_counts(s, 4, 1)) return bad;
    Shape x, w;
    if (auto bad = plan_.prepare(s, 2, x, w)) return bad;
    rows_ = x[0];
    const Shape out = plan_.stacked(s, 2, {rows_, plan_.rows});
    if (auto bad = expect_spec(s.outputs[0], "the result", DType::kFloat32, out)) return bad;
    if (empty()) return {};
    all_ = plan_.stack * rows_;
    weights_ = plan_.stack * plan_.rows;
    const auto words = [](int64_t n) { return static_cast<size_t>(n) * sizeof(uint32_t); };
    bytes_at_ = take(p.workspace, words(all_ * plan_.groups()));
    weights_at_ = take(p.workspace, words(weights_ * plan_.groups()));
    scales_at_ = take(p.workspace, words(all_));
    zeros_at_ = take(p.workspace, words(all_));
    sums_at_ = take(p.workspace, words(weights_));
    if (auto bad = find_function(*s.device, "quantized", "bytes", {}, to_bytes_)) return bad;
    if (auto bad = find_function(*s.device, "quantized", "weights", {}, to_words_)) return bad;
    return find_function(*s.device, "quantized", "product", {}, product_);
  }

  Status run(const Args& a, Stream& q) const override {
    if (empty()) return {};
    const int64_t words = plan_.groups(), m = rows_, n = plan_.rows;
    void *const bytes = within(a.workspace, bytes_at_), *const weights = within(a.workspace, weights_at_);
    void *const scales = within(a.workspace, scales_at_), *const zeros = within(a.workspace, zeros_at_);
    void* const sums = within(a.workspace, sums_at_);
    if (auto bad = launch(*to_bytes_, q, blocks(all_), a.in[0], bytes, scales, zeros, plan_.channels, words)) return bad;
    if (auto bad = launch(*to_words_, q, blocks(ceil_div(weights_, kThreads / 32)), a.in[1], weights, sums, weights_,
                          plan_.channels, words)) {
      return bad;
    }
    constexpr int64_t kTile = 64;
    return launch(*product_, q, blocks(ceil_div(m, kTile) * ceil_div(n, kTile) * plan_.stack), bytes, weights, scales,
                  zeros, sums, a.in[2], a.in[3], a.out[0], m, n, words);
  }

 private:
  bool empty() const { return plan_.stack == 0 || rows_ == 0 || plan_.rows == 0; }
  static Grid blocks(int64_t n) {
    Grid g;
    g.x = static_cast<unsigned>(n);
    return g;
  }

  QuantizedPlan plan_;
  int64_t rows_ = 0, all_ = 0, weights_ = 0;
  size_t bytes_at_ = 0, weights_at_ = 0, scales_at_ = 0, zeros_at_ = 0, sums_at_ = 0;
  const Function *to_bytes_ = nullptr, *to_words_ = nullptr, *product_ = nullptr;
};

MINDS_KERNEL("cuda", "quantized_matmul", QuantizedMatmul, DType::kFloat32);

}  // namespace
}  // namespace minds::cuda

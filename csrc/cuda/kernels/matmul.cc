// matmul: products of matrices, by a provider.
#include "cuda/device.h"
#include "cuda/provider/provider.h"
#include "kernel/plan/matmul.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

// `bias`: what the compiler makes of a product and what follows it (minds/lower/epilogue.py). A third operand is added to
// each row of the product, and with the attribute `relu` what is negative then becomes 0.
template <bool bias>
class Matmul final : public Kernel {
 public:
  explicit Matmul(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared& prepared) override {
    MatmulPlan p;
    if (Status bad = p.prepare(attrs_, product_of(s))) return bad;
    bytes_ = s.outputs[0].bytes();
    if (bytes_ == 0) return {};
    if (Status bad = check_bias(p, s)) return bad;
    if (p.k == 0) return static_cast<CudaDevice*>(s.device)->prepare_fill(1);
    const DType t = s.inputs[0].dtype;
    ProductSpec spec{t, t, p.m, p.n, p.k, p.trans_x, p.trans_y};
    int64_t out_step = p.m * p.n;
    for (const MatmulPlan::BatchDim& d : p.batch) {
      spec.batch.push_back({d.size, d.x_step * p.m * p.k, d.y_step * p.k * p.n, out_step});
      out_step *= d.size;
    }
    spec.tf32 = t == DType::kFloat32 && attrs_.has("allow_tf32") && attrs_.boolean("allow_tf32");
    spec.bias = bias;
    spec.relu = bias && attrs_.boolean("relu");
    if (Status bad = make_product(*s.device, spec, plan_)) return bad;
    prepared.workspace = plan_->workspace();
    return {};
  }

  Status run(const Args& a, Stream& q) const override {
    if (bytes_ == 0) return {};
    if (plan_) return plan_->run({a.in[0], a.in[1], a.out[0], a.workspace, bias ? a.in[2] : nullptr}, q);
    constexpr uint8_t kZero = 0;
    return q.device().fill(a.out[0], &kZero, 1, bytes_, q);
  }

 private:
  static Signature product_of(const Signature& s) {
    Signature product = s;
    if (bias && s.inputs.size() == 3) product.inputs.pop_back();
    return product;
  }

  static Status check_bias(const MatmulPlan& p, const Signature& s) {
    if (!bias) return {};
    if (s.inputs.size() != 3) return bad_value("a bias is missing");
    if (p.k == 0 || p.batches != 1) return bad_value("a product of several batches, or of none, has no bias");
    return expect_spec(s.inputs[2], "the bias", s.inputs[0].dtype, {p.n});
  }

  const Attrs attrs_;
  size_t bytes_ = 0;
  PlanPtr plan_;
};

MINDS_KERNEL("cuda", "matmul", Matmul<false>, MINDS_REALS);
MINDS_KERNEL("cuda", "matmul_bias", Matmul<true>, MINDS_FLOATS);

}  // namespace
}  // namespace minds::cuda

// Products by our own kernel: of integers, and of floats where there is no other way.
#include <algorithm>

#include "cuda/kernels/dtypes.h"
#include "cuda/module.h"
#include "cuda/provider/provider.h"

namespace minds::cuda {
namespace {

constexpr int kTile = 64, kBatchDims = 8;  // as in kernels/product.cu

struct Batch {
  int64_t size[kBatchDims], x[kBatchDims], y[kBatchDims], out[kBatchDims];
};

const char* sum_name(DType t) {
  if (t == DType::kFloat64) return "double";
  if (is_float(t)) return "float";
  return item_size(t) == 8 ? "u64" : "u32";
}

class Product final : public Plan {
 public:
  explicit Product(const ProductSpec& s) : s_(s) {}

  Status prepare(Device& d) {
    if (s_.batch.size() > kBatchDims) {
      return bad_value("more than 8 groups of batch dimensions that are broadcast in turns; reshape the operands");
    }
    for (int i = 0; i < kBatchDims; ++i) {
      const ProductSpec::BatchDim b = static_cast<size_t>(i) < s_.batch.size() ? s_.batch[static_cast<size_t>(i)]
                                                                              : ProductSpec::BatchDim{1, 0, 0, 0};
      batch_.size[i] = b.size;
      batch_.x[i] = b.x_step;
      batch_.y[i] = b.y_step;
      batch_.out[i] = b.out_step;
      batches_ *= b.size;
    }
    const int64_t tiles = (s_.m + kTile - 1) / kTile * ((s_.n + kTile - 1) / kTile) * batches_;
    grid_.x = static_cast<unsigned>(std::min<int64_t>(tiles, int64_t{1} << 30));
    return find_function(d, "product", "product",
                         {{"T", type_name(s_.dtype)}, {"OUT", type_name(s_.out)}, {"SUM", sum_name(s_.dtype)}},
                         function_);
  }

  size_t workspace() const override { return 0; }

  Status run(const Operands& a, Stream& q) const override {
    const int64_t one = 1;
    const int relu = s_.relu ? 1 : 0;
    return launch(*function_, q, grid_, a.x, a.y, a.bias, relu, a.out, s_.m, s_.n, s_.k, s_.trans_x ? one : s_.k, s_.trans_x ? s_.m : one,
                  s_.trans_y ? one : s_.n, s_.trans_y ? s_.k : one, batch_, batches_);
  }

 private:
  const ProductSpec s_;
  Batch batch_{};
  int64_t batches_ = 1;
  Grid grid_;
  const Function* function_ = nullptr;
};

}  // namespace

Status make_tiled_product(Device& d, const ProductSpec& s, PlanPtr& plan) {
  auto made = std::make_unique<Product>(s);
  if (Status bad = made->prepare(d)) return bad;
  plan = std::move(made);
  return {};
}

}  // namespace minds::cuda

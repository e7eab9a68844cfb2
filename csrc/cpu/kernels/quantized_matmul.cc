// quantized_matmul(x, w, scale, bias), or a stack of such: rows of x, each quantised by its own range, times the rows of w.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/kernels/quantized.h"
#include "cpu/kernels/quantized_weights.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

class QuantizedMatmul final : public Kernel {
 public:
  explicit QuantizedMatmul(const Attrs&) {}

  Status prepare(const Signature& s, Prepared& prepared) override {
    if (auto failed = expect_counts(s, 4, 1)) return failed;
    Shape x, w;
    if (auto failed = weights_.prepare(s, 2, x, w)) return failed;
    rows_ = x[0];
    const Shape out = weights_.stacked(s, 2, {rows_, weights_.rows});
    if (auto failed = expect_spec(s.outputs[0], "the result", DType::kFloat32, out)) return failed;
    Places places;
    weights_at_ = places.take(weights_.workspace());
    padded_ = rows_ <= kFewColumns ? rows_ : (rows_ + kStrip - 1) / kStrip * kStrip;
    bytes_at_ = places.take(padded_ * weights_.depth);
    scales_at_ = places.take(padded_ * sizeof(float));
    zeros_at_ = places.take(padded_ * sizeof(int32_t));
    prepared.workspace = places.size();
    return Status::ok();
  }

  Status run(const Args& a, Stream&) const override {
    if (rows_ == 0 || weights_.rows == 0) return Status::ok();
    char* const space = static_cast<char*>(a.workspace);
    uint8_t* const bytes = reinterpret_cast<uint8_t*>(space + bytes_at_);
    float* const scales = reinterpret_cast<float*>(space + scales_at_);
    int32_t* const zeros = reinterpret_cast<int32_t*>(space + zeros_at_);
    for (int64_t i = 0; i < weights_.stack; ++i) {
      quantise(static_cast<const float*>(a.in[0]) + i * rows_ * weights_.channels, bytes, scales, zeros);
      const int8_t* const weights = static_cast<const int8_t*>(a.in[1]) + i * weights_.rows * weights_.channels;
      const QuantizedProduct p{weights_.rows,
                               weights_.depth,
                               rows_,
                               weights_.padded(weights, space + weights_at_),
                               bytes,
                               static_cast<const float*>(a.in[2]) + i * weights_.rows,
                               static_cast<const float*>(a.in[3]) + i * weights_.rows,
                               scales,
                               zeros,
                               static_cast<float*>(a.out[0]) + i * rows_ * weights_.rows,
                               weights_.rows,
                               true};
      if (rows_ <= kFewColumns) {
        multiply_few(p);
      } else {
        multiply(p);
      }
    }
    return Status::ok();
  }

 private:
  void quantise(const float* x, uint8_t* bytes, float* scales, int32_t* zeros) const {
    const QuantizedTier& tier = quantized_tier();
    const int64_t width = weights_.channels, depth = weights_.depth, strip = rows_ <= kFewColumns ? 1 : kStrip;
    if (width % 4 != 0) {
      std::memset(bytes, 0, static_cast<size_t>(padded_ * depth));
    } else if (padded_ != rows_) {
      std::memset(bytes + (padded_ - kStrip) * depth, 0, static_cast<size_t>(kStrip * depth));
    }
    std::fill(scales + rows_, scales + padded_, 0.0f);
    std::fill(zeros + rows_, zeros + padded_, 0);
    parallel_for(rows_, items_per_thread(width), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const Quantised by = quantised(tier.range(x + row * width, width, Range{}));
        scales[row] = by.scale;
        zeros[row] = by.zero;
        uint8_t* const to = bytes + row / strip * strip * depth + row % strip * 4;
        tier.quantise_row(x + row * width, width, by, reinterpret_cast<uint32_t*>(to), strip);
      }
    });
  }

  QuantizedWeights weights_;
  int64_t rows_ = 0, padded_ = 0;
  size_t weights_at_ = 0, bytes_at_ = 0, scales_at_ = 0, zeros_at_ = 0;
};

MINDS_KERNEL("cpu", "quantized_matmul", QuantizedMatmul, DType::kFloat32);

}  // namespace

}  // namespace minds::cpu

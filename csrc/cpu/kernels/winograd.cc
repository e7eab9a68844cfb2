#include "cpu/kernels/winograd.h"

#include <omp.h>

#include <algorithm>

#include "base/parallel.h"
#include "cpu/isa.h"
#include "cpu/kernels/winograd_tier.h"

namespace minds::cpu {

namespace {

constexpr int64_t kLine = 16;  // floats of a cache line

int64_t rounded(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

const WinogradTier* tier() {
#if defined(__x86_64__)
  if (isa() == Isa::kAvx512) return &kWinogradAvx512;
  if (isa() == Isa::kAvx2) return &kWinogradAvx2;
#endif
  return nullptr;
}

// What both directions share: sizes, and scratch memory for each of some parts of the work.
class Winograd : public Plan {
 public:
  Winograd(const WinogradTier& t, const WinogradSizes& s, int64_t squares)
      : tier_(t), s_(s), in_(rounded(s.in, t.lanes)), out_(rounded(s.out, t.lanes)), all_rows_(s.batch * s.rows) {
    rows_ = std::clamp<int64_t>(squares / s.cols, 1, all_rows_);
    squares_ = rows_ * s.cols;
    // As many as can ever run at once: how the work is cut changes no number.
    parts_ = std::clamp<int64_t>(std::max(num_threads(), omp_get_num_procs()), 1, all_rows_);
    // Of one sample at a time.
    pixels_ = rounded((2 * std::min(rows_, s.rows) + 2) * (2 * s.cols + 2) * std::max(in_, out_), kLine);
  }

 protected:
  int64_t matrix(int64_t elements) const { return elements + kBetween; }

  // f(part, begin, end) of `n` items, cut into parts_.
  template <class F>
  void in_parts(int64_t n, F f) const {
    parallel_for(parts_, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        const int64_t begin = n * p / parts_, end = n * (p + 1) / parts_;
        if (begin < end) f(p, begin, end);
      }
    });
  }

  const WinogradTier& tier_;
  WinogradSizes s_;
  int64_t in_, out_, all_rows_, rows_, squares_, parts_, pixels_;
};

// Each part takes blocks of squares through all three steps, while they are in its cache.
class WinogradImage final : public Winograd {
 public:
  WinogradImage(const WinogradTier& t, const WinogradSizes& s, const WinogradWeights& w, int64_t squares)
      : Winograd(t, s, squares), w_(w), weights_(matrix(s.in * out_)), apart_in_(matrix(squares_ * in_)),
        apart_out_(matrix(squares_ * out_)), part_(pixels_ + kBasis * (apart_in_ + apart_out_)) {}

  size_t workspace() const override { return static_cast<size_t>(kBasis * weights_ + parts_ * part_) * sizeof(float); }

  Status run(const void* x, const void* y, void* out, void* workspace) const override {
    float* const weights = static_cast<float*>(workspace);
    WinogradWeights w = w_;
    w.w = static_cast<const float*>(y);
    in_parts(s_.in, [&](int64_t, int64_t begin, int64_t end) { tier_.weights(s_, w, begin, end, weights); });
    in_parts(all_rows_, [&](int64_t part, int64_t begin, int64_t end) {
      float* const scratch = weights + kBasis * weights_ + part * part_;
      for (int64_t row = begin; row < end; row += rows_) {
        block(static_cast<const float*>(x), weights, row, std::min(end, row + rows_), scratch,
              static_cast<float*>(out));
      }
    });
    return Status::ok();
  }

 private:
  void block(const float* x, const float* weights, int64_t begin, int64_t end, float* pixels, float* out) const {
    float *const v = pixels + pixels_, *const m = v + kBasis * apart_in_;
    tier_.input(s_, x, begin, end, 0, 0, apart_in_, pixels, v);
    for (int64_t e = 0; e < kBasis; ++e) {
      tier_.product((end - begin) * s_.cols, out_, s_.in, v + e * apart_in_, in_, 1, weights + e * weights_,
                    m + e * apart_out_, out_, false);
    }
    tier_.output(s_, m, begin, end, apart_out_, pixels, out);
  }

  WinogradWeights w_;
  int64_t weights_, apart_in_, apart_out_, part_;
};

// The gradient of the weights: a sum over all squares, block after block. The threads share the transforms of a block, then
// its products.
class WinogradWeight final : public Winograd {
 public:
  WinogradWeight(const WinogradTier& t, const WinogradSizes& s, int64_t squares)
      : Winograd(t, s, squares), row_(out_ + kBetween), apart_in_(matrix(squares_ * in_)),
        apart_out_(matrix(squares_ * row_)), sum_(matrix(s.out * in_)) {}

  size_t workspace() const override {
    return static_cast<size_t>(kBasis * (apart_in_ + apart_out_ + sum_) + parts_ * pixels_) * sizeof(float);
  }

  Status run(const void* x, const void* y, void* out, void* workspace) const override {
    float *const v = static_cast<float*>(workspace), *const g = v + kBasis * apart_in_;
    float *const sum = g + kBasis * apart_out_, *const pixels = sum + kBasis * sum_;
    for (int64_t row = 0; row < all_rows_; row += rows_) {
      const int64_t count = std::min(rows_, all_rows_ - row), squares = count * s_.cols;
      in_parts(count, [&](int64_t part, int64_t begin, int64_t end) {
        transform(static_cast<const float*>(x), static_cast<const float*>(y), row, begin, end, squares, v, g,
                  pixels + part * pixels_);
      });
      products(squares, v, g, sum, row > 0);
    }
    in_parts(s_.out, [&](int64_t, int64_t begin, int64_t end) {
      tier_.weight_gradient(s_, sum, begin, end, sum_, static_cast<float*>(out));
    });
    return Status::ok();
  }

 private:
  void transform(const float* x, const float* dy, int64_t row, int64_t begin, int64_t end, int64_t squares, float* v,
                 float* g, float* pixels) const {
    tier_.input(s_, x, row + begin, row + end, begin * s_.cols, squares, apart_in_, pixels, v);
    tier_.gradient(s_, dy, row + begin, row + end, apart_out_, pixels, g + begin * s_.cols * row_);
  }

  void products(int64_t squares, const float* v, const float* g, float* sum, bool add) const {
    constexpr int64_t kHeight = 96;  // rows of a task
    const int64_t across = (in_ + tier_.wide - 1) / tier_.wide, down = (s_.out + kHeight - 1) / kHeight;
    parallel_for(kBasis * across * down, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t e = task / (across * down), panel = task / down % across * tier_.wide, o = task % down * kHeight;
        tier_.product(std::min(kHeight, s_.out - o), std::min(tier_.wide, in_ - panel), squares,
                      g + e * apart_out_ + o, 1, row_, v + e * apart_in_ + panel * squares,
                      sum + e * sum_ + o * in_ + panel, in_, add);
      }
    });
  }

  int64_t row_, apart_in_, apart_out_, sum_;
};

// By benchmarks/kernels.py: below these the transforms take what the products save.
bool pays(const ConvSpec& s, int64_t squares) {
  constexpr int64_t kChannels = 32, kSquares = 96;
  return std::min(s.in_channels, s.out_channels) >= kChannels && squares >= kSquares;
}

bool fits(const ConvSpec& s) {
  const bool plain = s.stride_h == 1 && s.stride_w == 1 && s.dilation_h == 1 && s.dilation_w == 1 && s.group == 1;
  return s.dtype == DType::kFloat32 && s.kernel_h == 3 && s.kernel_w == 3 && plain && s.top <= 2 && s.left <= 2;
}

}  // namespace

std::unique_ptr<Plan> make_winograd(const ConvSpec& s) {
  const WinogradTier* t = tier();
  if (t == nullptr || !fits(s)) return nullptr;
  WinogradSizes z{s.batch, s.in_channels, s.out_channels, s.in_h, s.in_w, s.out_h, s.out_w, s.top, s.left, 0, 0};
  WinogradWeights w{nullptr, 9, 9 * s.in_channels, false};
  if (s.pass == ConvPass::kData) {
    z = {s.batch, s.out_channels, s.in_channels, s.out_h, s.out_w, s.in_h, s.in_w, 2 - s.top, 2 - s.left, 0, 0};
    w = {nullptr, 9 * s.in_channels, 9, true};
  }
  z.rows = (z.out_h + 1) / 2;
  z.cols = (z.out_w + 1) / 2;
  if (!pays(s, z.batch * z.rows * z.cols)) return nullptr;
  const int64_t channels = z.in + z.out;
  if (s.pass == ConvPass::kWeight) {
    return std::make_unique<WinogradWeight>(*t, z, std::max<int64_t>(256, (1 << 16) / channels));
  }
  return std::make_unique<WinogradImage>(*t, z, w, channels > 512 ? 64 : 128);
}

}  // namespace minds::cpu

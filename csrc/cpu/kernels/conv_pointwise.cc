#include "cpu/kernels/conv_pointwise.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/kernels/loops.h"

namespace minds::cpu {

namespace {

// A window of one pixel is a product over channels. Images lie channel by channel, so a product takes one image in its place;
// or all images, side by side in a matrix (channels x pixels of all images): where an image has few pixels, or where the
// window leaves some out.
struct Images {
  int64_t batch, channels, h, w;       // as they lie in memory
  int64_t stride_h, stride_w, rows, cols;  // the pixels that count
  size_t element;                      // bytes

  int64_t pixels() const { return rows * cols; }
  bool whole() const { return rows * cols == h * w; }

  // Between images and the matrix. f(address in the matrix, of the image's channel).
  template <class F>
  void each_channel(F f) const {
    parallel_for(channels * batch, items_per_thread(pixels()), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t c = i / batch, n = i % batch;
        f(i * pixels() * element, (n * channels + c) * h * w * element);
      }
    });
  }

  void collect(const void* from, void* to) const {
    each_channel([&](int64_t row, int64_t plane) {
      const char* p = static_cast<const char*>(from) + plane;
      char* q = static_cast<char*>(to) + row;
      if (whole()) {
        std::memcpy(q, p, pixels() * element);
      } else {
        element == 2 ? pick<uint16_t>(p, q) : pick<uint32_t>(p, q);
      }
    });
  }

  void spread(const void* from, void* to) const {
    each_channel([&](int64_t row, int64_t plane) {
      const char* p = static_cast<const char*>(from) + row;
      char* q = static_cast<char*>(to) + plane;
      if (whole()) {
        std::memcpy(q, p, pixels() * element);
      } else {
        std::memset(q, 0, h * w * element);
        element == 2 ? put<uint16_t>(p, q) : put<uint32_t>(p, q);
      }
    });
  }

 private:
  template <class T>
  void pick(const char* from, char* to) const {
    T* q = reinterpret_cast<T*>(to);
    for (int64_t r = 0; r < rows; ++r) {
      const T* p = reinterpret_cast<const T*>(from) + r * stride_h * w;
      for (int64_t c = 0; c < cols; ++c) *q++ = p[c * stride_w];
    }
  }

  template <class T>
  void put(const char* from, char* to) const {
    const T* p = reinterpret_cast<const T*>(from);
    for (int64_t r = 0; r < rows; ++r) {
      T* q = reinterpret_cast<T*>(to) + r * stride_h * w;
      for (int64_t c = 0; c < cols; ++c) q[c * stride_w] = *p++;
    }
  }
};

size_t lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

// y = W x, or x = Wᵀ y with the pixels left out as zeros: one product over the matrix of all images.
class PointwiseImage final : public Plan {
 public:
  PointwiseImage(const Images& from, const Images& to, std::unique_ptr<Plan> product)
      : from_(from), to_(to), product_(std::move(product)),
        in_(lines(from.batch * from.channels * from.pixels() * from.element)),
        out_(lines(to.batch * to.channels * to.pixels() * to.element)) {}

  size_t workspace() const override { return in_ + out_ + product_->workspace(); }

  Status run(const void* x, const void* w, void* out, void* workspace) const override {
    char* const base = static_cast<char*>(workspace);
    from_.collect(x, base);
    if (auto failed = product_->run(w, base, base + in_, base + in_ + out_)) return failed;
    to_.spread(base + in_, out);
    return Status::ok();
  }

 private:
  Images from_, to_;
  std::unique_ptr<Plan> product_;
  size_t in_, out_;
};

// dW = dy xᵀ over the matrix of all images, or a sum of the images' products in float32, one after the other.
class PointwiseWeight final : public Plan {
 public:
  PointwiseWeight(const Images& x, const Images& dy, bool together, std::unique_ptr<Plan> product)
      : x_(x), dy_(dy), together_(together), product_(std::move(product)) {
    if (together_ || !x.whole()) x_bytes_ = lines(x.batch * x.channels * x.pixels() * x.element);
    if (together_) dy_bytes_ = lines(dy.batch * dy.channels * dy.pixels() * dy.element);
    if (!together_ && x.element == 2) sum_bytes_ = lines(x.channels * dy.channels * sizeof(float));
  }

  size_t workspace() const override { return x_bytes_ + dy_bytes_ + sum_bytes_ + product_->workspace(); }

  Status run(const void* x, const void* y, void* out, void* workspace) const override {
    char* const base = static_cast<char*>(workspace);
    char* const rest = base + x_bytes_ + dy_bytes_ + sum_bytes_;
    if (together_) {
      x_.collect(x, base);
      dy_.collect(y, base + x_bytes_);
      return product_->run(base + x_bytes_, base, out, rest);
    }
    float* const sum = static_cast<float*>(sum_bytes_ > 0 ? static_cast<void*>(base + x_bytes_) : out);
    const int64_t elements = x_.channels * dy_.channels;
    std::memset(sum, 0, elements * sizeof(float));
    for (int64_t n = 0; n < x_.batch; ++n) {
      const void* image = static_cast<const char*>(x) + n * x_.channels * x_.h * x_.w * x_.element;
      if (x_bytes_ > 0) {
        Images one = x_;
        one.batch = 1;
        one.collect(image, base);
        image = base;
      }
      const void* dy = static_cast<const char*>(y) + n * dy_.channels * dy_.pixels() * dy_.element;
      if (auto failed = product_->run(dy, image, sum, rest)) return failed;
    }
    if (sum_bytes_ > 0) {
      const UnaryLoop narrow = loops().narrow[1];
      parallel_for(elements, kGrain, [&](int64_t begin, int64_t end) {
        narrow(static_cast<uint16_t*>(out) + begin, sum + begin, end - begin);
      });
    }
    return Status::ok();
  }

 private:
  Images x_, dy_;
  bool together_;
  std::unique_ptr<Plan> product_;
  size_t x_bytes_ = 0, dy_bytes_ = 0, sum_bytes_ = 0;
};

bool fits(const ConvSpec& s) {
  constexpr int64_t kChannels = 32;
  const bool pixel = s.kernel_h == 1 && s.kernel_w == 1 && s.top + s.bottom + s.left + s.right == 0 && s.group == 1;
  return pixel && (s.dtype == DType::kFloat32 || s.dtype == DType::kBFloat16) &&
         std::min(s.in_channels, s.out_channels) >= kChannels;
}

// Measured on the shapes of ResNet-50 (benchmarks/kernels.py). The weights' gradient sums one image after the other from so
// many pixels on. Elsewhere the copies pay for images of few pixels, and for somewhat larger ones where two of three
// things make the provider slow.
constexpr int64_t kManyPixels = 512, kSomePixels = 256, kFewPixels = 128;

bool pays(const ConvSpec& s) {
  if (s.pass == ConvPass::kWeight) return true;
  const int64_t pixels = s.out_h * s.out_w;
  const int slow = (s.stride_h != 1 || s.stride_w != 1) + (s.pass == ConvPass::kData) + (s.dtype == DType::kFloat32);
  return s.batch > 1 && (pixels <= kFewPixels || (pixels <= kSomePixels && slow >= 2));
}

}  // namespace

Status make_pointwise(const ConvSpec& s, std::unique_ptr<Plan>& plan) {
  if (!fits(s) || !pays(s)) return Status::ok();
  const size_t element = s.dtype == DType::kFloat32 ? 4 : 2;
  const Images x{s.batch, s.in_channels, s.in_h, s.in_w, s.stride_h, s.stride_w, s.out_h, s.out_w, element};
  const Images y{s.batch, s.out_channels, s.out_h, s.out_w, 1, 1, s.out_h, s.out_w, element};
  std::unique_ptr<Plan> product;
  GemmSpec g{s.dtype, {}, {}, 0, 0, 0, false, false, false};
  const int64_t pixels = s.out_h * s.out_w, all = s.batch * pixels;
  if (s.pass == ConvPass::kWeight) {
    const bool together = s.batch > 1 && pixels < kManyPixels;
    g.m = s.out_channels, g.n = s.in_channels, g.k = together ? all : pixels, g.trans_y = true, g.sum = !together;
    if (auto failed = provider().gemm(g, product)) return failed;
    if (product) plan = std::make_unique<PointwiseWeight>(x, y, together, std::move(product));
    return Status::ok();
  }
  const bool forward = s.pass == ConvPass::kForward;
  g.m = forward ? s.out_channels : s.in_channels, g.k = forward ? s.in_channels : s.out_channels, g.n = all;
  g.trans_x = !forward;
  if (auto failed = provider().gemm(g, product)) return failed;
  if (product) plan = std::make_unique<PointwiseImage>(forward ? x : y, forward ? y : x, std::move(product));
  return Status::ok();
}

}  // namespace minds::cpu

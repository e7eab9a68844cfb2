// quantized_conv2d(x, w, scale, bias), or a stack of such: images NCHW, each quantised by its own range, and weights OHWI.
//
// An image becomes planes of groups of four channels; the windows of sixteen places of the result are a strip. Places
// outside the image are one more group at the end of each plane, which is 0.
#include <algorithm>

#include "base/parallel.h"
#include "cpu/kernels/quantized.h"
#include "cpu/kernels/quantized_weights.h"
#include "kernel/plan/window.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

class QuantizedConv final : public Kernel {
 public:
  explicit QuantizedConv(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared& prepared) override {
    if (auto failed = expect_counts(s, 4, 1)) return failed;
    Shape x, w;
    if (auto failed = weights_.prepare(s, 4, x, w)) return failed;
    if (auto failed = read_window(attrs_, {w[1], w[2]}, window_)) return failed;
    if (auto failed = check_window(window_, x[2], x[3])) return failed;
    images_ = x[0];
    height_ = x[2];
    width_ = x[3];
    out_height_ = window_.out_h(height_);
    out_width_ = window_.out_w(width_);
    const Shape out = weights_.stacked(s, 4, {images_, weights_.rows, out_height_, out_width_});
    if (auto failed = expect_spec(s.outputs[0], "the result", DType::kFloat32, out)) return failed;
    const int64_t most = INT32_MAX / 4;  // places, and whatever a window reaches beyond them, are counted in 32 bits
    if (height_ * width_ > most || std::max({height_ + window_.span_h(), width_ + window_.span_w(), window_.top,
                                             window_.bottom, window_.left, window_.right}) > most) {
      return bad_value("an image of " + to_string(x) + " is too large");
    }
    direct_ = w[1] * w[2] == 1 && out_height_ == height_ && out_width_ == width_ && window_.stride_h == 1 &&
              window_.stride_w == 1 && window_.top + window_.left == 0;
    Places places;
    weights_at_ = places.take(weights_.workspace());
    planes_at_ = places.take(direct_ ? 0 : weights_.groups() * (height_ * width_ + 1) * 4);
    padded_ = (out_height_ * out_width_ + kStrip - 1) / kStrip * kStrip;
    strips_at_ = places.take(padded_ * weights_.depth);
    scales_at_ = places.take(padded_ * sizeof(float));
    zeros_at_ = places.take(padded_ * sizeof(int32_t));
    prepared.workspace = places.size();
    return Status::ok();
  }

  Status run(const Args& a, Stream&) const override {
    const int64_t places = out_height_ * out_width_;
    if (images_ == 0 || weights_.rows == 0 || places == 0) return Status::ok();
    const int64_t size = weights_.rows * weights_.taps * weights_.channels;
    for (int64_t i = 0; i < weights_.stack; ++i) {
      const int8_t* const weights = static_cast<const int8_t*>(a.in[1]) + i * size;
      const int8_t* const padded = weights_.padded(weights, static_cast<char*>(a.workspace) + weights_at_);
      for (int64_t n = i * images_; n < (i + 1) * images_; ++n) image(a, n, padded, i * weights_.rows);
    }
    return Status::ok();
  }

 private:
  // Image `n` of all; its weights' factors begin at `row`.
  void image(const Args& a, int64_t n, const int8_t* weights, int64_t row) const {
    char* const space = static_cast<char*>(a.workspace);
    uint32_t* const planes = reinterpret_cast<uint32_t*>(space + planes_at_);
    uint32_t* const strips = reinterpret_cast<uint32_t*>(space + strips_at_);
    float* const scales = reinterpret_cast<float*>(space + scales_at_);
    int32_t* const zeros = reinterpret_cast<int32_t*>(space + zeros_at_);
    const int64_t size = weights_.channels * height_ * width_, places = out_height_ * out_width_;
    const float* const x = static_cast<const float*>(a.in[0]) + n * size;
    const Quantised by = quantised(range(x, size));
    std::fill_n(scales, padded_, by.scale);
    std::fill_n(zeros, padded_, by.zero);
    if (direct_) {
      cut(x, by, strips);
    } else {
      spread(x, by, planes);
      collect(planes, strips);
    }
    multiply({weights_.rows, weights_.depth, places, weights, reinterpret_cast<const uint8_t*>(strips),
              static_cast<const float*>(a.in[2]) + row, static_cast<const float*>(a.in[3]) + row, scales, zeros,
              static_cast<float*>(a.out[0]) + n * weights_.rows * places, places, false});
  }

  static constexpr int64_t kChunk = 1 << 13;

  static Range range(const float* x, int64_t size) {
    constexpr int64_t kParts = 32;
    const int64_t share = (size + kParts - 1) / kParts;
    Range found[kParts];
    parallel_for(kParts, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, share)), [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const int64_t from = std::min(size, part * share);
        found[part] = quantized_tier().range(x + from, std::min(share, size - from), Range{});
      }
    });
    Range all;
    for (const Range& r : found) {
      all = {std::min(all.low, r.low), std::max(all.high, r.high), all.spoilt + r.spoilt};
    }
    return all;
  }

  int planes_of(int64_t group) const { return static_cast<int>(std::min<int64_t>(4, weights_.channels - 4 * group)); }

  // A convolution of single places: the image's places are the columns.
  void cut(const float* x, Quantised by, uint32_t* strips) const {
    const QuantizedTier& tier = quantized_tier();
    const int64_t plane = height_ * width_, groups = weights_.groups(), each = kStrip * std::max<int64_t>(1, groups);
    parallel_for(padded_ / kStrip, std::max<int64_t>(1, kChunk / each), [&](int64_t begin, int64_t end) {
      for (int64_t strip = begin; strip < end; ++strip) {
        const int64_t first = strip * kStrip, n = std::min(kStrip, plane - first);
        uint32_t* to = strips + first * groups;
        if (n < kStrip) std::fill_n(to, kStrip * groups, 0u);
        for (int64_t g = 0; g < groups; ++g, to += kStrip) {
          tier.quantise(x + 4 * g * plane + first, plane, planes_of(g), n, by, to);
        }
      }
    });
  }

  void spread(const float* x, Quantised by, uint32_t* planes) const {
    // Of an image without places there is the one outside.
    const int64_t plane = height_ * width_, chunks = std::max<int64_t>(1, (plane + kChunk - 1) / kChunk);
    const int64_t groups = weights_.groups(), each = std::clamp<int64_t>(plane, 1, kChunk);
    const uint32_t outside = static_cast<uint32_t>(by.zero) * 0x01010101u;
    parallel_for(groups * chunks, kChunk / each, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const int64_t g = part / chunks, from = part % chunks * kChunk, n = std::min(kChunk, plane - from);
        uint32_t* const to = planes + g * (plane + 1);
        quantized_tier().quantise(x + 4 * g * plane + from, plane, planes_of(g), n, by, to + from);
        to[plane] = outside;
      }
    });
  }

  // The corners of the windows of sixteen results.
  struct Corners {
    int32_t y[kStrip], x[kStrip];
  };

  Corners corners(int64_t first) const {
    Corners found;
    int64_t y = first / out_width_, x = first % out_width_;
    for (int64_t n = 0; n < kStrip; ++n) {
      // Those behind the last result lie outside, whatever the tap.
      found.y[n] = static_cast<int32_t>(y < out_height_ ? y * window_.stride_h - window_.top : height_);
      found.x[n] = static_cast<int32_t>(x * window_.stride_w - window_.left);
      if (++x == out_width_) {
        x = 0;
        ++y;
      }
    }
    return found;
  }

  // Where in a plane a tap of sixteen windows lies.
  void find(const Corners& from, int32_t down, int32_t across, int32_t* found) const {
    const int32_t height = static_cast<int32_t>(height_), width = static_cast<int32_t>(width_);
    for (int64_t n = 0; n < kStrip; ++n) {
      const int32_t y = from.y[n] + down, x = from.x[n] + across;
      const bool inside = (y >= 0) & (y < height) & (x >= 0) & (x < width);
      found[n] = inside ? y * width + x : height * width;
    }
  }

  void collect(const uint32_t* planes, uint32_t* strips) const {
    const int64_t groups = weights_.groups(), each = kStrip * weights_.depth / 4;
    parallel_for(padded_ / kStrip, kChunk / std::clamp<int64_t>(each, 1, kChunk), [&](int64_t begin, int64_t end) {
      int32_t found[kStrip];
      for (int64_t strip = begin; strip < end; ++strip) {
        const Corners from = corners(strip * kStrip);
        uint32_t* to = strips + strip * each;
        for (int64_t i = 0; i < window_.kernel_h; ++i) {
          for (int64_t j = 0; j < window_.kernel_w; ++j, to += groups * kStrip) {
            find(from, static_cast<int32_t>(i * window_.dilation_h), static_cast<int32_t>(j * window_.dilation_w), found);
            quantized_tier().collect(groups, planes, height_ * width_ + 1, found, to);
          }
        }
      }
    });
  }

  Attrs attrs_;
  Window window_{};
  QuantizedWeights weights_;
  bool direct_ = false;
  int64_t images_ = 0, height_ = 0, width_ = 0, out_height_ = 0, out_width_ = 0, padded_ = 0;
  size_t weights_at_ = 0, planes_at_ = 0, strips_at_ = 0, scales_at_ = 0, zeros_at_ = 0;
};

MINDS_KERNEL("cpu", "quantized_conv2d", QuantizedConv, DType::kFloat32);

}  // namespace

}  // namespace minds::cpu

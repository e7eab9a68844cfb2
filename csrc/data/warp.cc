#include "data/warp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace minds::data {

namespace {

constexpr int kParts = 32;  // of a pixel
constexpr int kFine = 1024;

int64_t whole(double v) {
  constexpr double kLimit = 1 << 30;  // far outside of every image
  return std::isnan(v) ? -(int64_t{1} << 30) : std::llrint(std::clamp(v, -kLimit, kLimit));
}

// Where in the image a pixel of the result lies, in 32nds of a pixel, or in pixels for `nearest`.
struct Place {
  int64_t x, y;
};

class Map {
 public:
  Map(const double (&m)[9], bool projective, bool nearest) : m_(m), projective_(projective), nearest_(nearest) {}

  Place operator()(int64_t x, int64_t y) const {
    const double dx = static_cast<double>(x), dy = static_cast<double>(y);
    if (projective_) {
      const double w = m_[6] * dx + m_[7] * dy + m_[8], by = w == 0 ? 0 : (nearest_ ? 1 : kParts) / w;
      return {whole((m_[0] * dx + m_[1] * dy + m_[2]) * by), whole((m_[3] * dx + m_[4] * dy + m_[5]) * by)};
    }
    const int64_t half = nearest_ ? kFine / 2 : kFine / kParts / 2;
    const int shift = nearest_ ? 10 : 5;
    return {(whole((m_[1] * dy + m_[2]) * kFine) + half + whole(m_[0] * dx * kFine)) >> shift,
            (whole((m_[4] * dy + m_[5]) * kFine) + half + whole(m_[3] * dx * kFine)) >> shift};
  }

 private:
  const double (&m_)[9];
  const bool projective_, nearest_;
};

struct Weights {
  float of[4];
  Weights() = default;
  Weights(int64_t part, Kind kind) {
    const double t = static_cast<double>(part) / kParts, a = -0.75;
    if (kind == Kind::kLinear) {
      of[0] = static_cast<float>(1 - t), of[1] = static_cast<float>(t), of[2] = of[3] = 0;
      return;
    }
    const double u = t + 1, v = 1 - t;
    of[0] = static_cast<float>(((a * u - 5 * a) * u + 8 * a) * u - 4 * a);
    of[1] = static_cast<float>(((a + 2) * t - (a + 3)) * t * t + 1);
    of[2] = static_cast<float>(((a + 2) * v - (a + 3)) * v * v + 1);
    of[3] = 1 - of[0] - of[1] - of[2];
  }
};

template <class T>
T rounded(float v) {
  if constexpr (std::is_same_v<T, float>) return v;
  return static_cast<T>(std::lrintf(std::clamp(v, 0.0f, 255.0f)));
}

template <class T>
void mix(const View<T>& from, Place at, Kind kind, const Weights* table, const T* border, T* to) {
  const int64_t taps = kind == Kind::kLinear ? 2 : 4, before = kind == Kind::kLinear ? 0 : 1;
  const int64_t x0 = (at.x >> 5) - before, y0 = (at.y >> 5) - before;
  const float* wx = table[at.x & 31].of;
  const float* wy = table[at.y & 31].of;
  for (int64_t c = 0; c < from.channels; ++c) {
    float sum = 0;
    for (int64_t i = 0; i < taps; ++i) {
      float row = 0;
      for (int64_t j = 0; j < taps; ++j) {
        const int64_t x = x0 + j, y = y0 + i;
        const bool inside = x >= 0 && y >= 0 && x < from.width && y < from.height;
        row += wx[j] * static_cast<float>(inside ? from.data[y * from.stride + x * from.channels + c] : border[c]);
      }
      sum += wy[i] * row;
    }
    to[c] = rounded<T>(sum);
  }
}

}  // namespace

template <class T>
Status warp(const View<T>& from, int64_t height, int64_t width, const double (&map)[9], bool projective, Kind kind,
            const T* border, T* to) {
  if (kind != Kind::kNearest && kind != Kind::kLinear && kind != Kind::kCubic)
    return {Code::kValue, "a map of an image takes nearest, linear or cubic interpolation"};
  const bool nearest = kind == Kind::kNearest;
  const Map place(map, projective, nearest);
  Weights table[kParts];
  for (int64_t i = 0; i < kParts && !nearest; ++i) table[i] = Weights(i, kind);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x, to += from.channels) {
      const Place at = place(x, y);
      if (!nearest) {
        mix(from, at, kind, table, border, to);
        continue;
      }
      const bool inside = at.x >= 0 && at.y >= 0 && at.x < from.width && at.y < from.height;
      std::copy_n(inside ? from.data + at.y * from.stride + at.x * from.channels : border, from.channels, to);
    }
  }
  return Status::ok();
}

template Status warp(const View<uint8_t>&, int64_t, int64_t, const double (&)[9], bool, Kind, const uint8_t*,
                     uint8_t*);
template Status warp(const View<float>&, int64_t, int64_t, const double (&)[9], bool, Kind, const float*, float*);

}  // namespace minds::data

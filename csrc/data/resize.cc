#include "data/resize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/rows.h"

namespace minds::data {

namespace {

// What the pixels of one axis are made of: pixel i of weight[begin[i]], weight[begin[i] + 1], ... times the old pixels
// first[i], first[i] + 1, ...
struct Axis {
  std::vector<int32_t> first;
  std::vector<int32_t> begin{0};
  std::vector<float> weight;

  int32_t count(int64_t i) const { return begin[i + 1] - begin[i]; }
  // Adds a pixel made of `weights` from `from` on; what lies beyond an edge is the pixel at the edge.
  void add(int64_t from, const std::vector<double>& weights, int64_t old) {
    const int64_t low = std::clamp<int64_t>(from, 0, old - 1);
    const int64_t high = std::clamp<int64_t>(from + static_cast<int64_t>(weights.size()) - 1, 0, old - 1);
    const size_t at = weight.size();
    weight.resize(at + static_cast<size_t>(high - low + 1), 0.0f);
    for (size_t t = 0; t < weights.size(); ++t) {
      const int64_t pixel = std::clamp<int64_t>(from + static_cast<int64_t>(t), 0, old - 1);
      weight[at + static_cast<size_t>(pixel - low)] += static_cast<float>(weights[t]);
    }
    first.push_back(static_cast<int32_t>(low));
    begin.push_back(static_cast<int32_t>(weight.size()));
  }
};

// Keys' kernel. Source: R. Keys, Cubic convolution interpolation for digital image processing, 1981.
double cubic(double t, double a) {
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? (((t - 5) * t + 8) * t - 4) * a : 0.0;
}

void add_pillow(Axis& axis, int64_t i, double scale, Kind kind, int64_t old) {
  const double stretch = std::max(scale, 1.0), reach = (kind == Kind::kPillowLinear ? 1.0 : 2.0) * stretch;
  const double centre = (static_cast<double>(i) + 0.5) * scale;
  const int64_t from = std::max<int64_t>(0, static_cast<int64_t>(centre - reach + 0.5));
  const int64_t to = std::min<int64_t>(old, static_cast<int64_t>(centre + reach + 0.5));
  std::vector<double> weights;
  double sum = 0;
  for (int64_t x = from; x < to; ++x) {
    const double t = (static_cast<double>(x) - centre + 0.5) / stretch;
    weights.push_back(kind == Kind::kPillowLinear ? std::max(0.0, 1 - std::abs(t)) : cubic(t, -0.5));
    sum += weights.back();
  }
  for (double& w : weights) w /= sum;
  axis.add(from, weights, old);
}

// The mean over [i * scale, (i + 1) * scale).
void add_mean(Axis& axis, int64_t i, double scale, int64_t old) {
  const double low = static_cast<double>(i) * scale, high = std::min(low + scale, static_cast<double>(old));
  const int64_t from = static_cast<int64_t>(low + 1e-9);
  std::vector<double> weights;
  for (int64_t x = from; static_cast<double>(x) < high - 1e-9; ++x) {
    const double covered = std::min(high, static_cast<double>(x + 1)) - std::max(low, static_cast<double>(x));
    weights.push_back(std::max(covered, 0.0) / (high - low));
  }
  axis.add(from, weights, old);
}

// AREA where an axis grows: a pixel that lies within an old one is that one, others are mixed of two. OpenCV's `f` is
// a float.
void add_enlarged(Axis& axis, int64_t i, double scale, double inverse, int64_t old) {
  const int64_t from = static_cast<int64_t>(std::floor(static_cast<double>(i) * scale));
  const float f = static_cast<float>(static_cast<double>(i + 1) - static_cast<double>(from + 1) * inverse);
  const double right = f <= 0 ? 0.0 : static_cast<double>(f - std::floor(f));
  axis.add(from, {1 - right, right}, old);
}

Axis make_axis(int64_t old, int64_t size, Kind kind, bool shrinks) {
  Axis axis;
  const double scale = static_cast<double>(old) / static_cast<double>(size);
  // As OpenCV rounds it, which decides where a product is a whole number.
  const double inverse = static_cast<double>(size) / static_cast<double>(old), again = 1.0 / inverse;
  for (int64_t i = 0; i < size; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale - 0.5, low = std::floor(centre), t = centre - low;
    const int64_t base = static_cast<int64_t>(low);
    switch (kind) {
      case Kind::kNearest:
        axis.add(std::min(static_cast<int64_t>(static_cast<double>(i) * again), old - 1), {1.0}, old);
        break;
      case Kind::kLinear:
        axis.add(base, {1 - t, t}, old);
        break;
      case Kind::kCubic:
        axis.add(base - 1, {cubic(t + 1, -0.75), cubic(t, -0.75), cubic(1 - t, -0.75), cubic(2 - t, -0.75)}, old);
        break;
      case Kind::kArea:
        if (shrinks) {
          add_mean(axis, i, scale, old);
        } else {
          add_enlarged(axis, i, again, inverse, old);
        }
        break;
      default:
        add_pillow(axis, i, scale, kind, old);
    }
  }
  return axis;
}

void round_in_place(std::vector<float>& row) {
  for (float& v : row) v = std::floor(std::min(std::max(v, 0.0f), 255.0f) + 0.5f);
}

template <class T>
void across(const T* row, const Axis& axis, int64_t width, int64_t channels, float* to) {
  for (int64_t x = 0; x < width; ++x) {
    const T* at = row + int64_t{axis.first[x]} * channels;
    const float* weight = axis.weight.data() + axis.begin[x];
    const int32_t count = axis.count(x);
    for (int64_t c = 0; c < channels; ++c, ++to) {
      float sum = 0;
      for (int32_t t = 0; t < count; ++t) sum += weight[t] * static_cast<float>(at[t * channels + c]);
      *to = sum;
    }
  }
}

// Any kind, in floating point. The rows that one row of the result is made of are kept; they only move downwards.
template <class T, class Finish>
void resize_by_weights(const Rows<T>& from, int64_t height, int64_t width, Kind kind, Finish&& finish) {
  const bool shrinks = from.height >= height && from.width >= width;
  const Axis rows = make_axis(from.height, height, kind, shrinks);
  const Axis columns = make_axis(from.width, width, kind, shrinks);
  const int64_t n = width * from.channels;
  int32_t most = 1;
  for (int64_t y = 0; y < height; ++y) most = std::max(most, rows.count(y));
  std::vector<std::vector<float>> kept(static_cast<size_t>(most), std::vector<float>(static_cast<size_t>(n)));
  std::vector<int64_t> holds(static_cast<size_t>(most), -1);
  std::vector<float> sum(static_cast<size_t>(n));
  const bool pillow = kind >= Kind::kPillowLinear && sizeof(T) == 1;
  const RowLoops& loops = row_loops();
  for (int64_t y = 0; y < height; ++y) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int32_t t = 0; t < rows.count(y); ++t) {
      const int64_t old = rows.first[y] + t;
      const size_t slot = static_cast<size_t>(old % most);
      if (holds[slot] != old) {
        across(from.row(old), columns, width, from.channels, kept[slot].data());
        if (pillow) round_in_place(kept[slot]);
        holds[slot] = old;
      }
      loops.add_scaled(kept[slot].data(), rows.weight[static_cast<size_t>(rows.begin[y] + t)], n, sum.data());
    }
    finish(y, sum.data(), n);
  }
}

template <class T>
void resize_nearest(const Rows<T>& from, int64_t height, int64_t width, const Take<T>& take) {
  const Axis rows = make_axis(from.height, height, Kind::kNearest, false);
  const Axis columns = make_axis(from.width, width, Kind::kNearest, false);
  std::vector<T> line(static_cast<size_t>(width * from.channels));
  for (int64_t y = 0; y < height; ++y) {
    const T* row = from.row(rows.first[y]);
    for (int64_t x = 0; x < width; ++x)
      std::copy_n(row + int64_t{columns.first[x]} * from.channels, from.channels, line.data() + x * from.channels);
    take(y, line.data());
  }
}

constexpr int kBits = 11;

// Two pixels of an axis and their weights, which add up to 2^11.
struct LinearAxis {
  std::vector<int32_t> first;
  std::vector<int16_t> weight;

  LinearAxis(int64_t old, int64_t size, int64_t step) {
    const double scale = static_cast<double>(old) / static_cast<double>(size);
    for (int64_t i = 0; i < size; ++i) {
      const double centre = (static_cast<double>(i) + 0.5) * scale - 0.5;
      double low = std::floor(centre), t = centre - low;
      if (low < 0) low = 0, t = 0;
      if (low >= static_cast<double>(old - 1)) low = static_cast<double>(old - 1), t = 0;
      const int16_t right = static_cast<int16_t>(std::lrint(t * (1 << kBits)));
      first.push_back(static_cast<int32_t>(low) * static_cast<int32_t>(step));
      weight.push_back(static_cast<int16_t>((1 << kBits) - right));
      weight.push_back(right);
    }
  }
};

void resize_linear(const Rows<uint8_t>& from, int64_t height, int64_t width, const Take<uint8_t>& take) {
  const LinearAxis rows(from.height, height, 1), columns(from.width, width, from.channels);
  const int64_t n = width * from.channels, bytes = from.width * from.channels + from.beyond;
  // Pixels that may be read eight bytes at a time without leaving the row.
  const int64_t safe =
      std::upper_bound(columns.first.begin(), columns.first.end(), bytes - 8) - columns.first.begin();
  std::vector<int16_t> kept[2] = {std::vector<int16_t>(static_cast<size_t>(n) + 4),
                                  std::vector<int16_t>(static_cast<size_t>(n) + 4)};
  int64_t holds[2] = {-1, -1};
  std::vector<uint8_t> line(static_cast<size_t>(n));
  const RowLoops& loops = row_loops();
  const auto row_of = [&](int64_t y) {
    const int64_t slot = y % 2;
    if (holds[slot] != y) {
      const uint8_t* row = from.row(y);
      loops.linear_across(row, columns.first.data(), columns.weight.data(), safe, from.channels, kept[slot].data());
      kGenericRows.linear_across(row, columns.first.data() + safe, columns.weight.data() + 2 * safe, width - safe,
                                 from.channels, kept[slot].data() + safe * from.channels);
      holds[slot] = y;
    }
    return kept[slot].data();
  };
  for (int64_t y = 0; y < height; ++y) {
    const int64_t top = rows.first[y];
    const int16_t* above = row_of(top);
    const int16_t* below = rows.weight[2 * y + 1] == 0 ? above : row_of(top + 1);
    loops.linear_between(above, below, rows.weight[2 * y], rows.weight[2 * y + 1], n, line.data());
    take(y, line.data());
  }
}

template <class T>
Rows<T> rows_of(const View<T>& view) {
  return {view.height, view.width, view.channels, [&view](int64_t y) { return view.data + y * view.stride; }};
}

template <class T>
void same_size(const Rows<T>& from, const Take<T>& take) {
  for (int64_t y = 0; y < from.height; ++y) take(y, from.row(y));
}

}  // namespace

void resize(const Rows<uint8_t>& from, int64_t height, int64_t width, Kind kind, const Take<uint8_t>& take) {
  if (from.height == height && from.width == width) return same_size(from, take);
  if (kind == Kind::kNearest) return resize_nearest(from, height, width, take);
  if (kind == Kind::kLinear) return resize_linear(from, height, width, take);
  std::vector<uint8_t> line(static_cast<size_t>(width * from.channels));
  resize_by_weights(from, height, width, kind, [&](int64_t y, const float* row, int64_t n) {
    row_loops().round(row, n, line.data());
    take(y, line.data());
  });
}

void resize(const View<uint8_t>& from, int64_t height, int64_t width, Kind kind, const Take<uint8_t>& take) {
  resize(rows_of(from), height, width, kind, take);
}

void resize(const View<float>& from, int64_t height, int64_t width, Kind kind, const Take<float>& take) {
  const Rows<float> rows = rows_of(from);
  if (from.height == height && from.width == width) return same_size(rows, take);
  if (kind == Kind::kNearest) return resize_nearest(rows, height, width, take);
  resize_by_weights(rows, height, width, kind, [&](int64_t y, const float* row, int64_t) { take(y, row); });
}

}  // namespace minds::data

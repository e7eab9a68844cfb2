// Images in another size, interpolated as OpenCV defines it: pixel centres lie at half integers.
#pragma once
#include <cstdint>
#include <functional>

#include "base/status.h"

namespace minds::data {

// Pillow's two average over all that an output pixel covers when they shrink, and round after each axis.
enum class Kind : int { kNearest, kLinear, kCubic, kArea, kPillowLinear, kPillowCubic };
inline constexpr int kKinds = 6;

// Rows of `width` pixels of `channels` numbers; from one row to the next it is `stride` elements.
template <class T>
struct View {
  const T* data;
  int64_t height, width, channels, stride;
};

// Rows of an image that are read one after the other.
template <class T>
struct Rows {
  int64_t height, width, channels;
  // Row y, good until the next one; rows are asked for in rising order, one perhaps several times.
  std::function<const T*(int64_t y)> row;
  int64_t beyond = 0;  // elements behind a row that can be read
};

// Takes a row of a result: its index and its numbers, which are good during the call. Rows come in order.
template <class T>
using Take = std::function<void(int64_t row, const T* numbers)>;

// An image of at least one pixel in another size of at least one pixel.
void resize(const Rows<uint8_t>& from, int64_t height, int64_t width, Kind kind, const Take<uint8_t>& take);
void resize(const View<uint8_t>& from, int64_t height, int64_t width, Kind kind, const Take<uint8_t>& take);
void resize(const View<float>& from, int64_t height, int64_t width, Kind kind, const Take<float>& take);

}  // namespace minds::data

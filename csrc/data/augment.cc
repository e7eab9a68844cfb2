#include "data/augment.h"

#include <algorithm>
#include <cstring>

#include "data/rows.h"

namespace minds::data {

namespace {

constexpr int64_t kMostSide = 65535;  // of a JPEG file

// Takes rows of bytes and puts them where and as they are wanted.
class Finish {
 public:
  Finish(const Augment& what, int64_t channels, void* to)
      : what_(what), channels_(channels), n_(what.width * channels), to_(to), mirrored_(what.mirror ? n_ : 0) {
    if (what.mean.empty()) return;
    mean_.resize(static_cast<size_t>(n_));
    std_.resize(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      const size_t c = static_cast<size_t>(what.planar ? i / what.width : i % channels);
      mean_[i] = what.mean[c];
      std_[i] = what.std[c];
    }
    if (what.planar) plane_.resize(static_cast<size_t>(n_));
  }

  void row(int64_t y, const uint8_t* row) {
    if (what_.upside_down) y = what_.height - 1 - y;
    if (what_.mirror) row = mirrored(row);
    if (mean_.empty()) {
      put_bytes(y, row);
    } else {
      put_floats(y, row);
    }
  }

 private:
  const uint8_t* mirrored(const uint8_t* row) {
    uint8_t* to = mirrored_.data() + n_;
    if (channels_ == 3) {
      for (int64_t x = 0; x < what_.width; ++x, row += 3) {
        to -= 3;
        to[0] = row[0], to[1] = row[1], to[2] = row[2];
      }
    } else {
      for (int64_t x = 0; x < what_.width; ++x, row += channels_) std::copy_n(row, channels_, to -= channels_);
    }
    return mirrored_.data();
  }

  void one_channel(const uint8_t* row, int64_t c, uint8_t* to) const {
    if (channels_ == 3) return row_loops().every_third(row + c, what_.width, to);
    for (int64_t x = 0; x < what_.width; ++x) to[x] = row[x * channels_ + c];
  }

  void put_bytes(int64_t y, const uint8_t* row) {
    uint8_t* to = static_cast<uint8_t*>(to_);
    if (!what_.planar) {
      std::memcpy(to + y * n_, row, static_cast<size_t>(n_));
      return;
    }
    for (int64_t c = 0; c < channels_; ++c) one_channel(row, c, to + (c * what_.height + y) * what_.width);
  }

  void put_floats(int64_t y, const uint8_t* row) {
    float* to = static_cast<float*>(to_);
    const RowLoops& loops = row_loops();
    if (!what_.planar) return loops.normalize(row, mean_.data(), std_.data(), n_, to + y * n_);
    const int64_t w = what_.width;
    for (int64_t c = 0; c < channels_; ++c) {
      one_channel(row, c, plane_.data());
      loops.normalize(plane_.data(), mean_.data() + c * w, std_.data() + c * w, w, to + (c * what_.height + y) * w);
    }
  }

  const Augment& what_;
  const int64_t channels_, n_;
  void* to_;
  std::vector<uint8_t> mirrored_, plane_;
  std::vector<float> mean_, std_;
};

}  // namespace

Status augment(const View<uint8_t>& from, const Augment& what, void* to) {
  const Box& part = what.part;
  View<uint8_t> view = from;
  if (part.width != 0 && part.height != 0) {
    if (part.x < 0 || part.y < 0 || part.width < 1 || part.height < 1 || part.x > from.width - part.width ||
        part.y > from.height - part.height)
      return {Code::kValue, "the part is not inside the image"};
    view.data += part.y * view.stride + part.x * view.channels;
    view.height = part.height;
    view.width = part.width;
  }
  if (view.height < 1 || view.width < 1 || view.channels < 1 || what.height < 1 || what.width < 1)
    return {Code::kValue, "an image without pixels"};
  const auto each = [&](const std::vector<float>& v) { return static_cast<int64_t>(v.size()) == view.channels; };
  if (!what.mean.empty() && (!each(what.mean) || !each(what.std)))
    return {Code::kValue, "means and stds are not one per channel"};
  Finish finish(what, view.channels, to);
  resize(view, what.height, what.width, what.kind, [&](int64_t y, const uint8_t* row) { finish.row(y, row); });
  return Status::ok();
}

Status augment(std::span<const uint8_t> file, const Augment& what, void* to) {
  Augment rest = what;
  if (what.part.width == 0 || what.part.height == 0) {
    if (auto s = jpeg_size(file, rest.part.height, rest.part.width)) return s;
  }
  const Box part = rest.part;
  const bool as_it_is = part.height == what.height && part.width == what.width && what.mean.empty() &&
                        !what.mirror && !what.upside_down && !what.planar;
  if (as_it_is) return decode_jpeg(file, part, static_cast<uint8_t*>(to));
  if (part.width < 1 || part.height < 1 || part.width > kMostSide || part.height > kMostSide)
    return {Code::kValue, "the part is not inside the image"};
  thread_local std::vector<uint8_t> pixels;  // its memory is used again for the next file
  pixels.resize(static_cast<size_t>(part.width * part.height) * 3);
  if (auto s = decode_jpeg(file, part, pixels.data())) return s;
  rest.part = {};
  return augment({pixels.data(), part.height, part.width, 3, part.width * 3}, rest, to);
}

}  // namespace minds::data

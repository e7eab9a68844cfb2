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
    if (what.planar) planes_.resize(static_cast<size_t>(n_));
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
    if (channels_ == 3) {
      row_loops().mirror_3(row, what_.width, mirrored_.data());
    } else {
      uint8_t* to = mirrored_.data() + n_;
      for (int64_t x = 0; x < what_.width; ++x, row += channels_) std::copy_n(row, channels_, to -= channels_);
    }
    return mirrored_.data();
  }

  // The channels of a row; from one to the next it is `step` bytes.
  void apart(const uint8_t* row, uint8_t* to, int64_t step) const {
    if (channels_ == 3) return row_loops().apart_3(row, what_.width, to, to + step, to + 2 * step);
    for (int64_t c = 0; c < channels_; ++c)
      for (int64_t x = 0; x < what_.width; ++x) to[c * step + x] = row[x * channels_ + c];
  }

  void put_bytes(int64_t y, const uint8_t* row) {
    uint8_t* to = static_cast<uint8_t*>(to_);
    if (!what_.planar) {
      std::memcpy(to + y * n_, row, static_cast<size_t>(n_));
      return;
    }
    apart(row, to + y * what_.width, what_.height * what_.width);
  }

  void put_floats(int64_t y, const uint8_t* row) {
    float* to = static_cast<float*>(to_);
    const RowLoops& loops = row_loops();
    if (!what_.planar) return loops.normalize(row, mean_.data(), std_.data(), n_, to + y * n_);
    const int64_t w = what_.width;
    apart(row, planes_.data(), w);
    for (int64_t c = 0; c < channels_; ++c) {
      const int64_t at = c * w;
      loops.normalize(planes_.data() + at, mean_.data() + at, std_.data() + at, w, to + (c * what_.height + y) * w);
    }
  }

  const Augment& what_;
  const int64_t channels_, n_;
  void* to_;
  std::vector<uint8_t> mirrored_, planes_;
  std::vector<float> mean_, std_;
};

// Whether there is an image and what is wanted of it can be.
Status check(int64_t height, int64_t width, int64_t channels, const Augment& what) {
  if (height < 1 || width < 1 || channels < 1 || what.height < 1 || what.width < 1)
    return {Code::kValue, "an image without pixels"};
  const auto each = [&](const std::vector<float>& v) { return static_cast<int64_t>(v.size()) == channels; };
  if (!what.mean.empty() && (!each(what.mean) || !each(what.std)))
    return {Code::kValue, "means and stds are not one per channel"};
  return Status::ok();
}

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
  if (auto s = check(view.height, view.width, view.channels, what)) return s;
  Finish finish(what, view.channels, to);
  resize(view, what.height, what.width, what.kind, [&](int64_t y, const uint8_t* row) { finish.row(y, row); });
  return Status::ok();
}

Status augment(std::span<const uint8_t> file, const Augment& what, void* to) {
  Box part = what.part;
  if (part.width == 0 || part.height == 0) {
    part = {};
    if (auto s = jpeg_size(file, part.height, part.width)) return s;
  }
  const bool as_it_is = part.height == what.height && part.width == what.width && what.mean.empty() &&
                        !what.mirror && !what.upside_down && !what.planar;
  if (as_it_is || !has_jpeg_library()) return decode_jpeg(file, part, static_cast<uint8_t*>(to));
  if (part.width > kMostSide || part.height > kMostSide) return {Code::kValue, "the part is not inside the image"};
  if (auto s = check(part.height, part.width, 3, what)) return s;
  JpegRows image(file, part);
  if (auto s = image.status()) return s;
  Finish finish(what, 3, to);
  const Rows<uint8_t> rows{part.height, part.width, 3, [&](int64_t y) { return image.row(y); }, 8};
  resize(rows, what.height, what.width, what.kind, [&](int64_t y, const uint8_t* row) { finish.row(y, row); });
  return image.status();
}

}  // namespace minds::data

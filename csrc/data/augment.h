// One walk over an image: a part of it in another size, mirrored, normalised, with the channels where they are wanted.
#pragma once
#include <span>
#include <vector>

#include "data/jpeg.h"
#include "data/resize.h"

namespace minds::data {

struct Augment {
  Box part;  // empty: the whole
  int64_t height = 0, width = 0;
  Kind kind = Kind::kLinear;
  bool mirror = false, upside_down = false;
  bool planar = false;           // channels first
  std::vector<float> mean, std;  // per channel; without them the result is bytes
};

// Of an image of bytes in memory. `to` has room for height * width * channels bytes or floats.
Status augment(const View<uint8_t>& from, const Augment& what, void* to);

// Of a JPEG file; the part is cut while decoding.
Status augment(std::span<const uint8_t> file, const Augment& what, void* to);

}  // namespace minds::data

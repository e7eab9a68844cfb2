// Images seen through a linear or projective map, interpolated at 32nds of a pixel as OpenCV does.
#pragma once
#include "data/resize.h"

namespace minds::data {

// The map takes x, y of the result to x', y' of `from`: (m0 x + m1 y + m2, m3 x + m4 y + m5), divided by
// m6 x + m7 y + m8 where `projective`. Kinds: nearest, linear, cubic. `border` has one number per channel.
template <class T>
Status warp(const View<T>& from, int64_t height, int64_t width, const double (&map)[9], bool projective, Kind kind,
            const T* border, T* to);

extern template Status warp(const View<uint8_t>&, int64_t, int64_t, const double (&)[9], bool, Kind, const uint8_t*,
                            uint8_t*);
extern template Status warp(const View<float>&, int64_t, int64_t, const double (&)[9], bool, Kind, const float*,
                            float*);

}  // namespace minds::data

#include "cpu/kernels/conv_own.h"

#include <algorithm>

#include "base/parallel.h"
#include "cpu/kernels/matmul_own.h"

namespace minds::cpu {

namespace {

// Places p in [0, count) whose input position p * stride + offset lies in [0, limit).
std::pair<int64_t, int64_t> inside(int64_t offset, int64_t stride, int64_t limit, int64_t count) {
  const int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const int64_t end = offset >= limit ? 0 : (limit - 1 - offset) / stride + 1;
  return {std::min(first, count), std::clamp<int64_t>(end, std::min(first, count), count)};
}

}  // namespace

template <class T>
void OwnConv<T>::plan(const ConvSpec& s) {
  constexpr int64_t kMostChunks = 8, kMostBytes = 64 << 20;
  s_ = s;
  z_.in_group = s.in_channels / s.group;
  z_.out_group = s.out_channels / s.group;
  z_.window = z_.in_group * s.kernel_h * s.kernel_w;
  z_.places = s.out_h * s.out_w;
  z_.in_sample = s.in_channels * s.in_h * s.in_w;
  z_.out_sample = s.out_channels * z_.places;
  z_.weights_group = z_.out_group * z_.window;
  z_.weights = z_.weights_group * s.group;
  direct_ = s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 && s.top == 0 && s.bottom == 0 &&
            s.left == 0 && s.right == 0;
  const int64_t bytes = std::max<int64_t>(1, z_.window * z_.places * static_cast<int64_t>(sizeof(T)));
  chunks_ = std::max<int64_t>(1, std::min({kMostChunks, s.batch, kMostBytes / bytes}));
}

template <class T>
size_t OwnConv<T>::workspace() const {
  const int64_t columns = direct_ ? 0 : z_.window * z_.places;
  const int64_t partial = s_.pass == ConvPass::kWeight ? z_.weights : 0;
  return static_cast<size_t>(chunks_ * (columns + partial)) * sizeof(T);
}

template <class T>
void OwnConv<T>::unroll(const T* plane, T* columns) const {
  for (int64_t c = 0; c < z_.in_group; ++c, plane += s_.in_h * s_.in_w) {
    for (int64_t i = 0; i < s_.kernel_h; ++i) {
      for (int64_t j = 0; j < s_.kernel_w; ++j) {
        const int64_t down = i * s_.dilation_h - s_.top, across = j * s_.dilation_w - s_.left;
        const auto [first, end] = inside(across, s_.stride_w, s_.in_w, s_.out_w);
        for (int64_t y = 0; y < s_.out_h; ++y, columns += s_.out_w) {
          const int64_t row = y * s_.stride_h + down;
          if (row < 0 || row >= s_.in_h) {
            std::fill_n(columns, s_.out_w, T{0});
            continue;
          }
          std::fill_n(columns, first, T{0});
          const T* from = plane + row * s_.in_w + across;
          if (s_.stride_w == 1) {
            std::copy(from + first, from + end, columns + first);
          } else {
            for (int64_t x = first; x < end; ++x) columns[x] = from[x * s_.stride_w];
          }
          std::fill(columns + end, columns + s_.out_w, T{0});
        }
      }
    }
  }
}

template <class T>
void OwnConv<T>::roll_back(const T* columns, T* plane) const {
  for (int64_t c = 0; c < z_.in_group; ++c, plane += s_.in_h * s_.in_w) {
    for (int64_t i = 0; i < s_.kernel_h; ++i) {
      for (int64_t j = 0; j < s_.kernel_w; ++j) {
        const int64_t down = i * s_.dilation_h - s_.top, across = j * s_.dilation_w - s_.left;
        const auto [first, end] = inside(across, s_.stride_w, s_.in_w, s_.out_w);
        for (int64_t y = 0; y < s_.out_h; ++y, columns += s_.out_w) {
          const int64_t row = y * s_.stride_h + down;
          if (row < 0 || row >= s_.in_h) continue;
          T* to = plane + row * s_.in_w + across;
          for (int64_t x = first; x < end; ++x) to[x * s_.stride_w] += columns[x];
        }
      }
    }
  }
}

template <class T>
void OwnConv<T>::forward(int64_t n, const T* x, const T* w, T* out, T* columns) const {
  for (int64_t g = 0; g < s_.group; ++g) {
    const T* plane = x + n * z_.in_sample + g * z_.in_group * s_.in_h * s_.in_w;
    if (!direct_) unroll(plane, columns);
    multiply<T>({z_.out_group, z_.places, z_.window, w + g * z_.weights_group, z_.window, 1, direct_ ? plane : columns,
                 z_.places, 1, out + n * z_.out_sample + g * z_.out_group * z_.places, z_.places, 1, false});
  }
}

template <class T>
void OwnConv<T>::data(int64_t n, const T* dout, const T* w, T* dx, T* columns) const {
  std::fill_n(dx + n * z_.in_sample, z_.in_sample, T{0});
  for (int64_t g = 0; g < s_.group; ++g) {
    T* plane = dx + n * z_.in_sample + g * z_.in_group * s_.in_h * s_.in_w;
    multiply<T>({z_.window, z_.places, z_.out_group, w + g * z_.weights_group, 1, z_.window,
                 dout + n * z_.out_sample + g * z_.out_group * z_.places, z_.places, 1, direct_ ? plane : columns,
                 z_.places, 1, false});
    if (!direct_) roll_back(columns, plane);
  }
}

template <class T>
void OwnConv<T>::weight(int64_t n, const T* x, const T* dout, T* dw, T* columns) const {
  for (int64_t g = 0; g < s_.group; ++g) {
    const T* plane = x + n * z_.in_sample + g * z_.in_group * s_.in_h * s_.in_w;
    if (!direct_) unroll(plane, columns);
    multiply<T>({z_.out_group, z_.window, z_.places, dout + n * z_.out_sample + g * z_.out_group * z_.places, z_.places,
                 1, direct_ ? plane : columns, 1, z_.places, dw + g * z_.weights_group, z_.window, 1, true});
  }
}

template <class T>
void OwnConv<T>::run(const T* x, const T* y, T* out, void* workspace) const {
  T* const scratch = static_cast<T*>(workspace);
  const int64_t columns = direct_ ? 0 : z_.window * z_.places;
  T* const partial = scratch + chunks_ * columns;
  if (s_.pass == ConvPass::kWeight) std::fill_n(partial, chunks_ * z_.weights, T{0});
  const int64_t share = (s_.batch + chunks_ - 1) / chunks_;
  parallel_for(chunks_, 1, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      T* const own = scratch + chunk * columns;
      for (int64_t n = chunk * share; n < std::min(s_.batch, (chunk + 1) * share); ++n) {
        switch (s_.pass) {
          case ConvPass::kForward: forward(n, x, y, out, own); break;
          case ConvPass::kData: data(n, x, y, out, own); break;
          case ConvPass::kWeight: weight(n, x, y, partial + chunk * z_.weights, own); break;
        }
      }
    }
  });
  if (s_.pass != ConvPass::kWeight) return;
  for (int64_t i = 0; i < z_.weights; ++i) {
    T sum = partial[i];
    for (int64_t chunk = 1; chunk < chunks_; ++chunk) sum += partial[chunk * z_.weights + i];
    out[i] = sum;
  }
}

template class OwnConv<float>;
template class OwnConv<double>;

}  // namespace minds::cpu

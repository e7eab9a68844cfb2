#include "cpu/strides.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/parallel.h"

namespace minds::cpu {

Shape row_major(const Shape& shape) {
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

std::vector<Dim> coalesce(const std::vector<Dim>& dims) {
  std::vector<Dim> merged;
  for (const Dim& d : dims) {
    if (d.size == 1) continue;
    if (!merged.empty() && merged.back().in == d.in * d.size && merged.back().out == d.out * d.size) {
      merged.back() = {merged.back().size * d.size, d.in, d.out};
    } else {
      merged.push_back(d);
    }
  }
  return merged;
}

Odometer::Odometer(const std::vector<Dim>& dims, int64_t start)
    : dims_(dims.data()), rank_(static_cast<int>(dims.size())) {
  for (int d = rank_ - 1; d >= 0; --d) {
    index_[d] = start % dims_[d].size;
    start /= dims_[d].size;
    in += index_[d] * dims_[d].in;
    out += index_[d] * dims_[d].out;
  }
}

namespace {

constexpr int64_t kTile = 64;             // elements on a side of a transposed tile
constexpr int64_t kPieceBytes = 1 << 18;  // a long run is cut here, so that threads can share it

struct Wide {  // complex128
  uint64_t re, im;
};

// The lane numbers of unpack-low (from = 0) and unpack-high (from = lanes / 2) of two vectors.
template <class Index, int kLanes>
Index interleave(int from) {
  Index order;
  for (int i = 0; i < kLanes / 2; ++i) {
    order[2 * i] = from + i;
    order[2 * i + 1] = kLanes + from + i;
  }
  return order;
}

// out[b, a] = in[a, b] for a square of 16 / sizeof(T) on a side, in registers: interleaving row i with row i
// + half, log2(side) times, is a transposition.
template <class T>
inline void transpose_square(const T* in, int64_t in_stride, T* out, int64_t out_stride) {
  constexpr int kSide = 16 / sizeof(T);
  typedef T Vector __attribute__((vector_size(16)));
  Vector rows[kSide], next[kSide];
  for (int i = 0; i < kSide; ++i) std::memcpy(&rows[i], in + i * in_stride, 16);
  const Vector low = interleave<Vector, kSide>(0), high = interleave<Vector, kSide>(kSide / 2);
  for (int width = 1; width < kSide; width *= 2) {
    for (int i = 0; i < kSide / 2; ++i) {
      next[2 * i] = __builtin_shuffle(rows[i], rows[i + kSide / 2], low);
      next[2 * i + 1] = __builtin_shuffle(rows[i], rows[i + kSide / 2], high);
    }
    for (int i = 0; i < kSide; ++i) rows[i] = next[i];
  }
  for (int i = 0; i < kSide; ++i) std::memcpy(out + i * out_stride, &rows[i], 16);
}

// out[b, a] = in[a, b] for a in [0, rows), b in [0, columns).
template <class T>
void transpose_block(const T* in, int64_t in_stride, T* out, int64_t out_stride, int64_t rows,
                     int64_t columns) {
  int64_t b = 0;
  if constexpr (sizeof(T) < 16) {
    constexpr int64_t kSide = 16 / sizeof(T);
    for (; b + kSide <= columns; b += kSide) {
      int64_t a = 0;
      for (; a + kSide <= rows; a += kSide) {
        transpose_square(in + a * in_stride + b, in_stride, out + b * out_stride + a, out_stride);
      }
      for (; a < rows; ++a) {
        for (int64_t i = b; i < b + kSide; ++i) out[i * out_stride + a] = in[a * in_stride + i];
      }
    }
  }
  for (; b < columns; ++b) {
    for (int64_t a = 0; a < rows; ++a) out[b * out_stride + a] = in[a * in_stride + b];
  }
}

// The same, a cache line by a cache line at a time: strides are often powers of two, and then all rows of a
// tile compete for the same few places of the cache.
template <class T>
void transpose_tile(const T* in, int64_t in_stride, T* out, int64_t out_stride, int64_t rows,
                    int64_t columns) {
  constexpr int64_t kLine = std::max<int64_t>(64 / sizeof(T), 8);
  for (int64_t b = 0; b < columns; b += kLine) {
    for (int64_t a = 0; a < rows; a += kLine) {
      transpose_block(in + a * in_stride + b, in_stride, out + b * out_stride + a, out_stride,
                      std::min(kLine, rows - a), std::min(kLine, columns - b));
    }
  }
}

}  // namespace

StridedCopy::StridedCopy(const Shape& shape, const Shape& in_strides, const Shape& out_strides,
                         int64_t in_offset, int64_t out_offset, size_t item)
    : in_offset_(in_offset), out_offset_(out_offset), item_(item) {
  if (numel(shape) == 0) return;
  std::vector<Dim> dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    Dim dim{shape[d], in_strides[d], out_strides[d]};
    if (dim.out < 0) {  // the order of a copy is free: write forwards
      in_offset_ += dim.in * (dim.size - 1);
      out_offset_ += dim.out * (dim.size - 1);
      dim.in = -dim.in;
      dim.out = -dim.out;
    }
    dims.push_back(dim);
  }
  outer_ = coalesce(dims);
  if (!outer_.empty()) {
    inner_ = outer_.back();
    outer_.pop_back();
  }
  const auto adjacent = std::find_if(outer_.begin(), outer_.end(), [](const Dim& d) { return d.in == 1; });
  if (inner_.in == 1 && inner_.out == 1) {
    mode_ = Mode::kRun;
  } else if (inner_.out == 1 && adjacent != outer_.end()) {
    mode_ = Mode::kTile;
    cross_ = *adjacent;
    outer_.erase(adjacent);
  } else {
    mode_ = inner_.in == 0 && inner_.out == 1 ? Mode::kFill : Mode::kStrided;
  }
  for (const Dim& d : outer_) outer_size_ *= d.size;
  piece_ = std::min<int64_t>(inner_.size, kPieceBytes / static_cast<int64_t>(item));
}

void StridedCopy::run(const void* in, void* out) const {
  if (mode_ == Mode::kNone) return;
  const auto as = [&]<class T>(T) { run_as(static_cast<const T*>(in), static_cast<T*>(out)); };
  switch (item_) {
    case 1:
      return as(uint8_t{});
    case 2:
      return as(uint16_t{});
    case 4:
      return as(uint32_t{});
    case 8:
      return as(uint64_t{});
    default:
      return as(Wide{});
  }
}

template <class T>
void StridedCopy::run_as(const T* in, T* out) const {
  in += in_offset_;
  out += out_offset_;
  if (mode_ == Mode::kTile) return run_tiles(in, out);
  const int64_t pieces = (inner_.size + piece_ - 1) / piece_;
  parallel_for(outer_size_ * pieces, std::max<int64_t>(1, kGrain / piece_), [&](int64_t begin, int64_t end) {
    Odometer at(outer_, begin / pieces);
    int64_t piece = begin % pieces;
    for (int64_t u = begin; u < end; ++u) {
      const int64_t first = piece * piece_, n = std::min(piece_, inner_.size - first);
      const T* src = in + at.in + first * inner_.in;
      T* dst = out + at.out + first * inner_.out;
      switch (mode_) {
        case Mode::kRun:
          std::memcpy(dst, src, n * sizeof(T));
          break;
        case Mode::kFill:
          std::fill_n(dst, n, *src);
          break;
        default:
          for (int64_t i = 0; i < n; ++i) dst[i * inner_.out] = src[i * inner_.in];
      }
      if (++piece == pieces) {
        piece = 0;
        at.next();
      }
    }
  });
}

template <class T>
void StridedCopy::run_tiles(const T* in, T* out) const {
  const int64_t down = (inner_.size + kTile - 1) / kTile, across = (cross_.size + kTile - 1) / kTile;
  const int64_t tiles = down * across;
  const int64_t work = std::min(kTile, inner_.size) * std::min(kTile, cross_.size);
  parallel_for(outer_size_ * tiles, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    Odometer at(outer_, begin / tiles);
    int64_t tile = begin % tiles;
    for (int64_t u = begin; u < end; ++u) {
      const int64_t row = tile % down * kTile, column = tile / down * kTile;
      transpose_tile(in + at.in + row * inner_.in + column, inner_.in,
                     out + at.out + row + column * cross_.out, cross_.out, std::min(kTile, inner_.size - row),
                     std::min(kTile, cross_.size - column));
      if (++tile == tiles) {
        tile = 0;
        at.next();
      }
    }
  });
}

}  // namespace minds::cpu

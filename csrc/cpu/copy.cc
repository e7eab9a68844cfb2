#include "cpu/copy.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"

namespace minds::cpu {

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

StridedCopy::StridedCopy(const Box& box)
    : plan_(box), piece_(std::min<int64_t>(plan_.inner.size, kPieceBytes / static_cast<int64_t>(plan_.item))) {}

void StridedCopy::run(const void* in, void* out) const {
  if (plan_.mode == CopyPlan::Mode::kNone) return;
  const auto as = [&]<class T>(T) { run_as(static_cast<const T*>(in), static_cast<T*>(out)); };
  switch (plan_.item) {
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
  in += plan_.in_offset;
  out += plan_.out_offset;
  if (plan_.mode == CopyPlan::Mode::kTile) return run_tiles(in, out);
  const int64_t pieces = (plan_.inner.size + piece_ - 1) / piece_;
  parallel_for(plan_.outer_size * pieces, std::max<int64_t>(1, kGrain / piece_), [&](int64_t begin, int64_t end) {
    Odometer at(plan_.outer, begin / pieces);
    int64_t piece = begin % pieces;
    for (int64_t u = begin; u < end; ++u) {
      const int64_t first = piece * piece_, n = std::min(piece_, plan_.inner.size - first);
      const T* src = in + at.in + first * plan_.inner.in;
      T* dst = out + at.out + first * plan_.inner.out;
      switch (plan_.mode) {
        case CopyPlan::Mode::kRun:
          std::memcpy(dst, src, n * sizeof(T));
          break;
        case CopyPlan::Mode::kFill:
          std::fill_n(dst, n, *src);
          break;
        default:
          for (int64_t i = 0; i < n; ++i) dst[i * plan_.inner.out] = src[i * plan_.inner.in];
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
  const int64_t down = (plan_.inner.size + kTile - 1) / kTile, across = (plan_.cross.size + kTile - 1) / kTile;
  const int64_t tiles = down * across;
  const int64_t work = std::min(kTile, plan_.inner.size) * std::min(kTile, plan_.cross.size);
  parallel_for(plan_.outer_size * tiles, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    Odometer at(plan_.outer, begin / tiles);
    int64_t tile = begin % tiles;
    for (int64_t u = begin; u < end; ++u) {
      const int64_t row = tile % down * kTile, column = tile / down * kTile;
      transpose_tile(in + at.in + row * plan_.inner.in + column, plan_.inner.in,
                     out + at.out + row + column * plan_.cross.out, plan_.cross.out,
                     std::min(kTile, plan_.inner.size - row), std::min(kTile, plan_.cross.size - column));
      if (++tile == tiles) {
        tile = 0;
        at.next();
      }
    }
  });
}

}  // namespace minds::cpu

// Elements moved as bits: boxes from one tensor into another, a box in a frame of one value, parts of an axis.
//
// T is an unsigned type as large as what is moved at a time, an element or, where everything is a multiple of it, up to
// 16 bytes. Places are 32 bits wide unless WIDE. RANK: dims of the box; PARTS: tensors that one launch joins or splits.

#include "places.cuh"

struct Bits {  // 16 bytes, the pattern of T over and over
  u64 low, high;
};

#ifdef RANK
// out[a, b, ...] = in[a, b, ...] by strides, for the n elements of the box.
extern "C" __global__ void move_box(const T* in, T* out, Walk box, i64 n) {
  for (place i = first_place(); i < (place)n; i += place_step()) {
    const Places at = locate(box, i);
    out[at.out] = in[at.in];
  }
}

// out[b, a] = in[a, b], where b is adjacent in the source and a in the destination: through tiles in shared memory, so
// that both sides are touched by whole lines. The 33rd column keeps the banks apart.
struct Exchange {
  i64 rows, columns, row_step, column_step;  // of a in the source, of b in the destination
  i64 tiles;                                 // of all boxes
};

extern "C" __global__ void move_tiles(const T* in, T* out, Walk boxes, Exchange e) {
  __shared__ T tile[32][33];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  const place rows = (place)e.rows, columns = (place)e.columns;
  const place down = (rows + 31) / 32, across = (columns + 31) / 32;
  for (place u = blockIdx.x; u < (place)e.tiles; u += gridDim.x) {
    const place row = u % down * 32, column = u / down % across * 32;
    const Places at = locate(boxes, u / down / across);
    for (int r = y; r < 32; r += 8) {
      if (row + r < rows && column + x < columns) tile[r][x] = in[at.in + (row + r) * (place)e.row_step + column + x];
    }
    __syncthreads();
    for (int r = y; r < 32; r += 8) {
      if (column + r < columns && row + x < rows) {
        out[at.out + (column + r) * (place)e.column_step + row + x] = tile[x][r];
      }
    }
    __syncthreads();
  }
}

// A tensor of one value but for a box, whose element p along a dim lies at begin + p * step.
struct Inset {
  i64 size[RANK], begin[RANK], step[RANK], count[RANK], stride[RANK];
};

extern "C" __global__ void move_inset(const T* in, T* out, Inset box, Bits around, i64 n) {
  const T value = *reinterpret_cast<const T*>(&around);
  for (place i = first_place(); i < (place)n; i += place_step()) {
    place rest = i, from = 0;
    bool inside = true;
#pragma unroll
    for (int d = RANK - 1; d >= 0; --d) {
      const place size = (place)box.size[d], step = (place)box.step[d];
      const place at = (place)((places)rest % (places)size) - (place)box.begin[d];
      rest = (place)((places)rest / (places)size);
      const place p = step == 1 ? at : at / step;
      inside = inside && at >= 0 && p < (place)box.count[d] && p * step == at;
      from += p * (place)box.stride[d];
    }
    out[i] = inside ? in[from] : value;
  }
}

#endif

#ifdef PARTS
// Tensors side by side along an axis: columns [end of the one before, end) of rows that are `width` wide, of which this
// launch has those from `first` on.
struct Parts {
  T* at[PARTS];
  i64 end[PARTS];
};

template <class F>
FN void each_part(const Parts& parts, i64 first, i64 width, i64 n, F take) {
  const place begin = (place)first, share = (place)parts.end[PARTS - 1] - begin;
  for (place i = first_place(); i < (place)n; i += place_step()) {
    const place row = (place)((places)i / (places)share), column = (place)((places)i % (places)share) + begin;
    int k = 0;
    place left = begin;
    while (column >= (place)parts.end[k]) left = (place)parts.end[k++];
    take(parts.at[k] + row * ((place)parts.end[k] - left) + (column - left), row * (place)width + column);
  }
}

extern "C" __global__ void move_join(Parts parts, T* out, i64 first, i64 width, i64 n) {
  each_part(parts, first, width, n, [&](const T* part, place at) { out[at] = *part; });
}

extern "C" __global__ void move_split(Parts parts, const T* in, i64 first, i64 width, i64 n) {
  each_part(parts, first, width, n, [&](T* part, place at) { *part = in[at]; });
}
#endif

// softmax and log_softmax along one axis: e^(x - top) / sum, and (x - top) - log(sum). Sums of a thread are in WIDE,
// across threads in double, as the CPU's.
//
// The host names: ELEMENT, the dtype's type; WIDE, what is computed in; LOGARITHM, 0 or 1; VEC, elements of a pack;
// PACKS, packs that a thread keeps (Row).

#include "blocks.cuh"

typedef ELEMENT T;
typedef WIDE W;

// What a row's elements are mapped to.
struct Map {
  W top, by;

  __device__ Map(W largest, double sum) : top(largest), by(LOGARITHM ? (W)-log(sum) : (W)sum) {}
  __device__ W operator()(W x) const { return LOGARITHM ? (x - top) + by : exponential(x - top) / by; }
};

// Adjacent elements: `lanes` threads for one row.
extern "C" __global__ void __launch_bounds__(256, 1) rows(const T* x, T* out, u64 rows,
                                                      u64 classes, u32 lanes) {
  __shared__ W tops[8];
  __shared__ double sums[8];
  const u64 i = (u64)blockIdx.x * (256 / lanes) + threadIdx.x / lanes;
  Row<T, W, VEC, PACKS> row(x + i * classes, classes, threadIdx.x % lanes, lanes, i < rows);
  const W top = fold_lanes<Largest<W>>(row.largest(), lanes, tops);
  const W own = row.sum([&](W v, u64) { return exponential(v - top); });
  const Map map(top, fold_lanes<Plus<double>>((double)own, lanes, sums));
  T* const to = out + i * classes;
  row.packs([&](W* w, u64 at) {
    W y[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) y[k] = map(w[k]);
    store_several<VEC>(to + at, y);
  });
}

// Elements that lie `inner` apart: a block has `width` neighbouring columns, a power of two up to 32, and its threads of
// one column share that column's elements.
extern "C" __global__ void __launch_bounds__(256, 1) columns(const T* x, T* out, u64 classes,
                                                         u64 inner, u32 width) {
  __shared__ W tops[256];
  __shared__ double sums[256];
  const u64 tiles = (inner + width - 1) / width, j = blockIdx.x % tiles * width + threadIdx.x % width;
  const u64 base = blockIdx.x / tiles * classes * inner + j;
  const u64 first = threadIdx.x / width, step = 256 / width, end = j < inner ? classes : 0;
  W top = Largest<W>::none();
  for (u64 c = first; c < end; c += step) top = Largest<W>::join(top, (W)x[base + c * inner]);
  fold_columns<Largest<W>>(top, width, tops);
  __syncthreads();
  top = tops[threadIdx.x % width];
  W own = 0;
  for (u64 c = first; c < end; c += step) own += exponential((W)x[base + c * inner] - top);
  fold_columns<Plus<double>>((double)own, width, sums);
  __syncthreads();
  const Map map(top, sums[threadIdx.x % width]);
  for (u64 c = first; c < end; c += step) out[base + c * inner] = (T)map((W)x[base + c * inner]);
}

// layer_norm over the last axes, and its gradient. Sums of a thread are in WIDE, across threads in double, as the CPU's.
//
// The host names: ELEMENT, the dtype's type; WIDE, what is computed in; VEC, elements of a pack; PACKS, packs that a
// thread keeps (Row).

#include "blocks.cuh"

typedef ELEMENT T;
typedef WIDE W;
typedef u64 Size;

// (x, gamma, beta) -> (y, mean, rstd): `lanes` threads for one row.
extern "C" __global__ void __launch_bounds__(256, 1) forward(const T* x, const T* gamma, const T* beta, T* y, T* mean, T* rstd,
                                                         Size rows, Size width, double eps, u32 lanes) {
  __shared__ double sums[8];
  const Size i = (Size)blockIdx.x * (256 / lanes) + threadIdx.x / lanes;
  const double n = (double)width;
  Row<T, W, VEC, PACKS> row(x + i * width, width, threadIdx.x % lanes, lanes, i < rows);
  const W sum = row.sum([](W v, Size) { return v; });
  const W m = (W)(fold_lanes<Plus<double>>((double)sum, lanes, sums) / n);
  const W spread = row.sum([&](W v, Size) { return (v - m) * (v - m); });
  const W r = (W)(1 / sqrt(fold_lanes<Plus<double>>((double)spread, lanes, sums) / n + eps));
  if (i < rows && threadIdx.x % lanes == 0) {
    mean[i] = (T)m;
    rstd[i] = (T)r;
  }
  T* const to = y + i * width;
  row.packs([&](W* w, Size at) {
    const Several<T, VEC> g = load_several<VEC>(gamma + at), b = load_several<VEC>(beta + at);
    W v[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) v[k] = (w[k] - m) * r * (W)g.at[k] + (W)b.at[k];
    store_several<VEC>(to + at, v);
  });
}

// (dout, x, mean, rstd, gamma) -> dx; with g = dout gamma and h = (x - mean) rstd of one row,
//   dx = rstd (g - mean(g) - h mean(g h))
extern "C" __global__ void __launch_bounds__(256, 1) backward(const T* dout, const T* x, const T* mean, const T* rstd,
                                                          const T* gamma, T* dx, Size rows, Size width, u32 lanes) {
  __shared__ double sums[8];
  const Size i = (Size)blockIdx.x * (256 / lanes) + threadIdx.x / lanes;
  const double n = (double)width;
  const bool there = i < rows;
  Row<T, W, VEC, PACKS> douts(dout + i * width, width, threadIdx.x % lanes, lanes, there);
  const T* const from = x + i * width;
  const W m = there ? (W)mean[i] : W(0);
  const double r = there ? (double)(W)rstd[i] : 0;
  W sum = 0, dot = 0;
  douts.packs([&](W* w, Size at) {
    const Several<T, VEC> g = load_several<VEC>(gamma + at), v = load_several<VEC>(from + at);
    W s = 0, d = 0;
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const W scaled = w[k] * (W)g.at[k];
      s += scaled;
      d += scaled * ((W)v.at[k] - m);
    }
    sum += s;
    dot += d;
  });
  const double all = fold_lanes<Plus<double>>((double)sum, lanes, sums);
  const double product = fold_lanes<Plus<double>>((double)dot, lanes, sums);
  const W slope = (W)(-r * r * r * product / n), shift = (W)(-r * all / n), scale = (W)r;
  T* const to = dx + i * width;
  douts.packs([&](W* w, Size at) {
    const Several<T, VEC> g = load_several<VEC>(gamma + at), v = load_several<VEC>(from + at);
    W y[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) y[k] = w[k] * (W)g.at[k] * scale + ((W)v.at[k] - m) * slope + shift;
    store_several<VEC>(to + at, y);
  });
}

template <class A>
struct Two {
  A g, b;
};
template <class A>
struct PlusTwo {
  typedef Two<A> Acc;
  static __device__ Acc join(Acc p, Acc q) { return {p.g + q.g, p.b + q.b}; }
};

// dgamma = sum over rows of dout h, dbeta = sum over rows of dout: a block has 32 columns and the rows of segment
// blockIdx.y. Of several segments the sums go to `partial`.
extern "C" __global__ void __launch_bounds__(256, 1) parameters(const T* dout, const T* x, const T* mean, const T* rstd,
                                                            Two<W>* partial, T* dgamma, T* dbeta, Size rows, Size width,
                                                            Size share) {
  __shared__ Two<W> scratch[256];
  const Size column = (Size)blockIdx.x * 32 + threadIdx.x % 32, begin = blockIdx.y * share;
  const Size end = begin + share < rows ? begin + share : rows;
  Two<W> own = {W(0), W(0)};
  for (Size i = begin + threadIdx.x / 32; i < end && column < width; i += 8) {
    const W d = (W)dout[i * width + column];
    own.g += d * (((W)x[i * width + column] - (W)mean[i]) * (W)rstd[i]);
    own.b += d;
  }
  own = fold_columns<PlusTwo<W>>(own, 32, scratch);
  if (threadIdx.x >= 32 || column >= width) return;
  if (gridDim.y > 1) {
    partial[blockIdx.y * width + column] = own;
  } else {
    dgamma[column] = (T)own.g;
    dbeta[column] = (T)own.b;
  }
}

extern "C" __global__ void __launch_bounds__(256, 1) segments(const Two<W>* partial, T* dgamma, T* dbeta, Size width,
                                                          u32 count) {
  __shared__ Two<W> scratch[256];
  const Size column = (Size)blockIdx.x * 32 + threadIdx.x % 32;
  Two<W> own = {W(0), W(0)};
  for (u32 s = threadIdx.x / 32; s < count && column < width; s += 8) {
    own = PlusTwo<W>::join(own, partial[s * width + column]);
  }
  own = fold_columns<PlusTwo<W>>(own, 32, scratch);
  if (threadIdx.x >= 32 || column >= width) return;
  dgamma[column] = (T)own.g;
  dbeta[column] = (T)own.b;
}

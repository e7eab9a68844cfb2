// Attention of float32, and its gradient, as attention.cu, without tensor cores: these would round to fewer bits.
//
// LANES neighbouring threads share a row, each has every LANES-th pair of its elements; the rows of the other operand come
// by way of shared memory.
//
// The host names: ELEMENT, float; HEAD, the length of a vector, a multiple of 16 up to 128; LANES, 4 to 16, twice which
// divides HEAD; MASKED, 0 or 1.
#include "blocks.cuh"

typedef ELEMENT T;

#include "attention.cuh"

constexpr int kRows = 128 / LANES, kOwn = HEAD / LANES, kTile = 32, kStep = 8;

struct Tiles {
  T (*first)[HEAD];
  T (*second)[HEAD];
};
FN Tiles tiles() {
  __shared__ __align__(16) T first[kTile][HEAD];
  __shared__ __align__(16) T second[kTile][HEAD];
  return {first, second};
}

// Where the thread's element `k` is in a row; pairs are neighbours.
FN int place(int k) { return k / 2 * 2 * LANES + (int)(threadIdx.x % LANES) * 2 + k % 2; }

FN void load_own(float* own, const T* x, i64 row, i64 rows) {
#pragma unroll
  for (int k = 0; k < kOwn; ++k) own[k] = row < rows ? x[row * HEAD + place(k)] : 0.0f;
}

FN void store_own(T* x, const float* own, float by, i64 row, i64 rows) {
  if (row >= rows) return;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) x[row * HEAD + place(k)] = own[k] * by;
}

FN void load_tile(T (*tile)[HEAD], const T* x, i64 begin, i64 rows) {
  for (int e = (int)threadIdx.x; e < kTile * HEAD; e += 128) {
    const i64 row = begin + e / HEAD;
    tile[e / HEAD][e % HEAD] = row < rows ? x[row * HEAD + e % HEAD] : 0.0f;
  }
}

// The product of the row that threads share with a row of a tile, for all of them.
FN float dot(const float* own, const T* row) {
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kOwn; k += 2) {
    const Several<T, 2> pair = load_several<2>(row + place(k));
    sum = fmaf(own[k], pair.at[0], sum);
    sum = fmaf(own[k + 1], pair.at[1], sum);
  }
#pragma unroll
  for (int m = 1; m < LANES; m *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  return sum;
}

FN void add_row(float* sums, float by, const T* row) {
#pragma unroll
  for (int k = 0; k < kOwn; k += 2) {
    const Several<T, 2> pair = load_several<2>(row + place(k));
    sums[k] = fmaf(by, pair.at[0], sums[k]);
    sums[k + 1] = fmaf(by, pair.at[1], sums[k + 1]);
  }
}

// (q, k, v, mask) -> (out, lse), lse the logarithm of the sum of a row's exponentials.
extern "C" __global__ void __launch_bounds__(128, 1) forward(const T* q, const T* k, const T* v, const T* mask, T* out, float* lse,
                                                         Problem p) {
  const Tiles shared = tiles();
  const i64 blocks = (p.queries + kRows - 1) / kRows, pair = blockIdx.x / blocks;
  const i64 row = blockIdx.x % blocks * kRows + threadIdx.x / LANES;
  const Mask masks(mask, p, pair);
  float own[kOwn], sums[kOwn], top = minus_infinity(), total = 0.0f;
  load_own(own, q + pair * p.queries * HEAD, row, p.queries);
#pragma unroll
  for (int n = 0; n < kOwn; ++n) sums[n] = 0.0f;
  for (i64 begin = 0; begin < p.keys; begin += kTile) {
    __syncthreads();
    load_tile(shared.first, k + pair * p.keys * HEAD, begin, p.keys);
    load_tile(shared.second, v + pair * p.keys * HEAD, begin, p.keys);
    __syncthreads();
    for (int j = 0; j < kTile && begin + j < p.keys; j += kStep) {
      float scores[kStep], best = top;
#pragma unroll
      for (int n = 0; n < kStep; ++n) {
        const i64 column = begin + j + n;
        const float product = dot(own, shared.first[j + n]) * p.scale;
        const bool there = column < p.keys && row < p.queries;
        scores[n] = column < p.keys ? product + (there ? masks(row, column) : 0.0f) : minus_infinity();
        best = fmaxf(best, scores[n]);
      }
      // Where all scores are minus infinity the weights are zero, not NaN: others may come.
      const float by = best == minus_infinity() ? 0.0f : best, scale = exp2f((top - by) * kLog2E);
      total *= scale;
#pragma unroll
      for (int n = 0; n < kOwn; ++n) sums[n] *= scale;
#pragma unroll
      for (int n = 0; n < kStep; ++n) {
        const float weight = exp2f((scores[n] - by) * kLog2E);
        total += weight;
        add_row(sums, weight, shared.second[j + n]);
      }
      top = best;
    }
  }
  store_own(out + pair * p.queries * HEAD, sums, 1.0f / total, row, p.queries);
  if (threadIdx.x % LANES == 0 && row < p.queries) lse[pair * p.queries + row] = top + logf(total);
}

// With weights w = e^(score - lse) and dw = dout v^T:  ds = w (dw - delta) scale,  dq = ds k,  dk = ds^T q,  dv = w^T dout.
//
// A row of x (and y beside it) against all of z (and t beside it): (q, dout; k, v) gives dq, (k, v; q, dout) gives dk and dv.
template <bool kKeys>
FN void gradient(const T* x, const T* y, const T* z, const T* t, const float* lse, const float* delta, const Mask& masks,
                 T* dx, T* dy, const Problem& p, i64 row, i64 rows, i64 columns, const Tiles& shared) {
  float own[kOwn], beside[kOwn], dxs[kOwn], dys[kKeys ? kOwn : 1];
  load_own(own, x, row, rows);
  load_own(beside, y, row, rows);
#pragma unroll
  for (int n = 0; n < kOwn; ++n) {
    dxs[n] = 0.0f;
    if (kKeys) dys[n] = 0.0f;
  }
  for (i64 begin = 0; begin < columns; begin += kTile) {
    __syncthreads();
    load_tile(shared.first, z, begin, columns);
    load_tile(shared.second, t, begin, columns);
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < kTile && begin + j < columns; ++j) {
      const i64 query = kKeys ? begin + j : row, key = kKeys ? row : begin + j;
      const float score = dot(own, shared.first[j]) * p.scale, dw = dot(beside, shared.second[j]);
      float w = 0.0f, ds = 0.0f;
      if (row < rows) {
        w = exp2f((score + masks(query, key) - lse[query]) * kLog2E);
        ds = w * (dw - delta[query]) * p.scale;
      }
      add_row(dxs, ds, shared.first[j]);
      if constexpr (kKeys) add_row(dys, w, shared.second[j]);
    }
  }
  store_own(dx, dxs, 1.0f, row, rows);
  if constexpr (kKeys) store_own(dy, dys, 1.0f, row, rows);
}

extern "C" __global__ void __launch_bounds__(128, 1) backward_queries(const T* dout, const T* q, const T* k, const T* v,
                                                                  const T* mask, const float* lse, const float* delta,
                                                                  T* dq, Problem p) {
  const i64 blocks = (p.queries + kRows - 1) / kRows, pair = blockIdx.x / blocks;
  const i64 row = blockIdx.x % blocks * kRows + threadIdx.x / LANES;
  const i64 at = pair * p.queries * HEAD, other = pair * p.keys * HEAD;
  gradient<false>(q + at, dout + at, k + other, v + other, lse + pair * p.queries, delta + pair * p.queries,
                  Mask(mask, p, pair), dq + at, nullptr, p, row, p.queries, p.keys, tiles());
}

extern "C" __global__ void __launch_bounds__(128, 1) backward_keys(const T* dout, const T* q, const T* k, const T* v,
                                                               const T* mask, const float* lse, const float* delta, T* dk,
                                                               T* dv, Problem p) {
  const i64 blocks = (p.keys + kRows - 1) / kRows, pair = blockIdx.x / blocks;
  const i64 row = blockIdx.x % blocks * kRows + threadIdx.x / LANES;
  const i64 at = pair * p.keys * HEAD, other = pair * p.queries * HEAD;
  gradient<true>(k + at, v + at, q + other, dout + other, lse + pair * p.queries, delta + pair * p.queries,
                 Mask(mask, p, pair), dk + at, dv + at, p, row, p.keys, p.queries, tiles());
}

// Attention: softmax(q k^T scale + mask) v without the matrix of scores in memory, by tensor cores, and its gradient.
//
// A warp has 16 rows of a block's 64, and reads the other operand in tiles of COLUMNS rows that the block brings to shared
// memory. What tensor cores multiply is in ELEMENT, everything else in float.
//
// The host names: ELEMENT, f16_t or bf16_t; HEAD, the length of a vector, a multiple of 16 up to 128; COLUMNS, a multiple
// of 16; MASKED, 0 or 1.

#include "mma.cuh"

typedef ELEMENT T;

#include "attention.cuh"

constexpr int kRows = 64, kSteps = HEAD / 16, kBlocks = COLUMNS / 8, kOut = HEAD / 8;
constexpr int kWide = HEAD + 8, kTall = COLUMNS + 8;  // of rows in shared memory: neighbours lie in other banks

FN u32 packed(float low, float high) { return (u32)T(low).bits | (u32)T(high).bits << 16; }

// ---- operands of the tensor cores

// Two neighbouring elements of a row; zero where the row is not there.
FN u32 pair_of(const T* x, i64 row, i64 rows, int column) {
  return row < rows ? *reinterpret_cast<const u32*>(x + row * HEAD + column) : 0u;
}

// The left operand of step `s`: 16 rows from `first`.
FN void load_left(u32* a, const T* x, i64 first, i64 rows, int s) {
  const int group = threadIdx.x % 32 / 4, column = 16 * s + 2 * (threadIdx.x % 4);
  a[0] = pair_of(x, first + group, rows, column);
  a[1] = pair_of(x, first + group + 8, rows, column);
  a[2] = pair_of(x, first + group, rows, column + 8);
  a[3] = pair_of(x, first + group + 8, rows, column + 8);
}

// The left operand of step `s` from results of a product: blocks 2s and 2s + 1 of its columns.
FN void left_of(u32* a, const float* sums, int s) {
  const float* low = sums + 8 * s;
  a[0] = packed(low[0], low[1]);
  a[1] = packed(low[2], low[3]);
  a[2] = packed(low[4], low[5]);
  a[3] = packed(low[6], low[7]);
}

// The right operand of step `s` from a tile whose rows are the columns of the product.
FN void load_right(u32* b, const T* tile, int stride, int block, int s) {
  const T* row = tile + (8 * block + threadIdx.x % 32 / 4) * stride + 16 * s + 2 * (threadIdx.x % 4);
  b[0] = *reinterpret_cast<const u32*>(row);
  b[1] = *reinterpret_cast<const u32*>(row + 8);
}

// sums[COLUMNS] = 16 rows of x times the rows of a tile.
FN void multiply(float* sums, const T* x, i64 first, i64 rows, const T* tile) {
#pragma unroll
  for (int n = 0; n < 4 * kBlocks; ++n) sums[n] = 0.0f;
#pragma unroll
  for (int s = 0; s < kSteps; ++s) {
    u32 a[4], b[2];
    load_left(a, x, first, rows, s);
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
      load_right(b, tile, kWide, n, s);
      mma<T>(sums + 4 * n, a, b);
    }
  }
}

// sums[HEAD] += weights[COLUMNS] times a tile that is stored by columns.
FN void accumulate(float* sums, const float* weights, const T* turned) {
#pragma unroll
  for (int s = 0; s < COLUMNS / 16; ++s) {
    u32 a[4], b[2];
    left_of(a, weights, s);
#pragma unroll
    for (int n = 0; n < kOut; ++n) {
      load_right(b, turned, kTall, n, s);
      mma<T>(sums + 4 * n, a, b);
    }
  }
}

// ---- tiles

// What a block has in shared memory.
struct Tiles {
  T tile[COLUMNS * kWide], turned[HEAD * kTall];
};
FN Tiles& tiles() {
  __shared__ __align__(16) Tiles t;
  return t;
}

// COLUMNS rows of x from `first`, to `tile` by rows and to `turned` by columns; either may be left out.
template <bool kByRows, bool kByColumns>
FN void load_tile(const T* x, i64 first, i64 rows, T* tile, T* turned) {
  for (int e = (int)threadIdx.x; e < COLUMNS * (HEAD / 8); e += 128) {
    const int row = e % COLUMNS, column = e / COLUMNS * 8;
    Pack<T> pack;
    if (first + row < rows) {
      pack = load16(x + (first + row) * HEAD + column);
    } else {
#pragma unroll
      for (int k = 0; k < 8; ++k) pack.at[k].bits = 0;
    }
    if (kByRows) store16(tile + row * kWide + column, pack);
    if (kByColumns) {
#pragma unroll
      for (int k = 0; k < 8; ++k) turned[(column + k) * kTall + row] = pack.at[k];
    }
  }
}

// Rows of 16 results, times `low` and `high` for this thread's two rows.
FN void store_rows(T* x, const float* sums, float low, float high, i64 first, i64 rows) {
  const i64 row = first + threadIdx.x % 32 / 4;
  const int column = 2 * (threadIdx.x % 4);
#pragma unroll
  for (int n = 0; n < kOut; ++n) {
    const float* v = sums + 4 * n;
    T* const to = x + row * HEAD + 8 * n + column;
    if (row < rows) *reinterpret_cast<u32*>(to) = packed(v[0] * low, v[1] * low);
    if (row + 8 < rows) *reinterpret_cast<u32*>(to + 8 * HEAD) = packed(v[2] * high, v[3] * high);
  }
}

// ---- forward

// The largest and the sum of a row, which four neighbouring threads share.
FN float largest_of_row(float v) {
  v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, 1));
  return fmaxf(v, __shfl_xor_sync(0xffffffffu, v, 2));
}
FN float sum_of_row(float v) {
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  return v + __shfl_xor_sync(0xffffffffu, v, 2);
}

// What a thread knows of one of its two rows: the largest score so far, and the sum of its elements' exponentials.
struct Running {
  float top, sum;

  // Takes the scores of a tile, every fourth pair of `s` from `s`[0], and makes them weights. Gives what to multiply the
  // earlier sums with. Where all scores are minus infinity the weights are zero, not NaN: others may come.
  FN float take(float* s) {
    float best = top;
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) best = fmaxf(best, fmaxf(s[4 * n], s[4 * n + 1]));
    best = largest_of_row(best);
    const float by = best == minus_infinity() ? 0.0f : best, scale = exp2f((top - by) * kLog2E);
    float own = 0.0f;
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
      s[4 * n] = exp2f((s[4 * n] - by) * kLog2E);
      s[4 * n + 1] = exp2f((s[4 * n + 1] - by) * kLog2E);
      own += s[4 * n] + s[4 * n + 1];
    }
    sum = sum * scale + sum_of_row(own);
    top = best;
    return scale;
  }
};

// (q, k, v, mask) -> (out, lse), lse the logarithm of the sum of a row's exponentials.
extern "C" __global__ void __launch_bounds__(128, 1) forward(const T* q, const T* k, const T* v, const T* mask, T* out, float* lse,
                                                         Problem p) {
  T *const tile = tiles().tile, *const turned = tiles().turned;
  const i64 blocks = (p.queries + kRows - 1) / kRows, pair = blockIdx.x / blocks;
  const i64 first = blockIdx.x % blocks * kRows + threadIdx.x / 32 * 16, row = first + threadIdx.x % 32 / 4;
  const T* const own = q + pair * p.queries * HEAD;
  const Mask masks(mask, p, pair);
  float sums[4 * kOut];
#pragma unroll
  for (int n = 0; n < 4 * kOut; ++n) sums[n] = 0.0f;
  Running low{minus_infinity(), 0.0f}, high{minus_infinity(), 0.0f};
  for (i64 begin = 0; begin < p.keys; begin += COLUMNS) {
    __syncthreads();
    load_tile<true, false>(k + pair * p.keys * HEAD, begin, p.keys, tile, turned);
    load_tile<false, true>(v + pair * p.keys * HEAD, begin, p.keys, tile, turned);
    __syncthreads();
    float scores[4 * kBlocks];
    multiply(scores, own, first, p.queries, tile);
#pragma unroll
    for (int n = 0; n < 4 * kBlocks; ++n) {
      const i64 column = begin + 8 * (n / 4) + 2 * (threadIdx.x % 4) + n % 2, of = n % 4 < 2 ? row : row + 8;
      const bool there = column < p.keys && of < p.queries;
      scores[n] = column < p.keys ? scores[n] * p.scale + (there ? masks(of, column) : 0.0f) : minus_infinity();
    }
    const float scale_low = low.take(scores), scale_high = high.take(scores + 2);
#pragma unroll
    for (int n = 0; n < 4 * kOut; ++n) sums[n] *= n % 4 < 2 ? scale_low : scale_high;
    accumulate(sums, scores, turned);
  }
  store_rows(out + pair * p.queries * HEAD, sums, 1.0f / low.sum, 1.0f / high.sum, first, p.queries);
  if (threadIdx.x % 4 != 0) return;
  float* const logs = lse + pair * p.queries;
  if (row < p.queries) logs[row] = low.top + logf(low.sum);
  if (row + 8 < p.queries) logs[row + 8] = high.top + logf(high.sum);
}

// ---- gradient

// With weights w = e^(score - lse) and dw = dout v^T:  ds = w (dw - delta) scale,  dq = ds k,  dk = ds^T q,  dv = w^T dout.
//
// Makes the weights and their gradients out of the scores and dw of a tile, whose rows are keys where kKeys says so.
template <bool kKeys>
FN void differentiate(float* scores, float* dw, const float* lse, const float* delta, const Mask& masks, const Problem& p,
                      i64 first_row, i64 first_column) {
  const i64 row = first_row + threadIdx.x % 32 / 4;
#pragma unroll
  for (int n = 0; n < 4 * kBlocks; ++n) {
    const i64 i = n % 4 < 2 ? row : row + 8, j = first_column + 8 * (n / 4) + 2 * (threadIdx.x % 4) + n % 2;
    const i64 query = kKeys ? j : i, key = kKeys ? i : j;
    float w = 0.0f, d = 0.0f;
    if (query < p.queries && key < p.keys) {
      w = exp2f((scores[n] * p.scale + masks(query, key) - lse[query]) * kLog2E);
      d = w * (dw[n] - delta[query]) * p.scale;
    }
    scores[n] = w;
    dw[n] = d;
  }
}

// 64 rows of x (and y beside it) against tiles of z (and t beside it): (q, dout; k, v) gives dq, (k, v; q, dout) gives dk
// and dv.
template <bool kKeys>
FN void gradient(const T* x, const T* y, const T* z, const T* t, const float* lse, const float* delta, const Mask& masks,
                 T* dx, T* dy, const Problem& p, i64 first, i64 rows, i64 columns, T* tile, T* turned) {
  float dxs[4 * kOut], dys[kKeys ? 4 * kOut : 1];
#pragma unroll
  for (int n = 0; n < 4 * kOut; ++n) {
    dxs[n] = 0.0f;
    if (kKeys) dys[n] = 0.0f;
  }
  for (i64 begin = 0; begin < columns; begin += COLUMNS) {
    float scores[4 * kBlocks], dw[4 * kBlocks];
    __syncthreads();
    load_tile<true, true>(z, begin, columns, tile, turned);
    __syncthreads();
    multiply(scores, x, first, rows, tile);
    __syncthreads();
    load_tile<true, false>(t, begin, columns, tile, turned);
    __syncthreads();
    multiply(dw, y, first, rows, tile);
    differentiate<kKeys>(scores, dw, lse, delta, masks, p, first, begin);
    accumulate(dxs, dw, turned);
    if constexpr (kKeys) {
      __syncthreads();
      load_tile<false, true>(t, begin, columns, tile, turned);
      __syncthreads();
      accumulate(dys, scores, turned);
    }
  }
  store_rows(dx, dxs, 1.0f, 1.0f, first, rows);
  if constexpr (kKeys) store_rows(dy, dys, 1.0f, 1.0f, first, rows);
}

extern "C" __global__ void __launch_bounds__(128, 1) backward_queries(const T* dout, const T* q, const T* k, const T* v,
                                                                  const T* mask, const float* lse, const float* delta,
                                                                  T* dq, Problem p) {
  T *const tile = tiles().tile, *const turned = tiles().turned;
  const i64 blocks = (p.queries + kRows - 1) / kRows, pair = blockIdx.x / blocks;
  const i64 first = blockIdx.x % blocks * kRows + threadIdx.x / 32 * 16;
  const i64 at = pair * p.queries * HEAD, other = pair * p.keys * HEAD;
  gradient<false>(q + at, dout + at, k + other, v + other, lse + pair * p.queries, delta + pair * p.queries,
                  Mask(mask, p, pair), dq + at, nullptr, p, first, p.queries, p.keys, tile, turned);
}

extern "C" __global__ void __launch_bounds__(128, 1) backward_keys(const T* dout, const T* q, const T* k, const T* v,
                                                               const T* mask, const float* lse, const float* delta, T* dk,
                                                               T* dv, Problem p) {
  T *const tile = tiles().tile, *const turned = tiles().turned;
  const i64 blocks = (p.keys + kRows - 1) / kRows, pair = blockIdx.x / blocks;
  const i64 first = blockIdx.x % blocks * kRows + threadIdx.x / 32 * 16;
  const i64 at = pair * p.keys * HEAD, other = pair * p.queries * HEAD;
  gradient<true>(k + at, v + at, q + other, dout + other, lse + pair * p.queries, delta + pair * p.queries,
                 Mask(mask, p, pair), dk + at, dv + at, p, first, p.keys, p.queries, tile, turned);
}

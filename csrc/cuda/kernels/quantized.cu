// quantized_matmul: rows of reals become bytes, each by its own range; their products with int8 weights are sums of integers,
// hence exact; and the scales come last. All formulas are those of csrc/cpu/kernels/quantized*, and so are the bits.

#include "blocks.cuh"
#include "dot.cuh"

struct Least {
  static __device__ float join(float a, float b) { return b < a ? b : a; }
};

// A block for a row of `width` reals: `words` groups of four bytes.
extern "C" __global__ void __launch_bounds__(256, 1) bytes(const float* x, u32* out, float* scales, i32* zeros, i64 width,
                                                       i64 words) {
  __shared__ float lows[8], highs[8], spoils[8];
  const i64 row = blockIdx.x;
  const float* const own = x + row * width;
  float low = 0.0f, high = 0.0f, spoilt = 0.0f;
  for (i64 i = threadIdx.x; i < width; i += 256) {
    const float v = own[i];
    low = v < low ? v : low;
    high = v > high ? v : high;
    spoilt += v * 0.0f;
  }
  low = fold_lanes<Least>(low, 256, lows);
  high = fold_lanes<Largest<float>>(high, 256, highs);
  spoilt = fold_lanes<Plus<float>>(spoilt, 256, spoils);
  const float range = high / 255.0f - low / 255.0f, least_normal = bits_as<float>(0x00800000u);
  float scale = 1.0f;
  i32 zero = 0;
  if (spoilt != spoilt) {
    scale = spoilt;
  } else if (!(range < least_normal)) {
    scale = range;
    const float at = rintf(-low / range);
    zero = at < 0.0f ? 0 : at > 255.0f ? 255 : (i32)at;
  }
  if (threadIdx.x == 0) {
    scales[row] = scale;
    zeros[row] = zero;
  }
  const float inverse = 1.0f / scale, lowest = (float)-zero, highest = (float)(255 - zero);
  constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: what is added to it is rounded to a whole number
  for (i64 w = threadIdx.x; w < words; w += 256) {
    u32 word = 0;
    for (int k = 0; k < 4; ++k) {
      const i64 i = 4 * w + k;
      float v = i < width ? own[i] * inverse : 0.0f;
      v = v < lowest ? lowest : v;
      v = v > highest ? highest : v;
      word |= ((bits_as<u32>(v + kRounder) + (u32)zero) & 255u) << (8 * k);
    }
    out[row * words + w] = word;
  }
}

// A warp for a row of weights: whole groups of four, and their sum.
extern "C" __global__ void __launch_bounds__(256, 1) weights(const i8* w, u32* out, i32* sums, i64 rows, i64 width, i64 words) {
  const i64 row = grid_thread() / 32;
  if (row >= rows) return;
  i32 sum = 0;
  for (i64 at = threadIdx.x % 32; at < words; at += 32) {
    u32 word = 0;
    for (int k = 0; k < 4; ++k) {
      const i64 i = 4 * at + k;
      const i8 v = i < width ? w[row * width + i] : (i8)0;
      sum += (i32)v;
      word |= ((u32)(i32)v & 255u) << (8 * k);
    }
    out[row * words + at] = word;
  }
  for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  if (threadIdx.x % 32 == 0) sums[row] = sum;
}

constexpr int kTile = 64, kDepth = 16, kEach = 4, kAcross = kTile / kEach, kBlock = kAcross * kAcross;

// out[i][j] = (sum of x[i] w[j] - zeros[i] sums[j]) (scales[i] factors[j]) + bias[j], a block for a tile of a product.
extern "C" __global__ void __launch_bounds__(256, 1) product(const u32* x, const u32* w, const float* scales, const i32* zeros,
                                                         const i32* sums, const float* factors, const float* bias,
                                                         float* out, i64 m, i64 n, i64 words) {
  __shared__ u32 left[kDepth][kTile + 1];
  __shared__ u32 right[kDepth][kTile + 1];
  const i64 down = (m + kTile - 1) / kTile, across = (n + kTile - 1) / kTile;
  const i64 col0 = blockIdx.x % across * kTile, row0 = blockIdx.x / across % down * kTile;
  const i64 number = blockIdx.x / (across * down), first_row = number * m, first_col = number * n;
  const int me = (int)threadIdx.x, my_row = me / kAcross, my_col = me % kAcross;
  i32 sum[kEach][kEach];
  for (int i = 0; i < kEach; ++i) {
    for (int j = 0; j < kEach; ++j) sum[i][j] = 0;
  }
  for (i64 k0 = 0; k0 < words; k0 += kDepth) {
    for (int e = me; e < kTile * kDepth; e += kBlock) {
      const int t = e % kDepth, at = e / kDepth;
      const bool inside = k0 + t < words;
      left[t][at] = inside && row0 + at < m ? x[(first_row + row0 + at) * words + k0 + t] : 0u;
      right[t][at] = inside && col0 + at < n ? w[(first_col + col0 + at) * words + k0 + t] : 0u;
    }
    __syncthreads();
    for (int t = 0; t < kDepth; ++t) {
      u32 r[kEach];
      for (int j = 0; j < kEach; ++j) r[j] = right[t][my_col + j * kAcross];
      for (int i = 0; i < kEach; ++i) {
        const u32 l = left[t][my_row + i * kAcross];
        for (int j = 0; j < kEach; ++j) sum[i][j] = dot_u8_s8(l, r[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    const i64 row = row0 + my_row + i * kAcross;
    for (int j = 0; j < kEach; ++j) {
      const i64 col = col0 + my_col + j * kAcross;
      if (row >= m || col >= n) continue;
      const i64 at_row = first_row + row, at_col = first_col + col;
      const i32 whole = (i32)((u32)sum[i][j] - (u32)zeros[at_row] * (u32)sums[at_col]);
      out[at_row * n + col] = (float)whole * (scales[at_row] * factors[at_col]) + bias[at_col];
    }
  }
}

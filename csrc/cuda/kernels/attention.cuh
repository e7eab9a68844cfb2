// What both texts of attention have. T: elements.

constexpr float kLog2E = 1.44269504088896341f;

// `count` pairs of an outer and an inner index, each with queries and keys of its own; where the mask's elements lie.
struct Problem {
  i64 queries, keys, inner;
  i64 mask_outer, mask_inner, mask_query, mask_key;
  float scale;
};

// The element of the mask for a query and a key.
struct Mask {
  const T* at;
  i64 query, key;

  FN Mask(const T* mask, const Problem& p, i64 pair)
      : at(mask + (pair / p.inner * p.mask_outer + pair % p.inner * p.mask_inner)),
        query(p.mask_query),
        key(p.mask_key) {}
  FN float operator()(i64 q, i64 k) const { return MASKED ? (float)at[q * query + k * key] : 0.0f; }
};

FN float minus_infinity() { return bits_as<float>(0xff800000u); }

// delta = sum of dout out over a row: a warp for a row.
extern "C" __global__ void dots(const T* dout, const T* out, float* delta, i64 rows) {
  const i64 row = grid_thread() / 32;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = (int)threadIdx.x % 32; c < HEAD; c += 32) sum += (float)dout[row * HEAD + c] * (float)out[row * HEAD + c];
  for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  if (threadIdx.x % 32 == 0) delta[row] = sum;
}

// Products of matrices that no library computes. T: elements, OUT: of the result, SUM: what is added up (of integers an
// unsigned type, which wraps).
//
// A block computes a tile of kTile x kTile numbers, a thread kEach x kEach of them; a sum runs over k in order.

constexpr int kTile = 64, kDepth = 16, kEach = 4, kAcross = kTile / kEach, kBlock = kAcross * kAcross;
constexpr int kBatchDims = 8;

// The batch dims, innermost first; those that are not there have size 1.
struct Batch {
  i64 size[kBatchDims], x[kBatchDims], y[kBatchDims], out[kBatchDims];
};

FN float add_product(float a, float b, float sum) { return fmaf(a, b, sum); }
FN double add_product(double a, double b, double sum) { return fma(a, b, sum); }
FN u32 add_product(u32 a, u32 b, u32 sum) { return a * b + sum; }
FN u64 add_product(u64 a, u64 b, u64 sum) { return a * b + sum; }

// x[row * x_row + col * x_col] and so on; the result is row-major. `bias`, if it is not null, is added to each row; then, if
// `relu` is set, what is negative becomes 0 (and NaN stays).
extern "C" __global__ void product(const T* x, const T* y, const OUT* bias, int relu, OUT* out, i64 m, i64 n, i64 k, i64 x_row, i64 x_col,
                                   i64 y_row, i64 y_col, Batch batch, i64 batches) {
  __shared__ SUM left[kDepth][kTile + 1];
  __shared__ SUM right[kDepth][kTile + 1];
  const i64 down = (m + kTile - 1) / kTile, across = (n + kTile - 1) / kTile, tiles = down * across * batches;
  const int me = (int)threadIdx.x, my_row = me / kAcross, my_col = me % kAcross;
  for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const i64 col0 = tile % across * kTile, row0 = tile / across % down * kTile;
    const T* a = x;
    const T* b = y;
    OUT* c = out;
    i64 number = tile / (across * down);
    for (int d = 0; d < kBatchDims; ++d) {
      const i64 i = number % batch.size[d];
      number /= batch.size[d];
      a += i * batch.x[d];
      b += i * batch.y[d];
      c += i * batch.out[d];
    }
    SUM sum[kEach][kEach];
    for (int i = 0; i < kEach; ++i) {
      for (int j = 0; j < kEach; ++j) sum[i][j] = (SUM)0;
    }
    for (i64 k0 = 0; k0 < k; k0 += kDepth) {
      for (int e = me; e < kTile * kDepth; e += kBlock) {
        // Threads follow the direction in which the operand is adjacent in memory.
        const int t = x_col == 1 ? e % kDepth : e / kTile, row = x_col == 1 ? e / kDepth : e % kTile;
        const bool there = row0 + row < m && k0 + t < k;
        left[t][row] = there ? (SUM)a[(row0 + row) * x_row + (k0 + t) * x_col] : (SUM)0;
        const int u = y_col == 1 ? e / kTile : e % kDepth, col = y_col == 1 ? e % kTile : e / kDepth;
        const bool here = col0 + col < n && k0 + u < k;
        right[u][col] = here ? (SUM)b[(k0 + u) * y_row + (col0 + col) * y_col] : (SUM)0;
      }
      __syncthreads();
      for (int t = 0; t < kDepth; ++t) {
        SUM r[kEach];
        for (int j = 0; j < kEach; ++j) r[j] = right[t][my_col + j * kAcross];
        for (int i = 0; i < kEach; ++i) {
          const SUM l = left[t][my_row + i * kAcross];
          for (int j = 0; j < kEach; ++j) sum[i][j] = add_product(l, r[j], sum[i][j]);
        }
      }
      __syncthreads();
    }
    for (int i = 0; i < kEach; ++i) {
      const i64 row = row0 + my_row + i * kAcross;
      for (int j = 0; j < kEach; ++j) {
        const i64 col = col0 + my_col + j * kAcross;
        if (row >= m || col >= n) continue;
        SUM value = bias != nullptr ? sum[i][j] + (SUM)bias[col] : sum[i][j];
        if (relu && value <= (SUM)0) value = (SUM)0;
        c[row * n + col] = (OUT)value;
      }
    }
  }
}

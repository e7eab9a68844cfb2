// A stable order of keys, which are numbers of rows: which points fall into which row, in the order of the points.
//
// Few keys are ranked by one block. Many are sorted by eight bits at a time, from the lowest: each block counts the
// digits of its share, one block turns the counts into where each share of each digit begins, and the blocks put their
// keys there, in order. `key` and `point` are 32 bits wide unless WIDE.

#include "places.cuh"

typedef places key;

// keys and points in order; the points of the keys that are given are their places.
extern "C" __global__ void order_few(const key* keys, key* sorted, key* points, int n) {
  __shared__ key all[FEW];
  for (int i = threadIdx.x; i < n; i += blockDim.x) all[i] = keys[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const key mine = all[i];
    int rank = 0;
    for (int k = 0; k < n; ++k) rank += all[k] < mine || (all[k] == mine && k < i);
    sorted[rank] = mine;
    points[rank] = (key)i;
  }
}

// counts[digit, block] = how often a digit occurs in a block's share of the keys.
extern "C" __global__ void order_count(const key* keys, key* counts, i64 n, i64 share, int shift) {
  __shared__ u32 seen[256];
  seen[threadIdx.x] = 0;
  __syncthreads();
  const i64 first = share * blockIdx.x, last = first + share < n ? first + share : n;
  for (i64 i = first + threadIdx.x; i < last; i += 256) atomicAdd(&seen[keys[i] >> shift & 255], 1u);
  __syncthreads();
  counts[(i64)threadIdx.x * gridDim.x + blockIdx.x] = (key)seen[threadIdx.x];
}

// The sums of all counts before each, by one block of 256 threads, each of which takes eight neighbours at a time.
extern "C" __global__ void order_scan(key* counts, int n) {
  __shared__ key sums[256];
  key before = 0;
  for (int start = 0; start < n; start += 2048) {
    key mine[8], sum = 0;
    const int first = start + threadIdx.x * 8;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      mine[k] = sum;
      sum += first + k < n ? counts[first + k] : 0;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
      const key more = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
      __syncthreads();
      sums[threadIdx.x] += more;
      __syncthreads();
    }
    const key base = before + sums[threadIdx.x] - sum;
    before += sums[255];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if (first + k < n) counts[first + k] = base + mine[k];
    }
    __syncthreads();
  }
}

// Puts the keys of each block's share where `starts` says, equal digits in their order, and their points along with them;
// the points of the first pass are the places of the keys.
extern "C" __global__ void order_place(const key* keys, const key* points, const key* starts, key* sorted,
                                       key* sorted_points, i64 n, i64 share, int shift) {
  __shared__ key next[256];            // of each digit, where its next key goes
  __shared__ u16 seen[8][256];  // of a warp and a digit: its keys in this round, then where they begin
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  next[thread] = starts[(i64)thread * gridDim.x + blockIdx.x];
  const i64 first = share * blockIdx.x, last = first + share < n ? first + share : n;
  for (i64 round = first; round < last; round += 256) {
    for (int w = 0; w < 8; ++w) seen[w][thread] = 0;
    __syncthreads();
    const i64 i = round + thread;
    const bool there = i < last;
    const key mine = there ? keys[i] : 0;
    const u32 digit = (u32)(mine >> shift & 255);
    u32 same = __ballot_sync(0xffffffffu, there);  // lanes with this digit
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
      const u32 set = __ballot_sync(0xffffffffu, digit >> bit & 1);
      same &= digit >> bit & 1 ? set : ~set;
    }
    const int rank = __popc(same & ((1u << lane) - 1));
    if (there && rank == 0) seen[warp][digit] = (u16)__popc(same);
    __syncthreads();
    u16 sum = 0;
    for (int w = 0; w < 8; ++w) {
      const u16 count = seen[w][thread];
      seen[w][thread] = sum;
      sum = (u16)(sum + count);
    }
    __syncthreads();
    if (there) {
      const key to = next[digit] + seen[warp][digit] + rank;
      sorted[to] = mine;
      sorted_points[to] = points == nullptr ? (key)i : points[i];
    }
    __syncthreads();
    next[thread] += sum;
  }
}

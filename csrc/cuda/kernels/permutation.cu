// An order of 0 .. n - 1 by Fisher and Yates, the CPU's to the last bit: at step i = 0, 1, ... position i gets what is at
// position d[i] <= i, which gets i; d[i] comes from 64-bit word i of the key's Philox stream.
//
// So what is at position q before step t is the last i < t with d[i] = q; and where there is none, what was at d[q] before
// step q. The steps are put in the order of d (order.cu): those with d[i] = q lie together. T is the type of the result.

#include "philox.cuh"
#include "places.cuh"

typedef places key;

extern "C" __global__ void permutation_draw(const i64* seed, key* draws, i64 n) {
  const i64 blocks = (n + 1) / 2, step = (i64)gridDim.x * blockDim.x;
  for (i64 k = (i64)blockIdx.x * blockDim.x + threadIdx.x; k < blocks; k += step) {
    u32 w[4];
    philox((u64)seed[0], (u64)seed[1], (u64)k, w);
    const u64 first = (u64)k * 2;
    draws[first] = (key)__umul64hi((u64)w[1] << 32 | w[0], first + 1);
    if ((i64)first + 1 < n) draws[first + 1] = (key)__umul64hi((u64)w[3] << 32 | w[2], first + 2);
  }
}

// Of the steps in the order of their draws, how many come before step t with draw q.
FN place before(const key* draws, const key* steps, place n, key q, key t) {
  place low = 0, high = n;
  while (low < high) {
    const place middle = low + (high - low) / 2;
    if (draws[middle] < q || (draws[middle] == q && steps[middle] < t)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

extern "C" __global__ void permutation_take(const key* draws, const key* sorted, const key* steps, T* out, i64 n) {
  for (place i = first_place(); i < (place)n; i += place_step()) {
    key q = (key)i, t = (key)n;
    place p = before(sorted, steps, (place)n, q, t);
    while (p == 0 || sorted[p - 1] != q) {
      t = q;
      q = draws[q];
      p = before(sorted, steps, (place)n, q, t);
    }
    out[i] = (T)steps[p - 1];
  }
}

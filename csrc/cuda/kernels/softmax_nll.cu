// The negative logarithm of the softmax of each row at its class, and its gradient: a launch each. The numbers are those of
// log_softmax, nll and their gradients one after the other, but that 16-bit floats are rounded once.
//
// The host names: ELEMENT, the dtype's type; WIDE, what is computed in; TARGET, the type of the class labels; UNSIGNED, true
// if these have no sign; VEC, elements of a pack; PACKS, packs that a thread keeps (Row).

#include "blocks.cuh"

typedef ELEMENT T;
typedef WIDE W;

// Whether row i has a class; says so if it has none.
FN bool has_class(const TARGET* target, u64 i, u64 classes, FaultWord* word, u32 instruction) {
  const bool inside = (u64)(i64)target[i] < classes;
  if (!inside) fault(word, kClass, instruction, (i64)target[i], (i64)classes, (i64)i, UNSIGNED);
  return inside;
}

// (x, target) -> (loss, tops, logs): the largest of a row, and the logarithm of the sum of its exponentials, which the
// gradient reads. `lanes` threads for a row.
extern "C" __global__ void __launch_bounds__(256, 1) forward(const T* x, const TARGET* target, T* loss, W* tops, W* logs,
                                                         u64 rows, u64 classes, u32 lanes, FaultWord* word,
                                                         u32 instruction) {
  __shared__ W largest[8];
  __shared__ double sums[8];
  const u64 i = (u64)blockIdx.x * (256 / lanes) + threadIdx.x / lanes;
  Row<T, W, VEC, PACKS> row(x + i * classes, classes, threadIdx.x % lanes, lanes, i < rows);
  const W top = fold_lanes<Largest<W>>(row.largest(), lanes, largest);
  const W own = row.sum([&](W v, u64) { return exponential(v - top); });
  const W by = (W)-log(fold_lanes<Plus<double>>((double)own, lanes, sums));
  if (threadIdx.x % lanes != 0 || i >= rows) return;
  tops[i] = top;
  logs[i] = -by;
  if (has_class(target, i, classes, word, instruction)) {
    loss[i] = (T)-(((W)x[i * classes + (u64)(i64)target[i]] - top) + by);
  }
}

// (dout, x, target, tops, logs) -> dx = dout (softmax(x) - [c is the class])
extern "C" __global__ void __launch_bounds__(256, 1) backward(const T* dout, const T* x, const TARGET* target, const W* tops,
                                                          const W* logs, T* dx, u64 rows, u64 classes, u32 lanes,
                                                          FaultWord* word, u32 instruction) {
  const u64 i = (u64)blockIdx.x * (256 / lanes) + threadIdx.x / lanes;
  if (i >= rows) return;
  const u32 lane = threadIdx.x % lanes;
  if (lane == 0) has_class(target, i, classes, word, instruction);
  Row<T, W, VEC, 0> row(x + i * classes, classes, lane, lanes, true);
  const W top = tops[i], by = -logs[i], d = -(W)dout[i];
  const u64 of = (u64)(i64)target[i];
  T* const to = dx + i * classes;
  row.packs([&](W* w, u64 at) {
    W y[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) y[k] = (at + k == of ? d : (W)0) - exponential((w[k] - top) + by) * d;
    store_several<VEC>(to + at, y);
  });
}

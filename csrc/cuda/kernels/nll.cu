// nll: the negative log-likelihood of each row's class, and its gradient.
//
// The host names: ELEMENT, the dtype's type; TARGET, that of the class labels; UNSIGNED, true if these have no sign.

typedef ELEMENT T;
typedef compute_t<T> W;

// Whether row i has a class; says so if it has none.
FN bool has_class(const TARGET* target, i64 i, i64 classes, FaultWord* word, u32 instruction) {
  const bool inside = (u64)(i64)target[i] < (u64)classes;
  if (!inside) fault(word, kClass, instruction, (i64)target[i], classes, i, UNSIGNED);
  return inside;
}

extern "C" __global__ void nll(const T* logp, const TARGET* target, T* out, i64 rows, i64 classes, FaultWord* word,
                               u32 instruction) {
  for (i64 i = grid_thread(); i < rows; i += grid_threads()) {
    if (has_class(target, i, classes, word, instruction)) out[i] = (T)-(W)logp[i * classes + (i64)target[i]];
  }
}

// A warp for a row.
extern "C" __global__ void nll_dx(const T* dout, const TARGET* target, T* out, i64 rows, i64 classes, FaultWord* word,
                                  u32 instruction) {
  for (i64 i = grid_thread() / 32; i < rows; i += grid_threads() / 32) {
    const i64 lane = threadIdx.x % 32;
    if (lane == 0) has_class(target, i, classes, word, instruction);
    for (i64 c = lane; c < classes; c += 32) {
      out[i * classes + c] = c == (i64)target[i] ? (T)-(W)dout[i] : (T)0.0f;
    }
  }
}

// dft: what goes into a Fourier transform of rows, and what comes out of it, along any axis.
//
// The host names: IN, the operand's type; OUT, the result's, which is complex.
//
// A tensor is seen as (outer, size, inner) about its axis; row o * inner + i has the n elements that are transformed.

typedef OUT::real_t R;

template <class A>
FN OUT whole(A x) { return OUT((R)(compute_t<A>)x); }
FN OUT whole(OUT x) { return x; }

// Cut, or padded with zeros, from `have` to `n` elements.
extern "C" __global__ void rows_of(const IN* x, OUT* rows, i64 have, i64 inner, i64 n, i64 count) {
  for (i64 e = grid_thread(); e < count; e += grid_threads()) {
    const i64 row = e / n, k = e % n, o = row / inner, i = row % inner;
    rows[e] = k < have ? whole(x[(o * have + k) * inner + i]) : OUT((R)0);
  }
}

extern "C" __global__ void from_rows(const OUT* rows, OUT* out, i64 inner, i64 n, i64 count, double scale) {
  for (i64 e = grid_thread(); e < count; e += grid_threads()) {
    const i64 i = e % inner, k = e / inner % n, o = e / inner / n;
    const OUT v = rows[(o * inner + i) * n + k];
    out[e] = OUT(v.re * (R)scale, v.im * (R)scale);
  }
}

// What matrices need before and after cuSOLVER, which counts by columns and has matrices one by one.
//
// The host names: ELEMENT, the elements' type; COMPLEX, 1 if that is one of complex numbers. Matrices follow one another; `count` is that of elements, `matrices` of matrices.
#include "formulas.cuh"

typedef ELEMENT T;

// By columns what lies by rows; so, too, the other way round.
extern "C" __global__ void transposed(const T* x, T* out, i64 rows, i64 columns, i64 count) {
  for (i64 e = grid_thread(); e < count; e += grid_threads()) {
    const i64 r = e % rows, c = e / rows % columns, m = e / rows / columns;
    out[e] = x[(m * rows + r) * columns + c];
  }
}

// The lower triangle that lies by columns: by rows, or as the upper one; zero beside it.
extern "C" __global__ void triangle(const T* x, T* out, i64 n, i64 count, int upper) {
  for (i64 e = grid_thread(); e < count; e += grid_threads()) {
    const i64 j = e % n, i = e / n % n, at = e - e % (n * n);
    const bool inside = upper ? j >= i : i >= j;
    out[e] = inside ? x[at + (upper ? i * n + j : j * n + i)] : T(0);
  }
}

// The first `k` rows of the upper triangle of matrices of `rows` rows that lie by columns.
extern "C" __global__ void upper_rows(const T* x, T* out, i64 rows, i64 columns, i64 k, i64 count) {
  for (i64 e = grid_thread(); e < count; e += grid_threads()) {
    const i64 j = e % columns, i = e / columns % k, m = e / columns / k;
    out[e] = i <= j ? x[(m * columns + j) * rows + i] : T(0);
  }
}

extern "C" __global__ void identities(T* out, i64 n, i64 count) {
  for (i64 e = grid_thread(); e < count; e += grid_threads()) out[e] = T(e % n == e / n % n ? 1 : 0);
}

// Says which matrix the library could not take apart.
extern "C" __global__ void verify(const int* info, i64 matrices, int kind, FaultWord* word, u32 instruction) {
  for (i64 m = grid_thread(); m < matrices; m += grid_threads()) {
    if (info[m] != 0) fault(word, (FaultKind)kind, instruction, 0, 0, m);
  }
}

template <class A>
FN A times(A a, A b) { return a * b; }
template <class R>
FN complex_t<R> times(complex_t<R> a, complex_t<R> b) { return make_complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }

// Of a matrix's factors, the upper of which has the diagonal, and the rows that were exchanged, counted from 1.
extern "C" __global__ void determinants(const T* factors, const i64* rows, T* out, i64 n, i64 matrices) {
  for (i64 m = grid_thread(); m < matrices; m += grid_threads()) {
    T p = T(1);
    for (i64 i = 0; i < n; ++i) {
      p = times(p, factors[(m * n + i) * n + i]);
      if (rows[m * n + i] != i + 1) p = -p;
    }
    out[m] = p;
  }
}

#if !COMPLEX
extern "C" __global__ void log_determinants(const T* factors, const i64* rows, T* sign, T* value, i64 n, i64 matrices) {
  for (i64 m = grid_thread(); m < matrices; m += grid_threads()) {
    T s = 1, sum = 0;
    for (i64 i = 0; i < n; ++i) {
      const T d = factors[(m * n + i) * n + i];
      s = d == 0 ? 0 : (d < 0) == (rows[m * n + i] != i + 1) ? s : -s;
      sum += math::log(d < 0 ? -d : d);
    }
    sign[m] = s;
    value[m] = sum;
  }
}
#endif

// The loops of norm_spans.h, written once with vector types and compiled per instruction set; the including file defines
// MINDS_TIER. Everything is in an unnamed namespace and calls nothing inline of the standard library, so that no code of
// a wider set can reach a narrower machine. Vectors are 64 bytes everywhere, so sums run in the same order everywhere.
#pragma GCC diagnostic ignored "-Wpsabi"  // the 64-byte vectors never leave this file
#define MINDS_VECTOR_BYTES 64
#include "cpu/kernels/norm_spans.h"
#include "cpu/kernels/vector_math.h"

namespace minds::cpu {

namespace {

constexpr int64_t kBlock = 4096;

template <class T>
constexpr int64_t kLanes = 64 / static_cast<int64_t>(sizeof(T));

template <class T>
Vec<T> load(const T* p) {
  Vec<T> v;
  memcpy(&v, p, sizeof v);
  return v;
}

// The first n lanes from p, the others `rest`.
template <class T>
Vec<T> load_some(const T* p, int64_t n, T rest) {
  Vec<T> v = Vec<T>{} + rest;
  memcpy(&v, p, static_cast<size_t>(n) * sizeof(T));
  return v;
}

template <class T>
void store(T* p, const Vec<T>& v, int64_t n) {
  memcpy(p, &v, static_cast<size_t>(n) * sizeof(T));
}

inline F exp_lanes(const F& x) { return exp_of(x); }
inline D exp_lanes(D x) {
  for (int64_t i = 0; i < kLanes<double>; ++i) x[i] = ::exp(x[i]);
  return x;
}

// Calls whole(i) for each full vector and part(i, m) for the m elements that are left.
template <class T, class Whole, class Part>
inline __attribute__((always_inline)) void sweep(int64_t n, Whole whole, Part part) {
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) whole(i);
  if (i < n) part(i, n - i);
}

template <class T>
double total(const Vec<T>& v) {
  double sum = 0;
  for (int64_t i = 0; i < kLanes<T>; ++i) sum += static_cast<double>(v[i]);
  return sum;
}

// The sum of term(i, m) over vectors of m elements. Lanes beyond m must be zero.
template <class T, class Term>
inline __attribute__((always_inline)) double reduce(int64_t n, Term term) {
  double sum = 0;
  for (int64_t block = 0; block < n; block += kBlock) {
    const int64_t m = n - block < kBlock ? n - block : kBlock;
    Vec<T> lanes = {};
    sweep<T>(m, [&](int64_t i) __attribute__((always_inline)) { lanes += term(block + i, kLanes<T>); },
             [&](int64_t i, int64_t rest) __attribute__((always_inline)) { lanes += term(block + i, rest); });
    sum += total<T>(lanes);
  }
  return sum;
}

template <class T>
inline __attribute__((always_inline)) Vec<T> take(const T* p, int64_t m, T rest) {
  return m == kLanes<T> ? load(p) : load_some(p, m, rest);
}

template <class T>
double sum_span(const T* x, int64_t n) {
  return reduce<T>(n, [&](int64_t i, int64_t m) __attribute__((always_inline)) { return take<T>(x + i, m, 0); });
}

template <class T>
double spread_span(const T* x, T mean, int64_t n) {
  return reduce<T>(n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    const Vec<T> d = take<T>(x + i, m, mean) - mean;
    return d * d;
  });
}

template <class T>
double product_span(const T* a, const T* x, T mean, int64_t n) {
  return reduce<T>(n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    return take<T>(a + i, m, 0) * (take<T>(x + i, m, mean) - mean);
  });
}

// y[i] = value(i, m) for vectors of m elements.
template <class T, class Value>
inline __attribute__((always_inline)) void fill(T* y, int64_t n, Value value) {
  sweep<T>(n, [&](int64_t i) __attribute__((always_inline)) { store<T>(y + i, value(i, kLanes<T>), kLanes<T>); },
           [&](int64_t i, int64_t m) __attribute__((always_inline)) { store<T>(y + i, value(i, m), m); });
}

template <bool adds, bool relu, class T>
void affine_ending(T* y, const T* x, const T* other, T mean, T scale, T shift, int64_t n) {
  fill<T>(y, n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    Vec<T> v = (take<T>(x + i, m, 0) - mean) * scale + shift;
    if constexpr (adds) v = v + take<T>(other + i, m, 0);
    if constexpr (relu) v = v <= Vec<T>{} ? Vec<T>{} : v;
    return v;
  });
}

template <class T>
void affine_span(T* y, const T* x, const T* other, bool relu, T mean, T scale, T shift, int64_t n) {
  if (other == nullptr) {
    relu ? affine_ending<false, true>(y, x, other, mean, scale, shift, n)
         : affine_ending<false, false>(y, x, other, mean, scale, shift, n);
  } else {
    relu ? affine_ending<true, true>(y, x, other, mean, scale, shift, n)
         : affine_ending<true, false>(y, x, other, mean, scale, shift, n);
  }
}

template <class T>
void affine_rows_span(T* y, const T* x, T mean, T scale, const T* g, const T* b, int64_t n) {
  fill<T>(y, n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    return (take<T>(x + i, m, 0) - mean) * scale * take<T>(g + i, m, 0) + take<T>(b + i, m, 0);
  });
}

template <class T>
void blend_span(T* y, const T* a, const T* x, T mean, T scale, T slope, T shift, int64_t n) {
  fill<T>(y, n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    return take<T>(a + i, m, 0) * scale + (take<T>(x + i, m, 0) - mean) * slope + shift;
  });
}

template <class T>
void times_span(T* y, const T* a, const T* g, int64_t n) {
  fill<T>(y, n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    return take<T>(a + i, m, 0) * take<T>(g + i, m, 0);
  });
}

template <class T>
void collect_span(T* dg, T* db, const T* a, const T* x, T mean, T scale, int64_t n) {
  fill<T>(dg, n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    return take<T>(dg + i, m, 0) + take<T>(a + i, m, 0) * ((take<T>(x + i, m, 0) - mean) * scale);
  });
  fill<T>(db, n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    return take<T>(db + i, m, 0) + take<T>(a + i, m, 0);
  });
}

template <class T>
T largest_span(const T* x, int64_t n) {
  constexpr T least = -static_cast<T>(__builtin_inf());
  Vec<T> best = Vec<T>{} + least;
  const auto offer = [&](const Vec<T>& v) __attribute__((always_inline)) { best = v > best ? v : best; };
  sweep<T>(n, [&](int64_t i) __attribute__((always_inline)) { offer(load(x + i)); },
           [&](int64_t i, int64_t m) __attribute__((always_inline)) { offer(load_some<T>(x + i, m, least)); });
  T top = least;
  for (int64_t i = 0; i < kLanes<T>; ++i) top = best[i] > top ? best[i] : top;
  return top;
}

template <class T>
double exponentials_span(T* y, const T* x, T shift, int64_t n) {
  constexpr T least = -static_cast<T>(__builtin_inf());
  return reduce<T>(n, [&](int64_t i, int64_t m) __attribute__((always_inline)) {
    Vec<T> e = exp_lanes(take<T>(x + i, m, least) - shift);
    if (m < kLanes<T>) e = load_some<T>(reinterpret_cast<const T*>(&e), m, 0);  // -inf - -inf is not zero
    if (y != nullptr) store<T>(y + i, e, m);
    return e;
  });
}

template <class T>
void divide_span(T* y, const T* x, T d, int64_t n) {
  fill<T>(y, n, [&](int64_t i, int64_t m) __attribute__((always_inline)) { return take<T>(x + i, m, 0) / d; });
}

template <class T>
constexpr Spans<T> kTable{sum_span<T>,    spread_span<T>, product_span<T>, affine_span<T>,       affine_rows_span<T>, blend_span<T>,
                          times_span<T>, collect_span<T>, largest_span<T>, exponentials_span<T>, divide_span<T>};

}  // namespace

#define MINDS_JOIN_(a, b, c) a##b##c
#define MINDS_JOIN(a, b, c) MINDS_JOIN_(a, b, c)
const Spans<float> MINDS_JOIN(kSpans, MINDS_TIER, F32) = kTable<float>;
const Spans<double> MINDS_JOIN(kSpans, MINDS_TIER, F64) = kTable<double>;

}  // namespace minds::cpu

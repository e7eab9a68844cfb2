// Our own matrix product: for what the provider has no type for, for tiny shapes, and inside convolutions in float64.
#pragma once
#include <cstdint>

namespace minds::cpu {

// C = A·B, or C += A·B. Every operand has a row and a column stride, in elements. C does not overlap A or B.
template <class T>
struct Product {
  int64_t m, n, k;
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t b_row, b_col;
  T* c;
  int64_t c_row, c_col;
  bool add;
};

// One thread, no allocation. A sum runs over k in order, in blocks of a fixed size: the numbers do not depend on how a
// larger product was cut along m and n. Defined for float, double and the integers (which wrap).
template <class T>
void multiply(const Product<T>& p);

// The same, cut along m or n over the threads.
template <class T>
void multiply_parallel(const Product<T>& p);

// A matrix of contiguous rows times a contiguous vector: c[i * c_step] = a[i * a_row ...] · b, over the threads.
struct Rows {
  int64_t m, k, a_row, c_step;
};
template <class T>
void multiply_vector(const Rows& r, const T* a, const T* b, T* c);

// The entry points of one instruction set.
struct ProductTier {
  void (*f32)(const Product<float>&);
  void (*f64)(const Product<double>&);
  float (*dot_f32)(int64_t k, const float* a, const float* b);
  double (*dot_f64)(int64_t k, const double* a, const double* b);
};
extern const ProductTier kProductGeneric, kProductAvx2, kProductAvx512;

}  // namespace minds::cpu

// Passes over contiguous spans, of which normalisation and softmax consist; one table per instruction set.
//
// Sums use 16 (float) or 8 (double) partial sums per block of 4096 elements whatever the instruction set, and blocks add up
// in double: every machine and every number of threads gives the same numbers.
#pragma once
#include <cstdint>

namespace minds::cpu {

template <class T>
struct Spans {
  double (*sum)(const T* x, int64_t n);
  // sum (x - m)^2
  double (*spread)(const T* x, T m, int64_t n);
  // sum a (x - m)
  double (*product)(const T* a, const T* x, T m, int64_t n);
  // y = (x - m) * scale + shift, to which `other` is added unless it is null, and with `relu` 0 for what is below
  void (*affine)(T* y, const T* x, const T* other, bool relu, T m, T scale, T shift, int64_t n);
  // y = (x - m) * scale * g + b, g and b elementwise
  void (*affine_rows)(T* y, const T* x, T m, T scale, const T* g, const T* b, int64_t n);
  // y = a * scale + (x - m) * slope + shift
  void (*blend)(T* y, const T* a, const T* x, T m, T scale, T slope, T shift, int64_t n);
  // y = a * g
  void (*times)(T* y, const T* a, const T* g, int64_t n);
  // dg += a (x - m) scale, db += a
  void (*collect)(T* dg, T* db, const T* a, const T* x, T m, T scale, int64_t n);
  T (*largest)(const T* x, int64_t n);
  // y = e^(x - m), and its sum; y may be null
  double (*exponentials)(T* y, const T* x, T m, int64_t n);
  // y = x / d
  void (*divide)(T* y, const T* x, T d, int64_t n);
};

// The table of the machine that this runs on.
template <class T>
const Spans<T>& spans();

extern const Spans<float> kSpansGenericF32, kSpansAvx2F32, kSpansAvx512F32;
extern const Spans<double> kSpansGenericF64, kSpansAvx2F64, kSpansAvx512F64;

}  // namespace minds::cpu

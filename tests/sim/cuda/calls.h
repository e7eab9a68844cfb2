// What the simulated libraries compute, in the device process.
#pragma once
#include <vector>

#include "protocol.h"

namespace minds::sim {

// A function of a library by name, on its operands' addresses; the rest of the message is its own.
Status run_call(const std::string& function, const std::vector<uintptr_t>& operands, Reader& body);

// A list of what a group of processes does together (collective.h).
Status run_collectives(const std::vector<uintptr_t>& operands, Reader& body);

// A product of matrices in columns, as BLAS counts: d = alpha op(a) op(b) + beta c, then the epilogue.
struct Product {
  DType in, out;
  int64_t m, n, k;
  bool trans_a, trans_b;
  int64_t lda, ldb, ldc, ldd;
  int64_t batch, step_a, step_b, step_c, step_d;
  double alpha, beta;
  bool wide;  // sums are float64
  uint32_t epilogue;
};

// A convolution of images N, C, H, W; strides are of elements.
struct Convolution {
  enum Pass : int32_t { kForward, kData, kFilter };
  Pass pass;
  DType dtype;
  int64_t x[4], w[4], y[4], x_step[4], w_step[4], y_step[4];
  int64_t pad[2], stride[2], dilation[2];
  double alpha, beta;
};

// Factorisations of LAPACK's, by their names, on matrices by columns (dense.cc): "potrf", "getrf", "getrs", "geqrf", "orgqr".
Status run_dense(const std::string& function, const std::vector<uintptr_t>& operands, Reader& body);

struct Dense {
  int32_t type;    // a cudaDataType_t: 0, 1 real numbers of float32, float64, 4, 5 complex ones
  int64_t m, n, k;  // as the function calls them; `k` also counts right-hand sides
  int64_t lda, ldb;
  bool turned;  // the transpose
};

// Transforms of rows of complex numbers, each row's behind the other's, in place or not; unscaled.
struct Fourier {
  bool wide;  // float64
  int64_t n, rows;
  int32_t sign;  // of the exponent
};

}  // namespace minds::sim

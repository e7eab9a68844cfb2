// Convolution of 3x3 windows by Winograd's F(2x2, 3x3): squares of 2x2 results take 16 multiplications per pair of channels
// where the definition takes 36. A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.
//
// A square of 4x4 inputs d and the weights g are brought to another basis, where the convolution is a product element by
// element, summed over channels: for each of the 16 elements one product of matrices. With Bᵀ, G and Aᵀ of the paper:
//   forward          Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A
//   weight gradient  Gᵀ [Σ (Bᵀ d B) ⊙ (A dy Aᵀ)] G, summed over all squares
// The input gradient is the forward pass of dy with the weights turned by half a turn. All factors are 0, ±1 or ±1/2, so
// errors stay near those of the definition (tests/kernels/test_winograd.py).
#pragma once
#include <cstdint>

namespace minds::cpu {

// One image to another, both NCHW. Squares are counted row by row over all samples.
struct WinogradSizes {
  int64_t batch, in, out;  // samples, channels
  int64_t in_h, in_w, out_h, out_w, top, left;
  int64_t rows, cols;  // of squares in a sample
};

// Where an element of the weights lies: w[in * i + out * o + element] or, turned, w[in * i + out * o + 8 - element].
struct WinogradWeights {
  const float* w;
  int64_t in, out;
  bool turned;
};

// The entry points of one instruction set. "Padded" is a number of channels rounded up to `lanes`. The kBasis matrices of n
// elements lie n + kBetween apart, where `apart` does not say it. Right operands of products lie in panels of `wide`
// columns, one after the other.
struct WinogradTier {
  int64_t lanes, wide;
  // G g Gᵀ as panels (in x out padded), for input channels [begin, end).
  void (*weights)(const WinogradSizes&, const WinogradWeights&, int64_t begin, int64_t end, float* to);
  // Bᵀ d B of rows of squares [begin, end), as rows `square`, … of panels of `squares` rows or, where that is 0, of all
  // channels.
  void (*input)(const WinogradSizes&, const float* x, int64_t begin, int64_t end, int64_t square, int64_t squares,
                int64_t apart, float* stage, float* to);
  // A dy Aᵀ, as rows of all channels, these too kBetween apart.
  void (*gradient)(const WinogradSizes&, const float* dy, int64_t begin, int64_t end, int64_t apart, float* stage,
                   float* to);
  // Aᵀ m A to the output image.
  void (*output)(const WinogradSizes&, const float* m, int64_t begin, int64_t end, int64_t apart, float* stage,
                 float* out);
  // C (+)= A · panels: m x k with strides, k x n.
  void (*product)(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_col, const float* panels,
                  float* c, int64_t c_row, bool add);
  // Gᵀ u G of output channels [begin, end), to weights (out, in, 3, 3); u is (out x in padded).
  void (*weight_gradient)(const WinogradSizes&, const float* u, int64_t begin, int64_t end, int64_t apart, float* dw);
};
extern const WinogradTier kWinogradAvx2, kWinogradAvx512;

inline constexpr int64_t kBasis = 16;
inline constexpr int64_t kBetween = 16;  // elements: matrices powers of two apart would compete for the same cache sets

}  // namespace minds::cpu

// Convolution as a matrix product over unrolled windows: for float64, and where the provider has nothing.
#pragma once
#include "cpu/provider/provider.h"

namespace minds::cpu {

// Samples are divided into a number of chunks that follows from the shape alone; each chunk has its own scratch memory, and
// weight gradients of chunks are summed in order. So results do not depend on the number of threads.
template <class T>
class OwnConv {
 public:
  void plan(const ConvSpec& s);
  size_t workspace() const;
  void run(const T* x, const T* y, T* out, void* workspace) const;  // operands as the provider takes them

 private:
  struct Sizes {
    int64_t in_group, out_group;         // channels
    int64_t window, places;              // in_group * kernel area; out_h * out_w
    int64_t in_sample, out_sample;       // elements
    int64_t weights, weights_group;
  };
  void unroll(const T* plane, T* columns) const;       // windows of one group of a sample, (window, places)
  void roll_back(const T* columns, T* plane) const;    // its adjoint: adds
  void forward(int64_t n, const T* x, const T* w, T* out, T* columns) const;
  void data(int64_t n, const T* dout, const T* w, T* dx, T* columns) const;
  void weight(int64_t n, const T* x, const T* dout, T* dw, T* columns) const;

  ConvSpec s_;
  Sizes z_;
  bool direct_ = false;  // 1x1 without stride or padding: a plane is its own unrolled form
  int64_t chunks_ = 1;
};

extern template class OwnConv<float>;
extern template class OwnConv<double>;

}  // namespace minds::cpu

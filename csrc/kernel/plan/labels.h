// What the kernels of class labels ask of their signatures: nll, its gradient, and one_hot.
#pragma once
#include "kernel/plan/axis.h"

namespace minds {

struct NllPlan {
  Status prepare(const Signature& s);                       // (logp, target)
  Status prepare_gradient(const Signature& s, int64_t of);  // (dout, target), of so many classes

  int64_t rows = 0, classes = 0;
  DType dtype{}, target{};
};

// softmax_nll, whose statistics are float32, or float64 for such logits.
struct SoftmaxNllPlan {
  Status prepare(const Signature& s);           // (x, target) -> (loss, tops, logs)
  Status prepare_gradient(const Signature& s);  // (dout, x, target, tops, logs) -> dx

  int64_t rows = 0, classes = 0;
  DType dtype{}, target{};

 private:
  Status read(const TensorSpec& x, const TensorSpec& labels);
  Status expect_statistics(const TensorSpec* two) const;
};

// one_hot(indices, on, off): `around.outer` planes of `around.size` (the depth) times `around.inner` elements.
struct OneHotPlan {
  Status prepare(const Signature& s, int64_t depth, int64_t axis);

  AxisPlan around;
  DType index{};
};

}  // namespace minds

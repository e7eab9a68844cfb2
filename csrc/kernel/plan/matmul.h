// A product of matrices with its batch dims, merged where both operands treat them alike.
#pragma once
#include <vector>

#include "kernel/plan/check.h"

namespace minds {

struct MatmulPlan {
  struct BatchDim {
    int64_t size, x_step, y_step;  // steps in matrices; 0 where the operand is broadcast
  };

  // Reads transpose_a and transpose_b, and checks the signature against them.
  Status prepare(const Attrs& a, const Signature& s);

  // Elements from the start of x and y to their matrices of batch `b`.
  struct Offsets {
    int64_t x, y;
  };
  Offsets at(int64_t b) const {
    int64_t x = 0, y = 0;
    for (const BatchDim& d : batch) {
      x += b % d.size * d.x_step;
      y += b % d.size * d.y_step;
      b /= d.size;
    }
    return {x * m * k, y * k * n};
  }

  int64_t m = 0, n = 0, k = 0;
  bool trans_x = false, trans_y = false;
  std::vector<BatchDim> batch;  // the innermost first
  int64_t batches = 1;

 private:
  void merge(const Shape& x, const Shape& y);
};

}  // namespace minds

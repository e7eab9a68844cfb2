// What the ops that make data ask of their signatures: random numbers, arange, eye.
#pragma once
#include "kernel/plan/check.h"

namespace minds {

// (key) -> `shape` elements of `dtype`.
Status check_random(const Signature& s, const Shape& shape, DType dtype);
Status check_floats(DType t);    // of uniform and normal
Status check_probability(double p, DType t);
Status check_range(int64_t low, int64_t high, DType t);
// (key) -> an order of 0 .. n - 1.
Status check_permutation(const Signature& s, int64_t n);
Status check_key(const Signature& s);  // () -> key

Status check_arange(const Signature& s, double start, double stop, double step);
Status check_eye(const Signature& s, int64_t n, int64_t m);

}  // namespace minds

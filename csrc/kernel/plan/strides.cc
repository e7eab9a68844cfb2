#include "kernel/plan/strides.h"

namespace minds {

Shape row_major(const Shape& shape) {
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

std::vector<Dim> coalesce(const std::vector<Dim>& dims) {
  std::vector<Dim> merged;
  for (const Dim& d : dims) {
    if (d.size == 1) continue;
    if (!merged.empty() && merged.back().in == d.in * d.size && merged.back().out == d.out * d.size) {
      merged.back() = {merged.back().size * d.size, d.in, d.out};
    } else {
      merged.push_back(d);
    }
  }
  return merged;
}

Odometer::Odometer(const std::vector<Dim>& dims, int64_t start)
    : dims_(dims.data()), rank_(static_cast<int>(dims.size())) {
  for (int d = rank_ - 1; d >= 0; --d) {
    index_[d] = start % dims_[d].size;
    start /= dims_[d].size;
    in += index_[d] * dims_[d].in;
    out += index_[d] * dims_[d].out;
  }
}

}  // namespace minds

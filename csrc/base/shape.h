// Shapes and tensor descriptions. All tensors are dense and row-major.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace minds {

using Shape = std::vector<int64_t>;

inline int64_t numel(const Shape& s) {
  int64_t n = 1;
  for (int64_t d : s) n *= d;
  return n;
}

struct TensorSpec {
  DType dtype;
  Shape shape;
  int64_t size() const { return numel(shape); }
  size_t bytes() const { return static_cast<size_t>(size()) * item_size(dtype); }
};

std::string to_string(const TensorSpec& s);

}  // namespace minds

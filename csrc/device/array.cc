#include "device/array.h"

namespace minds {

Status check_shape(const Shape& shape, DType t) {
  constexpr size_t kMaxRank = 32;
  if (shape.size() > kMaxRank) {
    return {Code::kValue, "a tensor has at most 32 dimensions, got " + std::to_string(shape.size())};
  }
  // Zero-size tensors are held to the same bound without their zeros, as strides are computed from the other
  // dims.
  int64_t product = static_cast<int64_t>(item_size(t));
  for (int64_t d : shape) {
    if (d < 0) return {Code::kValue, "negative dimension in shape " + to_string(TensorSpec{t, shape})};
    if (d > 0 && __builtin_mul_overflow(product, d, &product)) product = kMaxBytes + 1;
    if (product > kMaxBytes)
      return {Code::kMemory, "the size of " + to_string(TensorSpec{t, shape}) + " overflows"};
  }
  return {};
}

Status make_array(Allocator& memory, TensorSpec spec, Array& out) {
  if (Status s = check_shape(spec.shape, spec.dtype)) return s;
  BufferRef buffer = memory.allocate(spec.bytes());
  if (!buffer) {
    return {Code::kMemory,
            "cannot allocate " + std::to_string(spec.bytes()) + " bytes for " + to_string(spec)};
  }
  out = Array{std::move(spec), std::move(buffer)};
  return {};
}

}  // namespace minds

#include "device/array.h"

#include <cstdlib>

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

Status read_array(const Array& from, void* to) {
  if (from.bytes() == 0) return {};
  Stream& q = from.device().stream();
  if (Status s = from.device().copy(to, from.data(), from.bytes(), CopyKind::kToHost, q)) return s;
  return q.synchronize();
}

Status copy_array(const Array& from, Device& to, Array& out) {
  Array made;
  if (Status s = make_array(to.allocator(), from.spec, made)) return s;
  const size_t bytes = from.bytes();
  Status s;
  if (bytes == 0) {
  } else if (&from.device() == &to) {
    s = to.copy(made.data(), from.data(), bytes, CopyKind::kOnDevice, to.stream());
  } else if (from.host() != nullptr) {
    s = to.copy(made.data(), from.host(), bytes, CopyKind::kToDevice, to.stream());
  } else if (made.host() != nullptr) {
    s = read_array(from, made.host());
  } else {
    const std::unique_ptr<void, decltype(&std::free)> between(std::malloc(bytes), std::free);
    if (!between) return {Code::kMemory, "cannot allocate " + std::to_string(bytes) + " bytes for a copy"};
    s = read_array(from, between.get());
    if (!s) s = to.copy(made.data(), between.get(), bytes, CopyKind::kToDevice, to.stream());
  }
  if (!s) out = std::move(made);
  return s;
}

}  // namespace minds

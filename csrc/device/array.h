// A dense tensor in memory: the box that Python's `Array` holds and that the runtime reads and writes.
#pragma once
#include "base/shape.h"
#include "device/device.h"

namespace minds {

struct Array {
  TensorSpec spec;
  BufferRef buffer;

  void* data() const { return buffer ? buffer->data() : nullptr; }
  int64_t size() const { return spec.size(); }
  size_t bytes() const { return spec.bytes(); }
};

// The most bytes that a tensor may have; keeps every index computation inside int64.
inline constexpr int64_t kMaxBytes = int64_t{1} << 60;

// Refuses negative dims, too many dims and sizes that overflow.
Status check_shape(const Shape& shape, DType t);

// A new array with undefined contents.
Status make_array(Allocator& memory, TensorSpec spec, Array& out);

}  // namespace minds

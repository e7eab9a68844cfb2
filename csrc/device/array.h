// A dense tensor in memory: the box that Python's `Array` holds and that the runtime reads and writes.
#pragma once
#include "base/shape.h"
#include "device/device.h"

namespace minds {

struct Array {
  TensorSpec spec;
  BufferRef buffer;

  void* data() const { return buffer ? buffer->data() : nullptr; }
  void* host() const { return buffer ? buffer->host() : nullptr; }
  Device& device() const { return buffer->device(); }
  int64_t size() const { return spec.size(); }
  size_t bytes() const { return spec.bytes(); }
};

// The most bytes that a tensor may have; keeps every index computation inside int64.
inline constexpr int64_t kMaxBytes = int64_t{1} << 60;

// Refuses negative dims, too many dims and sizes that overflow.
Status check_shape(const Shape& shape, DType t);

// A new array with undefined contents.
Status make_array(Allocator& memory, TensorSpec spec, Array& out);

// A new array on `to` with the same contents. The host waits only where the copy ends in or passes through its memory.
Status copy_array(const Array& from, Device& to, Array& out);

// Bytes of an array into the host's memory; waits for them.
Status read_array(const Array& from, void* to);

}  // namespace minds

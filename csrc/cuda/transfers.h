// Copies between the host and the device, in the driver's words.
#pragma once
#include "cuda/driver.h"
#include "device/transfers.h"

namespace minds::cuda {

struct DriverCopies {
  using Event = CUevent;
  using Stream = CUstream;
  static Status make(CUevent& done, void*& memory, size_t bytes);
  static Status to_device(void* to, const void* from, size_t bytes, CUstream stream);
  static Status to_host(void* to, const void* from, size_t bytes, CUstream stream);
  static Status record(CUevent done, CUstream stream);
  static Status wait(CUevent done);
  static Progress progress(CUevent done);
};

}  // namespace minds::cuda

// Memory of the device, from the driver's pool, which is ordered by streams and keeps what was given back.
#pragma once
#include <mutex>

#include "cuda/driver.h"
#include "device/device.h"

namespace minds::cuda {

class CudaDevice;

class Memory final : public Allocator {
 public:
  explicit Memory(CUmemoryPool pool) : pool_(pool) {}
  void serve(CudaDevice& device) { device_ = &device; }  // by its constructor: each needs the other
  BufferRef allocate(size_t bytes) noexcept override;
  BufferRef allocate(size_t bytes, Stream& home) noexcept override;
  void used_by(Buffer& b, Stream& q) noexcept override;
  void trim() noexcept override;
  Stats stats() const noexcept override;
  void reset_peaks() noexcept override;

 private:
  struct Block;
  static void drop(Buffer* b) noexcept;
  void note(size_t taken, size_t given) noexcept;

  const CUmemoryPool pool_;
  CudaDevice* device_ = nullptr;
  mutable std::mutex lock_;
  size_t in_use_ = 0, peak_ = 0;
};

}  // namespace minds::cuda

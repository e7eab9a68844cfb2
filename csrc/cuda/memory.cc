#include "cuda/memory.h"

#include <algorithm>
#include <new>

#include "cuda/device.h"
#include "device/stream_uses.h"

namespace minds::cuda {

struct Memory::Block final : Buffer {
  Block(CUdeviceptr at, size_t bytes, Memory& m, Stream& home)
      : Buffer(reinterpret_cast<void*>(at), bytes, *m.device_, drop), memory(m), home(home) {}
  Memory& memory;
  Stream& home;
  StreamUses others;
};

BufferRef Memory::allocate(size_t bytes) noexcept { return allocate(bytes, device_->stream()); }

BufferRef Memory::allocate(size_t bytes, Stream& home) noexcept {
  if (device_->enter()) return {};
  const CUstream stream = stream_of(home);
  const size_t asked = std::max<size_t>(bytes, 1);
  CUdeviceptr at = 0;
  CUresult got = driver().cuMemAllocAsync(&at, asked, stream);
  if (got == CUDA_ERROR_OUT_OF_MEMORY) {  // what other streams have given back is there once they have run
    static_cast<void>(device_->wait_for_all());
    driver().cuMemPoolTrimTo(pool_, 0);
    got = driver().cuMemAllocAsync(&at, asked, stream);
  }
  if (got != CUDA_SUCCESS) {
    if (got != CUDA_ERROR_OUT_OF_MEMORY) device_->end(got, "cuMemAllocAsync");
    return {};
  }
  auto* block = new (std::nothrow) Block(at, bytes, *this, home);
  if (block == nullptr) {
    driver().cuMemFreeAsync(at, stream);
    return {};
  }
  note(bytes, 0);
  return BufferRef(block);
}

void Memory::used_by(Buffer& b, Stream& q) noexcept {
  if (b.foreign()) return;  // it waits for the device before its owner goes
  Block& block = static_cast<Block&>(b);
  if (&q == &block.home) return;
  block.others.add(*device_, q);
}

void Memory::drop(Buffer* b) noexcept {
  const std::unique_ptr<Block> block(static_cast<Block*>(b));
  Memory& m = block->memory;
  if (m.device_->enter()) return;  // a forked child: the memory is not ours
  block->others.wait(block->home);
  driver().cuMemFreeAsync(reinterpret_cast<CUdeviceptr>(block->data()), stream_of(block->home));
  m.note(0, block->bytes());
}

void Memory::note(size_t taken, size_t given) noexcept {
  const std::lock_guard guard(lock_);
  in_use_ += taken;
  in_use_ -= given;
  peak_ = std::max(peak_, in_use_);
}

void Memory::trim() noexcept {
  if (device_->enter()) return;
  static_cast<void>(device_->wait_for_all());
  driver().cuMemPoolTrimTo(pool_, 0);
}

Allocator::Stats Memory::stats() const noexcept {
  unsigned long long reserved = 0, most = 0;
  if (!device_->enter()) {
    driver().cuMemPoolGetAttribute(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
    driver().cuMemPoolGetAttribute(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &most);
  }
  const std::lock_guard guard(lock_);
  return {in_use_, reserved > in_use_ ? static_cast<size_t>(reserved) - in_use_ : 0, peak_, static_cast<size_t>(most)};
}

void Memory::reset_peaks() noexcept {
  unsigned long long zero = 0;  // the only value that the driver takes: back to what is reserved now
  if (!device_->enter()) driver().cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero);
  const std::lock_guard guard(lock_);
  peak_ = in_use_;
}

}  // namespace minds::cuda

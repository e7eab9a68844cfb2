#include <new>

#include "device.h"

namespace minds::sim {

struct Memory::Block final : Buffer {
  Block(void* data, size_t bytes, Device& device, Memory& m, uint32_t stream)
      : Buffer(data, bytes, device, drop), memory(m), home(stream) {}
  Memory& memory;
  const uint32_t home;
  std::mutex lock;
  Marks others;  // the last commands of other streams that use it
};

Status Memory::take(size_t bytes, bool counted, uint32_t stream, uintptr_t& at) {
  if (Status s = process_.alive()) return s;
  Marks marks;
  {
    const std::lock_guard guard(lock_);
    if (!space_.take(bytes, at, marks, counted)) return {Code::kMemory, "no memory left on the device"};
  }
  for (const auto& [other, number] : marks) {
    if (other == stream || process_.finished(other, number)) continue;
    if (Status s = process_.post(stream, Kind::kWait, Writer().put(other).put(number))) return s;
  }
  return process_.post(stream, Kind::kAllocate, Writer().put(at).put(bytes));
}

void Memory::give(uintptr_t at, uint32_t stream) noexcept {
  uint64_t number = 0;
  if (process_.post(stream, Kind::kFree, Writer().put(at), &number)) return;  // the device is gone, or not ours
  const std::lock_guard guard(lock_);
  space_.give(at, stream, number);
}

BufferRef Memory::allocate(size_t bytes, Stream& home) noexcept { return allocate_for(bytes, number_of(home)); }

BufferRef Memory::allocate_for(size_t bytes, uint32_t stream) noexcept {
  uintptr_t at;
  if (take(bytes, true, stream, at)) return {};
  auto* block = new (std::nothrow) Block(reinterpret_cast<void*>(at), bytes, *device_, *this, stream);
  if (block == nullptr) give(at, stream);
  return BufferRef(block);
}

void Memory::used_by(Buffer& b, Stream& q) noexcept {
  if (b.foreign()) return;  // it waits for the device before its owner goes
  Block& block = static_cast<Block&>(b);
  const uint32_t stream = number_of(q);
  if (stream == block.home) return;
  const std::lock_guard guard(block.lock);
  block.others[stream] = process_.posted(stream);
}

void Memory::drop(Buffer* b) noexcept {
  const std::unique_ptr<Block> block(static_cast<Block*>(b));
  Memory& m = block->memory;
  for (const auto& [other, number] : block->others) {
    if (m.process_.finished(other, number)) continue;
    if (m.process_.post(block->home, Kind::kWait, Writer().put(other).put(number))) return;
  }
  m.give(reinterpret_cast<uintptr_t>(block->data()), block->home);
}

Allocator::Stats Memory::stats() const noexcept {
  const std::lock_guard guard(lock_);
  return {space_.in_use(), 0, space_.peak(), space_.reach()};
}

void Memory::reset_peaks() noexcept {
  const std::lock_guard guard(lock_);
  space_.reset_peaks();
}

}  // namespace minds::sim

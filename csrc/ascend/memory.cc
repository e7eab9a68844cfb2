#include "ascend/memory.h"

#include <algorithm>
#include <new>

#include "ascend/device.h"
#include "device/stream_uses.h"

namespace minds::ascend {
namespace {

constexpr size_t kSlab = size_t{32} << 20;

size_t size_for(size_t bytes) { return (bytes + kTail + kUnit - 1) / kUnit * kUnit; }

}  // namespace

struct Memory::Block final : Buffer {
  Block(void* at, size_t bytes, Memory& m, Stream& home) : Buffer(at, bytes, *m.device_, drop), memory(m), home(home) {}
  Memory& memory;
  Stream& home;
  StreamUses others;
};

BufferRef Memory::allocate(size_t bytes) noexcept { return allocate(bytes, device_->stream()); }

BufferRef Memory::allocate(size_t bytes, Stream& home) noexcept {
  if (bytes > SIZE_MAX / 2 || device_->enter()) return {};
  try {
    const std::lock_guard guard(lock_);
    char* const at = take(size_for(bytes), home);
    if (at == nullptr) return {};
    auto* block = new (std::nothrow) Block(at, bytes, *this, home);
    if (block == nullptr) {
      give(at, size_for(bytes));
      return {};
    }
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    return BufferRef(block);
  } catch (const std::bad_alloc&) {
    return {};
  }
}

char* Memory::take(size_t size, Stream& home) {
  if (char* at = take_free(size, home)) return at;
  if (!add_slab(std::max(size, kSlab), home) && !add_slab(size, home)) {
    release_slabs();  // other streams may hold what none of their blocks uses
    if (!add_slab(size, home)) return nullptr;
  }
  return take_free(size, home);
}

// The smallest part that is large enough.
char* Memory::take_free(size_t size, Stream& home) {
  Slab* best = nullptr;
  std::map<char*, size_t>::iterator part;
  for (auto& [begin, slab] : slabs_) {
    if (slab.home != &home) continue;
    for (auto at = slab.free.begin(); at != slab.free.end(); ++at) {
      if (at->second < size || (best != nullptr && part->second <= at->second)) continue;
      best = &slab;
      part = at;
    }
  }
  if (best == nullptr) return nullptr;
  char* const at = part->first;
  const size_t rest = part->second - size;
  best->free.erase(part);
  if (rest != 0) best->free.emplace(at + size, rest);
  return at;
}

bool Memory::add_slab(size_t size, Stream& home) {
  void* at = nullptr;
  if (acl().aclrtMalloc(&at, size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) return false;
  char* const begin = static_cast<char*>(at);
  slabs_.emplace(begin, Slab{&home, size, {{begin, size}}});
  reserved_ += size;
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  return true;
}

void Memory::give(char* at, size_t size) {
  auto& free = std::prev(slabs_.upper_bound(at))->second.free;
  auto next = free.lower_bound(at);
  if (next != free.end() && next->first == at + size) {
    size += next->second;
    next = free.erase(next);
  }
  if (next != free.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == at) {
      before->second += size;
      return;
    }
  }
  free.emplace(at, size);
}

void Memory::release_slabs() {
  acl().aclrtSynchronizeDevice();
  for (auto at = slabs_.begin(); at != slabs_.end();) {
    const Slab& slab = at->second;
    if (slab.free.size() == 1 && slab.free.begin()->second == slab.size) {
      acl().aclrtFree(at->first);
      reserved_ -= slab.size;
      at = slabs_.erase(at);
    } else {
      ++at;
    }
  }
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
  const std::lock_guard guard(m.lock_);
  m.give(static_cast<char*>(block->data()), size_for(block->bytes()));
  m.in_use_ -= block->bytes();
}

void Memory::trim() noexcept {
  if (device_->enter()) return;
  const std::lock_guard guard(lock_);
  release_slabs();
}

Allocator::Stats Memory::stats() const noexcept {
  const std::lock_guard guard(lock_);
  return {in_use_, reserved_ - in_use_, peak_, peak_reserved_};
}

void Memory::reset_peaks() noexcept {
  const std::lock_guard guard(lock_);
  peak_ = in_use_;
  peak_reserved_ = reserved_;
}

}  // namespace minds::ascend

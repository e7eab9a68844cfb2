#include "blocks.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "protocol.h"
#include "space.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) static_cast<void>(0)
#endif

namespace minds::sim {
namespace {

std::string hexadecimal(uintptr_t at) {
  char text[20];
  std::snprintf(text, sizeof text, "%#zx", at);
  return text;
}

Status mistake(std::string message) { return {Code::kBackend, "sim: " + std::move(message)}; }

}  // namespace

Status Blocks::add(uintptr_t at, size_t bytes) {
  const std::lock_guard guard(lock_);
  const auto next = blocks_.lower_bound(at);
  const auto before = next == blocks_.begin() ? blocks_.end() : std::prev(next);
  if ((next != blocks_.end() && next->first < at + bytes) ||
      (before != blocks_.end() && before->first + before->second > at)) {
    return mistake("a block at " + hexadecimal(at) + " was given out while another stream still uses it");
  }
  blocks_.emplace(at, bytes);
  return {};
}

Status Blocks::remove(uintptr_t at, size_t& bytes) {
  const std::lock_guard guard(lock_);
  const auto found = blocks_.find(at);
  if (found == blocks_.end()) return mistake("a block at " + hexadecimal(at) + " is freed that is not in use");
  bytes = found->second;
  blocks_.erase(found);
  return {};
}

bool Blocks::find(uintptr_t at, uintptr_t& begin, uintptr_t& end) const {
  const std::lock_guard guard(lock_);
  const auto next = blocks_.upper_bound(at);
  if (next == blocks_.begin()) return false;
  begin = std::prev(next)->first;
  end = begin + std::prev(next)->second;
  return at < end;
}

Status Blocks::allocate(uintptr_t at, size_t bytes) {
  if (Status s = add(at, bytes)) return s;
  void* block = reinterpret_cast<void*>(at);
  ASAN_UNPOISON_MEMORY_REGION(block, bytes);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(block) + bytes, Space::kBetween);
  std::memset(block, kFresh, bytes);
  return {};
}

Status Blocks::free(uintptr_t at) {
  size_t bytes = 0;
  if (Status s = remove(at, bytes)) return s;
  void* block = reinterpret_cast<void*>(at);
  std::memset(block, kFreed, bytes);
  ASAN_POISON_MEMORY_REGION(block, bytes);
  return {};
}

Status Blocks::check(uintptr_t at, size_t bytes) const {
  if (bytes == 0) return {};
  const std::lock_guard guard(lock_);
  const auto next = blocks_.upper_bound(at);
  if (next == blocks_.begin()) return mistake("the address " + hexadecimal(at) + " is in no block that is in use");
  const auto& [begin, size] = *std::prev(next);
  if (at >= begin + size) return mistake("the address " + hexadecimal(at) + " is in no block that is in use");
  if (bytes > begin + size - at) {
    return mistake(std::to_string(bytes) + " bytes at " + hexadecimal(at) + " reach beyond their block of " +
                   std::to_string(size));
  }
  return {};
}

}  // namespace minds::sim

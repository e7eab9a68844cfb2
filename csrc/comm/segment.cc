#include "comm/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <string>

namespace minds::comm {
namespace {

constexpr size_t kSize = size_t{1} << 38;  // of addresses; memory is what was written
constexpr size_t kPage = 4096;
constexpr size_t kHeader = 64;  // before each place: how many processes will still read it

using Readers = std::atomic<int32_t>;
static_assert(Readers::is_always_lock_free);

Readers& readers_of(char* place) { return *reinterpret_cast<Readers*>(place - kHeader); }

char* map(int file) {
  void* const p = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
}

}  // namespace

Segments& Segments::instance() {
  static auto& one = *new Segments;
  return one;
}

bool Segments::make(int& file, uint64_t& key) {
  // A file without a name: nothing is left behind, whatever ends the process.
  file = memfd_create("minds", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(kSize)) != 0) return false;
  own_ = map(file);
  if (own_ == nullptr || getrandom(&key, sizeof key, 0) != sizeof key) return false;
  std::memcpy(own_, &key, sizeof key);
  end_ = kPage;
  return true;
}

bool Segments::reach(int rank, int pid, int file, uint64_t key) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(file);
  const int found = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (found < 0) return false;
  uint64_t got = 0;
  char* const p = pread(found, &got, sizeof got, 0) == sizeof got && got == key ? map(found) : nullptr;
  close(found);
  if (p == nullptr) return false;
  if (others_.size() <= static_cast<size_t>(rank)) others_.resize(static_cast<size_t>(rank) + 1);
  others_[static_cast<size_t>(rank)] = p;
  return true;
}

int64_t Segments::take(size_t bytes, int readers) {
  const std::lock_guard guard(lock_);
  for (auto i = spare_.lower_bound(bytes); i != spare_.end() && i->first < 2 * (kHeader + bytes) + kPage; ++i) {
    const int64_t place = i->second;
    if (readers_of(own(place)).load(std::memory_order_acquire) != 0) continue;
    spare_.erase(i);
    readers_of(own(place)).store(readers, std::memory_order_relaxed);
    return place;
  }
  // Few sizes, so that operands that grow from call to call take one another's places; the rest of a place is no memory.
  const size_t all = std::max(std::bit_ceil(kHeader + bytes), kPage);
  if (all > kSize - end_) return -1;
  const auto place = static_cast<int64_t>(end_ + kHeader);
  end_ += all;
  sizes_[place] = all - kHeader;
  new (own(place) - kHeader) Readers(readers);
  return place;
}

void Segments::give(int64_t place) {
  const std::lock_guard guard(lock_);
  spare_.emplace(sizes_.at(place), place);
}

void Segments::leave(int rank, int64_t place) {
  readers_of(others_[static_cast<size_t>(rank)] + place).fetch_sub(1, std::memory_order_release);
}

}  // namespace minds::comm

// A stack of blocks in chunks of memory: push and pop are a few instructions, and it grows without moving
// anything.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "device/device.h"

namespace minds::runtime {

class Stack {
 public:
  static constexpr size_t kKept = size_t{1} << 20;  // bytes that may stay reserved from run to run

  struct Mark {
    char* top;
    size_t chunk;
  };

  // Where the current chunk is free; machine code pushes and pops there itself.
  struct Ends {
    char* top = nullptr;
    char* end = nullptr;
    size_t chunk = 0;
  };

  explicit Stack(Allocator& memory) : memory_(memory) {}

  Ends* ends() { return &ends_; }
  Mark mark() const { return {ends_.top, ends_.chunk}; }

  // `bytes` above the current top, aligned to 64; nullptr: out of memory or over the limit.
  char* push(size_t bytes) {
    bytes = (bytes + kAlignment - 1) & ~(kAlignment - 1);
    if (bytes > static_cast<size_t>(ends_.end - ends_.top)) [[unlikely]]
      return grow(bytes);
    char* p = ends_.top;
    ends_.top += bytes;
    return p;
  }

  void pop(Mark m) {
    ends_.top = m.top;
    if (m.chunk != ends_.chunk) [[unlikely]]
      enter(m.chunk);
  }

  void set_limit(size_t bytes) { limit_ = bytes; }

  // After a run: keeps only a small first chunk for the next. Larger ones go back to the pool, where all
  // programs share them, unless the chunk is to stay where it is.
  void trim() {
    while (chunks_.size() > 1) drop_last();
    if (!chunks_.empty() && chunks_[0]->bytes() > kept_) chunks_.clear();
  }
  void keep_first(bool stays) { kept_ = stays ? ~size_t{0} : kKept; }

  // Before a run: nothing is pushed, and the first chunk, which does not count against the limit, holds
  // `bytes`. False: out of memory.
  bool prepare(size_t bytes) {
    trim();
    if (!chunks_.empty() && chunks_[0]->bytes() < bytes) chunks_.clear();
    if (chunks_.empty()) {
      BufferRef first = memory_.allocate(std::max(bytes, kFirst));
      if (!first) return false;
      chunks_.push_back(std::move(first));
    }
    reserved_ = 0;
    enter(0);
    ends_.top = static_cast<char*>(chunks_[0]->data());
    return true;
  }

 private:
  void enter(size_t chunk) {
    ends_.chunk = chunk;
    ends_.end = static_cast<char*>(chunks_[chunk]->data()) + chunks_[chunk]->bytes();
  }

  void drop_last() {
    reserved_ -= chunks_.back()->bytes();
    chunks_.pop_back();
  }

  char* grow(size_t bytes) {
    // Chunks above the current one are unused. Keep the next if it is large enough, so that a loop whose
    // calls cross the boundary does not allocate each time.
    const size_t next = ends_.chunk + 1;
    if (next < chunks_.size() && chunks_[next]->bytes() < bytes) {
      while (chunks_.size() > next) drop_last();
    }
    if (next == chunks_.size()) {
      const size_t want = std::max(bytes, std::min(chunks_.back()->bytes() * 2, kLargest));
      if (reserved_ + want > limit_) return nullptr;
      BufferRef memory = memory_.allocate(want);
      if (!memory) return nullptr;
      reserved_ += want;
      chunks_.push_back(std::move(memory));
    }
    enter(next);
    char* p = static_cast<char*>(chunks_[next]->data());
    ends_.top = p + bytes;
    return p;
  }

  static constexpr size_t kFirst = size_t{16} << 10, kLargest = size_t{16} << 20;
  Allocator& memory_;
  std::vector<BufferRef> chunks_;
  size_t kept_ = kKept;
  size_t reserved_ = 0, limit_ = ~size_t{0};
  Ends ends_;
};

}  // namespace minds::runtime

// Which parts of a device's memory are free. The host keeps this book; it touches none of the memory.
//
// A part that was given back may still be used by commands that are queued: it carries the numbers of those that must
// be finished before a stream other than theirs uses it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

namespace minds::sim {

// The last command of each stream that used a part.
using Marks = std::map<uint32_t, uint64_t>;

class Space {
 public:
  static constexpr size_t kUnit = 256;      // parts begin at multiples of it
  static constexpr size_t kBetween = 64;    // bytes after each part that belong to nobody

  Space(uintptr_t begin, size_t size) : free_{{begin, {size, {}}}}, begin_(begin) {}
  // The first part that is large enough; false if there is none. What a real device would have elsewhere is not
  // `counted` among what is in use.
  bool take(size_t bytes, uintptr_t& at, Marks& marks, bool counted = true);
  void give(uintptr_t at, uint32_t stream, uint64_t number);

  size_t in_use() const { return in_use_; }
  size_t peak() const { return peak_; }
  size_t reach() const { return reach_; }  // how much of the memory was ever touched
  void reset_peaks();

 private:
  struct Part {
    size_t size;
    Marks marks;
  };
  struct Used {
    size_t size, counted;
  };
  std::map<uintptr_t, Part> free_;
  std::map<uintptr_t, Used> used_;
  uintptr_t begin_;
  size_t in_use_ = 0, peak_ = 0, reach_ = 0;
};

}  // namespace minds::sim

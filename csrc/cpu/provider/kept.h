// An operand of a plan that is the same in run after run, such as a weight, in the layout that the plan wants.
//
// Anybody may write to an operand between two runs, so each run takes a hash of its bytes, of 64 bits, which costs a third of
// bringing it into another layout. Operands that keep changing are not kept.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace minds::cpu {

// What two operands that differ have in common with a probability of 2^-64.
uint64_t hash_of(const void* data, size_t bytes);

class Kept {
 public:
  // A copy of an operand in another layout. Its memory counts among what all plans keep.
  class Copy {
   public:
    explicit Copy(size_t bytes);
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    ~Copy();
    void* data() const { return data_; }  // nullptr: there was no room

   private:
    size_t bytes_;
    void* data_ = nullptr;
  };

  struct Found {
    std::shared_ptr<const Copy> copy;  // empty: the operand is not kept
    bool whole = false;                // the copy is made; else who asks is to make it, and to `add` it
    uint64_t hash = 0;
  };
  // `bytes` of the operand, `size` of its copy.
  Found find(const void* operand, size_t bytes, size_t size);
  void add(const void* operand, const Found& made);

 private:
  struct Entry {
    const void* operand = nullptr;
    uint64_t hash = 0;
    std::shared_ptr<const Copy> copy{};
    int changes = 0, rests = 0;
    uint64_t used = 0;
  };
  Entry& entry(const void* operand);

  std::mutex lock_;
  std::vector<Entry> entries_;
  uint64_t clock_ = 0;
};

}  // namespace minds::cpu

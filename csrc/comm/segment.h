// Memory that the processes of one host share: each has a segment of its own, shows the others places in it, and reads
// theirs. So large data goes from one to another without a copy on the way.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace minds::comm {

class Segments {
 public:
  static Segments& instance();

  // This process's: its file, by which others find it, and the number that it begins with. False: there is none.
  bool make(int& file, uint64_t& key);
  // Maps that of a rank, a process of this host; false where it cannot, or another host's was meant.
  bool reach(int rank, int pid, int file, uint64_t key);
  // Whether each process of the world reaches each other's, on which all agree.
  void use(bool all) { used_ = all; }
  bool used() const { return used_; }

  // A place of this process, which so many others will read; -1: there is no room. One that was given back is taken again
  // when all of these have left it.
  int64_t take(size_t bytes, int readers);
  void give(int64_t place);
  char* own(int64_t place) const { return own_ + place; }
  // A place of a rank, until this process leaves it.
  const char* of(int rank, int64_t place) const { return others_[static_cast<size_t>(rank)] + place; }
  void leave(int rank, int64_t place);

 private:
  char* own_ = nullptr;
  size_t end_ = 0;             // what was ever taken
  std::vector<char*> others_;  // by rank
  bool used_ = false;
  std::mutex lock_;
  std::map<int64_t, size_t> sizes_;
  std::multimap<size_t, int64_t> spare_;
};

}  // namespace minds::comm

// What ranks tell one another with their messages, so that those who have come to one point by different ways learn it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace minds::comm {

// Comes before messages, or with them: what they are, of calls that are told, and of which collective, at which line.
struct Announcement {
  uint64_t bytes;   // of all
  uint64_t number;  // among the collectives of the group; 0: of none
  int64_t place;    // where they are, of messages that are shown (comm/segment.h)
  uint32_t count;   // how many messages there are
  uint32_t digest;  // of the sizes and dtypes
  uint32_t line;    // a digest of the site; 0 where ranks need not be at the same one
  char what[56];    // its end where it is longer
  char site[76];
};

// The end of a text, where it is longer than its place.
void put(const std::string& text, char* place, size_t size);
std::string taken(const char* place, size_t size);

// The collectives of a group that this process has taken part in. A rank that calls one more than the others meets them
// in the next one of its form, which is another one by its number, or by its line: one that two ranks have both come to
// has the other rank at it too. (Ranks that never come to the same lines may have different ones.)
class History {
 public:
  // Of a group of ranks of the world; made for ever when it is first asked for.
  static History& of(const std::vector<int>& ranks);
  // Of every group, how many.
  static std::vector<std::pair<std::vector<int>, uint64_t>> counts();

  uint64_t next() { return ++count_; }
  // `rank` tells `theirs` in a collective in which `here` is by `own`.
  Status meet(int here, const Announcement& own, int rank, const Announcement& theirs, const std::string& what);

 private:
  std::atomic<uint64_t> count_{0};
  std::mutex lock_;
  std::set<std::pair<int, uint32_t>> lines_;  // at which ranks have been
};

}  // namespace minds::comm

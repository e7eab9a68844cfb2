#include "comm/history.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

namespace minds::comm {
namespace {

struct Histories {
  std::mutex lock;
  std::map<std::vector<int>, std::unique_ptr<History>> all;
};

Histories& histories() {
  static auto& one = *new Histories;
  return one;
}

std::string place_of(int rank, const Announcement& a) {
  return "rank " + std::to_string(rank) + " is at " + taken(a.site, sizeof a.site) + ", its collective " +
         std::to_string(a.number) + " of this group";
}

}  // namespace

void put(const std::string& text, char* place, size_t size) {
  text.copy(place, size, text.size() - std::min(text.size(), size));
}

std::string taken(const char* place, size_t size) { return {place, strnlen(place, size)}; }

History& History::of(const std::vector<int>& ranks) {
  Histories& known = histories();
  const std::lock_guard guard(known.lock);
  std::unique_ptr<History>& found = known.all[ranks];
  if (!found) found = std::make_unique<History>();
  return *found;
}

std::vector<std::pair<std::vector<int>, uint64_t>> History::counts() {
  Histories& known = histories();
  const std::lock_guard guard(known.lock);
  std::vector<std::pair<std::vector<int>, uint64_t>> found;
  for (const auto& [ranks, history] : known.all) found.emplace_back(ranks, history->count_.load());
  return found;
}

Status History::meet(int here, const Announcement& own, int rank, const Announcement& theirs, const std::string& what) {
  bool differ = own.number != theirs.number;
  if (own.line != 0 && theirs.line != 0) {
    const std::lock_guard guard(lock_);
    if (own.line != theirs.line) {
      differ = differ || lines_.contains({rank, own.line}) || lines_.contains({here, theirs.line});
    }
    lines_.insert({here, own.line});
    lines_.insert({rank, theirs.line});
  }
  if (!differ) return {};
  return {Code::kBackend, what + ": the ranks' programs differ: " + place_of(here, own) + ", and " + place_of(rank, theirs) +
                              "; all ranks of a group must call the same collectives in the same order"};
}

}  // namespace minds::comm

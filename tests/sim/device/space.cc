#include "space.h"

#include <algorithm>

namespace minds::sim {
namespace {

void join(Marks& marks, const Marks& others) {
  for (const auto& [stream, number] : others) {
    uint64_t& known = marks[stream];
    known = std::max(known, number);
  }
}

}  // namespace

bool Space::take(size_t bytes, uintptr_t& at, Marks& marks, bool counted) {
  if (bytes > SIZE_MAX / 2) return false;
  const size_t size = (bytes + kBetween + kUnit - 1) / kUnit * kUnit;
  const auto found = std::find_if(free_.begin(), free_.end(), [&](const auto& p) { return p.second.size >= size; });
  if (found == free_.end()) return false;
  at = found->first;
  marks = found->second.marks;
  if (found->second.size > size) free_.emplace(at + size, Part{found->second.size - size, marks});
  free_.erase(found);
  used_.emplace(at, Used{size, counted ? size : 0});
  in_use_ += counted ? size : 0;
  peak_ = std::max(peak_, in_use_);
  reach_ = std::max(reach_, at + size - begin_);
  return true;
}

void Space::give(uintptr_t at, uint32_t stream, uint64_t number) {
  const auto used = used_.find(at);
  Part part{used->second.size, {{stream, number}}};
  in_use_ -= used->second.counted;
  used_.erase(used);
  auto next = free_.lower_bound(at);
  if (next != free_.end() && next->first == at + part.size) {
    part.size += next->second.size;
    join(part.marks, next->second.marks);
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.size == at) {
      before->second.size += part.size;
      join(before->second.marks, part.marks);
      return;
    }
  }
  free_.emplace(at, std::move(part));
}

void Space::reset_peaks() {
  peak_ = in_use_;
  reach_ = used_.empty() ? 0 : used_.rbegin()->first + used_.rbegin()->second.size - begin_;
}

}  // namespace minds::sim

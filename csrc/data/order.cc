#include "data/order.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace minds::data {

namespace {

constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();

// A number below `limit`; numbers at the end of the range, which would make some likelier, are drawn again.
uint64_t below(uint64_t limit, std::mt19937& twister) {
  if (limit > kMost) return twister();
  const uint64_t each = kMost / limit, end = each * limit;
  uint64_t drawn = 0;
  do {
    drawn = twister();
  } while (drawn >= end);
  return drawn / each;
}

}  // namespace

void shuffle(std::span<int64_t> ids, uint32_t seed) {
  std::mt19937 twister(seed);
  const uint64_t n = ids.size();
  if (n < 2) return;
  uint64_t i = 1;
  if (kMost / n >= n) {  // one number is enough for two places
    if (n % 2 == 0) {
      std::swap(ids[1], ids[below(2, twister)]);
      i = 2;
    }
    for (; i < n; i += 2) {
      const uint64_t both = below((i + 1) * (i + 2), twister);
      std::swap(ids[i], ids[both / (i + 2)]);
      std::swap(ids[i + 1], ids[both % (i + 2)]);
    }
    return;
  }
  for (; i < n; ++i) std::swap(ids[i], ids[below(i + 1, twister)]);
}

void draw(std::span<int64_t> to, int64_t limit, uint32_t seed) {
  std::mt19937 twister(seed);
  for (int64_t& number : to) number = static_cast<int64_t>(below(static_cast<uint64_t>(limit), twister));
}

void draw_words(std::span<uint64_t> to, uint64_t seed, uint64_t before) {
  std::mt19937_64 twister(seed);
  twister.discard(before);
  for (uint64_t& word : to) word = twister();
}

void shuffle_through(std::span<int64_t> to, int64_t room, uint64_t seed, uint64_t before) {
  std::mt19937_64 twister(seed);
  twister.discard(before);
  const int64_t n = static_cast<int64_t>(to.size());
  std::vector<int64_t> held(static_cast<size_t>(std::min(room, n)));
  for (size_t i = 0; i < held.size(); ++i) held[i] = static_cast<int64_t>(i);
  int64_t next = static_cast<int64_t>(held.size());
  for (int64_t& given : to) {
    int64_t& place = held[twister() % held.size()];
    given = place;
    place = held.back();
    if (next < n) {
      held.back() = next++;
    } else {
      held.pop_back();
    }
  }
}

}  // namespace minds::data

#include "base/random.h"

#include <mutex>

namespace minds {
namespace {

std::mutex lock;
RandomState state{0, 0};

}  // namespace

RandomState next_key() {
  const std::lock_guard guard(lock);
  const RandomState key = state;
  // The counter may wrap: keys repeat after 2^64 draws.
  state.counter = static_cast<int64_t>(static_cast<uint64_t>(state.counter) + 1);
  return key;
}

RandomState random_state() {
  const std::lock_guard guard(lock);
  return state;
}

void set_random_state(RandomState s) {
  const std::lock_guard guard(lock);
  state = s;
}

}  // namespace minds

// The global random state. A key is (seed, counter); drawing one increments the counter. Numbers come from
// keys (Philox), so a draw is a pure function of its key.
#pragma once
#include <cstdint>

namespace minds {

struct RandomState {
  int64_t seed, counter;
};

RandomState next_key();
RandomState random_state();
void set_random_state(RandomState s);

}  // namespace minds

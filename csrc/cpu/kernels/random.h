// Random numbers from a key: groups of sixteen Philox blocks, by instruction set. All tables give the same
// bits.
#pragma once
#include <cstdint>

namespace minds::cpu {

struct RandomKey {
  uint64_t seed, counter;
};

inline constexpr int64_t kGroupWords = 64;  // 32-bit words in a group

struct RandomLoops {
  // Writes the values of the blocks [first, first + 16 * groups) to `out`.
  using Fill = void (*)(RandomKey key, uint64_t first, int64_t groups, void* out);
  Fill words;      // uint32: the words themselves
  Fill uniform32;  // float in [0, 1), 24 bits, one per word
  Fill normal32;   // float, two per two words
  Fill uniform64;  // double in [0, 1), 53 bits, one per two words
  Fill normal64;   // double, two per four words
};

const RandomLoops& random_loops_generic();
const RandomLoops& random_loops_avx2();
const RandomLoops& random_loops_avx512();

}  // namespace minds::cpu

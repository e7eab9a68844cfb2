// The orders in which rows come. The numbers are those of the Mersenne twisters of C++'s standard. How they become positions is left
// to libraries, so it is written out here, as GCC's does it before its version 11: by it, a seed gives the rows that MindSpore gives.
#pragma once
#include <cstdint>
#include <span>

namespace minds::data {

// Shuffles `ids` by a generator of 32 bits that begins at `seed`.
void shuffle(std::span<int64_t> ids, uint32_t seed);

// Numbers below `limit`, in (0, 2^32], by such a generator.
void draw(std::span<int64_t> to, int64_t limit, uint32_t seed);

// What a generator of 64 bits that begins at `seed` gives after `before` numbers.
void draw_words(std::span<uint64_t> to, uint64_t seed, uint64_t before);

// 0, 1, … in the order in which a buffer of `room` rows gives them out: each time one of those that it holds.
void shuffle_through(std::span<int64_t> to, int64_t room, uint64_t seed, uint64_t before);

}  // namespace minds::data

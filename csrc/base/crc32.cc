// A message is a polynomial over GF(2), its first bit the highest power; the CRC is its remainder by P. Bits
// are reflected: bit 31 of a word is the power 0, and a shift to the right multiplies by x.
#include "base/crc32.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/parallel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace minds {
namespace {

constexpr uint32_t kP = 0xedb88320;
constexpr size_t kBlock = size_t{1} << 22;  // bytes that one thread takes at once

constexpr uint32_t times_x(uint32_t a) { return (a >> 1) ^ ((a & 1) != 0 ? kP : 0); }

// a b modulo P.
constexpr uint32_t product(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int i = 31; i >= 0; --i) {
    if ((a >> i & 1) != 0) sum ^= b;
    b = times_x(b);
  }
  return sum;
}

// x to the power n modulo P.
constexpr uint32_t power(uint64_t n) {
  uint32_t result = uint32_t{1} << 31, square = uint32_t{1} << 30;
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

constexpr std::array<uint32_t, 256> kTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = times_x(c);
    table[i] = c;
  }
  return table;
}();

// The remainder of what `state` stands for, followed by the bytes.
uint32_t by_bytes(uint32_t state, const uint8_t* p, size_t n) {
  for (; n > 0; --n) state = kTable[(state ^ *p++) & 255] ^ (state >> 8);
  return state;
}

#if defined(__x86_64__)
// What to multiply the halves of 16 bytes by that stand `bits` before those they are added to. A product of
// reflected words is one bit short, hence the shift.
constexpr uint64_t factor(int bits) { return uint64_t{power(bits)} << 1; }

__attribute__((target("pclmul,sse2"))) inline __m128i folded(__m128i a, __m128i factors, __m128i next) {
  const __m128i early = _mm_clmulepi64_si128(a, factors, 0x00);
  const __m128i late = _mm_clmulepi64_si128(a, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(early, late), next);
}

__attribute__((target("pclmul,sse2"))) uint32_t by_products(uint32_t state, const uint8_t* p, size_t n) {
  constexpr uint64_t kFar[2] = {factor(512 + 32), factor(512 - 32)};
  constexpr uint64_t kNear[2] = {factor(128 + 32), factor(128 - 32)};
  const auto at = [&](size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i); };
  __m128i factors = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kFar));
  __m128i a = _mm_xor_si128(at(0), _mm_cvtsi32_si128(static_cast<int>(state))), b = at(1), c = at(2), d = at(3);
  for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
    a = folded(a, factors, at(0));
    b = folded(b, factors, at(1));
    c = folded(c, factors, at(2));
    d = folded(d, factors, at(3));
  }
  factors = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kNear));
  a = folded(folded(folded(a, factors, b), factors, c), factors, d);
  uint8_t left[16];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(left), a);
  return by_bytes(by_bytes(0, left, sizeof left), p, n);
}
#endif

uint32_t of_part(uint32_t state, std::span<const uint8_t> part) {
#if defined(__x86_64__)
  static const bool fast = __builtin_cpu_supports("pclmul") != 0;
  if (fast && part.size() >= 64) return by_products(state, part.data(), part.size());
#endif
  return by_bytes(state, part.data(), part.size());
}

}  // namespace

uint32_t crc32(std::span<const uint8_t> bytes) {
  const size_t parts = (bytes.size() + kBlock - 1) / kBlock;
  if (parts <= 1) return ~of_part(~0u, bytes);
  std::vector<uint32_t> found(parts);
  const auto part = [&](size_t i) {
    return bytes.subspan(i * kBlock, std::min(kBlock, bytes.size() - i * kBlock));
  };
  parallel_for(static_cast<int64_t>(parts), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) found[i] = of_part(i == 0 ? ~0u : 0, part(i));
  });
  // The remainder of a sum is the sum of the remainders, each moved by what follows it.
  uint32_t state = found[0];
  for (size_t i = 1; i < parts; ++i) state = product(state, power(8 * part(i).size())) ^ found[i];
  return ~state;
}

}  // namespace minds

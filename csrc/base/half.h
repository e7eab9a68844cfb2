// float16 and bfloat16 as storage types: they convert to float implicitly, and from float rounding to nearest
// even.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

namespace minds {

struct float16 {
  uint16_t bits;
  float16() = default;
  float16(float x) : bits(encode(x)) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit float16(T x) : bits(encode(odd_float(static_cast<double>(x)))) {}
  operator float() const { return decode(bits); }

  static constexpr uint16_t encode(float x) {
    const uint32_t u = std::bit_cast<uint32_t>(x), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
    if (a > 0x7f800000u)
      return static_cast<uint16_t>(sign | 0x7e00u | ((a >> 13) & 0x1ffu));  // quiet NaN, payload kept
    if (a >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);     // rounds to infinity
    if (a < 0x38800000u) {  // subnormal: adding 0.5 aligns the units of 2^-24 with the last bit, and rounds
      const float r = std::bit_cast<float>(a) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(r) - 0x3f000000u));
    }
    return static_cast<uint16_t>(sign | ((a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13));
  }
  static constexpr float decode(uint16_t h) {
    const uint32_t sign = (h & 0x8000u) << 16, a = h & 0x7fffu;
    if (a >= 0x7c00u) {
      return std::bit_cast<float>(sign | 0x7f800000u | (a & 0x3ffu) << 13 | (a > 0x7c00u ? 0x400000u : 0u));
    }
    if (a < 0x400u) {  // subnormal
      const float v = static_cast<float>(a) * 0x1p-24f;
      return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(v));
    }
    return std::bit_cast<float>(sign | ((a << 13) + 0x38000000u));
  }
  // Rounds to float "to odd", so that the second rounding to 16 bits is as if it were the only one.
  static constexpr float odd_float(double x) {
    const float f = static_cast<float>(x);
    const uint32_t u = std::bit_cast<uint32_t>(f);
    if (static_cast<double>(f) == x || f != f || (u & 1u) || (u & 0x7fffffffu) == 0x7f800000u) return f;
    const bool above = (x > 0) == (static_cast<double>(f) > x);  // f was rounded away from zero
    return std::bit_cast<float>(above ? u - 1 : u + 1);
  }
};

struct bfloat16 {
  uint16_t bits;
  bfloat16() = default;
  bfloat16(float x) : bits(encode(x)) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit bfloat16(T x) : bits(encode(float16::odd_float(static_cast<double>(x)))) {}
  operator float() const { return decode(bits); }

  static constexpr uint16_t encode(float x) {
    const uint32_t u = std::bit_cast<uint32_t>(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((u >> 16) | 0x40u);
    return static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  static constexpr float decode(uint16_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b) << 16); }
};

}  // namespace minds

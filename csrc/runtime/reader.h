// Reads words from bytes that nobody trusts: never past the end; after a failure everything reads as zero.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace minds::runtime {

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool done() const { return !failed_ && at_ == bytes_.size(); }
  void fail() { failed_ = true; }

  uint32_t u32() {
    uint32_t v = 0;
    if (failed_ || bytes_.size() - at_ < sizeof v) {
      failed_ = true;
      return 0;
    }
    std::memcpy(&v, bytes_.data() + at_, sizeof v);
    at_ += sizeof v;
    return v;
  }
  uint64_t u64() {
    const uint64_t low = u32();
    return low | static_cast<uint64_t>(u32()) << 32;
  }
  double f64() {
    const uint64_t bits = u64();
    double d;
    std::memcpy(&d, &bits, sizeof d);
    return d;
  }
  // A number that must be below `limit`.
  uint32_t below(size_t limit) {
    const uint32_t v = u32();
    if (v >= limit) failed_ = true;
    return failed_ ? 0 : v;
  }
  // How many things of at least `words` words each follow; bounded by what is left, so that it is safe to
  // reserve.
  uint32_t count(uint32_t words = 1) {
    const uint32_t n = u32();
    if (n > (bytes_.size() - at_) / (sizeof(uint32_t) * words)) failed_ = true;
    return failed_ ? 0 : n;
  }
  std::string str() {
    const uint32_t n = u32();
    const size_t padded = (size_t{n} + 3) & ~size_t{3};
    if (failed_ || padded > bytes_.size() - at_) {
      failed_ = true;
      return {};
    }
    std::string s(reinterpret_cast<const char*>(bytes_.data() + at_), n);
    at_ += padded;
    if (!is_utf8(s)) failed_ = true;
    return failed_ ? std::string() : s;
  }

 private:
  // Names appear in messages, which Python reads as UTF-8: neither overlong forms nor halves of pairs.
  static bool is_utf8(const std::string& s) {
    constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    for (size_t i = 0; i < s.size();) {
      const auto head = static_cast<uint8_t>(s[i++]);
      const int more = head < 0x80 ? 0 : head >> 5 == 6 ? 1 : head >> 4 == 14 ? 2 : head >> 3 == 30 ? 3 : -1;
      if (more < 0) return false;
      uint32_t point = more == 0 ? head : head & (0x3fu >> more);
      for (int k = 0; k < more; ++k) {
        if (i == s.size() || static_cast<uint8_t>(s[i]) >> 6 != 2) return false;
        point = point << 6 | (static_cast<uint8_t>(s[i++]) & 0x3fu);
      }
      if (point < kLeast[more] || point > 0x10ffff || point >> 11 == 27) return false;
    }
    return true;
  }

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace minds::runtime

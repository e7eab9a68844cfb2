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
    return s;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace minds::runtime

// Memory for machine code: written first, then made executable, and never both at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace minds {

// Whether machine code may be made: the processor is one whose instructions we know, and the environment variable
// MINDS_MACHINE_CODE is not 0.
bool machine_code_wanted();


class Pages {
 public:
  Pages() = default;
  // Empty where the system refuses memory that can be executed.
  explicit Pages(std::span<const uint8_t> code);
  ~Pages();
  Pages(Pages&& other) noexcept { swap(other); }
  Pages& operator=(Pages&& other) noexcept {
    swap(other);
    return *this;
  }

  bool empty() const { return at_ == nullptr; }
  const uint8_t* at(size_t offset) const { return at_ + offset; }

 private:
  void swap(Pages& other) {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
  }
  uint8_t* at_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace minds

// Outcome of an operation without exceptions: null when fine, so testing it costs one comparison.
#pragma once
#include <memory>
#include <string>
#include <utility>

namespace minds {

enum class Code : uint8_t { kValue, kType, kIndex, kMemory, kBackend, kInternal, kHost, kZeroDivision, kOverflow };

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : error_(std::make_unique<Error>(Error{code, std::move(message)})) {}
  static Status ok() { return {}; }
  bool is_ok() const { return error_ == nullptr; }
  explicit operator bool() const {
    return error_ != nullptr;
  }  // true on failure: `if (auto s = f()) return s;`
  Code code() const { return error_->code; }
  const std::string& message() const { return error_->message; }

 private:
  struct Error {
    Code code;
    std::string message;
  };
  std::unique_ptr<Error> error_;
};

}  // namespace minds

// What `prepare` asks of a signature. Messages do not name the op: the caller adds it.
#pragma once
#include <string>

#include "kernel/kernel.h"

namespace minds::cpu {

inline std::string to_text(const Shape& s) {
  std::string text = "(";
  for (size_t i = 0; i < s.size(); ++i) text += (i ? ", " : "") + std::to_string(s[i]);
  return text + (s.size() == 1 ? ",)" : ")");
}

inline Status expect_counts(const Signature& s, size_t inputs, size_t outputs) {
  if (s.inputs.size() == inputs && s.outputs.size() == outputs) return Status::ok();
  return {Code::kInternal, "expected " + std::to_string(inputs) + " inputs and " + std::to_string(outputs) +
                               " outputs, got " + std::to_string(s.inputs.size()) + " and " +
                               std::to_string(s.outputs.size())};
}

inline Status expect_rank(const TensorSpec& t, size_t rank, const char* what) {
  if (t.shape.size() == rank) return Status::ok();
  return {Code::kValue, std::string(what) + " must have " + std::to_string(rank) + " dimensions, got " +
                            to_text(t.shape)};
}

inline Status expect_spec(const TensorSpec& t, DType dtype, const Shape& shape, const char* what) {
  if (t.dtype != dtype) {
    return {Code::kType, std::string(what) + " must be " + name(dtype) + ", got " + name(t.dtype)};
  }
  if (t.shape != shape) {
    return {Code::kValue, std::string(what) + " must have shape " + to_text(shape) + ", got " + to_text(t.shape)};
  }
  return Status::ok();
}

}  // namespace minds::cpu

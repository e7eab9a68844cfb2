// Names and texts of dtypes and tensor descriptions.
#include "base/dtype.h"
#include "base/shape.h"

namespace minds {

const char* name(DType t) {
  static constexpr const char* names[kDTypeCount] = {
      "bool",   "int8",    "int16",    "int32",   "int64",   "uint8",     "uint16",    "uint32",
      "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<int>(t)];
}

std::string to_string(const TensorSpec& s) {
  std::string text = "Tensor[(";
  for (size_t i = 0; i < s.shape.size(); ++i) text += (i ? ", " : "") + std::to_string(s.shape[i]);
  return text + (s.shape.size() == 1 ? ",), " : "), ") + name(s.dtype) + "]";
}

}  // namespace minds

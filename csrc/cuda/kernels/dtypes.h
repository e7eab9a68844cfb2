// How the texts of kernels call the dtypes (prelude.cuh).
#pragma once
#include "base/dtype.h"

namespace minds::cuda {

// What an element is in memory.
constexpr const char* type_name(DType t) {
  constexpr const char* names[kDTypeCount] = {"bool", "i8",    "i16",    "i32",   "i64",    "u8",    "u16",  "u32",
                                              "u64",  "f16_t", "bf16_t", "float", "double", "c64_t", "c128_t"};
  return names[static_cast<int>(t)];
}

// What is computed with: 16-bit floats by way of float.
constexpr const char* compute_name(DType t) {
  return t == DType::kFloat16 || t == DType::kBFloat16 ? "float" : type_name(t);
}

// Unsigned bits of an element, for kernels that only move them; `bits128_t` for 16 bytes.
constexpr const char* bits_name(DType t) {
  switch (item_size(t)) {
    case 1:
      return "u8";
    case 2:
      return "u16";
    case 4:
      return "u32";
    case 8:
      return "u64";
    default:
      return "bits128_t";
  }
}

}  // namespace minds::cuda

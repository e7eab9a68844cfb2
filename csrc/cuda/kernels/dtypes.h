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

// Unsigned bits of an element of so many bytes, a power of two up to 16, for kernels that only move them.
constexpr const char* bits_name(int64_t bytes) {
  switch (bytes) {
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

constexpr const char* bits_name(DType t) { return bits_name(static_cast<int64_t>(item_size(t))); }

}  // namespace minds::cuda

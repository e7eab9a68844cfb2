// Element types. The codes are shared with minds/base/dtype.py.
#pragma once
#include <cstddef>
#include <cstdint>

namespace minds {

enum class DType : uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
};
inline constexpr int kDTypeCount = 15;

constexpr size_t item_size(DType t) {
  constexpr size_t sizes[kDTypeCount] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return sizes[static_cast<int>(t)];
}

const char* name(DType t);

}  // namespace minds

// Why a kernel could not go on with its data: numbers, as a device cannot make text and the host does not wait. The
// text is made when the host reads them, so that it is the same on every device.
#pragma once
#include <cstdint>

#include "kernel/kernel.h"

namespace minds {

// V, L and P are the value, the limit and the place of a fault.
enum class FaultKind : uint8_t {
  kNone,
  kIndex,            // index V at position P leaves an axis of size L
  kPoint,            // a coordinate V leaves its axis, of size L; P is kMaxCoordinates * point + axis
  kPlane,            // index V leaves a plane of L elements
  kClass,            // class V at position P is not in [0, L)
  kIntegerDivision,  // element P of a divisor of integers is 0
  kIntegerPower,     // element P of an exponent of integers is negative
  // What CPython raises for a function of its numbers.
  kDivisionByZero,
  kFloorByZero,
  kModuloByZero,
  kZeroToNegative,
  kTooLarge,
  kMathRange,
  kPowerRange,
  kMathDomain,
  kIntToNegative,
  kComplexPower,
  kNegativeShift,
  kNanToInt,
  kInfinityToInt,
  kTooWide,  // V does not fit an integer of L bits; -L, an unsigned one
  kSingular,     // matrix P has no inverse
  kNotDefinite,  // matrix P is not positive definite
  kCount,
};
inline constexpr int64_t kMaxCoordinates = 64;

struct Fault {
  FaultKind kind = FaultKind::kNone;
  int64_t value = 0, limit = 0;
  int64_t place = 0;         // of the first element that is wrong
  bool is_unsigned = false;  // the value is the bits of a uint64

  explicit operator bool() const { return kind != FaultKind::kNone; }
};

// In device memory, one per run of a program; zeros: nothing failed.
struct FaultWord {
  uint64_t what;                // see pack; set once, by the first that fails
  int64_t value, limit, place;  // what the kind's text needs
};

// The kind, whether the value is unsigned (bit 7), and the instruction from bit 8 on.
constexpr uint64_t pack(FaultKind kind, bool is_unsigned, uint32_t instruction) {
  return static_cast<uint64_t>(kind) | (is_unsigned ? 0x80u : 0u) | uint64_t{instruction} << 8;
}
constexpr uint32_t instruction_of(const FaultWord& w) { return static_cast<uint32_t>(w.what >> 8); }

// The error that the user sees; fine where nothing failed.
Status describe(const Fault& f);
Status describe(const FaultWord& w);

// For kernels on a processor that shares memory with the host: `return fail(a, {…})`. Gives the error itself, or, where
// the device has a word for it, stores it there unless there is one.
Status fail(const Args& a, const Fault& f);

}  // namespace minds

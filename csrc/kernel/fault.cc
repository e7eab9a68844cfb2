#include "kernel/fault.h"

#include <atomic>
#include <cstdlib>

namespace minds {
namespace {

struct Text {
  Code code;
  const char* text;
};

// Of the kinds that need no number.
Text constant_text(FaultKind kind) {
  switch (kind) {
    case FaultKind::kDivisionByZero:
      return {Code::kZeroDivision, "integer division or modulo by zero"};
    case FaultKind::kFloorByZero:
      return {Code::kZeroDivision, "float floor division by zero"};
    case FaultKind::kModuloByZero:
      return {Code::kZeroDivision, "float modulo by zero"};
    case FaultKind::kZeroToNegative:
      return {Code::kZeroDivision, "0.0 cannot be raised to a negative power"};
    case FaultKind::kTooLarge:
      return {Code::kOverflow, "the result does not fit 64 bits"};
    case FaultKind::kMathRange:
      return {Code::kOverflow, "math range error"};
    case FaultKind::kPowerRange:
      return {Code::kOverflow, "Numerical result out of range"};
    case FaultKind::kMathDomain:
      return {Code::kValue, "math domain error"};
    case FaultKind::kIntToNegative:
      return {Code::kValue, "an int to a negative power is a float"};
    case FaultKind::kComplexPower:
      return {Code::kValue, "a negative number to a fractional power is complex"};
    case FaultKind::kNegativeShift:
      return {Code::kValue, "negative shift count"};
    case FaultKind::kSingular:
      return {Code::kValue, "a matrix is not invertible"};
    case FaultKind::kNotDefinite:
      return {Code::kValue, "a matrix is not positive definite"};
    case FaultKind::kNanToInt:
      return {Code::kValue, "cannot convert float NaN to integer"};
    case FaultKind::kInfinityToInt:
      return {Code::kOverflow, "cannot convert float infinity to integer"};
    default:
      return {Code::kInternal, "a kernel stored a fault of an unknown kind"};
  }
}

}  // namespace

Status describe(const Fault& f) {
  if (f.kind == FaultKind::kNone) return {};
  const std::string value =
      f.is_unsigned ? std::to_string(static_cast<uint64_t>(f.value)) : std::to_string(f.value);
  const std::string limit = std::to_string(f.limit), place = std::to_string(f.place);
  switch (f.kind) {
    case FaultKind::kIndex:
      return {Code::kIndex,
              "index " + value + " at position " + place + " is out of range for an axis of size " + limit};
    case FaultKind::kPoint:
      return {Code::kIndex, "index " + value + " for axis " + std::to_string(f.place % kMaxCoordinates) + " in point " +
                                std::to_string(f.place / kMaxCoordinates) + " is out of range for size " + limit};
    case FaultKind::kPlane:
      return {Code::kIndex, "index " + value + " is out of range for a plane of " + limit + " elements"};
    case FaultKind::kClass:
      return {Code::kValue, "class id " + value + " at position " + place + " is out of range [0, " + limit + ")"};
    case FaultKind::kTooWide:
      return {Code::kValue, value + " does not fit " + (f.limit < 0 ? "uint" : "int") + std::to_string(std::abs(f.limit))};
    case FaultKind::kIntegerDivision:
      return {Code::kValue, "integer division by zero, at element " + place + " of the second operand"};
    case FaultKind::kIntegerPower:
      return {Code::kValue, "integers to a negative integer power, at element " + place + " of the second operand"};
    default: {
      const Text t = constant_text(f.kind);
      return {t.code, t.text};
    }
  }
}

Status describe(const FaultWord& w) {
  const auto kind = static_cast<FaultKind>(w.what & 0x7f);
  if (w.what != 0 && kind == FaultKind::kNone) return {Code::kInternal, constant_text(kind).text};
  return describe(Fault{kind, w.value, w.limit, w.place, (w.what & 0x80) != 0});
}

Status fail(const Args& a, const Fault& f) {
  if (a.fault == nullptr) return describe(f);
  uint64_t none = 0;
  if (std::atomic_ref(a.fault->what).compare_exchange_strong(none, pack(f.kind, f.is_unsigned, a.instruction))) {
    a.fault->value = f.value;
    a.fault->limit = f.limit;
    a.fault->place = f.place;
  }
  return {};
}

}  // namespace minds

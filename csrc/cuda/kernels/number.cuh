// Functions of one or two of Python's numbers, computed as CPython does (csrc/cpu/kernels/number.cc): each gives what is
// wrong with its operands, or kNone.
#include "formulas.cuh"

union Number {
  double d;
  i64 i;
};

// ---- integers; each checks before it computes, as overflow has no result

FN FaultKind floor_divide_int(Number a, Number b, Number& out) {
  if (b.i == 0) return kDivisionByZero;
  if (b.i == -1 && a.i == (i64)((u64)1 << 63)) return kTooLarge;
  out.i = floor_divide(a.i, b.i);
  return kNone;
}

FN FaultKind mod_int(Number a, Number b, Number& out) {
  if (b.i == 0) return kDivisionByZero;
  out.i = floor_mod(a.i, b.i);
  return kNone;
}

// Whether a * b leaves 64 bits.
FN bool overflows(i64 a, i64 b) {
  if (a == 0 || b == 0) return false;
  const u64 x = a < 0 ? 0 - (u64)a : (u64)a, y = b < 0 ? 0 - (u64)b : (u64)b;
  const u64 most = ((u64)1 << 63) - ((a < 0) == (b < 0) ? 1 : 0);
  return x > most / y;
}

FN FaultKind pow_int(Number a, Number b, Number& out) {
  if (b.i < 0) return kIntToNegative;
  i64 result = 1, base = a.i;
  for (i64 e = b.i; e != 0; e >>= 1) {
    if (e & 1) {
      if (overflows(result, base)) return kTooLarge;
      result *= base;
    }
    if (e > 1) {
      if (overflows(base, base)) return kTooLarge;
      base *= base;
    }
  }
  out.i = result;
  return kNone;
}

FN FaultKind left_shift_int(Number a, Number b, Number& out) {
  if (b.i < 0) return kNegativeShift;
  out.i = 0;
  if (a.i == 0) return kNone;
  if (b.i > 62) return kTooLarge;
  out.i = (i64)((u64)a.i << b.i);
  return out.i >> b.i != a.i ? kTooLarge : kNone;
}

FN FaultKind right_shift_int(Number a, Number b, Number& out) {
  if (b.i < 0) return kNegativeShift;
  out.i = a.i >> (b.i > 63 ? 63 : b.i);
  return kNone;
}

// ---- floats

FN FaultKind floor_divide_float(Number a, Number b, Number& out) {
  if (b.d == 0) return kFloorByZero;
  out.d = floor_divide(a.d, b.d);
  return kNone;
}

FN FaultKind mod_float(Number a, Number b, Number& out) {
  if (b.d == 0) return kModuloByZero;
  out.d = floor_mod(a.d, b.d);
  return kNone;
}

FN FaultKind pow_float(Number a, Number b, Number& out) {
  const bool finite = a.d - a.d == 0 && b.d - b.d == 0;
  if (a.d == 0 && b.d < 0) return kZeroToNegative;
  if (a.d < 0 && finite && b.d != floor(b.d)) return kComplexPower;
  out.d = pow(a.d, b.d);
  return finite && is_infinite(out.d) ? kPowerRange : kNone;
}

FN FaultKind to_int(Number a, Number, Number& out) {
  if (a.d != a.d) return kNanToInt;
  if (is_infinite(a.d)) return kInfinityToInt;
  if (!(a.d >= -9223372036854775808.0 && a.d < 9223372036854775808.0)) return kTooLarge;
  out.i = (i64)a.d;
  return kNone;
}

// What CPython's math module says of f(x).
FN FaultKind checked(double x, double y, bool pole) {
  const bool none = y != y && x == x, infinite = is_infinite(y) && x - x == 0;
  if (none || (infinite && pole)) return kMathDomain;
  return infinite ? kMathRange : kNone;
}

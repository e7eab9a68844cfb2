// Numbers of Python known at run time: one scalar in and out, computed as CPython does, with its errors. What
// tensors do instead (a division by zero gives inf, a logarithm of -1 NaN, integers wrap) would go on silently.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "cpu/kernels/libm.h"
#include "cpu/kernels/number.h"
#include "kernel/fault.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

union Number {
  double d;
  int64_t i;
  uint8_t b;
};

using Formula = FaultKind (*)(Number a, Number b, Number& out);
constexpr FaultKind kFine = FaultKind::kNone;

// ---- integers

FaultKind floor_divide_int(Number a, Number b, Number& out) {
  if (b.i == 0) return FaultKind::kDivisionByZero;
  if (b.i == -1) return __builtin_sub_overflow(int64_t{0}, a.i, &out.i) ? FaultKind::kTooLarge : kFine;
  out.i = a.i / b.i - ((a.i % b.i != 0) & ((a.i < 0) != (b.i < 0)));
  return kFine;
}

FaultKind mod_int(Number a, Number b, Number& out) {
  if (b.i == 0) return FaultKind::kDivisionByZero;
  const int64_t r = b.i == -1 ? 0 : a.i % b.i;
  out.i = r != 0 && (r < 0) != (b.i < 0) ? r + b.i : r;
  return kFine;
}

FaultKind pow_int(Number a, Number b, Number& out) {
  if (b.i < 0) return FaultKind::kIntToNegative;
  int64_t result = 1, base = a.i;
  for (int64_t e = b.i; e != 0; e >>= 1) {
    if ((e & 1) && __builtin_mul_overflow(result, base, &result)) return FaultKind::kTooLarge;
    if (e > 1 && __builtin_mul_overflow(base, base, &base)) return FaultKind::kTooLarge;
  }
  out.i = result;
  return kFine;
}

FaultKind left_shift(Number a, Number b, Number& out) {
  if (b.i < 0) return FaultKind::kNegativeShift;
  if (a.i == 0) {
    out.i = 0;
    return kFine;
  }
  if (b.i > 62 || (a.i << b.i) >> b.i != a.i) return FaultKind::kTooLarge;
  out.i = a.i << b.i;
  return kFine;
}

FaultKind right_shift(Number a, Number b, Number& out) {
  if (b.i < 0) return FaultKind::kNegativeShift;
  out.i = a.i >> (b.i > 63 ? 63 : b.i);
  return kFine;
}

// Whether `a` fits an integer of `b` bits, or an unsigned one of -b.
FaultKind fit(Number a, Number b, Number& out) {
  out.i = a.i;
  if (b.i <= -64) return a.i < 0 ? FaultKind::kTooWide : kFine;
  if (b.i < 0) return a.i < 0 || a.i >> -b.i != 0 ? FaultKind::kTooWide : kFine;
  return b.i >= 1 && b.i < 64 && a.i >> (b.i - 1) != a.i >> 63 ? FaultKind::kTooWide : kFine;
}

// ---- floats

FaultKind floor_divide_float(Number a, Number b, Number& out) {
  if (b.d == 0) return FaultKind::kFloorByZero;
  const double r = std::fmod(a.d, b.d);
  double q = (a.d - r) / b.d;
  if (r != 0 && (r < 0) != (b.d < 0)) q -= 1;
  if (q == 0) {
    out.d = std::copysign(0.0, a.d / b.d);
  } else {
    const double whole = std::floor(q);
    out.d = q - whole > 0.5 ? whole + 1 : whole;
  }
  return kFine;
}

FaultKind mod_float(Number a, Number b, Number& out) {
  if (b.d == 0) return FaultKind::kModuloByZero;
  const double r = std::fmod(a.d, b.d);
  out.d = r == 0 ? std::copysign(0.0, b.d) : (r < 0) != (b.d < 0) ? r + b.d : r;
  return kFine;
}

FaultKind pow_float(Number a, Number b, Number& out) {
  if (a.d == 0 && b.d < 0) return FaultKind::kZeroToNegative;
  if (a.d < 0 && std::isfinite(a.d) && std::isfinite(b.d) && b.d != std::floor(b.d)) return FaultKind::kComplexPower;
  out.d = std::pow(a.d, b.d);
  if (std::isinf(out.d) && std::isfinite(a.d) && std::isfinite(b.d)) return FaultKind::kPowerRange;
  return kFine;
}

FaultKind to_int(Number a, Number, Number& out) {
  if (std::isnan(a.d)) return FaultKind::kNanToInt;
  if (std::isinf(a.d)) return FaultKind::kInfinityToInt;
  if (!(a.d >= -9223372036854775808.0 && a.d < 9223372036854775808.0)) return FaultKind::kTooLarge;
  out.i = static_cast<int64_t>(a.d);
  return kFine;
}

// As CPython's math module: NaN from a number is outside of the domain, and so is infinity from a finite one at a
// pole; elsewhere it is out of range.
template <double (*f)(double), Infinite infinite>
FaultKind by_libm(Number a, Number, Number& out) {
  out.d = f(a.d);
  const bool domain = std::isnan(out.d) && !std::isnan(a.d), inf = std::isinf(out.d) && std::isfinite(a.d);
  if (domain || (inf && infinite == Infinite::kPole)) return FaultKind::kMathDomain;
  if (inf) return FaultKind::kMathRange;
  return kFine;
}

struct Function {
  NumberForm form;
  Formula formula;
};

constexpr DType kInt = DType::kInt64, kFloat = DType::kFloat64;

#define MINDS_NUMBER(Name, name, infinite, formula) \
  {{#name, kFloat, kFloat}, by_libm<+[](double x) -> double { return formula; }, Infinite::infinite>},
const Function kFunctions[] = {
    {{"floor_divide", kInt, kInt}, floor_divide_int},
    {{"mod", kInt, kInt}, mod_int},
    {{"pow", kInt, kInt}, pow_int},
    {{"left_shift", kInt, kInt}, left_shift},
    {{"right_shift", kInt, kInt}, right_shift},
    {{"fit", kInt, kInt}, fit},
    {{"floor_divide", kFloat, kFloat}, floor_divide_float},
    {{"mod", kFloat, kFloat}, mod_float},
    {{"pow", kFloat, kFloat}, pow_float},
    {{"sqrt", kFloat, kFloat}, by_libm<std::sqrt, Infinite::kRange>},
    {{"cast", kFloat, kInt}, to_int},
    MINDS_LIBM_UNARY(MINDS_NUMBER)};
#undef MINDS_NUMBER

Formula find(const std::string& name, DType dtype) {
  for (const Function& f : kFunctions) {
    if (f.form.op == name && f.form.in == dtype) return f.formula;
  }
  return nullptr;
}

class PythonNumber final : public Kernel {
 public:
  explicit PythonNumber(const Attrs& a) : name_(a.str("operation")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (s.inputs.empty() || s.inputs.size() > 2) return bad_value("a number is computed from one or two");
    for (const TensorSpec& t : s.inputs) {
      if (Status e = expect_spec(t, "an operand", s.inputs[0].dtype, {})) return e;
    }
    if (Status e = expect_counts(s, s.inputs.size(), 1)) return e;
    const DType out = name_ == "cast" ? DType::kInt64 : s.inputs[0].dtype;
    if (Status e = expect_spec(s.outputs[0], "the result", out, {})) return e;
    formula_ = find(name_, s.inputs[0].dtype);
    two_ = s.inputs.size() == 2;
    return formula_ == nullptr ? bad_type("no such function of numbers: " + name_) : Status{};
  }

  Status run(const Args& a, Stream&) const override {
    Number x = *static_cast<const Number*>(a.in[0]), y{};
    if (two_) y = *static_cast<const Number*>(a.in[1]);
    Number out{};
    if (const FaultKind kind = formula_(x, y, out); kind != kFine) {
      return fail(a, {.kind = kind, .value = x.i, .limit = y.i});
    }
    *static_cast<Number*>(a.out[0]) = out;
    return {};
  }

 private:
  std::string name_;
  Formula formula_ = nullptr;
  bool two_ = false;
};

MINDS_KERNEL("cpu", "python_number", PythonNumber, DType::kInt64, DType::kFloat64);

}  // namespace

std::vector<NumberForm> number_forms() {
  std::vector<NumberForm> found;
  for (const Function& f : kFunctions) found.push_back(f.form);
  return found;
}

}  // namespace minds::cpu

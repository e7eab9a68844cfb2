// Numbers of Python known at run time: one scalar in and out, computed as CPython does, with its errors. What
// tensors do instead (a division by zero gives inf, a logarithm of -1 NaN, integers wrap) would go on silently.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "cpu/check.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

Status zero_division(const char* message) { return {Code::kZeroDivision, message}; }
Status overflow(const char* message) { return {Code::kOverflow, message}; }

constexpr const char* kTooLarge = "the result does not fit 64 bits";
constexpr const char* kDomain = "math domain error";
constexpr const char* kRange = "math range error";

union Number {
  double d;
  int64_t i;
  uint8_t b;
};

using Formula = Status (*)(Number a, Number b, Number& out);

// ---- integers

Status floor_divide_int(Number a, Number b, Number& out) {
  if (b.i == 0) return zero_division("integer division or modulo by zero");
  if (b.i == -1) return __builtin_sub_overflow(int64_t{0}, a.i, &out.i) ? overflow(kTooLarge) : Status{};
  out.i = a.i / b.i - ((a.i % b.i != 0) & ((a.i < 0) != (b.i < 0)));
  return {};
}

Status mod_int(Number a, Number b, Number& out) {
  if (b.i == 0) return zero_division("integer division or modulo by zero");
  const int64_t r = b.i == -1 ? 0 : a.i % b.i;
  out.i = r != 0 && (r < 0) != (b.i < 0) ? r + b.i : r;
  return {};
}

Status pow_int(Number a, Number b, Number& out) {
  if (b.i < 0) return {Code::kValue, "an int to a negative power is a float"};
  int64_t result = 1, base = a.i;
  for (int64_t e = b.i; e != 0; e >>= 1) {
    if ((e & 1) && __builtin_mul_overflow(result, base, &result)) return overflow(kTooLarge);
    if (e > 1 && __builtin_mul_overflow(base, base, &base)) return overflow(kTooLarge);
  }
  out.i = result;
  return {};
}

Status left_shift(Number a, Number b, Number& out) {
  if (b.i < 0) return {Code::kValue, "negative shift count"};
  if (a.i == 0) {
    out.i = 0;
    return {};
  }
  if (b.i > 62 || (a.i << b.i) >> b.i != a.i) return overflow(kTooLarge);
  out.i = a.i << b.i;
  return {};
}

Status right_shift(Number a, Number b, Number& out) {
  if (b.i < 0) return {Code::kValue, "negative shift count"};
  out.i = a.i >> (b.i > 63 ? 63 : b.i);
  return {};
}

// ---- floats

Status floor_divide_float(Number a, Number b, Number& out) {
  if (b.d == 0) return zero_division("float floor division by zero");
  const double r = std::fmod(a.d, b.d);
  double q = (a.d - r) / b.d;
  if (r != 0 && (r < 0) != (b.d < 0)) q -= 1;
  if (q == 0) {
    out.d = std::copysign(0.0, a.d / b.d);
  } else {
    const double whole = std::floor(q);
    out.d = q - whole > 0.5 ? whole + 1 : whole;
  }
  return {};
}

Status mod_float(Number a, Number b, Number& out) {
  if (b.d == 0) return zero_division("float modulo by zero");
  const double r = std::fmod(a.d, b.d);
  out.d = r == 0 ? std::copysign(0.0, b.d) : (r < 0) != (b.d < 0) ? r + b.d : r;
  return {};
}

Status pow_float(Number a, Number b, Number& out) {
  if (a.d == 0 && b.d < 0) return zero_division("0.0 cannot be raised to a negative power");
  if (a.d < 0 && std::isfinite(a.d) && std::isfinite(b.d) && b.d != std::floor(b.d)) {
    return {Code::kValue, "a negative number to a fractional power is complex"};
  }
  out.d = std::pow(a.d, b.d);
  if (std::isinf(out.d) && std::isfinite(a.d) && std::isfinite(b.d)) return overflow("Numerical result out of range");
  return {};
}

Status to_int(Number a, Number, Number& out) {
  if (std::isnan(a.d)) return {Code::kValue, "cannot convert float NaN to integer"};
  if (std::isinf(a.d)) return overflow("cannot convert float infinity to integer");
  if (!(a.d >= -9223372036854775808.0 && a.d < 9223372036854775808.0)) return overflow(kTooLarge);
  out.i = static_cast<int64_t>(a.d);
  return {};
}

// As CPython's math module: NaN from a number is outside of the domain, infinity from a finite one of the range.
template <double (*f)(double)>
Status by_libm(Number a, Number, Number& out) {
  out.d = f(a.d);
  if (std::isnan(out.d) && !std::isnan(a.d)) return {Code::kValue, kDomain};
  if (std::isinf(out.d) && std::isfinite(a.d)) return overflow(kRange);
  return {};
}

// Where the function has a pole, infinity from a finite number is outside of the domain.
template <double (*f)(double)>
Status with_pole(Number a, Number, Number& out) {
  out.d = f(a.d);
  if ((std::isnan(out.d) && !std::isnan(a.d)) || (std::isinf(out.d) && std::isfinite(a.d))) {
    return {Code::kValue, kDomain};
  }
  return {};
}

double log_gamma(double x) {  // std::lgamma writes the sign to a global variable, which is a race
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

Formula find(const std::string& name, DType dtype) {
  static const std::pair<const char*, Formula> ints[] = {
      {"floor_divide", floor_divide_int}, {"mod", mod_int},           {"pow", pow_int},
      {"left_shift", left_shift},         {"right_shift", right_shift}};
  static const std::pair<const char*, Formula> floats[] = {
      {"floor_divide", floor_divide_float},
      {"mod", mod_float},
      {"pow", pow_float},
      {"cast", to_int},
      {"exp", by_libm<std::exp>},
      {"expm1", by_libm<std::expm1>},
      {"log", with_pole<std::log>},
      {"log1p", with_pole<std::log1p>},
      {"sqrt", by_libm<std::sqrt>},
      {"sin", by_libm<std::sin>},
      {"cos", by_libm<std::cos>},
      {"tan", by_libm<std::tan>},
      {"asin", by_libm<std::asin>},
      {"acos", by_libm<std::acos>},
      {"atan", by_libm<std::atan>},
      {"sinh", by_libm<std::sinh>},
      {"cosh", by_libm<std::cosh>},
      {"tanh", by_libm<std::tanh>},
      {"asinh", by_libm<std::asinh>},
      {"acosh", by_libm<std::acosh>},
      {"atanh", with_pole<std::atanh>},
      {"erf", by_libm<std::erf>},
      {"erfc", by_libm<std::erfc>},
      {"lgamma", with_pole<log_gamma>}};
  if (dtype == DType::kInt64) {
    for (const auto& [known, f] : ints) {
      if (name == known) return f;
    }
  } else if (dtype == DType::kFloat64) {
    for (const auto& [known, f] : floats) {
      if (name == known) return f;
    }
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
    if (Status e = formula_(x, y, out)) return e;
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
}  // namespace minds::cpu

// Elementwise functions of complex numbers (kernel/complex.h). complex64 is computed in double and rounded once. Branch
// cuts are those of C99; arithmetic is NumPy's: products of parts, so an infinity may meet a NaN.
#include <cmath>
#include <complex>
#include <type_traits>

#include "base/parallel.h"
#include "cpu/kernels/broadcast.h"
#include "kernel/complex.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

using Complex = std::complex<double>;

constexpr int64_t kComplexGrain = 1 << 12;

Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// By Smith's method, which divides by the larger part first so that squares do not overflow.
Complex quotient(Complex a, Complex b) {
  if (std::fabs(b.real()) >= std::fabs(b.imag())) {
    if (b == 0.0) return {a.real() / std::fabs(b.real()), a.imag() / std::fabs(b.real())};
    const double ratio = b.imag() / b.real(), scale = 1 / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const double ratio = b.real() / b.imag(), scale = 1 / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

// Small whole exponents by multiplication, so that powers of zero and of real numbers are what they are.
Complex power(Complex a, Complex b) {
  constexpr double kMost = 100;
  if (b.imag() == 0 && std::fabs(b.real()) <= kMost && b.real() == std::trunc(b.real())) {
    Complex result = 1, factor = a;
    for (int n = std::abs(static_cast<int>(b.real())); n > 0; n /= 2) {
      if (n % 2 == 1) result = result == 1.0 ? factor : product(result, factor);
      if (n > 1) factor = product(factor, factor);
    }
    return b.real() < 0 ? quotient(1, result) : result;
  }
  if (a == 0.0) return b.real() > 0 ? Complex(0) : Complex(NAN, NAN);
  return std::pow(a, b);
}

Complex expm1(Complex z) {
  const double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, std::exp(z.real()) * std::sin(z.imag())};
}

Complex log1p(Complex z) {
  const double x = z.real(), y = z.imag();
  const bool near = std::fabs(x) < 0.5 && std::fabs(y) < 0.5;
  return {near ? std::log1p(x * (2 + x) + y * y) / 2 : std::log(std::hypot(1 + x, y)), std::atan2(y, 1 + x)};
}

Complex sigmoid(Complex z) {
  if (z.real() >= 0) return quotient(1, 1.0 + std::exp(-z));
  const Complex e = std::exp(z);
  return quotient(e, 1.0 + e);
}

Complex direction(Complex z) {
  const double size = std::abs(z);
  return size == 0 ? z : Complex(z.real() / size, z.imag() / size);
}

bool is_nan(Complex z) { return std::isnan(z.real()) || std::isnan(z.imag()); }
bool is_infinite(Complex z) { return std::isinf(z.real()) || std::isinf(z.imag()); }

// The element of the result: complex like the operands, of their parts' type, or bool, as the formula gives it.
template <class R, class T>
using Element =
    std::conditional_t<std::is_same_v<R, bool>, bool,
                       std::conditional_t<std::is_same_v<R, double>, T, std::complex<T>>>;

template <class R>
DType result_of(DType operand) {
  if (std::is_same_v<R, bool>) return DType::kBool;
  if (std::is_same_v<R, Complex>) return operand;
  return operand == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

template <class Formula>
class ComplexUnary final : public Kernel {
 public:
  explicit ComplexUnary(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 1, 1)) return e;
    const TensorSpec& x = s.inputs[0];
    size_ = x.size();
    loop_ = x.dtype == DType::kComplex64 ? loop<float> : loop<double>;
    return expect_spec(s.outputs[0], "the result", result_of<R>(x.dtype), x.shape);
  }

  Status run(const Args& a, Stream&) const override {
    parallel_for(size_, kComplexGrain, [&](int64_t begin, int64_t end) { loop_(a.out[0], a.in[0], begin, end); });
    return {};
  }

 private:
  using R = decltype(Formula{}(Complex{}));

  template <class T>
  static void loop(void* out, const void* in, int64_t begin, int64_t end) {
    auto* d = static_cast<Element<R, T>*>(out);
    const auto* x = static_cast<const std::complex<T>*>(in);
    for (int64_t i = begin; i < end; ++i) d[i] = static_cast<Element<R, T>>(Formula{}(Complex(x[i])));
  }

  int64_t size_ = 0;
  void (*loop_)(void*, const void*, int64_t, int64_t) = nullptr;
};

template <class Formula>
class ComplexBinary final : public Kernel {
 public:
  explicit ComplexBinary(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 2, 1)) return e;
    const DType t = s.inputs[0].dtype, result = result_of<R>(t);
    if (s.inputs[1].dtype != t || s.outputs[0].dtype != result) {
      return bad_type(std::string("the operands must have one dtype and the result ") + name(result));
    }
    loop_ = t == DType::kComplex64 ? loop<float> : loop<double>;
    return space_.prepare(s.inputs.data(), 2, s.outputs[0], false);
  }

  Status run(const Args& a, Stream&) const override {
    parallel_for(space_.size(), kComplexGrain, [&](int64_t begin, int64_t end) {
      space_.walk(a.in, begin, end, end - begin,
                  [&](int64_t p, int64_t n, const char* const* at, const bool*) { loop_(a.out[0], p, at, n); });
    });
    return {};
  }

 private:
  using R = decltype(Formula{}(Complex{}, Complex{}));

  template <class T>
  static void loop(void* out, int64_t p, const char* const* at, int64_t n) {
    auto* d = static_cast<Element<R, T>*>(out) + p;
    const auto *x = reinterpret_cast<const std::complex<T>*>(at[0]),
               *y = reinterpret_cast<const std::complex<T>*>(at[1]);
    for (int64_t i = 0; i < n; ++i) {
      d[i] = static_cast<Element<R, T>>(Formula{}(Complex(x[i]), Complex(y[i])));
    }
  }

  Broadcast space_;
  void (*loop_)(void*, int64_t, const char* const*, int64_t) = nullptr;
};

// complex(re, im): the numbers of two parts.
class OfParts final : public Kernel {
 public:
  explicit OfParts(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 2, 1)) return e;
    const TensorSpec& x = s.inputs[0];
    if (Status e = expect_spec(s.inputs[1], "the imaginary part", x.dtype, x.shape)) return e;
    size_ = x.size();
    loop_ = x.dtype == DType::kFloat32 ? loop<float> : loop<double>;
    return expect_spec(s.outputs[0], "the result",
                       x.dtype == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128, x.shape);
  }

  Status run(const Args& a, Stream&) const override {
    parallel_for(size_, 1 << 15, [&](int64_t begin, int64_t end) { loop_(a, begin, end); });
    return {};
  }

 private:
  template <class T>
  static void loop(const Args& a, int64_t begin, int64_t end) {
    auto* d = static_cast<std::complex<T>*>(a.out[0]);
    const auto *x = static_cast<const T*>(a.in[0]), *y = static_cast<const T*>(a.in[1]);
    for (int64_t i = begin; i < end; ++i) d[i] = {x[i], y[i]};
  }

  int64_t size_ = 0;
  void (*loop_)(const Args&, int64_t, int64_t) = nullptr;
};

MINDS_KERNEL("cpu", "complex", OfParts, DType::kFloat32, DType::kFloat64);

#define MINDS_UNARY_KERNEL(name, formula)                         \
  struct name##_formula {                                         \
    auto operator()(const Complex& z) const { return formula; }   \
  };                                                              \
  MINDS_KERNEL("cpu", #name, ComplexUnary<name##_formula>, DType::kComplex64, DType::kComplex128);
#define MINDS_BINARY_KERNEL(name, formula)                                           \
  struct name##_formula {                                                            \
    auto operator()(const Complex& a, const Complex& b) const { return formula; }    \
  };                                                                                 \
  MINDS_KERNEL("cpu", #name, ComplexBinary<name##_formula>, DType::kComplex64, DType::kComplex128);

MINDS_COMPLEX_UNARY(MINDS_UNARY_KERNEL)
MINDS_COMPLEX_BINARY(MINDS_BINARY_KERNEL)

}  // namespace
}  // namespace minds::cpu

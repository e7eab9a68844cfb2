// The elementwise functions of complex numbers: one line each, from which every device makes its kernels. A formula is
// evaluated in double precision; what it gives is complex like the operands, real (of their parts' type) or bool. The
// functions that are not in the standard library are in cpu/kernels/complex.cc and cuda/kernels/complex.cuh.
#pragma once

// F(name, formula of z)
#define MINDS_COMPLEX_UNARY(F)                      \
  F(real, z.real())                                 \
  F(imag, z.imag())                                 \
  F(conj, std::conj(z))                             \
  F(neg, -z)                                        \
  F(abs, std::abs(z))                               \
  F(sign, direction(z))                             \
  F(square, product(z, z))                          \
  F(reciprocal, quotient(1, z))                     \
  F(sqrt, std::sqrt(z))                             \
  F(rsqrt, quotient(1, std::sqrt(z)))               \
  F(exp, std::exp(z))                               \
  F(expm1, expm1(z))                                \
  F(log, std::log(z))                               \
  F(log1p, log1p(z))                                \
  F(sin, std::sin(z))                               \
  F(cos, std::cos(z))                               \
  F(tan, std::tan(z))                               \
  F(asin, std::asin(z))                             \
  F(acos, std::acos(z))                             \
  F(atan, std::atan(z))                             \
  F(sinh, std::sinh(z))                             \
  F(cosh, std::cosh(z))                             \
  F(tanh, std::tanh(z))                             \
  F(asinh, std::asinh(z))                           \
  F(acosh, std::acosh(z))                           \
  F(atanh, std::atanh(z))                           \
  F(sigmoid, sigmoid(z))                            \
  F(isnan, is_nan(z))                               \
  F(isinf, is_infinite(z))                          \
  F(isfinite, !is_nan(z) && !is_infinite(z))        \
  F(logical_not, z == 0.0)

// F(name, formula of a and b)
#define MINDS_COMPLEX_BINARY(F)            \
  F(add, a + b)                            \
  F(sub, a - b)                            \
  F(mul, product(a, b))                    \
  F(div, quotient(a, b))                   \
  F(pow, power(a, b))                      \
  F(equal, a == b)                         \
  F(not_equal, a != b)                     \
  F(logical_and, (a != 0.0) && (b != 0.0)) \
  F(logical_or, (a != 0.0) || (b != 0.0))  \
  F(logical_xor, (a != 0.0) != (b != 0.0))

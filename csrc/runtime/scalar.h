// Arithmetic on words without a kernel. Only operations that IEEE 754 or two's complement define exactly are
// here, so that they equal the kernels bit for bit; the rest (floor division, powers, transcendentals) goes
// through its kernel.
#pragma once
#include <cstdint>

// MINDS_SCALARS(F): F(number, name, result member, expression over words a and b). Numbers are part of the
// program format.
#define MINDS_SCALARS(F)                                        \
  F(0, add_f64, d, a.d + b.d)                                   \
  F(1, sub_f64, d, a.d - b.d)                                   \
  F(2, mul_f64, d, a.d* b.d)                                    \
  F(3, div_f64, d, a.d / b.d)                                   \
  F(4, add_f32, f, a.f + b.f)                                   \
  F(5, sub_f32, f, a.f - b.f)                                   \
  F(6, mul_f32, f, a.f* b.f)                                    \
  F(7, div_f32, f, a.f / b.f)                                   \
  F(8, add_i64, bits, a.bits + b.bits)                          \
  F(9, sub_i64, bits, a.bits - b.bits)                          \
  F(10, mul_i64, bits, a.bits* b.bits)                          \
  F(11, equal_f64, bits, a.d == b.d)                            \
  F(12, not_equal_f64, bits, a.d != b.d)                        \
  F(13, less_f64, bits, a.d < b.d)                              \
  F(14, less_equal_f64, bits, a.d <= b.d)                       \
  F(15, greater_f64, bits, a.d > b.d)                           \
  F(16, greater_equal_f64, bits, a.d >= b.d)                    \
  F(17, equal_f32, bits, a.f == b.f)                            \
  F(18, not_equal_f32, bits, a.f != b.f)                        \
  F(19, less_f32, bits, a.f < b.f)                              \
  F(20, less_equal_f32, bits, a.f <= b.f)                       \
  F(21, greater_f32, bits, a.f > b.f)                           \
  F(22, greater_equal_f32, bits, a.f >= b.f)                    \
  F(23, equal_i64, bits, a.i == b.i)                            \
  F(24, not_equal_i64, bits, a.i != b.i)                        \
  F(25, less_i64, bits, a.i < b.i)                              \
  F(26, less_equal_i64, bits, a.i <= b.i)                       \
  F(27, greater_i64, bits, a.i > b.i)                           \
  F(28, greater_equal_i64, bits, a.i >= b.i)                    \
  F(29, logical_and, bits, static_cast<uint64_t>(a.b && b.b))   \
  F(30, logical_or, bits, static_cast<uint64_t>(a.b || b.b))    \
  F(31, logical_xor, bits, static_cast<uint64_t>(!a.b != !b.b)) \
  F(32, logical_not, bits, static_cast<uint64_t>(!a.b))         \
  F(33, neg_f64, d, -a.d)                                       \
  F(34, neg_f32, f, -a.f)                                       \
  F(35, neg_i64, bits, uint64_t{0} - a.bits)                    \
  F(36, i64_to_f64, d, static_cast<double>(a.i))                \
  F(37, i64_to_f32, f, static_cast<float>(a.i))                 \
  F(38, f32_to_f64, d, static_cast<double>(a.f))                \
  F(39, f64_to_f32, f, static_cast<float>(a.d))                 \
  F(40, bool_to_i64, bits, static_cast<uint64_t>(a.b != 0))     \
  F(41, bool_to_f64, d, a.b ? 1.0 : 0.0)                        \
  F(42, move, bits, a.bits)                                     \
  F(47, maximum_i64, bits, a.i >= b.i ? a.bits : b.bits)        \
  F(48, minimum_i64, bits, a.i <= b.i ? a.bits : b.bits)        \
  F(49, bitwise_and_i64, bits, a.bits& b.bits)                  \
  F(50, bitwise_or_i64, bits, a.bits | b.bits)                  \
  F(51, bitwise_xor_i64, bits, a.bits ^ b.bits)                 \
  F(52, bitwise_not_i64, bits, ~a.bits)                         \
  F(53, equal_bool, bits, static_cast<uint64_t>(!a.b == !b.b))  \
  F(54, maximum_f32, f, a.f >= b.f || a.f != a.f ? a.f : b.f)   \
  F(55, minimum_f32, f, a.f <= b.f || a.f != a.f ? a.f : b.f)   \
  F(56, maximum_f64, d, a.d >= b.d || a.d != a.d ? a.d : b.d)   \
  F(57, minimum_f64, d, a.d <= b.d || a.d != a.d ? a.d : b.d)   \
  F(58, square_f32, f, a.f* a.f)                                \
  F(59, square_f64, d, a.d* a.d)                                \
  F(60, sqrt_f32, f, __builtin_sqrtf(a.f))                      \
  F(61, reciprocal_f32, f, 1 / a.f)

// What numbers of Python do: MINDS_CHECKED(F): F(number, name, whether it fails, code, message); the result goes to r.
#define MINDS_CHECKED(F)                                                                                        \
  F(43, checked_add_i64, __builtin_add_overflow(a.i, b.i, &r.i), kOverflow, "the result does not fit 64 bits") \
  F(44, checked_sub_i64, __builtin_sub_overflow(a.i, b.i, &r.i), kOverflow, "the result does not fit 64 bits") \
  F(45, checked_mul_i64, __builtin_mul_overflow(a.i, b.i, &r.i), kOverflow, "the result does not fit 64 bits") \
  F(46, checked_div_f64, (r.d = a.d / b.d, b.d == 0), kZeroDivision, "division by zero")

namespace minds::runtime {

inline constexpr uint32_t kScalarCount = 62;

}  // namespace minds::runtime

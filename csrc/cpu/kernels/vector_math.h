// Elementwise formulas on vector types; included by loops_vector.h and norm_spans_loops.h only. Errors against float64, in
// units of the last place, are asserted in tests/unit/test_core.py.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "base/half.h"
#include "cpu/kernels/coefficients.h"
#include "kernel/exact.h"

namespace minds::cpu {
namespace {

inline constexpr int64_t kVectorBytes = MINDS_VECTOR_BYTES;

template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(MINDS_VECTOR_BYTES)));
};
template <class T>
using Vec = typename VecOf<T>::type;
using F = Vec<float>;
using I = Vec<int32_t>;
using D = Vec<double>;
using L = Vec<int64_t>;

template <class T>
Vec<T> splat(T x) {
  Vec<T> v;
  for (int i = 0; i < kVectorBytes / static_cast<int>(sizeof(T)); ++i) v[i] = x;
  return v;
}

// a - b on bit patterns: modulo 2^32 or 2^64, also for those of NaN.
inline I minus(I a, I b) {
  return reinterpret_cast<I>(reinterpret_cast<Vec<uint32_t>>(a) - reinterpret_cast<Vec<uint32_t>>(b));
}
inline L minus(L a, L b) {
  return reinterpret_cast<L>(reinterpret_cast<Vec<uint64_t>>(a) - reinterpret_cast<Vec<uint64_t>>(b));
}

// ---- polynomials

// A float32 loop that is faster than libm, by a specialization for the op.
template <UnaryOp op>
struct Polynomial;

template <class V, class T, int n>
V polynomial(V x, const T (&c)[n]) {
  V p = V{} + c[n - 1];
  for (int i = n - 2; i >= 0; --i) p = p * x + c[i];
  return p;
}

// 2^n * m for a whole n in [-252, 254], m normal, rounded once; NaN where n is. `shifted` is n + 1.5 * 2^23.
inline F scale(F m, F n, F shifted) {
#if defined(__AVX512F__) && MINDS_VECTOR_BYTES == 64
  (void)shifted;
  return _mm512_maskz_scalef_ps(static_cast<__mmask16>(-1), m, n);
#else
  I k = minus(bits(shifted), I{} + __builtin_bit_cast(int32_t, 0x1.8p23f));
  k = n == n ? k : I{};
  const I half = k >> 1;
  return m * from_bits<F>((half + 127) << 23) * from_bits<F>((k - half + 127) << 23);
#endif
}

// The larger and the smaller of x and a number; x where it is NaN. These are single instructions, which the compiler does not
// find by itself.
inline F at_least(float least, F x) {
#if defined(__AVX512F__) && MINDS_VECTOR_BYTES == 64
  return _mm512_maskz_max_ps(static_cast<__mmask16>(-1), splat(least), x);
#elif defined(__AVX__) && MINDS_VECTOR_BYTES == 32
  return _mm256_max_ps(splat(least), x);
#else
  return x < least ? F{} + least : x;
#endif
}

inline F at_most(float most, F x) {
#if defined(__AVX512F__) && MINDS_VECTOR_BYTES == 64
  return _mm512_maskz_min_ps(static_cast<__mmask16>(-1), splat(most), x);
#elif defined(__AVX__) && MINDS_VECTOR_BYTES == 32
  return _mm256_min_ps(splat(most), x);
#else
  return x > most ? F{} + most : x;
#endif
}

using namespace coefficients;

// e^x for any x. The clamps keep NaN. e^89 overflows to inf and e^-104 to 0
// by themselves.
inline F exp_of(F x) {
  x = at_most(kExpMost, at_least(kExpLeast, x));
  const F t = x * kLog2E + kMagic;
  const F n = t - kMagic;
  const F r = (x - n * kLn2High) - n * kLn2Low;  // n times the first part of ln 2 is exact
  const F e = polynomial(r, coefficients::kExp) * r * r + r + 1.0f;
  return scale(e, n, t);
}

template <>
struct Polynomial<UnaryOp::kExp> {
  static F apply(F x) {
    return exp_of(x);
  }
};

// ln x = k ln 2 + ln(1 + f), x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt 2).
template <>
struct Polynomial<UnaryOp::kLog> {
  static F apply(F x) {
    const I small = x < 0x1p-126f;
    const F y = small ? x * 0x1p23f : x;
    const I k = minus(bits(y), I{} + kRootHalf) >> 23;
    const F f = from_bits<F>(minus(bits(y), k << 23)) - 1.0f;
    const F n = __builtin_convertvector(k - (small & 23), F);
    const F z = f * f;
    const F tail = polynomial(f, coefficients::kLog) * (z * f) + n * kLn2Low - 0.5f * z;
    F r = f + tail + n * kLn2High;
    r = x == __builtin_inff() ? x : r;
    r = x == 0 ? F{} - __builtin_inff() : r;
    return x >= 0 ? r : x != x ? x : F{} + __builtin_nanf("");
  }
};

template <>
struct Polynomial<UnaryOp::kTanh> {
  static F apply(F x) {
    const F a = magnitude(x), z = x * x;
    const F near = polynomial(z, coefficients::kTanh) * z * x + x;
    const F far = 1 - 2 / (exp_of(a + a) + 1);
    return copy_sign(a < kTanhNear ? near : far, x);  // also for -0
  }
};

// By e^-|x|, so that nothing overflows and small results keep their digits.
template <>
struct Polynomial<UnaryOp::kSigmoid> {
  static F apply(F x) {
    const F e = exp_of(-magnitude(x));
    return (x < 0 ? e : F{} + 1.0f) / (e + 1.0f);
  }
};

// Near zero x + x P(x^2); then 1 - e^Q(|x|), where Q = ln erfc.
template <>
struct Polynomial<UnaryOp::kErf> {
  static F apply(F x) {
    const F a = magnitude(x);
    const F near = x * polynomial(x * x, coefficients::kErf) + x;
    const F far = 1.0f - exp_of(polynomial(a > kErfMost ? F{} + kErfMost : a, kLnErfc));
    return a < kErfNear ? near : copy_sign(far, x);
  }
};

// Sine or cosine of a float, in double: the two parts of pi/2 make the reduction exact enough up to 2^20.
template <bool cosine>
struct Sine {
  static constexpr float limit = 0x1p20f;
  static double exact(double x) { return cosine ? ::cos(x) : ::sin(x); }
  static D apply(D x) {
    static constexpr double s[] = {-0.16666666666629965, 0.0083333333250078419, -0.00019841263689822507,
                                   2.755533129769479e-06, -2.4759841717536347e-08};
    static constexpr double c[] = {0.041666666666594937, -0.0013888888877395143, 2.4801580610573771e-05,
                                   -2.7555505518270656e-07, 2.0643994184675498e-09};
    constexpr double magic = 0x1.8p52;
    const D t = x * 0x1.45f306dc9c883p-1 + magic;  // the low bits of t are round(x / (pi/2))
    const L k = minus(bits(t), L{} + (__builtin_bit_cast(int64_t, magic) - (cosine ? 1 : 0)));
    const D n = t - magic;
    const D r = (x - n * 0x1.921fb544p0) - n * 0x1.0b4611a626331p-34;
    const D z = r * r;
    const D sine = (polynomial(z, s) * z + 1.0) * r;  // keeps the sign of -0
    const D cos = polynomial(z, c) * z * z - 0.5 * z + 1.0;
    const D y = (k & 1) != 0 ? cos : sine;
    return (k & 2) != 0 ? -y : y;
  }
};
template <>
struct Polynomial<UnaryOp::kSin> : Sine<false> {};
template <>
struct Polynomial<UnaryOp::kCos> : Sine<true> {};

// ---- 16-bit floats

inline void widen_float16(void* dst, const void* src, int64_t n) {
  auto* d = static_cast<float*>(dst);
  const auto* s = static_cast<const uint16_t*>(src);
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(d + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i))));
  }
#endif
  for (; i < n; ++i) d[i] = float16::decode(s[i]);
}

inline void narrow_float16(void* dst, const void* src, int64_t n) {
  auto* d = static_cast<uint16_t*>(dst);
  const auto* s = static_cast<const float*>(src);
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(d + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(s + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < n; ++i) d[i] = float16::encode(s[i]);
}

inline void widen_bfloat16(void* dst, const void* src, int64_t n) {
  auto* d = static_cast<float*>(dst);
  const auto* s = static_cast<const uint16_t*>(src);
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t u = static_cast<uint32_t>(s[i]) << 16;
    memcpy(d + i, &u, sizeof u);
  }
}

inline void narrow_bfloat16(void* dst, const void* src, int64_t n) {
  auto* d = static_cast<uint16_t*>(dst);
  const auto* s = static_cast<const float*>(src);
  for (int64_t i = 0; i < n; ++i) {
    uint32_t u;
    memcpy(&u, s + i, sizeof u);
    const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16, quiet = (u >> 16) | 0x40u;
    d[i] = static_cast<uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
  }
}

}  // namespace
}  // namespace minds::cpu

// Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011) and the Box-Muller transformation, sixteen blocks at a time in g++'s vector types; compiled per
// instruction set.
//
// A block is four 32-bit words, a pure function of (seed, counter, number of the block). The functions of the
// normal distribution are polynomials of our own, so that the bits depend neither on the C library nor on the
// instruction set. Like reduce_loops.h: anonymous namespace, no library function.
#pragma once
#include <cstring>

#include "cpu/kernels/random.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace minds::cpu {
namespace {

constexpr int kBlocks = 16;  // computed together

typedef uint32_t Words __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));
typedef float Floats __attribute__((vector_size(64)));
typedef uint64_t Longs __attribute__((vector_size(64)));
typedef int64_t SignedLongs __attribute__((vector_size(64)));
typedef double Doubles __attribute__((vector_size(64)));

// The high and low words of the products of the lanes with a constant.
inline void multiply(const Words& x, uint32_t factor, Words& high, Words& low) {
  for (int i = 0; i < kBlocks; ++i) {
    const uint64_t p = uint64_t{x[i]} * factor;
    high[i] = static_cast<uint32_t>(p >> 32);
    low[i] = static_cast<uint32_t>(p);
  }
}

inline void philox(RandomKey key, uint64_t first, Words (&c)[4]) {
  for (int i = 0; i < kBlocks; ++i) {
    c[0][i] = static_cast<uint32_t>(first + i);
    c[1][i] = static_cast<uint32_t>((first + i) >> 32);
  }
  c[2] = Words{} + static_cast<uint32_t>(key.counter);
  c[3] = Words{} + static_cast<uint32_t>(key.counter >> 32);
  uint32_t k0 = static_cast<uint32_t>(key.seed), k1 = static_cast<uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    Words high0, low0, high1, low1;
    multiply(c[0], 0xD2511F53u, high0, low0);
    multiply(c[2], 0xCD9E8D57u, high1, low1);
    c[0] = high1 ^ c[1] ^ k0;
    c[1] = low1;
    c[2] = high0 ^ c[3] ^ k1;
    c[3] = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

inline void root(Floats& x) {
#ifdef __SSE2__
  __m128 part[4];
  std::memcpy(part, &x, sizeof x);
  for (__m128& p : part) p = _mm_sqrt_ps(p);
  std::memcpy(&x, part, sizeof x);
#else
  for (int i = 0; i < 16; ++i) x[i] = __builtin_sqrtf(x[i]);
#endif
}

inline void root(Doubles& x) {
#ifdef __SSE2__
  __m128d part[4];
  std::memcpy(part, &x, sizeof x);
  for (__m128d& p : part) p = _mm_sqrt_pd(p);
  std::memcpy(&x, part, sizeof x);
#else
  for (int i = 0; i < 8; ++i) x[i] = __builtin_sqrt(x[i]);
#endif
}

// The value of c[0] + c[1] x + c[2] x^2 + ...
template <class V, class F, int kTerms>
inline void polynomial(const F (&c)[kTerms], const V& x, V& out) {
  out = V{} + c[kTerms - 1];
  for (int i = kTerms - 2; i >= 0; --i) out = out * x + c[i];
}

// sqrt(-2 ln u) for u = (n + 1) / 2^31 in (0, 1], n the upper 31 bits of w; the polynomial has a relative
// error of 3e-9.
inline void radius(const Words& w, Floats& out) {
  const Floats u = (__builtin_convertvector((Ints)(w >> 1), Floats) + 1.0f) * 0x1p-31f;
  // u = m * 2^e with m in [sqrt(1/2), sqrt(2))
  const Ints bits = (Ints)u - 0x3f3504f3;
  const Floats e = __builtin_convertvector(bits >> 23, Floats);
  const Floats s = (Floats)((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
  constexpr float kLog[] = {0.33333331180030046f,  -0.24999996957950882f, 0.200007157488921f,
                            -0.16667802319501254f, 0.1424905764569748f,   -0.12425687331451106f,
                            0.1168541992348674f,   -0.11479733846637635f, 0.06971611471451178f};
  Floats p;
  polynomial(kLog, s, p);
  const Floats s2 = s * s;
  const Floats log = e * 0.6931471805599453f + (s - s2 * 0.5f + s2 * s * p);
  out = log * -2.0f;
  out = out > 0.0f ? out : Floats{};
  root(out);
}

// cos and sin of 2 pi w / 2^32: the nearest quarter turn by integers, the rest in [-pi/4, pi/4] by
// polynomials.
inline void direction(const Words& w, Floats& cosine, Floats& sine) {
  const Words quarter = (w + 0x20000000u) >> 30;
  const Floats a =
      __builtin_convertvector((Ints)(w - (quarter << 30)), Floats) * 1.4629180792671596e-9f;  // 2 pi / 2^32
  const Floats z = a * a;
  constexpr float kSin[] = {-0.1666666466231438f, 0.008332748270629749f, -0.00019587890880412386f};
  constexpr float kCos[] = {0.04166666465950221f, -0.0013888303035894866f, 2.4547942085071572e-05f};
  Floats p, q;
  polynomial(kSin, z, p);
  polynomial(kCos, z, q);
  const Floats s = a + a * z * p, c = 1.0f - z * 0.5f + z * z * q;
  const Ints odd = (Ints)(quarter << 31) != 0;
  cosine = (Floats)((Words)(odd ? s : c) ^ ((quarter + 1) >> 1 << 31));
  sine = (Floats)((Words)(odd ? c : s) ^ (quarter >> 1 << 31));
}

// The same in float64: u = (n + 1) / 2^53, n the upper 53 bits; ln m = 2 r + r^3 Q(r^2) for r = (m - 1) / (m
// + 1).
inline void radius(const Longs& w, Doubles& out) {
  const Doubles u = (__builtin_convertvector((SignedLongs)(w >> 11), Doubles) + 1.0) * 0x1p-53;
  const SignedLongs bits = (SignedLongs)u - 0x3fe6a09e667f3bcd;
  const Doubles e = __builtin_convertvector(bits >> 52, Doubles);
  const Doubles m = (Doubles)((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd);
  const Doubles r = (m - 1.0) / (m + 1.0), z = r * r;
  constexpr double kLog[] = {0.6666666666666666,  0.4000000000000088,  0.28571428570803614,
                             0.22222222391713917, 0.18181795640132906, 0.15386239702814658,
                             0.13268773138656886, 0.13086626147840102};
  Doubles p;
  polynomial(kLog, z, p);
  const Doubles log = e * 0.6931471805599453 + (2.0 * r + r * z * p);
  out = log * -2.0;
  out = out > 0.0 ? out : Doubles{};
  root(out);
}

inline void direction(const Longs& w, Doubles& cosine, Doubles& sine) {
  const Longs quarter = (w + 0x2000000000000000u) >> 62;
  const Doubles a = __builtin_convertvector((SignedLongs)(w - (quarter << 62)), Doubles) *
                    3.4061215800865545e-19;  // 2 pi / 2^64
  const Doubles z = a * a;
  constexpr double kSin[] = {-0.16666666666666666,   0.008333333333333331,    -0.00019841269841265065,
                             2.7557319219339167e-06, -2.5052106232447578e-08, 1.6058531618986147e-10,
                             -7.586697117706918e-13};
  constexpr double kCos[] = {0.041666666666666664,    -0.0013888888888888887, 2.4801587301584645e-05,
                             -2.7557319221402824e-07, 2.087675579108042e-09,  -1.1470460887609959e-11,
                             4.7458719020432915e-14};
  Doubles p, q;
  polynomial(kSin, z, p);
  polynomial(kCos, z, q);
  const Doubles s = a + a * z * p, c = 1.0 - z * 0.5 + z * z * q;
  const SignedLongs odd = (SignedLongs)(quarter << 63) != 0;
  cosine = (Doubles)((Longs)(odd ? s : c) ^ ((quarter + 1) >> 1 << 63));
  sine = (Doubles)((Longs)(odd ? c : s) ^ (quarter >> 1 << 63));
}

// Writes four vectors so that the four values of a block are adjacent.
template <class V>
inline void store(const V (&v)[4], void* out) {
  typedef decltype(v[0][0] + v[0][0]) T;
  T* to = static_cast<T*>(out);
  for (int i = 0; i < kBlocks; ++i) {
    for (int k = 0; k < 4; ++k) to[4 * i + k] = v[k][i];
  }
}

void words(RandomKey key, uint64_t first, int64_t groups, void* out) {
  for (int64_t g = 0; g < groups; ++g) {
    Words c[4];
    philox(key, first + g * kBlocks, c);
    store(c, static_cast<uint32_t*>(out) + g * 4 * kBlocks);
  }
}

void uniform32(RandomKey key, uint64_t first, int64_t groups, void* out) {
  for (int64_t g = 0; g < groups; ++g) {
    Words c[4];
    philox(key, first + g * kBlocks, c);
    Floats f[4];
    for (int k = 0; k < 4; ++k) f[k] = __builtin_convertvector((Ints)(c[k] >> 8), Floats) * 0x1p-24f;
    store(f, static_cast<float*>(out) + g * 4 * kBlocks);
  }
}

void normal32(RandomKey key, uint64_t first, int64_t groups, void* out) {
  for (int64_t g = 0; g < groups; ++g) {
    Words c[4];
    philox(key, first + g * kBlocks, c);
    Floats f[4];
    for (int k = 0; k < 4; k += 2) {
      Floats r, cosine, sine;
      radius(c[k], r);
      direction(c[k + 1], cosine, sine);
      f[k] = r * cosine;
      f[k + 1] = r * sine;
    }
    store(f, static_cast<float*>(out) + g * 4 * kBlocks);
  }
}

// The two 64-bit words of each of eight blocks; the first of a block's words is the lower half.
inline void load_longs(const uint32_t* block, Longs& a, Longs& b) {
  for (int i = 0; i < 8; ++i) {
    a[i] = uint64_t{block[4 * i + 1]} << 32 | block[4 * i];
    b[i] = uint64_t{block[4 * i + 3]} << 32 | block[4 * i + 2];
  }
}

inline void store_pair(const Doubles& a, const Doubles& b, double* out) {
  for (int i = 0; i < 8; ++i) {
    out[2 * i] = a[i];
    out[2 * i + 1] = b[i];
  }
}

template <bool kNormal>
void doubles(RandomKey key, uint64_t first, int64_t groups, void* out) {
  uint32_t block[4 * kBlocks];
  for (int64_t g = 0; g < groups; ++g) {
    words(key, first + g * kBlocks, 1, block);
    for (int half = 0; half < 2; ++half) {
      Longs a, b;
      load_longs(block + half * 2 * kBlocks, a, b);
      double* to = static_cast<double*>(out) + (2 * g + half) * kBlocks;
      if constexpr (kNormal) {
        Doubles r, cosine, sine;
        radius(a, r);
        direction(b, cosine, sine);
        store_pair(r * cosine, r * sine, to);
      } else {
        store_pair(__builtin_convertvector((SignedLongs)(a >> 11), Doubles) * 0x1p-53,
                   __builtin_convertvector((SignedLongs)(b >> 11), Doubles) * 0x1p-53, to);
      }
    }
  }
}

constexpr RandomLoops kLoops{words, uniform32, normal32, doubles<false>, doubles<true>};

}  // namespace
}  // namespace minds::cpu

// Random numbers: element i takes 32-bit word i of the key's Philox stream, or words 2 i and 2 i + 1 where it needs 64
// bits; a pair of normal numbers shares its words. The numbers are the CPU's, to the last bit: its formulas
// (csrc/cpu/kernels/random_loops.h) in its order, without contraction.
//
// T is the type of an element. DRAW is one of uniform, normal, bernoulli, integers, which are at the end, EACH how many
// words an element takes.
#include "philox.cuh"

template <class C>
struct alignas(4 * sizeof(C)) Four {
  C of[4];
};

// Stores four values that belong together, of n in all.
template <class C>
FN void store_four(C* out, i64 at, i64 n, const Four<C>& values) {
  if (at + 4 <= n) {
    *reinterpret_cast<Four<C>*>(out + at) = values;
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (at + k < n) out[at + k] = values.of[k];
  }
}

template <class V, class C, int kTerms>
FN V polynomial(const C (&c)[kTerms], V x) {
  V p = c[kTerms - 1];
#pragma unroll
  for (int i = kTerms - 2; i >= 0; --i) p = p * x + c[i];
  return p;
}

// sqrt(-2 ln u) for u = (n + 1) / 2^31 in (0, 1], n the upper 31 bits of w.
FN float radius(u32 w) {
  constexpr float kLog[] = {0.33333331180030046f,  -0.24999996957950882f, 0.200007157488921f,
                            -0.16667802319501254f, 0.1424905764569748f,   -0.12425687331451106f,
                            0.1168541992348674f,   -0.11479733846637635f, 0.06971611471451178f};
  const float u = ((float)(int)(w >> 1) + 1.0f) * 0x1p-31f;
  const int bits = __float_as_int(u) - 0x3f3504f3;  // u = m * 2^e with m in [sqrt(1/2), sqrt(2))
  const float e = (float)(bits >> 23);
  const float s = __int_as_float((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
  const float p = polynomial(kLog, s), s2 = s * s;
  const float log = e * 0.6931471805599453f + (s - s2 * 0.5f + s2 * s * p);
  const float square = log * -2.0f;
  return sqrtf(square > 0.0f ? square : 0.0f);
}

// cos and sin of 2 pi w / 2^32: the nearest quarter turn by integers, the rest in [-pi/4, pi/4] by polynomials.
FN void direction(u32 w, float& cosine, float& sine) {
  constexpr float kSin[] = {-0.1666666466231438f, 0.008332748270629749f, -0.00019587890880412386f};
  constexpr float kCos[] = {0.04166666465950221f, -0.0013888303035894866f, 2.4547942085071572e-05f};
  const u32 quarter = (w + 0x20000000u) >> 30;
  const float a = (float)(int)(w - (quarter << 30)) * 1.4629180792671596e-9f;  // 2 pi / 2^32
  const float z = a * a;
  const float s = a + a * z * polynomial(kSin, z), c = 1.0f - z * 0.5f + z * z * polynomial(kCos, z);
  const bool odd = (quarter & 1) != 0;
  cosine = __uint_as_float(__float_as_uint(odd ? s : c) ^ ((quarter + 1) >> 1 << 31));
  sine = __uint_as_float(__float_as_uint(odd ? c : s) ^ (quarter >> 1 << 31));
}

// The same in float64: u = (n + 1) / 2^53, n the upper 53 bits; ln m = 2 r + r^3 Q(r^2) for r = (m - 1) / (m + 1).
FN double radius(u64 w) {
  constexpr double kLog[] = {0.6666666666666666,  0.4000000000000088,  0.28571428570803614,
                             0.22222222391713917, 0.18181795640132906, 0.15386239702814658,
                             0.13268773138656886, 0.13086626147840102};
  const double u = ((double)(i64)(w >> 11) + 1.0) * 0x1p-53;
  const i64 bits = __double_as_longlong(u) - 0x3fe6a09e667f3bcdll;
  const double e = (double)(bits >> 52);
  const double m = __longlong_as_double((bits & 0xfffffffffffffll) + 0x3fe6a09e667f3bcdll);
  const double r = (m - 1.0) / (m + 1.0), z = r * r;
  const double log = e * 0.6931471805599453 + (2.0 * r + r * z * polynomial(kLog, z));
  const double square = log * -2.0;
  return sqrt(square > 0.0 ? square : 0.0);
}

FN void direction(u64 w, double& cosine, double& sine) {
  constexpr double kSin[] = {-0.16666666666666666,   0.008333333333333331,    -0.00019841269841265065,
                             2.7557319219339167e-06, -2.5052106232447578e-08, 1.6058531618986147e-10,
                             -7.586697117706918e-13};
  constexpr double kCos[] = {0.041666666666666664,    -0.0013888888888888887, 2.4801587301584645e-05,
                             -2.7557319221402824e-07, 2.087675579108042e-09,  -1.1470460887609959e-11,
                             4.7458719820432915e-14};
  const u64 quarter = (w + 0x2000000000000000ull) >> 62;
  const double a = (double)(i64)(w - (quarter << 62)) * 3.4061215800865545e-19;  // 2 pi / 2^64
  const double z = a * a;
  const double s = a + a * z * polynomial(kSin, z), c = 1.0 - z * 0.5 + z * z * polynomial(kCos, z);
  const bool odd = (quarter & 1) != 0;
  const i64 turned = __double_as_longlong(odd ? s : c), straight = __double_as_longlong(odd ? c : s);
  cosine = __longlong_as_double(turned ^ (i64)((quarter + 1) >> 1 << 63));
  sine = __longlong_as_double(straight ^ (i64)(quarter >> 1 << 63));
}

FN u64 joined(const u32* w) { return (u64)w[1] << 32 | w[0]; }

// ---- what the words of a block make, from element `at` of n on; `a` and `b` are numbers of the distribution

// In [0, 1), of as many bits as the type holds: rounding a longer fraction could give 1.
template <class C>
constexpr int kBits = 24;
template <>
constexpr int kBits<f16_t> = 11;
template <>
constexpr int kBits<bf16_t> = 8;

template <class C>
FN void uniform(C* out, i64 at, i64 n, const u32* w, u64,
                               u64) {
  if constexpr (EACH == 2) {
    out[at] = (double)(i64)(joined(w) >> 11) * 0x1p-53;
    if (at + 1 < n) out[at + 1] = (double)(i64)(joined(w + 2) >> 11) * 0x1p-53;
  } else {
    Four<C> values;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      values.of[k] = (C)((float)(int)(w[k] >> (32 - kBits<C>)) * (1.0f / (float)(1 << kBits<C>)));
    }
    store_four(out, at, n, values);
  }
}

template <class C>
FN void normal(C* out, i64 at, i64 n, const u32* w, u64,
                              u64) {
  if constexpr (EACH == 2) {
    const double r = radius(joined(w));
    double cosine, sine;
    direction(joined(w + 2), cosine, sine);
    out[at] = r * cosine;
    if (at + 1 < n) out[at + 1] = r * sine;
  } else {
    Four<C> values;
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      const float r = radius(w[k]);
      float cosine, sine;
      direction(w[k + 1], cosine, sine);
      values.of[k] = (C)(r * cosine);
      values.of[k + 1] = (C)(r * sine);
    }
    store_four(out, at, n, values);
  }
}

// One where the word is below `a`, the probability times 2^32.
template <class C>
FN void bernoulli(C* out, i64 at, i64 n, const u32* w, u64 a,
                                 u64) {
  Four<C> values;
#pragma unroll
  for (int k = 0; k < 4; ++k) values.of[k] = w[k] < a ? (C)1.0f : (C)0.0f;
  store_four(out, at, n, values);
}

// In [a, a + b): the upper 64 bits of a product, with a bias below b / 2^64.
template <class C>
FN void integers(C* out, i64 at, i64 n, const u32* w, u64 a,
                                u64 b) {
  out[at] = (C)(a + __umul64hi(joined(w), b));
  if (at + 1 < n) out[at + 1] = (C)(a + __umul64hi(joined(w + 2), b));
}

extern "C" __global__ void random(const i64* key, T* out, i64 n, u64 a,
                                  u64 b) {
  const i64 blocks = (n * EACH + 3) / 4, step = (i64)gridDim.x * blockDim.x;
  for (i64 k = (i64)blockIdx.x * blockDim.x + threadIdx.x; k < blocks; k += step) {
    u32 w[4];
    philox((u64)key[0], (u64)key[1], (u64)k, w);
    DRAW(out, k * 4 / EACH, n, w, a, b);
  }
}

// What every kernel is compiled after: element types, loads of 16 bytes, index maths, faults.
//
// The texts keep to a subset of CUDA C that also runs on the CPU (tests/sim/cuda): no headers, no warp-wide functions with
// partial masks, inline assembly only here, beside a definition without.

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define FN __device__ __forceinline__

// The bits of x as another type of the same size.
template <class To, class From>
FN To bits_as(From x) {
  static_assert(sizeof(To) == sizeof(From), "another size");
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}

template <class A, class B>
struct is_same { static constexpr bool value = false; };
template <class A>
struct is_same<A, A> { static constexpr bool value = true; };

// ---- 16-bit floats: computed with by way of float

// Rounds to float "to odd", so that a second rounding to 16 bits is as if it were the only one.
FN float odd_float(double x) {
  const float f = (float)x;
  const u32 u = bits_as<u32>(f);
  if ((double)f == x || f != f || (u & 1u) || (u & 0x7fffffffu) == 0x7f800000u) return f;
  const bool above = (x > 0) == ((double)f > x);  // f was rounded away from zero
  return bits_as<float>(above ? u - 1 : u + 1);
}

FN u16 f16_bits(float x) {
#ifndef CUDA_ON_CPU
  u16 r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
  return r;
#else
  const u32 u = bits_as<u32>(x), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return (u16)(sign | 0x7e00u | ((a >> 13) & 0x1ffu));
  if (a >= 0x477ff000u) return (u16)(sign | 0x7c00u);  // rounds to infinity
  if (a < 0x38800000u) {  // subnormal: adding 0.5 aligns the units of 2^-24 with the last bit, and rounds
    return (u16)(sign | (bits_as<u32>(bits_as<float>(a) + 0.5f) - 0x3f000000u));
  }
  return (u16)(sign | ((a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13));
#endif
}

FN float f16_value(u16 bits) {
#ifndef CUDA_ON_CPU
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(bits));
  return r;
#else
  const u32 sign = (bits & 0x8000u) << 16, a = bits & 0x7fffu;
  if (a >= 0x7c00u) return bits_as<float>(sign | 0x7f800000u | (a & 0x3ffu) << 13 | (a > 0x7c00u ? 0x400000u : 0u));
  if (a < 0x400u) return bits_as<float>(sign | bits_as<u32>((float)a * (1.0f / 16777216.0f)));
  return bits_as<float>(sign | ((a << 13) + 0x38000000u));
#endif
}

FN u16 bf16_bits(float x) {
  const u32 u = bits_as<u32>(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (u16)((u >> 16) | 0x40u);
  return (u16)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

// Arithmetic on them converts to float and gives float.
struct f16_t {
  u16 bits;
  f16_t() = default;
  FN f16_t(float x) : bits(f16_bits(x)) {}
  template <class X>
  FN explicit f16_t(X x) : bits(f16_bits(odd_float((double)x))) {}
  FN operator float() const { return f16_value(bits); }
};

struct bf16_t {
  u16 bits;
  bf16_t() = default;
  FN bf16_t(float x) : bits(bf16_bits(x)) {}
  template <class X>
  FN explicit bf16_t(X x) : bits(bf16_bits(odd_float((double)x))) {}
  FN operator float() const { return bits_as<float>((u32)bits << 16); }
};

// What T is computed with: compute_t<f16_t> is float.
template <class T>
struct compute_of { typedef T type; };
template <>
struct compute_of<f16_t> { typedef float type; };
template <>
struct compute_of<bf16_t> { typedef float type; };
template <class T>
using compute_t = typename compute_of<T>::type;

// ---- complex numbers

// Of two real numbers; a real number is one, too.
template <class R>
struct alignas(2 * sizeof(R)) complex_t {
  typedef R real_t;
  R re, im;

  complex_t() = default;
  FN complex_t(R re, R im = 0) : re(re), im(im) {}
  FN R real() const { return re; }
  FN R imag() const { return im; }

  friend FN complex_t operator+(complex_t a, complex_t b) { return complex_t(a.re + b.re, a.im + b.im); }
  friend FN complex_t operator-(complex_t a, complex_t b) { return complex_t(a.re - b.re, a.im - b.im); }
  friend FN complex_t operator-(complex_t a) { return complex_t(-a.re, -a.im); }
  friend FN bool operator==(complex_t a, complex_t b) { return a.re == b.re && a.im == b.im; }
  friend FN bool operator!=(complex_t a, complex_t b) { return !(a == b); }
};
typedef complex_t<float> c64_t;
typedef complex_t<double> c128_t;

template <class R>
FN complex_t<R> make_complex(R re, R im) { return complex_t<R>(re, im); }

// ---- 16 bytes at once

struct alignas(16) bits128_t {
  u32 x, y, z, w;
};

// As many elements as 16 bytes hold.
template <class T>
struct alignas(16) Pack {
  static constexpr int kCount = 16 / (int)sizeof(T);
  T at[kCount];
};

// `p` is a multiple of 16.
template <class T>
FN Pack<T> load16(const T* p) { return bits_as<Pack<T>>(*reinterpret_cast<const bits128_t*>(p)); }
template <class T>
FN void store16(T* p, const Pack<T>& x) { *reinterpret_cast<bits128_t*>(p) = bits_as<bits128_t>(x); }

// ---- indices

// The number of this thread in the grid, which is one-dimensional, and how many there are: the loop over n elements is
//   for (i64 i = grid_thread(); i < n; i += grid_threads())
FN i64 grid_thread() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
FN i64 grid_threads() { return (i64)gridDim.x * blockDim.x; }

// A strided view: sizes and strides of its dims, outermost first, in elements. RANK is at least 1. The host fills the
// same struct (kernels/views.h).
template <int RANK>
struct View {
  i64 size[RANK], stride[RANK];
};

// Where element i, in row-major order, lies in the view. I is u32 if the view has less than 2^31 elements: its divisions
// are several times faster.
template <class I, int RANK>
FN i64 offset_in(const View<RANK>& v, I i) {
  i64 offset = 0;
  for (int d = RANK - 1; d > 0; --d) {
    const I n = (I)v.size[d], rest = i / n;
    offset += (i64)(i - rest * n) * v.stride[d];
    i = rest;
  }
  return offset + (i64)i * v.stride[0];
}
template <int RANK>
FN i64 offset_in(const View<RANK>& v, i64 i, bool small) {
  return small ? offset_in<u32, RANK>(v, (u32)i) : offset_in<u64, RANK>(v, (u64)i);
}

// ---- faults (csrc/kernel/fault.h)

enum FaultKind {
  kNone,
  kIndex,
  kPoint,
  kPlane,
  kClass,
  kIntegerDivision,
  kIntegerPower,
  kDivisionByZero,
  kFloorByZero,
  kModuloByZero,
  kZeroToNegative,
  kTooLarge,
  kMathRange,
  kPowerRange,
  kMathDomain,
  kIntToNegative,
  kComplexPower,
  kNegativeShift,
  kNanToInt,
  kInfinityToInt,
  kTooWide,
  kSingular,
  kNotDefinite
};

struct FaultWord {
  u64 what;
  i64 value, limit, place;
};

// Says that element `place` is at fault. The first instruction that fails is kept, and of its elements the first, whatever
// the order of threads: a thread that has something to say locks the word by its highest bit.
inline __device__ __noinline__ void fault(FaultWord* word, FaultKind kind, u32 instruction, i64 value, i64 limit, i64 place,
                                   bool is_unsigned = false) {
  const u64 locked = (u64)1 << 63, what = (u64)kind | (is_unsigned ? 0x80u : 0u) | (u64)instruction << 8;
  for (bool said = false; !said;) {
    const u64 found = atomicCAS(&word->what, (u64)0, what | locked);
    bool mine = found == 0;
    if (!mine && (found & ~locked) >> 8 != instruction) return;  // an earlier one
    if (!mine && !(found & locked)) mine = atomicCAS(&word->what, found, what | locked) == found;
    if (!mine) continue;
    volatile FaultWord* w = word;
    const bool first = found == 0 || place < w->place;
    if (first) {
      w->value = value;
      w->limit = limit;
      w->place = place;
    }
    __threadfence();
    atomicExch(&word->what, first ? what : found);
    said = true;
  }
}

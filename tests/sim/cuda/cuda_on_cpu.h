// What texts in CUDA C see when g++ compiles them for the CPU: the words of the language that our kernels may use, and
// nothing else. What is not here does not compile. A thread of a block is a fiber (fibers.h); `translate.h` prepares
// the text; no header is included, as NVRTC includes none.
#pragma once
#include "cuda_interface.h"

#define __host__
#define __device__
#define __constant__ static const
#define __shared__ thread_local  // in a block's scope that is static; a block runs on one thread of the host
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

#define asm static_assert(false, "inline assembly is for the prelude's wrappers only");

using size_t = decltype(sizeof 0);
extern "C" void* memcpy(void*, const void*, size_t) noexcept;
extern "C" void* memset(void*, int, size_t) noexcept;

inline __attribute__((always_inline)) void* memcpy(void* to, const void* from, size_t n) {
  return __builtin_memcpy(to, from, n);
}

// ---- vectors and indices

// clang-format off
#define CUDA_VECTORS(T, name)                                                                                      \
  struct name##1 { T x; };                                                                                         \
  struct __align__(2 * sizeof(T)) name##2 { T x, y; };                                                             \
  struct name##3 { T x, y, z; };                                                                                   \
  struct __align__(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) name##4 { T x, y, z, w; };                             \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                       \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                               \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
CUDA_VECTORS(signed char, char)
CUDA_VECTORS(unsigned char, uchar)
CUDA_VECTORS(short, short)
CUDA_VECTORS(unsigned short, ushort)
CUDA_VECTORS(int, int)
CUDA_VECTORS(long long, longlong)
CUDA_VECTORS(unsigned long long, ulonglong)
CUDA_VECTORS(float, float)
CUDA_VECTORS(double, double)
#undef CUDA_VECTORS
// clang-format on
struct uint1 {
  unsigned x;
};
struct __align__(8) uint2 {
  unsigned x, y;
};
struct __align__(16) uint4 {
  unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

#define threadIdx (static_cast<const CudaIndices&>(cuda_indices).thread)
#define blockIdx (static_cast<const CudaIndices&>(cuda_indices).block)
#define blockDim (static_cast<const CudaIndices&>(cuda_indices).threads)
#define gridDim (static_cast<const CudaIndices&>(cuda_indices).blocks)
inline constexpr int warpSize = 32;

// ---- what threads do together; each call knows where it stands in the text

#define CUDA_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(CUDA_HERE) { cuda_block_barrier(file, line); }
inline void __syncwarp(unsigned mask = ~0u, CUDA_HERE) { cuda_warp(mask, 0, "__syncwarp", file, line); }
inline void __threadfence() {}
inline void __threadfence_block() {}

inline unsigned cuda_lane() {
  const CudaIndices& i = cuda_indices;
  return (i.thread.x + i.threads.x * (i.thread.y + i.threads.y * i.thread.z)) % 32;
}

template <class T>
T cuda_shuffle(unsigned mask, T v, int from, int width, const char* what, const char* file, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves words of 4 or 8 bytes");
  static_assert(__is_same(T, int) || __is_same(T, unsigned) || __is_same(T, long) || __is_same(T, unsigned long) ||
                    __is_same(T, long long) || __is_same(T, unsigned long long) || __is_same(T, float) ||
                    __is_same(T, double),
                "a shuffle moves int, unsigned, long, long long, float or double");
  if (width != 32 && width != 16 && width != 8 && width != 4 && width != 2) {
    cuda_refuse("a shuffle's width is a power of two up to 32", file, line);
  }
  unsigned long long word = 0;
  __builtin_memcpy(&word, &v, sizeof v);
  const unsigned long long* all = cuda_warp(mask, word, what, file, line);
  __builtin_memcpy(&v, &all[from & 31], sizeof v);
  return v;
}
template <class T>
T __shfl_sync(unsigned mask, T v, int from, int width = 32, CUDA_HERE) {
  const int lane = static_cast<int>(cuda_lane());
  return cuda_shuffle(mask, v, (lane & ~(width - 1)) | (from & (width - 1)), width, "__shfl_sync", file, line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, CUDA_HERE) {
  const int lane = static_cast<int>(cuda_lane()), from = lane ^ bits;
  const bool inside = from < (lane & ~(width - 1)) + width;
  return cuda_shuffle(mask, v, inside ? from : lane, width, "__shfl_xor_sync", file, line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32, CUDA_HERE) {
  const int lane = static_cast<int>(cuda_lane()), from = lane - static_cast<int>(by);
  const bool inside = from >= (lane & ~(width - 1));
  return cuda_shuffle(mask, v, inside ? from : lane, width, "__shfl_up_sync", file, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32, CUDA_HERE) {
  const int lane = static_cast<int>(cuda_lane()), from = lane + static_cast<int>(by);
  const bool inside = from < (lane & ~(width - 1)) + width;
  return cuda_shuffle(mask, v, inside ? from : lane, width, "__shfl_down_sync", file, line);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, CUDA_HERE) {
  const unsigned long long* all = cuda_warp(mask, predicate != 0, "__ballot_sync", file, line);
  unsigned bits = 0;
  for (int lane = 0; lane < 32; ++lane) bits |= static_cast<unsigned>(all[lane]) << lane;
  return bits;
}
inline int __any_sync(unsigned mask, int predicate, CUDA_HERE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, CUDA_HERE) {
  return __ballot_sync(mask, predicate, file, line) == ~0u;
}

// Blocks run one after the other, kernels of other streams beside them.
template <class T>
constexpr bool cuda_atomic = __is_same(T, int) || __is_same(T, unsigned) || __is_same(T, unsigned long long);
template <class T>
constexpr bool cuda_ordered = cuda_atomic<T> || __is_same(T, long long);
template <class T>
struct CudaSame {
  using Type = T;
};
template <class T>
using CudaValue = typename CudaSame<T>::Type;  // the type is the pointer's

template <class T>
T atomicCAS(T* at, CudaValue<T> expected, CudaValue<T> wanted) {
  static_assert(cuda_atomic<T> || __is_same(T, unsigned short), "atomics are on integers");
  __atomic_compare_exchange_n(at, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}
template <class T>
T atomicAdd(T* at, CudaValue<T> v) {
  static_assert(cuda_atomic<T>, "atomics are on integers: sums of floats would depend on the order of threads");
  return __atomic_fetch_add(at, v, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicExch(T* at, CudaValue<T> v) {
  static_assert(cuda_atomic<T>, "atomics are on integers");
  return __atomic_exchange_n(at, v, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicOr(T* at, CudaValue<T> v) {
  static_assert(cuda_atomic<T>, "atomics are on integers");
  return __atomic_fetch_or(at, v, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicAnd(T* at, CudaValue<T> v) {
  static_assert(cuda_atomic<T>, "atomics are on integers");
  return __atomic_fetch_and(at, v, __ATOMIC_SEQ_CST);
}
template <class T>
T atomicMax(T* at, CudaValue<T> v) {
  static_assert(cuda_ordered<T>, "atomics are on integers");
  T seen = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (seen < v && !__atomic_compare_exchange_n(at, &seen, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return seen;
}
template <class T>
T atomicMin(T* at, CudaValue<T> v) {
  static_assert(cuda_ordered<T>, "atomics are on integers");
  T seen = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (v < seen && !__atomic_compare_exchange_n(at, &seen, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return seen;
}

// ---- tensor cores: what the prelude's wrappers of `mma.sync` do there. The layouts are those of the PTX manual,
// "Matrix Fragments for mma.m16n8k16"; d += a b, in float.

inline float cuda_from_half(unsigned short bits) {
  _Float16 v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return static_cast<float>(v);
}
inline float cuda_from_bfloat(unsigned short bits) {
  const unsigned wide = static_cast<unsigned>(bits) << 16;
  float v;
  __builtin_memcpy(&v, &wide, sizeof v);
  return v;
}
template <float (*Float)(unsigned short)>
void cuda_mma_16816(float* d, const unsigned* a, const unsigned* b, const char* what, const char* file, int line) {
  unsigned rows[4][32], columns[2][32];
  for (int n = 0; n < 4; ++n) {
    const unsigned long long* all = cuda_warp(~0u, a[n], what, file, line);
    for (int lane = 0; lane < 32; ++lane) rows[n][lane] = static_cast<unsigned>(all[lane]);
  }
  for (int n = 0; n < 2; ++n) {
    const unsigned long long* all = cuda_warp(~0u, b[n], what, file, line);
    for (int lane = 0; lane < 32; ++lane) columns[n][lane] = static_cast<unsigned>(all[lane]);
  }
  const int group = static_cast<int>(cuda_lane()) / 4, inside = static_cast<int>(cuda_lane()) % 4;
  for (int n = 0; n < 4; ++n) {
    const int row = group + 8 * (n / 2), column = 2 * inside + n % 2;
    float sum = d[n];
    for (int k = 0; k < 16; ++k) {
      const int lane_a = (row % 8) * 4 + (k % 8) / 2, word_a = row / 8 + 2 * (k / 8);
      const int lane_b = column * 4 + (k % 8) / 2;
      const int shift = 16 * (k % 2);
      sum += Float(static_cast<unsigned short>(rows[word_a][lane_a] >> shift)) *
             Float(static_cast<unsigned short>(columns[k / 8][lane_b] >> shift));
    }
    d[n] = sum;
  }
}
inline void mma_f16_16816(float* d, const unsigned* a, const unsigned* b, CUDA_HERE) {
  cuda_mma_16816<cuda_from_half>(d, a, b, "mma_f16_16816", file, line);
}
inline void mma_bf16_16816(float* d, const unsigned* a, const unsigned* b, CUDA_HERE) {
  cuda_mma_16816<cuda_from_bfloat>(d, a, b, "mma_bf16_16816", file, line);
}

// What the prelude's wrapper of `dp4a` does.
inline int dot_u8_s8(unsigned a, unsigned b, int sum) {
  for (int k = 0; k < 4; ++k) {
    sum += static_cast<int>(a >> (8 * k) & 255u) * static_cast<int>(static_cast<signed char>(b >> (8 * k) & 255u));
  }
  return sum;
}

// ---- mathematics

#define CUDA_MATH1(F) F(sqrt) F(cbrt) F(exp) F(exp2) F(expm1) F(log) F(log2) F(log10) F(log1p) F(sin) F(cos) F(tan)      \
  F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(erf) F(erfc) F(tgamma) F(lgamma)          \
  F(floor) F(ceil) F(trunc) F(round) F(rint) F(nearbyint) F(fabs) F(logb)
#define CUDA_MATH2(F) F(pow) F(atan2) F(fmod) F(remainder) F(hypot) F(fmin) F(fmax) F(copysign) F(nextafter) F(fdim)
#define CUDA_DECLARE1(name)                     \
  extern "C" double name(double) noexcept;      \
  extern "C" float name##f(float) noexcept;     \
  inline float name(float x) { return name##f(x); }
#define CUDA_DECLARE2(name)                            \
  extern "C" double name(double, double) noexcept;     \
  extern "C" float name##f(float, float) noexcept;     \
  inline float name(float x, float y) { return name##f(x, y); }
CUDA_MATH1(CUDA_DECLARE1)
CUDA_MATH2(CUDA_DECLARE2)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
extern "C" int abs(int) noexcept;
extern "C" double j0(double) noexcept;
extern "C" double j1(double) noexcept;
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float rsqrtf(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
template <class T>
bool isnan(T x) {
  return __builtin_isnan(x);
}
template <class T>
bool isinf(T x) {
  return __builtin_isinf(x) != 0;
}
template <class T>
bool isfinite(T x) {
  return __builtin_isfinite(x);
}
template <class T>
bool signbit(T x) {
  return __builtin_signbit(x) != 0;
}
#define CUDA_MIN_MAX(T)                              \
  inline T min(T x, T y) { return y < x ? y : x; }   \
  inline T max(T x, T y) { return x < y ? y : x; }
CUDA_MIN_MAX(int)
CUDA_MIN_MAX(unsigned)
CUDA_MIN_MAX(long)
CUDA_MIN_MAX(unsigned long)
CUDA_MIN_MAX(long long)
CUDA_MIN_MAX(unsigned long long)
inline float min(float x, float y) { return fminf(x, y); }
inline float max(float x, float y) { return fmaxf(x, y); }
inline double min(double x, double y) { return fmin(x, y); }
inline double max(double x, double y) { return fmax(x, y); }

// ---- bits

template <class To, class From>
To cuda_bits(From v) {
  static_assert(sizeof(To) == sizeof(From));
  To t;
  __builtin_memcpy(&t, &v, sizeof t);
  return t;
}
inline int __float_as_int(float v) { return cuda_bits<int>(v); }
inline unsigned __float_as_uint(float v) { return cuda_bits<unsigned>(v); }
inline float __int_as_float(int v) { return cuda_bits<float>(v); }
inline float __uint_as_float(unsigned v) { return cuda_bits<float>(v); }
inline long long __double_as_longlong(double v) { return cuda_bits<long long>(v); }
inline double __longlong_as_double(long long v) { return cuda_bits<double>(v); }
inline int __clz(int v) { return v == 0 ? 32 : __builtin_clz(static_cast<unsigned>(v)); }
inline int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(v)); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int n = 0; n < 32; ++n) r |= (v >> n & 1u) << (31 - n);
  return r;
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
  unsigned r = 0;
  for (int n = 0; n < 4; ++n) {
    const unsigned nibble = selector >> 4 * n & 15u;
    const unsigned byte = static_cast<unsigned>(both >> 8 * (nibble & 7u)) & 255u;
    r |= ((nibble & 8u) != 0 ? (byte & 128u ? 255u : 0u) : byte) << 8 * n;
  }
  return r;
}
// Of the operations with a rounding in their name, those that round to nearest: what the plain operators do.
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __dsqrt_rn(double x) { return sqrt(x); }

// ---- kernels: `translate.h` adds CUDA_ENTRY for each at the end of the text

template <class T>
constexpr bool cuda_writes = false;
template <class T>
constexpr bool cuda_writes<T*> = true;
template <class T>
constexpr bool cuda_writes<const T*> = false;
template <int... N>
struct CudaNumbers {};
template <class... A>
struct CudaCall {
  static constexpr CudaParameter of[sizeof...(A) + 1] = {{sizeof(A), alignof(A), cuda_writes<A>}..., {}};
  template <int... N>
  __attribute__((no_sanitize_address)) static void apply(void (*f)(A...), void** a, CudaNumbers<N...>) {
    f(*static_cast<A*>(a[N])...);
  }
};
template <class... A>
CudaCall<A...> cuda_call_of(void (*)(A...));
#define CUDA_ENTRY(name, threads)                                                                  \
  extern "C" __attribute__((visibility("default"))) const CudaEntry cuda_entry_##name;             \
  const CudaEntry cuda_entry_##name = {cuda_enter<name>, cuda_count(name), decltype(cuda_call_of(name))::of, threads};
template <int N, int... R>
struct CudaCount : CudaCount<N - 1, N - 1, R...> {};
template <int... R>
struct CudaCount<0, R...> {
  using Type = CudaNumbers<R...>;
};
template <class... A>
constexpr unsigned cuda_count(void (*)(A...)) {
  return sizeof...(A);
}
template <auto F>
__attribute__((no_sanitize_address)) void cuda_enter(void** arguments) {
  decltype(cuda_call_of(F))::apply(F, arguments, typename CudaCount<static_cast<int>(cuda_count(F))>::Type());
}

// The block's static shared arrays are what the shared object has per thread of the host; this makes sure that it has.
static __thread char cuda_mark = 1;
extern "C" __attribute__((visibility("default"))) void* cuda_shared_mark() { return &cuda_mark; }

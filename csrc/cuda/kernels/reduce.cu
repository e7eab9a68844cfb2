// sum, prod, amax, amin, all, any, argmax, argmin over any axes.
//
// The host names: ELEMENT, the operand's type; RESULT, the result's; FOLD, a fold below; INDEX, u32 or u64,
// that holds every offset; KEPT and OVER, the number of outer axes that are kept and reduced; VEC, elements of a pack.

#include "blocks.cuh"

typedef ELEMENT T;
typedef RESULT Out;

struct Axes {
  i64 size[16], stride[16];
};

// The offset of element i of a box.
template <int kRank>
FN INDEX offset_of(INDEX i, const Axes& a) {
  INDEX at = 0;
#pragma unroll
  for (int d = kRank - 1; d > 0; --d) {
    const INDEX size = (INDEX)a.size[d], rest = i / size;
    at += (i - rest * size) * (INDEX)a.stride[d];
    i = rest;
  }
  return kRank > 0 ? at + i * (INDEX)a.stride[0] : 0;
}

template <class A>
struct Sum : Plus<A> {
  static __device__ A lift(T x, INDEX) { return (A)x; }
};

template <class A>
struct Prod {
  typedef A Acc;
  static __device__ A none() { return A(1); }
  static __device__ A lift(T x, INDEX) { return (A)x; }
  static __device__ A join(A a, A b) { return a * b; }
};

// A NaN replaces every number, and no number replaces a NaN.
template <class A>
struct Amax {
  typedef A Acc;
  static __device__ A none() { return Limits<A>::lowest(); }
  static __device__ A lift(T x, INDEX) { return (A)x; }
  static __device__ A join(A a, A b) { return b > a || b != b ? b : a; }
};

template <class A>
struct Amin {
  typedef A Acc;
  static __device__ A none() { return Limits<A>::highest(); }
  static __device__ A lift(T x, INDEX) { return (A)x; }
  static __device__ A join(A a, A b) { return b < a || b != b ? b : a; }
};

template <class A>
struct All {
  typedef u32 Acc;
  static __device__ u32 none() { return 1; }
  static __device__ u32 lift(T x, INDEX) { return (A)x != A(0); }
  static __device__ u32 join(u32 a, u32 b) { return a & b; }
};

template <class A>
struct Any {
  typedef u32 Acc;
  static __device__ u32 none() { return 0; }
  static __device__ u32 lift(T x, INDEX) { return (A)x != A(0); }
  static __device__ u32 join(u32 a, u32 b) { return a | b; }
};

// The extreme and its place: the first of equal elements, or the first NaN if there is one. So no order of the joins
// changes it.
template <class A>
struct Extreme {
  A value;
  i64 at;  // -1: none yet
};

template <class A>
__device__ Extreme<A> exchange(Extreme<A> v, int mask) {
  return {exchange(v.value, mask), exchange(v.at, mask)};
}

template <class A, bool MAX>
struct Place {
  typedef Extreme<A> Acc;
  static __device__ Acc none() { return {A(0), -1}; }
  static __device__ Acc lift(T x, INDEX i) { return {(A)x, (i64)i}; }
  static __device__ Acc join(Acc a, Acc b) {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    const bool better = b_nan ? !a_nan : !a_nan && (MAX ? b.value > a.value : b.value < a.value);
    const bool equal = a_nan ? b_nan : b.value == a.value;
    return better || (equal && b.at < a.at) ? b : a;
  }
};
template <class A>
using ArgMax = Place<A, true>;
template <class A>
using ArgMin = Place<A, false>;

typedef FOLD Fold;
typedef Fold::Acc Acc;

__device__ Out result(u32 a) { return (Out)a; }
template <class A>
__device__ Out result(A a) {
  return (Out)a;
}
template <class A>
__device__ Out result(Extreme<A> a) {
  return (Out)a.at;
}

// Takes the elements i = first, first + step, ... below last; load(i, parts) joins kParts elements to the parts. Every 64
// steps the parts go to the totals: of n steps an error is that of 64 + n / 64 additions.
template <int kParts, class Load>
__device__ Acc accumulate(INDEX first, INDEX last, INDEX step, Load&& load) {
  Acc total[kParts];
#pragma unroll
  for (int k = 0; k < kParts; ++k) total[k] = Fold::none();
  while (first < last) {
    Acc part[kParts];
#pragma unroll
    for (int k = 0; k < kParts; ++k) part[k] = Fold::none();
    for (int turn = 0; turn < 64 && first < last; ++turn, first += step) load(first, part);
#pragma unroll
    for (int k = 0; k < kParts; ++k) total[k] = Fold::join(total[k], part[k]);
  }
#pragma unroll
  for (int half = kParts / 2; half > 0; half /= 2) {
#pragma unroll
    for (int k = 0; k < half; ++k) total[k] = Fold::join(total[k], total[k + half]);
  }
  return total[0];
}

// The innermost axis is reduced: `lanes` threads for one output, of `count` elements in runs of `run`. Segment s of the
// elements begins at s * share; where there are several, their results go to `partial`.
extern "C" __global__ void __launch_bounds__(256, 1) rows(const T* x, Out* out, Acc* partial, u64 outputs,
                                                      u64 count, u64 run,
                                                      u64 share, u32 lanes, Axes kept, Axes over) {
  __shared__ Acc scratch[8];
  const u64 o = (u64)blockIdx.x * (256 / lanes) + threadIdx.x / lanes;
  const u64 begin = blockIdx.y * share, end = begin + share;
  Acc a = Fold::none();
  if (o < outputs) {
    const T* from = x + offset_of<KEPT>((INDEX)o, kept);
    const INDEX length = (INDEX)run, first = (INDEX)begin + threadIdx.x % lanes * VEC;
    a = accumulate<VEC>(first, (INDEX)(end < count ? end : count), (INDEX)lanes * VEC, [&](INDEX i, Acc* part) {
      const Several<T, VEC> pack =
          load_several<VEC>(from + (OVER > 0 ? offset_of<OVER>(i / length, over) + i % length : i));
#pragma unroll
      for (int k = 0; k < VEC; ++k) part[k] = Fold::join(part[k], Fold::lift(pack.at[k], i + k));
    });
  }
  a = fold_lanes<Fold>(a, lanes, scratch);
  if (o >= outputs || threadIdx.x % lanes != 0) return;
  if (gridDim.y > 1) {
    partial[blockIdx.y * outputs + o] = a;
  } else {
    out[o] = result(a);
  }
}

// The innermost axis is kept: a block has `width` neighbouring columns (a power of two up to 32), and its threads of
// one column share that column's `count` elements.
extern "C" __global__ void __launch_bounds__(256, 1) columns(const T* x, Out* out, Acc* partial,
                                                         u64 outputs, u64 count,
                                                         u64 across, u64 share,
                                                         u32 width, Axes kept, Axes over) {
  __shared__ Acc scratch[256];
  const u64 tiles = (across + width - 1) / width, tile = blockIdx.x % tiles;
  const u64 plane = blockIdx.x / tiles, column = tile * width + threadIdx.x % width;
  const u64 begin = blockIdx.y * share, end = begin + share;
  Acc a = Fold::none();
  if (column < across) {
    const T* from = x + offset_of<KEPT>((INDEX)plane, kept) + column;
    constexpr int kAtOnce = 4;
    const INDEX last = (INDEX)(end < count ? end : count), step = 256 / width;
    a = accumulate<kAtOnce>((INDEX)begin + threadIdx.x / width, last, kAtOnce * step, [&](INDEX i, Acc* part) {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k, i += step) {
        if (i < last) part[k] = Fold::join(part[k], Fold::lift(from[offset_of<OVER>(i, over)], i));
      }
    });
  }
  a = fold_columns<Fold>(a, width, scratch);
  if (column >= across || threadIdx.x >= width) return;
  const u64 o = plane * across + column;
  if (gridDim.y > 1) {
    partial[blockIdx.y * outputs + o] = a;
  } else {
    out[o] = result(a);
  }
}

// Joins what the segments gave, as `columns` does.
extern "C" __global__ void __launch_bounds__(256, 1) segments(const Acc* partial, Out* out, u64 outputs,
                                                          u32 count, u32 width) {
  __shared__ Acc scratch[256];
  const u64 o = (u64)blockIdx.x * width + threadIdx.x % width;
  Acc a = Fold::none();
  if (o < outputs) {
    for (u32 s = threadIdx.x / width; s < count; s += 256 / width) a = Fold::join(a, partial[s * outputs + o]);
  }
  a = fold_columns<Fold>(a, width, scratch);
  if (o < outputs && threadIdx.x < width) out[o] = result(a);
}

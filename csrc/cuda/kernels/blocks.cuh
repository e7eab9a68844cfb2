// Reductions of a warp and of a block, by fixed trees: the same bits whatever the order of threads. And rows of elements
// that groups of threads read.
//
// A Fold has `Acc`, what it accumulates in, `none()`, and `join(a, b)`.

template <class A>
struct Limits;
template <>
struct Limits<float> {
  static FN float highest() { return bits_as<float>(0x7f800000u); }
  static FN float lowest() { return -highest(); }
};
template <>
struct Limits<double> {
  static FN double highest() { return bits_as<double>((u64)0x7ff0000000000000u); }
  static FN double lowest() { return -highest(); }
};
template <>
struct Limits<i32> {
  static FN i32 highest() { return 0x7fffffff; }
  static FN i32 lowest() { return -0x7fffffff - 1; }
};
template <>
struct Limits<u32> {
  static FN u32 highest() { return 0xffffffffu; }
  static FN u32 lowest() { return 0; }
};
template <>
struct Limits<i64> {
  static FN i64 highest() { return 0x7fffffffffffffff; }
  static FN i64 lowest() { return -0x7fffffffffffffff - 1; }
};
template <>
struct Limits<u64> {
  static FN u64 highest() { return 0xffffffffffffffffu; }
  static FN u64 lowest() { return 0; }
};

template <class V>
__device__ V exchange(V v, int mask) {
  return __shfl_xor_sync(0xffffffffu, v, mask);
}

// What the `lanes` neighbouring threads have, joined; each of them gets it. `lanes` is a power of two up to 32, or the
// size of the block, a multiple of 32. All threads of the block take part. `scratch` has an element per warp.
template <class Fold, class V>
__device__ V fold_lanes(V v, u32 lanes, V* scratch) {
  for (u32 m = (lanes < 32 ? lanes : 32) / 2; m > 0; m /= 2) {
    const V other = exchange(v, (int)m);
    v = threadIdx.x & m ? Fold::join(other, v) : Fold::join(v, other);
  }
  if (lanes <= 32) return v;
  __syncthreads();  // an earlier call may still be reading
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  V all = scratch[0];
  for (u32 w = 1; w < lanes / 32; ++w) all = Fold::join(all, scratch[w]);
  return all;
}

// The same over the threads t, t + `width`, t + 2 `width`, ... of the block, a power of two of them. The first `width`
// threads get it. `scratch` has an element per thread.
template <class Fold, class V>
__device__ V fold_columns(V v, u32 width, V* scratch) {
  __syncthreads();
  scratch[threadIdx.x] = v;
  for (u32 half = blockDim.x / 2; half >= width; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      v = Fold::join(v, scratch[threadIdx.x + half]);
      scratch[threadIdx.x] = v;
    }
  }
  return v;
}

template <class A>
struct Plus {
  typedef A Acc;
  static __device__ A none() { return A(0); }
  static __device__ A join(A a, A b) { return a + b; }
};

// A NaN is not larger than anything: what softmax subtracts.
template <class A>
struct Largest {
  typedef A Acc;
  static __device__ A none() { return Limits<A>::lowest(); }
  static __device__ A join(A a, A b) { return b > a ? b : a; }
};

FN float exponential(float x) { return expf(x); }
FN double exponential(double x) { return exp(x); }

// ---- several elements at once

template <class T, int kPack>
struct alignas(sizeof(T) * kPack) Several {
  T at[kPack];
};
template <int kBytes>
struct bits_of { typedef bits128_t type; };
template <>
struct bits_of<1> { typedef u8 type; };
template <>
struct bits_of<2> { typedef u16 type; };
template <>
struct bits_of<4> { typedef u32 type; };
template <>
struct bits_of<8> { typedef u64 type; };

// `p` is a multiple of their size, at most 16 bytes.
template <int kPack, class T>
FN Several<T, kPack> load_several(const T* p) {
  typedef typename bits_of<(int)sizeof(T) * kPack>::type Bits;
  return bits_as<Several<T, kPack>>(*reinterpret_cast<const Bits*>(p));
}
// Rounds from what is computed with.
template <int kPack, class T, class W>
FN void store_several(T* p, const W* w) {
  typedef typename bits_of<(int)sizeof(T) * kPack>::type Bits;
  Several<T, kPack> y;
#pragma unroll
  for (int k = 0; k < kPack; ++k) y.at[k] = (T)w[k];
  *reinterpret_cast<Bits*>(p) = bits_as<Bits>(y);
}

// ---- a row of n elements, dealt to `lanes` threads in packs

// kPacks: how many packs a thread has at most, kept in its registers; 0: each pass reads the row again.
template <class T, class W, int kPack, int kPacks>
struct Row {
  const T* x;
  u64 n;
  u32 lane, lanes;
  W kept[kPacks > 0 ? kPacks * kPack : 1];

  // Where `there` is false it has no elements.
  __device__ Row(const T* row, u64 size, u32 my_lane, u32 all_lanes, bool there)
      : x(row), n(there ? size : 0), lane(my_lane), lanes(all_lanes) {
    if constexpr (kPacks > 0) {
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        const u64 i = ((u64)p * lanes + lane) * kPack;
        if (i >= n) continue;
        const Several<T, kPack> pack = load_several<kPack>(x + i);
#pragma unroll
        for (int k = 0; k < kPack; ++k) kept[p * kPack + k] = (W)pack.at[k];
      }
    }
  }

  // f(pack of W, i) for each pack, i being the place of its first element; f may change the pack.
  template <class F>
  __device__ void packs(F&& f) {
    if constexpr (kPacks > 0) {
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        const u64 i = ((u64)p * lanes + lane) * kPack;
        if (i < n) f(kept + p * kPack, i);
      }
    } else {
      for (u64 i = (u64)lane * kPack; i < n; i += (u64)lanes * kPack) {
        const Several<T, kPack> pack = load_several<kPack>(x + i);
        W w[kPack];
#pragma unroll
        for (int k = 0; k < kPack; ++k) w[k] = (W)pack.at[k];
        f(w, i);
      }
    }
  }

  // The largest of the thread's elements.
  __device__ W largest() {
    W top = Largest<W>::none();
    packs([&](W* w, u64) {
#pragma unroll
      for (int k = 0; k < kPack; ++k) top = Largest<W>::join(top, w[k]);
    });
    return top;
  }

  // The sum of term(element, its place) over the thread's elements.
  template <class F>
  __device__ W sum(F&& term) {
    W part[kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) part[k] = W(0);
    packs([&](W* w, u64 i) {
#pragma unroll
      for (int k = 0; k < kPack; ++k) part[k] += term(w[k], i + k);
    });
#pragma unroll
    for (int half = kPack / 2; half > 0; half /= 2) {
#pragma unroll
      for (int k = 0; k < half; ++k) part[k] += part[k + half];
    }
    return part[0];
  }
};


// The loops of reduce.h, written once with g++'s vector types and compiled per instruction set. Everything is
// in an anonymous namespace and calls no library function, so that no code of a wider set can reach a
// narrower machine.
#pragma once
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/half.h"
#include "cpu/kernels/reduce.h"

namespace minds::cpu {
namespace {

constexpr int kVectorBytes = 64;

template <class A>
struct Lanes {
  typedef A type __attribute__((vector_size(kVectorBytes)));
  static constexpr int64_t kCount = kVectorBytes / sizeof(A);
};
template <class A>
using Vector = typename Lanes<A>::type;

template <class T>
constexpr bool kHalf = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
template <size_t kSize>
using Unsigned = std::conditional_t<
    kSize == 1, uint8_t,
    std::conditional_t<kSize == 2, uint16_t, std::conditional_t<kSize == 4, uint32_t, uint64_t>>>;

// A step takes a scalar or a vector of lanes. Vectors go by reference: passing them by value would change the
// ABI.
struct Sum {
  static constexpr bool kTruth = false;
  template <class A>
  static constexpr A kIdentity = A(0);
  template <class V>
  static inline void step(V& a, const V& x) {
    a = a + x;
  }
};

struct Prod {
  static constexpr bool kTruth = false;
  template <class A>
  static constexpr A kIdentity = A(1);
  template <class V>
  static inline void step(V& a, const V& x) {
    if constexpr (std::is_integral_v<V> && sizeof(V) < 4) {
      a = static_cast<V>(uint32_t{a} * uint32_t{x});  // as int the product could overflow
    } else {
      a = a * x;
    }
  }
};

// A NaN replaces every number, and no number replaces a NaN.
struct Amax {
  static constexpr bool kTruth = false;
  template <class A>
  static constexpr A kIdentity = std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                                      : std::numeric_limits<A>::lowest();
  template <class V>
  static inline void step(V& a, const V& x) {
    a = ((x > a) | (x != x)) ? x : a;
  }
};

struct Amin {
  static constexpr bool kTruth = false;
  template <class A>
  static constexpr A kIdentity = std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                                      : std::numeric_limits<A>::max();
  template <class V>
  static inline void step(V& a, const V& x) {
    a = ((x < a) | (x != x)) ? x : a;
  }
};

// Truth is a mask: all bits or none.
struct All {
  static constexpr bool kTruth = true;
  template <class A>
  static constexpr A kIdentity = static_cast<A>(~A(0));
  template <class V>
  static inline void step(V& a, const V& x) {
    a = a & x;
  }
};

struct Any {
  static constexpr bool kTruth = true;
  template <class A>
  static constexpr A kIdentity = A(0);
  template <class V>
  static inline void step(V& a, const V& x) {
    a = a | x;
  }
};

// float16 bits to float without a branch: the exponent is rebased by an exact multiplication.
template <class Bits, class Float>
inline void decode_half(const Bits& h, Float& f) {
  const Bits a = (h & 0x7fffu) << 13, sign = (h & 0x8000u) << 16;
  Float v;
  std::memcpy(&v, &a, sizeof v);
  v = v * 0x1p112f;
  Bits u;
  std::memcpy(&u, &v, sizeof u);
  u = u | sign | (a >= 0x0f800000u ? (Bits{} | 0x7f800000u) : Bits{});
  std::memcpy(&f, &u, sizeof f);
}

template <class Op, class T>
struct Loops {
  using A = std::conditional_t<Op::kTruth, Unsigned<sizeof(T)>, std::conditional_t<kHalf<T>, float, T>>;
  using V = Vector<A>;
  static constexpr int64_t kLanes = Lanes<A>::kCount;

  static inline void load(const T* x, A& a) {
    if constexpr (Op::kTruth && kHalf<T>) {
      a = (x->bits & 0x7fffu) != 0 ? static_cast<A>(~A(0)) : A(0);
    } else if constexpr (Op::kTruth) {
      a = *x != T(0) ? static_cast<A>(~A(0)) : A(0);
    } else if constexpr (std::is_same_v<T, float16>) {
      decode_half(uint32_t{x->bits}, a);
    } else if constexpr (std::is_same_v<T, bfloat16>) {
      const uint32_t u = uint32_t{x->bits} << 16;
      std::memcpy(&a, &u, sizeof a);
    } else {
      a = *x;
    }
  }

  static inline void load(const T* x, V& v) {
    if constexpr (Op::kTruth) {
      if constexpr (kHalf<T>) {
        std::memcpy(&v, x, sizeof v);
        v = (V)((v & 0x7fffu) != 0);
      } else {
        Vector<T> t;
        std::memcpy(&t, x, sizeof t);
        v = (V)(t != T(0));
      }
    } else if constexpr (kHalf<T>) {
      typedef uint16_t Narrow __attribute__((vector_size(kVectorBytes / 2)));
      typedef uint32_t Bits __attribute__((vector_size(kVectorBytes)));
      Narrow h;
      std::memcpy(&h, x, sizeof h);
      Bits u = __builtin_convertvector(h, Bits);
      if constexpr (std::is_same_v<T, float16>) {
        decode_half(u, v);
      } else {
        u = u << 16;
        std::memcpy(&v, &u, sizeof v);
      }
    } else {
      std::memcpy(&v, x, sizeof v);
    }
  }

  // Fewer elements than lanes go one by one; others through four vectors, then a tree over vectors and lanes,
  // then the tail.
  static A block(const T* x, int64_t n) {
    int64_t i = 0;
    A total = Op::template kIdentity<A>;
    if (n >= kLanes) {
      V v[4];
      for (V& lanes : v) lanes = V{} + Op::template kIdentity<A>;
      for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
        for (int k = 0; k < 4; ++k) {
          V t;
          load(x + i + k * kLanes, t);
          Op::step(v[k], t);
        }
      }
      for (; i + kLanes <= n; i += kLanes) {
        V t;
        load(x + i, t);
        Op::step(v[0], t);
      }
      Op::step(v[0], v[1]);
      Op::step(v[2], v[3]);
      Op::step(v[0], v[2]);
      A lane[kLanes];
      std::memcpy(lane, &v[0], sizeof lane);
      for (int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (int64_t k = 0; k < half; ++k) Op::step(lane[k], lane[k + half]);
      }
      total = lane[0];
    }
    for (; i < n; ++i) {
      A t;
      load(x + i, t);
      Op::step(total, t);
    }
    return total;
  }

  static void inner(const void* x, int64_t rows, int64_t stride, int64_t n, void* acc) {
    for (int64_t r = 0; r < rows; ++r)
      static_cast<A*>(acc)[r] = block(static_cast<const T*>(x) + r * stride, n);
  }

  // Adds the tree of eight rows at one column, or at one vector of columns.
  template <class V1>
  static inline void eight(const T* x, int64_t stride, V1& a) {
    V1 t[8];
    for (int k = 0; k < 8; ++k) load(x + k * stride, t[k]);
    for (int half = 4; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) Op::step(t[k], t[k + half]);
    }
    Op::step(a, t[0]);
  }

  static void outer(const void* from, int64_t rows, int64_t stride, int64_t width, void* to) {
    A* acc = static_cast<A*>(to);
    identity(acc, width);
    int64_t r = 0;
    for (; r + 8 <= rows; r += 8) {
      const T* x = static_cast<const T*>(from) + r * stride;
      int64_t j = 0;
      for (; j + kLanes <= width; j += kLanes) {
        V a;
        std::memcpy(&a, acc + j, sizeof a);
        eight(x + j, stride, a);
        std::memcpy(acc + j, &a, sizeof a);
      }
      for (; j < width; ++j) eight(x + j, stride, acc[j]);
    }
    for (; r < rows; ++r) {
      const T* x = static_cast<const T*>(from) + r * stride;
      int64_t j = 0;
      for (; j + kLanes <= width; j += kLanes) {
        V a, t;
        std::memcpy(&a, acc + j, sizeof a);
        load(x + j, t);
        Op::step(a, t);
        std::memcpy(acc + j, &a, sizeof a);
      }
      for (; j < width; ++j) {
        A t;
        load(x + j, t);
        Op::step(acc[j], t);
      }
    }
  }

  static void identity(void* acc, int64_t width) {
    for (int64_t j = 0; j < width; ++j) static_cast<A*>(acc)[j] = Op::template kIdentity<A>;
  }

  static void combine(void* acc, const void* other, int64_t width) {
    for (int64_t j = 0; j < width; ++j) Op::step(static_cast<A*>(acc)[j], static_cast<const A*>(other)[j]);
  }

  static const ReduceLoops* table() {
    static constexpr ReduceLoops loops{sizeof(T), sizeof(A), inner, outer, identity, combine};
    return &loops;
  }
};

// Sums and products of signed integers wrap, which is what the unsigned ones do.
template <class Op>
const ReduceLoops* arithmetic(DType t) {
  switch (t) {
    case DType::kInt8:
    case DType::kUInt8:
      return Loops<Op, uint8_t>::table();
    case DType::kInt16:
    case DType::kUInt16:
      return Loops<Op, uint16_t>::table();
    case DType::kInt32:
    case DType::kUInt32:
      return Loops<Op, uint32_t>::table();
    case DType::kInt64:
    case DType::kUInt64:
      return Loops<Op, uint64_t>::table();
    case DType::kFloat16:
      return Loops<Op, float16>::table();
    case DType::kBFloat16:
      return Loops<Op, bfloat16>::table();
    case DType::kFloat32:
      return Loops<Op, float>::table();
    case DType::kFloat64:
      return Loops<Op, double>::table();
    default:
      return nullptr;
  }
}

template <class Op>
const ReduceLoops* ordered(DType t) {
  switch (t) {
    case DType::kInt8:
      return Loops<Op, int8_t>::table();
    case DType::kInt16:
      return Loops<Op, int16_t>::table();
    case DType::kInt32:
      return Loops<Op, int32_t>::table();
    case DType::kInt64:
      return Loops<Op, int64_t>::table();
    case DType::kBool:
      return Loops<Op, uint8_t>::table();
    default:
      return arithmetic<Op>(t);
  }
}

template <class Op>
const ReduceLoops* truth(DType t) {
  return t == DType::kBool ? Loops<Op, uint8_t>::table() : arithmetic<Op>(t);
}

inline const ReduceLoops* reduce_loops(ReduceOp op, DType t) {
  switch (op) {
    case ReduceOp::kSum:
      return arithmetic<Sum>(t);
    case ReduceOp::kProd:
      return arithmetic<Prod>(t);
    case ReduceOp::kAmax:
      return ordered<Amax>(t);
    case ReduceOp::kAmin:
      return ordered<Amin>(t);
    case ReduceOp::kAll:
      return truth<All>(t);
    default:
      return truth<Any>(t);
  }
}

}  // namespace
}  // namespace minds::cpu

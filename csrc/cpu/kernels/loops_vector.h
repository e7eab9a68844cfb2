// The vectorised loops, written once with vector types and compiled per instruction set. The including file
// defines MINDS_VECTOR_BYTES and MINDS_LOOPS, the name of the function that enters the loops into the table.
//
// Only for those files: everything here is in an unnamed namespace and no inline function of the standard
// library is used, because a copy of one compiled for AVX-512 could be the one that the linker keeps for
// everybody.
#include <string.h>

#include "cpu/kernels/loops.h"

#include "cpu/kernels/vector_math.h"

namespace minds::cpu {
namespace {

template <class V, class T>
V load(const T* p) {
  V v;
  memcpy(&v, p, sizeof v);
  return v;
}

// Whole vectors, then what is left on a padded copy.
template <class Op, class T>
void unary(void* dst, const void* a, int64_t n) {
  using V = Vec<T>;
  constexpr int64_t w = kVectorBytes / static_cast<int64_t>(sizeof(T));
  auto* d = static_cast<T*>(dst);
  const auto* x = static_cast<const T*>(a);
  int64_t i = 0;
  for (; i + w <= n; i += w) {
    const V r = Op::apply(load<V>(x + i));
    memcpy(d + i, &r, sizeof r);
  }
  if (i < n) {
    T rest[w] = {};
    memcpy(rest, x + i, static_cast<size_t>(n - i) * sizeof(T));
    const V r = Op::apply(load<V>(rest));
    memcpy(d + i, &r, static_cast<size_t>(n - i) * sizeof(T));
  }
}

// As `unary`, for a float formula that is evaluated in double and holds for |x| < Op::limit. What lies beyond
// is looked for afterwards, in a loop that costs little, and is computed one by one.
template <class Op>
void unary_in_double(void* dst, const void* a, int64_t n) {
  constexpr int64_t w = kVectorBytes / static_cast<int64_t>(sizeof(double)), tile = 512;
  typedef float Half __attribute__((vector_size(w * sizeof(float))));
  auto* d = static_cast<float*>(dst);
  const auto* x = static_cast<const float*>(a);
  float in[tile], out[tile];
  for (int64_t i = 0; i < n; i += tile) {
    const int64_t m = n - i < tile ? n - i : tile, padded = (m + w - 1) / w * w;
    memcpy(in, x + i, static_cast<size_t>(m) * sizeof(float));
    for (int64_t j = m; j < padded; ++j) in[j] = 0;
    int beyond = 0;
    for (int64_t j = 0; j < padded; j += w) {
      const Half r =
          __builtin_convertvector(Op::apply(__builtin_convertvector(load<Half>(in + j), Vec<double>)), Half);
      memcpy(out + j, &r, sizeof r);
    }
    for (int64_t j = 0; j < m; ++j) beyond |= !(__builtin_fabsf(in[j]) < Op::limit);
    for (int64_t j = 0; beyond && j < m; ++j) {
      if (!(__builtin_fabsf(in[j]) < Op::limit)) out[j] = static_cast<float>(Op::exact(in[j]));
    }
    memcpy(d + i, out, static_cast<size_t>(m) * sizeof(float));
  }
}

enum Shape { kBoth, kLeftNumber, kRightNumber };

template <class Op, class T, Shape shape>
void binary(void* dst, const void* a, const void* b, int64_t n) {
  using V = Vec<T>;
  constexpr int64_t w = kVectorBytes / static_cast<int64_t>(sizeof(T));
  auto* d = static_cast<T*>(dst);
  const auto *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  V u = {}, v = {};
  if constexpr (shape == kLeftNumber) u = splat<T>(*x);
  if constexpr (shape == kRightNumber) v = splat<T>(*y);
  int64_t i = 0;
  for (; i + w <= n; i += w) {
    if constexpr (shape != kLeftNumber) u = load<V>(x + i);
    if constexpr (shape != kRightNumber) v = load<V>(y + i);
    const V r = Op::apply(u, v);
    memcpy(d + i, &r, sizeof r);
  }
  if (i < n) {
    const size_t bytes = static_cast<size_t>(n - i) * sizeof(T);
    if constexpr (shape != kLeftNumber) {
      u = V{};
      memcpy(&u, x + i, bytes);
    }
    if constexpr (shape != kRightNumber) {
      v = V{};
      memcpy(&v, y + i, bytes);
    }
    const V r = Op::apply(u, v);
    memcpy(d + i, &r, bytes);
  }
}

// Truth is a byte; the compiler vectorises that by itself.
template <class Op, class T>
void test(void* dst, const void* a, int64_t n) {
  auto* d = static_cast<uint8_t*>(dst);
  const auto* x = static_cast<const T*>(a);
  for (int64_t i = 0; i < n; ++i) d[i] = Op::apply(x[i]);
}

template <class Op, class T, Shape shape>
void compare(void* dst, const void* a, const void* b, int64_t n) {
  auto* d = static_cast<uint8_t*>(dst);
  const auto *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  for (int64_t i = 0; i < n; ++i) {
    d[i] = Op::apply(x[shape == kLeftNumber ? 0 : i], y[shape == kRightNumber ? 0 : i]);
  }
}

template <class Op, class T>
void add_exact(LoopTable& t, UnaryOp op, DType d) {
  if constexpr (Op::template kTakes<T>) {
    UnaryLoop& loop = t.unary[static_cast<int>(op)][static_cast<int>(d)];
    if constexpr (Op::kTruth) {
      loop = test<Op, T>;
    } else {
      loop = unary<Op, T>;
    }
  }
}

template <class Op, class T>
void add_exact(LoopTable& t, BinaryOp op, DType d) {
  if constexpr (Op::template kTakes<T>) {
    BinaryLoops& loops = t.binary[static_cast<int>(op)][static_cast<int>(d)];
    if constexpr (Op::kTruth) {
      loops = {compare<Op, T, kBoth>, compare<Op, T, kLeftNumber>, compare<Op, T, kRightNumber>};
    } else {
      loops = {binary<Op, T, kBoth>, binary<Op, T, kLeftNumber>, binary<Op, T, kRightNumber>};
    }
  }
}

// The float32 loop of what has a `Polynomial`; `in_double` if that is evaluated in double.
template <UnaryOp op>
void add_polynomial(LoopTable& t) {
  if constexpr (requires { &Polynomial<op>::apply; }) {
    UnaryLoop& loop = t.unary[static_cast<int>(op)][static_cast<int>(DType::kFloat32)];
    if constexpr (requires { Polynomial<op>::limit; }) {
      loop = unary_in_double<Polynomial<op>>;
    } else {
      loop = unary<Polynomial<op>, float>;
    }
    t.vectorised[static_cast<int>(op)] = true;
  }
}

#define MINDS_EXACT_LOOPS(Op, Name)                               \
  add_exact<exact::Name, float>(t, Op::k##Name, DType::kFloat32); \
  add_exact<exact::Name, double>(t, Op::k##Name, DType::kFloat64);
#define MINDS_UNARY_LOOPS(Name, ...) MINDS_EXACT_LOOPS(UnaryOp, Name)
#define MINDS_BINARY_LOOPS(Name, ...) MINDS_EXACT_LOOPS(BinaryOp, Name)
#define MINDS_POLYNOMIAL(Name, ...) add_polynomial<UnaryOp::k##Name>(t);

}  // namespace

void MINDS_LOOPS(LoopTable& t) {
  MINDS_EXACT_UNARY(MINDS_UNARY_LOOPS)
  MINDS_EXACT_BINARY(MINDS_BINARY_LOOPS)
  MINDS_LIBM_UNARY(MINDS_POLYNOMIAL)
  t.widen[0] = widen_float16;
  t.narrow[0] = narrow_float16;
  t.widen[1] = widen_bfloat16;
  t.narrow[1] = narrow_bfloat16;
}

}  // namespace minds::cpu

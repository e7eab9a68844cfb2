// cumsum and cumprod along an axis, computed in RUNNING and rounded per element, so that the error does not grow along
// the axis. Complex numbers run in complex128.
//
// The host names: ELEMENT, the dtype's type; RUNNING; PRODUCT, 0 or 1.

typedef ELEMENT T;
typedef RUNNING R;

template <class A>
FN A lift(A x) { return x; }
FN c128_t lift(c64_t x) { return make_complex<double>(x.re, x.im); }
template <class To, class From>
struct Round {
  static FN To of(From x) { return (To)x; }
};
template <>
struct Round<c64_t, c128_t> {
  static FN c64_t of(c128_t x) { return make_complex<float>((float)x.re, (float)x.im); }
};

template <class A>
struct Start {
  static FN A of(int n) { return (A)n; }
};
template <>
struct Start<c128_t> {
  static FN c128_t of(int n) { return make_complex<double>((double)n, 0.0); }
};

// A factor with an infinite part counts as an infinity of its direction, as C's products of complex numbers.
FN double boxed(double x) { return copysign(isinf(x) ? 1.0 : 0.0, x); }
FN double numbered(double x) { return x != x ? copysign(0.0, x) : x; }
FN c128_t operator*(c128_t a, c128_t b) {
  const c128_t plain = make_complex<double>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  if (plain.re == plain.re || plain.im == plain.im) return plain;
  const bool a_infinite = isinf(a.re) || isinf(a.im), b_infinite = isinf(b.re) || isinf(b.im);
  const bool overflow = isinf(a.re * b.re) || isinf(a.im * b.im) || isinf(a.re * b.im) || isinf(a.im * b.re);
  if (!a_infinite && !b_infinite && !overflow) return plain;
  if (a_infinite) a = make_complex<double>(boxed(a.re), boxed(a.im));
  if (b_infinite) b = make_complex<double>(boxed(b.re), boxed(b.im));
  if (!a_infinite) a = make_complex<double>(numbered(a.re), numbered(a.im));
  if (!b_infinite) b = make_complex<double>(numbered(b.re), numbered(b.im));
  const double infinity = bits_as<double>((u64)0x7ff0000000000000u);
  return make_complex<double>(infinity * (a.re * b.re - a.im * b.im), infinity * (a.re * b.im + a.im * b.re));
}

FN R start() { return Start<R>::of(PRODUCT); }
FN R apply(R a, R b) {
#if PRODUCT
  return a * b;
#else
  return a + b;
#endif
}

template <class A>
FN A from_below(A v, u32 lanes) { return __shfl_up_sync(0xffffffffu, v, lanes); }
FN c128_t from_below(c128_t v, u32 lanes) {
  return make_complex<double>(from_below(v.re, lanes), from_below(v.im, lanes));
}

// A tensor as lines of n elements that lie `inner` apart, each cut in pieces of `share` elements.
struct Lines {
  i64 count, n, inner, pieces, share;
  int reverse, exclusive;
};

// A line in the order of the scan.
struct Line {
  i64 first, step;

  FN Line(const Lines& l, i64 line) : first(line / l.inner * l.n * l.inner + line % l.inner), step(l.inner) {
    if (!l.reverse) return;
    first += (l.n - 1) * step;
    step = -step;
  }
  FN i64 at(i64 i) const { return first + i * step; }
};

FN R element(const T* x, const Line& line, i64 i) { return (R)lift(x[line.at(i)]); }

// A thread for a line, as the CPU does.
extern "C" __global__ void in_order(const T* x, T* out, Lines l) {
  for (i64 number = grid_thread(); number < l.count; number += grid_threads()) {
    const Line line(l, number);
    R running = start();
    for (i64 i = 0; i < l.n; ++i) {
      const R before = running;
      running = apply(running, element(x, line, i));
      out[line.at(i)] = Round<T, R>::of(l.exclusive ? before : running);
    }
  }
}

// What all threads below have, in order, and in `all` what the block has.
FN R scan_block(R own, R& all, R* scratch) {
  R sum = own;  // with those below in the warp
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (u32 d = 1; d < 32; d *= 2) {
    const R below = from_below(sum, d);
    if (lane >= d) sum = apply(below, sum);
  }
  __syncthreads();  // an earlier call may still be reading
  if (lane == 31) scratch[warp] = sum;
  __syncthreads();
  R before = start();
  all = start();
  for (u32 w = 0; w < 8; ++w) {
    if (w == warp) before = all;
    all = apply(all, scratch[w]);
  }
  const R below = from_below(sum, 1);
  return lane == 0 ? before : apply(before, below);
}

// A block for a piece. Its result where `totals` is given, otherwise its scan, which goes on from `before`.
extern "C" __global__ void __launch_bounds__(256, 1) pieces(const T* x, T* out, R* totals, const R* before, Lines l) {
  constexpr int kEach = sizeof(R) > 8 ? 2 : 4;
  __shared__ R scratch[8];
  const Line line(l, blockIdx.x / (u32)l.pieces);
  const i64 begin = blockIdx.x % (u32)l.pieces * l.share;
  const i64 end = begin + l.share < l.n ? begin + l.share : l.n;
  R carry = before != nullptr ? before[blockIdx.x] : start();
  for (i64 first = begin; first < end; first += 256 * kEach) {
    const i64 mine = first + (i64)threadIdx.x * kEach;
    R v[kEach], own = start();
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      v[k] = mine + k < end ? element(x, line, mine + k) : start();
      own = apply(own, v[k]);
    }
    R all;
    R running = apply(carry, scan_block(own, all, scratch));
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const R earlier = running;
      running = apply(running, v[k]);
      if (totals == nullptr && mine + k < end) {
        out[line.at(mine + k)] = Round<T, R>::of(l.exclusive ? earlier : running);
      }
    }
    carry = apply(carry, all);
  }
  if (totals != nullptr && threadIdx.x == 0) totals[blockIdx.x] = carry;
}

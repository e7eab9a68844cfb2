// batch_norm (training), its gradient, and batch_norm_infer: x as (batch, channels, plane), per channel. A channel's
// elements are cut in segments, a block each; every block of the second kernel joins what the first gave, in one order.
//
// The host names: ELEMENT, the dtype's type; WIDE, what is computed in; INDEX, u32 or u64; VEC, elements of a pack, of
// which a plane has a whole number; RELU, 1 where what is negative becomes 0 then; RESIDUAL, 1 where something is added
// before.

#include "blocks.cuh"

typedef ELEMENT T;
typedef WIDE W;
typedef u64 Size;

struct Channels {
  Size channels, plane, each;       // `each`: elements of a channel, batch * plane
  Size segments, share;             // of a channel, and elements of one
};

// The block's channel, and its part of the elements of it.
struct Part {
  INDEX channel, segment, begin, end, plane;
  Size step;  // from a plane of the channel to the next

  __device__ Part(const Channels& c)
      : channel((INDEX)(blockIdx.x / c.segments)),
        segment((INDEX)(blockIdx.x % c.segments)),
        begin(segment * (INDEX)c.share),
        end((INDEX)(begin + c.share < c.each ? begin + c.share : c.each)),
        plane((INDEX)c.plane),
        step(c.channels * c.plane) {}

  // f(offset) of each pack of the thread.
  template <class F>
  __device__ void each(F&& f) const {
    for (INDEX i = begin + threadIdx.x * VEC; i < end; i += 256 * VEC) {
      const INDEX image = i / plane;
      f(image * step + channel * (Size)plane + (i - image * plane));
    }
  }
};

// to[at] = value(element) for a pack of x.
template <class F>
FN void map_pack(T* to, const T* x, Size at, F&& value) {
  const Several<T, VEC> v = load_several<VEC>(x + at);
  W y[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) y[k] = value((W)v.at[k]);
  store_several<VEC>(to + at, y);
}

FN W rectified(W v) { return RELU && v <= 0 ? W(0) : v; }

// A pack of a cotangent: nothing where the result, rectified, is not positive.
FN Several<T, VEC> cotangent(const T* dout, const T* y, Size at) {
  Several<T, VEC> d = load_several<VEC>(dout + at);
  if (RELU) {
    const Several<T, VEC> made = load_several<VEC>(y + at);
#pragma unroll
    for (int k = 0; k < VEC; ++k) d.at[k] = (W)made.at[k] > 0 ? d.at[k] : (T)0.0f;
  }
  return d;
}

// The sum of term(element) over the thread's elements.
template <class F>
__device__ W sum_part(const Part& part, const T* x, F&& term) {
  W sums[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) sums[k] = W(0);
  part.each([&](Size at) {
    const Several<T, VEC> v = load_several<VEC>(x + at);
#pragma unroll
    for (int k = 0; k < VEC; ++k) sums[k] += term((W)v.at[k]);
  });
#pragma unroll
  for (int half = VEC / 2; half > 0; half /= 2) {
#pragma unroll
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

__device__ double sum_block(double v, double* scratch) { return fold_lanes<Plus<double>>(v, 256, scratch); }

// The sum of value(s) over the channel's segments, for every thread.
template <class F>
__device__ double sum_segments(const Channels& c, double* scratch, F&& value) {
  double own = 0;
  for (Size s = threadIdx.x; s < c.segments; s += 256) own += value(s);
  return sum_block(own, scratch);
}

// ---- forward

// Of one segment: the mean, and the sum of squares of distances from it.
struct Moments {
  double mean, spread;
};

extern "C" __global__ void __launch_bounds__(256, 1) moments(const T* x, Moments* partial, Channels c) {
  __shared__ double scratch[8];
  const Part part(c);
  const double n = (double)(part.end - part.begin);
  const W sum = sum_part(part, x, [](W v) { return v; });
  const double mean = sum_block((double)sum, scratch) / n;
  const W m = (W)mean;
  const W spread = sum_part(part, x, [&](W v) { return (v - m) * (v - m); });
  const double all = sum_block((double)spread, scratch);
  if (threadIdx.x == 0) partial[blockIdx.x] = {mean, all - n * (mean - (double)m) * (mean - (double)m)};
}

// (x, gamma, beta, residual) -> (y, mean, var), var biased.
extern "C" __global__ void __launch_bounds__(256, 1) normalize(const T* x, const T* gamma, const T* beta, const T* residual,
                                                           const Moments* partial, T* y, T* mean, T* var, Channels c,
                                                           double eps) {
  __shared__ double scratch[8];
  const Part part(c);
  const Moments* const of = partial + part.channel * c.segments;
  const double n = (double)c.each;  // 0 gives NaN, as a mean of nothing does
  const auto size = [&](Size s) { return (double)(s + 1 < c.segments ? c.share : c.each - s * c.share); };
  const W m = (W)(sum_segments(c, scratch, [&](Size s) { return c.each == 0 ? 0 : size(s) * of[s].mean; }) / n);
  const double spread = sum_segments(c, scratch, [&](Size s) {
    const double away = of[s].mean - (double)m;
    return of[s].spread + size(s) * away * away;
  });
  const W scale = (W)gamma[part.channel] * (W)(1 / sqrt(spread / n + eps)), shift = (W)beta[part.channel];
  if (part.segment == 0 && threadIdx.x == 0) {
    mean[part.channel] = (T)m;
    var[part.channel] = (T)(W)(spread / n);
  }
  part.each([&](Size at) {
    if constexpr (RESIDUAL) {
      const Several<T, VEC> v = load_several<VEC>(x + at), more = load_several<VEC>(residual + at);
      W sum[VEC];
#pragma unroll
      for (int k = 0; k < VEC; ++k) sum[k] = rectified((((W)v.at[k] - m) * scale + shift) + (W)more.at[k]);
      store_several<VEC>(y + at, sum);
    } else {
      map_pack(y, x, at, [&](W v) { return rectified((v - m) * scale + shift); });
    }
  });
}

// (x, gamma, beta, mean, var) -> y
extern "C" __global__ void __launch_bounds__(256, 1) infer(const T* x, const T* gamma, const T* beta, const T* mean,
                                                       const T* var, T* y, Channels c, double eps) {
  const Part part(c);
  const W m = (W)mean[part.channel], shift = (W)beta[part.channel];
  const W scale = (W)gamma[part.channel] * (W)(1 / sqrt((double)(W)var[part.channel] + eps));
  part.each([&](Size at) { map_pack(y, x, at, [&](W v) { return (v - m) * scale + shift; }); });
}

// ---- gradient

struct Products {
  double sum, dot;
};

// Of one segment: sum dout, sum dout (x - mean).
extern "C" __global__ void __launch_bounds__(256, 1) products(const T* dout, const T* y, const T* x, const T* mean,
                                                          Products* partial, Channels c) {
  __shared__ double scratch[8];
  const Part part(c);
  const W m = (W)mean[part.channel];
  W sum = 0, dot = 0;
  part.each([&](Size at) {
    const Several<T, VEC> d = cotangent(dout, y, at), v = load_several<VEC>(x + at);
    W some = 0, products = 0;
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      some += (W)d.at[k];
      products += (W)d.at[k] * ((W)v.at[k] - m);
    }
    sum += some;
    dot += products;
  });
  const double all = sum_block((double)sum, scratch), product = sum_block((double)dot, scratch);
  if (threadIdx.x == 0) partial[blockIdx.x] = {all, product};
}

// (dout, y, x, mean, var, gamma) -> (dx, dgamma, dbeta, dresidual), dresidual being dout where y is positive, and dout that
// from here on
//   dbeta = sum dout,  dgamma = r sum dout (x - mean),  r = 1 / sqrt(var + eps)
//   dx = gamma r (dout - dbeta / n - (x - mean) r dgamma / n)
extern "C" __global__ void __launch_bounds__(256, 1) backward(const T* dout, const T* y, const T* x, const T* mean,
                                                          const T* var, const T* gamma, const Products* partial, T* dx,
                                                          T* dgamma, T* dbeta, T* dresidual, Channels c, double eps) {
  __shared__ double scratch[8];
  const Part part(c);
  const Products* const of = partial + part.channel * c.segments;
  const double n = (double)c.each, r = 1 / sqrt((double)(W)var[part.channel] + eps);
  const double sum = sum_segments(c, scratch, [&](Size s) { return of[s].sum; });
  const double dot = sum_segments(c, scratch, [&](Size s) { return of[s].dot; });
  if (part.segment == 0 && threadIdx.x == 0) {
    dbeta[part.channel] = (T)(W)sum;
    dgamma[part.channel] = (T)(W)(dot * r);
  }
  const double factor = (double)(W)gamma[part.channel] * r;
  const W m = (W)mean[part.channel], scale = (W)factor, slope = (W)(-factor * r * r * dot / n);
  const W shift = (W)(-factor * sum / n);
  part.each([&](Size at) {
    const Several<T, VEC> d = cotangent(dout, y, at), v = load_several<VEC>(x + at);
    W to[VEC];
#pragma unroll
    for (int k = 0; k < VEC; ++k) to[k] = (W)d.at[k] * scale + ((W)v.at[k] - m) * slope + shift;
    store_several<VEC>(dx + at, to);
    if constexpr (RESIDUAL) {
#pragma unroll
      for (int k = 0; k < VEC; ++k) to[k] = (W)d.at[k];
      store_several<VEC>(dresidual + at, to);
    }
  });
}

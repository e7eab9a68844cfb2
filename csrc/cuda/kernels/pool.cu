// Max and average pooling of planes, and their gradients. Sums run in the CPU's order, so they give its bits.
//
// The host names ELEMENT, the dtype's type.

typedef ELEMENT T;
typedef compute_t<T> W;

// As minds::Planes and minds::Window (csrc/kernel/plan).
struct Planes {
  i64 count, in_h, in_w, out_h, out_w;
};
struct Window {
  i64 kernel_h, kernel_w, stride_h, stride_w, top, bottom, left, right, dilation_h, dilation_w;
};

// The places of one window along one axis: begin, begin + dilation, ... below end, all inside the plane.
struct Span {
  i64 begin, end;
  FN Span(i64 o, i64 in, i64 kernel, i64 stride, i64 before, i64 dilation) {
    const i64 start = o * stride - before, outside = start < 0 ? (-start + dilation - 1) / dilation : 0;
    begin = start + outside * dilation;
    end = min(in, start + (kernel - 1) * dilation + 1);
  }
};
FN Span rows_of(i64 o, const Planes& p, const Window& w) {
  return Span(o, p.in_h, w.kernel_h, w.stride_h, w.top, w.dilation_h);
}
FN Span columns_of(i64 o, const Planes& p, const Window& w) {
  return Span(o, p.in_w, w.kernel_w, w.stride_w, w.left, w.dilation_w);
}

// index: the place in its plane of the first maximum; a NaN is a maximum.
extern "C" __global__ void max_pool2d(const T* x, T* out, i64* index, Planes p, Window w) {
  const i64 area = p.out_h * p.out_w;
  for (i64 o = grid_thread(); o < p.count * area; o += grid_threads()) {
    const T* const plane = x + o / area * p.in_h * p.in_w;
    const Span r = rows_of(o % area / p.out_w, p, w), c = columns_of(o % p.out_w, p, w);
    i64 place = r.begin * p.in_w + c.begin;
    T top = plane[place];
    W best = (W)top;
    for (i64 i = r.begin; i < r.end; i += w.dilation_h) {
      for (i64 j = c.begin; j < c.end; j += w.dilation_w) {
        const T here = plane[i * p.in_w + j];
        const W v = (W)here;
        if (v > best || (v != v && best == best)) {
          top = here;
          best = v;
          place = i * p.in_w + j;
        }
      }
    }
    out[o] = top;
    index[o] = place;
  }
}

// Adds each cotangent to its place, in order: a warp for a slice of the places of a plane, which reads the plane's whole
// index. Lanes with the same place take turns. `sums` is dx, or where T is rounded to, as much memory of W.
extern "C" __global__ void __launch_bounds__(256, 1) max_pool2d_dx(const T* dout, const i64* index, T* dx, W* sums,
                                                               Planes p, i64 slices, FaultWord* word, u32 instruction) {
  const i64 in = p.in_h * p.in_w, out = p.out_h * p.out_w, lane = threadIdx.x % 32;
  const i64 warp = grid_thread() / 32, plane = warp / slices, slice = warp % slices, share = (in + slices - 1) / slices;
  const i64 low = slice * share, high = min(in, low + share);
  if (plane >= p.count) return;
  W* const to = sums + plane * in;
  for (i64 i = low + lane; i < high; i += 32) to[i] = W(0);
  __syncwarp();
  for (i64 first = 0; first < out; first += 32) {
    const i64 o = plane * out + first + lane;
    const i64 at = first + lane < out ? index[o] : 0;
    if ((u64)at >= (u64)in && slice == 0 && first + lane < out) fault(word, kPlane, instruction, at, in, o);
    const bool mine = first + lane < out && at >= low && at < high;
    if (__ballot_sync(0xffffffffu, mine) == 0) continue;
    u32 turn = 0;  // how many lanes below have the same place
    const u32 own = mine ? (u32)(at - low) : 0xffffffffu;
    for (u32 d = 1; d < 32; ++d) {
      const u32 other = __shfl_up_sync(0xffffffffu, own, d);
      turn += lane >= d && other == own ? 1 : 0;
    }
    for (u32 now = 0; __ballot_sync(0xffffffffu, mine && turn >= now) != 0; ++now) {
      if (mine && turn == now) to[at] += (W)dout[o];
      __syncwarp();
    }
  }
  if ((const void*)sums == (const void*)dx) return;
  for (i64 i = low + lane; i < high; i += 32) dx[plane * in + i] = (T)to[i];
}

extern "C" __global__ void pool_gather(const T* x, const i64* index, T* out, Planes p, FaultWord* word,
                                       u32 instruction) {
  const i64 in = p.in_h * p.in_w, area = p.out_h * p.out_w;
  for (i64 o = grid_thread(); o < p.count * area; o += grid_threads()) {
    if ((u64)index[o] >= (u64)in) {
      fault(word, kPlane, instruction, index[o], in, o);
    } else {
      out[o] = x[o / area * in + index[o]];
    }
  }
}

// What the sum of a window is divided by: `area`, or where that is 0 the number of its elements.
FN W divisor(const Span& r, const Span& c, i64 area) {
  return (W)(area > 0 ? area : (r.end - r.begin) * (c.end - c.begin));
}

extern "C" __global__ void avg_pool2d(const T* x, T* out, Planes p, Window w, i64 area) {
  const i64 all = p.out_h * p.out_w;
  for (i64 o = grid_thread(); o < p.count * all; o += grid_threads()) {
    const T* const plane = x + o / all * p.in_h * p.in_w;
    const Span r = rows_of(o % all / p.out_w, p, w), c = columns_of(o % p.out_w, p, w);
    W sum = 0;
    for (i64 i = r.begin; i < r.end; ++i) {
      for (i64 j = c.begin; j < c.end; ++j) sum += (W)plane[i * p.in_w + j];
    }
    out[o] = (T)(sum / divisor(r, c, area));
  }
}

// The windows along one axis that hold a place: from `first` up to `last`.
FN i64 first_window(i64 place, i64 kernel, i64 stride, i64 before) {
  const i64 past = place + before - kernel + 1;
  return past <= 0 ? 0 : (past + stride - 1) / stride;
}
FN i64 last_window(i64 place, i64 count, i64 stride, i64 before) { return min(count - 1, (place + before) / stride); }

extern "C" __global__ void avg_pool2d_dx(const T* dout, T* dx, Planes p, Window w, i64 area) {
  const i64 in = p.in_h * p.in_w;
  for (i64 e = grid_thread(); e < p.count * in; e += grid_threads()) {
    const T* const plane = dout + e / in * p.out_h * p.out_w;
    const i64 i = e % in / p.in_w, j = e % p.in_w;
    const i64 bottom = last_window(i, p.out_h, w.stride_h, w.top), right = last_window(j, p.out_w, w.stride_w, w.left);
    W sum = 0;
    for (i64 r = first_window(i, w.kernel_h, w.stride_h, w.top); r <= bottom; ++r) {
      for (i64 c = first_window(j, w.kernel_w, w.stride_w, w.left); c <= right; ++c) {
        sum += (W)plane[r * p.out_w + c] / divisor(rows_of(r, p, w), columns_of(c, p, w), area);
      }
    }
    dx[e] = (T)sum;
  }
}

// Convolutions as products: the windows of an image as columns, and back. T: elements, SUM: what is added up, INDEX: an
// unsigned type that counts the columns' elements.
//
// Columns of a sample are [channel, window row, window column, output row, output column]; a sample's groups of channels
// follow one another.

struct Window {
  i64 in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, top, left, dilation_h, dilation_w;
};

// Bits only: what lies outside of the image is 0.
extern "C" __global__ void unroll(const T* x, T* columns, Window w, i64 n) {
  const INDEX out_w = (INDEX)w.out_w, out_h = (INDEX)w.out_h, kernel_w = (INDEX)w.kernel_w, kernel_h = (INDEX)w.kernel_h;
  for (i64 e = grid_thread(); e < n; e += grid_threads()) {
    INDEX rest = (INDEX)e;
    const i64 col = (i64)(rest % out_w);
    rest /= out_w;
    const i64 row = (i64)(rest % out_h);
    rest /= out_h;
    const i64 j = (i64)(rest % kernel_w);
    rest /= kernel_w;
    const i64 i = (i64)(rest % kernel_h), plane = (i64)(rest / kernel_h);
    const i64 y = row * w.stride_h - w.top + i * w.dilation_h, z = col * w.stride_w - w.left + j * w.dilation_w;
    const bool inside = y >= 0 && y < w.in_h && z >= 0 && z < w.in_w;
    columns[e] = inside ? x[(plane * w.in_h + y) * w.in_w + z] : (T)0;
  }
}

// Each element of the image gets the sum of those of the columns that it went to, in the columns' order.
extern "C" __global__ void roll_back(const SUM* columns, T* dx, Window w, i64 n) {
  const INDEX in_w = (INDEX)w.in_w, in_h = (INDEX)w.in_h;
  for (i64 e = grid_thread(); e < n; e += grid_threads()) {
    const INDEX rest = (INDEX)e / in_w;
    const i64 z = (i64)((INDEX)e - rest * in_w), y = (i64)(rest % in_h), plane = (i64)(rest / in_h);
    SUM sum = (SUM)0;
    for (i64 i = 0; i < w.kernel_h; ++i) {
      const i64 down = y + w.top - i * w.dilation_h, row = down / w.stride_h;
      if (down < 0 || row * w.stride_h != down || row >= w.out_h) continue;
      for (i64 j = 0; j < w.kernel_w; ++j) {
        const i64 across = z + w.left - j * w.dilation_w, col = across / w.stride_w;
        if (across < 0 || col * w.stride_w != across || col >= w.out_w) continue;
        sum += columns[(((plane * w.kernel_h + i) * w.kernel_w + j) * w.out_h + row) * w.out_w + col];
      }
    }
    dx[e] = (T)sum;
  }
}

// sums = (first ? 0 : sums) + parts[0] + parts[1] + ..., of n numbers each; where `out` is not null, the result goes there.
extern "C" __global__ void add_parts(const SUM* parts, i64 count, SUM* sums, T* out, i64 n, int first) {
  for (i64 e = grid_thread(); e < n; e += grid_threads()) {
    SUM sum = first ? (SUM)0 : sums[e];
    for (i64 p = 0; p < count; ++p) sum += parts[p * n + e];
    if (out != nullptr) {
      out[e] = (T)sum;
    } else {
      sums[e] = sum;
    }
  }
}

// Planes of channels to channels of planes and back, with a frame around the planes. T: bits of an element.
//
// A block moves a tile of kTile channels x kTile places by way of shared memory, so that both sides are walked along what
// is adjacent.

constexpr int kTile = 32, kRows = 8;  // a block has kTile x kRows threads

struct Planes {
  i64 samples, channels, h, w, top, left, framed_h, framed_w;  // the frame is what lies around the h x w
};

// from[sample, channel, y, x] to to[sample, y + top, x + left, channel]; the frame is 0.
extern "C" __global__ void channels_to_last(const T* from, T* to, Planes p) {
  __shared__ T tile[kTile][kTile + 1];
  const i64 places = p.framed_h * p.framed_w, across = (places + kTile - 1) / kTile;
  const i64 down = (p.channels + kTile - 1) / kTile, tiles = across * down * p.samples;
  const int x = (int)threadIdx.x % kTile, y = (int)threadIdx.x / kTile;
  for (i64 t = blockIdx.x; t < tiles; t += gridDim.x) {
    const i64 place0 = t % across * kTile, channel0 = t / across % down * kTile, sample = t / across / down;
    const i64 place = place0 + x, row = place / p.framed_w - p.top, col = place % p.framed_w - p.left;
    const bool inside = row >= 0 && row < p.h && col >= 0 && col < p.w;
    for (int i = y; i < kTile; i += kRows) {
      const i64 channel = channel0 + i;
      const bool there = inside && channel < p.channels;
      tile[i][x] = there ? from[((sample * p.channels + channel) * p.h + row) * p.w + col] : (T)0;
    }
    __syncthreads();
    const i64 channel = channel0 + x;
    for (int i = y; i < kTile; i += kRows) {
      if (channel < p.channels && place0 + i < places) {
        to[(sample * places + place0 + i) * p.channels + channel] = tile[x][i];
      }
    }
    __syncthreads();
  }
}

// from[sample, y + top, x + left, channel] to to[sample, channel, y, x].
extern "C" __global__ void channels_to_first(const T* from, T* to, Planes p) {
  __shared__ T tile[kTile][kTile + 1];
  const i64 places = p.h * p.w, across = (places + kTile - 1) / kTile;
  const i64 down = (p.channels + kTile - 1) / kTile, tiles = across * down * p.samples;
  const int x = (int)threadIdx.x % kTile, y = (int)threadIdx.x / kTile;
  for (i64 t = blockIdx.x; t < tiles; t += gridDim.x) {
    const i64 place0 = t % across * kTile, channel0 = t / across % down * kTile, sample = t / across / down;
    const i64 channel = channel0 + x;
    for (int i = y; i < kTile; i += kRows) {
      const i64 place = place0 + i, row = place / p.w + p.top, col = place % p.w + p.left;
      const bool there = channel < p.channels && place < places;
      tile[i][x] = there ? from[((sample * p.framed_h + row) * p.framed_w + col) * p.channels + channel] : (T)0;
    }
    __syncthreads();
    for (int i = y; i < kTile; i += kRows) {
      if (channel0 + i < p.channels && place0 + x < places) {
        to[(sample * p.channels + channel0 + i) * places + place0 + x] = tile[x][i];
      }
    }
    __syncthreads();
  }
}

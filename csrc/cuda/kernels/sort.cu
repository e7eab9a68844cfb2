// sort and topk along an axis, stable, with indices: tiles of a line are sorted in shared memory, then merged two by two.
// Where only the first k are wanted, no run is longer.
//
// The host names: ELEMENT, the dtype's type; KEY, u32 or u64, which holds its keys; PLACE, u32 or u64, which holds an
// index along the axis.

typedef ELEMENT T;

constexpr int kTile = 2048;

// Unsigned integers that are ordered as the elements they stand for. Floats: negative ones are reversed below the positive
// ones, -0 counts as +0, every NaN is above infinity.
template <class U>
FN U float_key(U bits, int mantissa) {
  const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
  const U infinity = (U)((U)(sign - 1) >> mantissa << mantissa);
  if ((U)(bits & (U)~sign) > infinity) return (U)~(U)0;
  if (bits == sign) bits = 0;
  return (U)(bits & sign ? ~bits : bits | sign);
}
FN KEY sort_key(float x) { return (KEY)float_key<u32>(bits_as<u32>(x), 23); }
FN KEY sort_key(double x) { return (KEY)float_key<u64>(bits_as<u64>(x), 52); }
FN KEY sort_key(f16_t x) { return (KEY)float_key<u16>(x.bits, 10); }
FN KEY sort_key(bf16_t x) { return (KEY)float_key<u16>(x.bits, 7); }
template <class I>
FN KEY sort_key(I x) {
  constexpr bool kSigned = (I)-1 < (I)1;
  return kSigned ? (KEY)x + ((KEY)1 << (8 * sizeof(KEY) - 1)) : (KEY)x;
}

// Lines of `size` elements that lie `inner` apart; the first k of each are wanted.
struct Lines {
  i64 count, size, inner, k;
  int descending;

  // Where element i of a line lies in a tensor whose lines have n.
  FN i64 at(i64 line, i64 i, i64 n) const {
    return inner == 1 ? line * n + i : (line / inner * n + i) * inner + line % inner;
  }
  FN i64 from(i64 line, i64 place) const { return at(line, place, size); }
  FN i64 to(i64 line, i64 rank) const { return at(line, rank, k); }
};

FN KEY key_of(const T* x, const Lines& l, i64 line, i64 place) {
  const KEY key = sort_key(x[l.from(line, place)]);
  return l.descending ? (KEY)~key : key;
}

FN void give(const T* x, T* values, i64* indices, const Lines& l, i64 line, i64 rank, i64 place) {
  values[l.to(line, rank)] = x[l.from(line, place)];
  indices[l.to(line, rank)] = place;
}

// Sorts a tile: of several lines, `room` elements for each, or a part of one line. `room` is a power of two up to kTile.
// With `keys`, the first `run` of the tile go there and to `places`; without, they are the results.
extern "C" __global__ void __launch_bounds__(256, 1) sort_tiles(const T* x, T* values, i64* indices, KEY* keys,
                                                            PLACE* places, Lines l, i64 tiles, i64 run, u32 room) {
  __shared__ KEY key[kTile];
  __shared__ u32 place[kTile];
  const i64 first_line = (i64)blockIdx.x / tiles * (kTile / room), first_place = (i64)blockIdx.x % tiles * kTile;
  for (u32 e = threadIdx.x; e < kTile; e += 256) {
    const i64 line = first_line + e / room, at = first_place + e % room;
    const bool there = line < l.count && at < l.size;
    key[e] = there ? key_of(x, l, line, at) : (KEY)~(KEY)0;
    place[e] = there ? e % room : 0xffffffffu;  // what is not there comes last
  }
  for (u32 size = 2; size <= room; size *= 2) {
    for (u32 apart = size / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (u32 pair = threadIdx.x; pair < kTile / 2; pair += 256) {
        const u32 low = 2 * pair - (pair & (apart - 1)), high = low + apart;
        const bool after = key[low] != key[high] ? key[low] > key[high] : place[low] > place[high];
        if (after != (size == room || (low & size) == 0)) continue;
        const KEY k = key[low];
        key[low] = key[high];
        key[high] = k;
        const u32 p = place[low];
        place[low] = place[high];
        place[high] = p;
      }
    }
  }
  __syncthreads();
  for (u32 e = threadIdx.x; e < kTile; e += 256) {
    const i64 line = first_line + e / room, rank = e % room;
    if (line >= l.count || rank >= run || place[e] == 0xffffffffu) continue;
    if (keys == nullptr) {
      give(x, values, indices, l, line, rank, place[e]);
    } else {
      keys[(i64)blockIdx.x * run + rank] = key[e];
      places[(i64)blockIdx.x * run + rank] = (PLACE)(first_place + place[e]);
    }
  }
}

// How many of the n sorted keys are below `key`, or with `equal` not above.
FN i64 count_below(const KEY* keys, i64 n, KEY key, bool equal) {
  i64 low = 0;
  while (n > 0) {
    const i64 half = n / 2;
    const bool below = equal ? keys[low + half] <= key : keys[low + half] < key;
    low = below ? low + half + 1 : low;
    n = below ? n - half - 1 : half;
  }
  return low;
}

// Merges run 2i and 2i + 1 of each line into run i: an element's rank is its place in its own run and the number of those
// in the other that come before it. Run r holds the first of `cover` elements; it has `room` places, its successor
// `next`. Without `to_keys` the results are given.
extern "C" __global__ void __launch_bounds__(256, 1) merge_runs(const T* x, T* values, i64* indices, const KEY* keys,
                                                            const PLACE* places, KEY* to_keys, PLACE* to_places,
                                                            Lines l, i64 runs, i64 cover, i64 room, i64 next) {
  const i64 all = l.count * runs * room;
  for (i64 e = grid_thread(); e < all; e += grid_threads()) {
    const i64 slot = e / room, at = e % room, line = slot / runs, run = slot % runs, other = run ^ 1;
    const i64 mine = min(room, l.size - run * cover), theirs = other < runs ? min(room, l.size - other * cover) : 0;
    if (at >= mine) continue;
    const i64 rank = at + count_below(keys + (line * runs + other) * room, theirs, keys[e], other < run);
    if (rank >= next) continue;
    if (to_keys == nullptr) {
      give(x, values, indices, l, line, rank, (i64)places[e]);
    } else {
      const i64 to = (line * ((runs + 1) / 2) + run / 2) * next + rank;
      to_keys[to] = keys[e];
      to_places[to] = places[e];
    }
  }
}

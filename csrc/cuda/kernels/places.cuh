// Places in tensors: 32 bits wide unless WIDE, which the host asks for where a size or an offset needs it.
#if WIDE
typedef i64 place;
typedef u64 places;  // for divisions, which are cheaper without a sign
#else
typedef i32 place;
typedef u32 places;
#endif

FN place first_place() { return (place)grid_thread(); }
FN place place_step() { return (place)grid_threads(); }

// a / b and the rest, neither negative.
FN place over(place a, place b) { return (place)((places)a / (places)b); }
FN place rest(place a, place b) { return (place)((places)a % (places)b); }

#ifdef RANK
// A box that is walked in two tensors at once; strides count elements.
struct Walk {
  i64 size[RANK], in[RANK], out[RANK];
};
struct Places {
  place in, out;
};

// Where element i of the box lies.
FN Places locate(const Walk& box, place i) {
  Places at = {0, 0};
#pragma unroll
  for (int d = RANK - 1; d >= 0; --d) {
    const place digit = d == 0 ? i : rest(i, (place)box.size[d]);
    if (d > 0) i = over(i, (place)box.size[d]);
    at.in += digit * (place)box.in[d];
    at.out += digit * (place)box.out[d];
  }
  return at;
}
#endif

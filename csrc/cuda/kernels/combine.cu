// What has been scattered and put in order (scatter.cu, order.cu), combined: each element of the result that has points is
// computed by one thread, which takes them in their order. T is the type of the elements and A the one that they are
// combined in, float for those of 16 bits, which are rounded once at the end. JOIN is one of the functions below.

#include "places.cuh"

typedef places key;
typedef u64 whole;  // integers are added in it, and wrap

template <class C>
constexpr bool kReal = (C)0.5 != (C)0;
template <class C>
constexpr bool kSigned = (C)-1 < (C)1;

template <class C>
FN C join_update(C, C b) {
  return b;
}
template <class C>
FN C join_add(C a, C b) {
  if constexpr (kReal<C>) {
    return a + b;
  } else {
    return (C)((whole)a + (whole)b);
  }
}
template <class C>
FN C join_sub(C a, C b) {
  if constexpr (kReal<C>) {
    return a - b;
  } else {
    return (C)((whole)a - (whole)b);
  }
}
template <class C>
FN C join_mul(C a, C b) {
  if constexpr (kReal<C>) {
    return a * b;
  } else {
    return (C)((whole)a * (whole)b);
  }
}
template <class C>
FN C join_div(C a, C b) {
  if constexpr (kReal<C>) {
    return a / b;
  } else {
    if (b == (C)0) return (C)0;
    if (kSigned<C> && b == (C)-1) return (C)((whole)0 - (whole)a);  // the most negative number has no counterpart
    return (C)(a / b);
  }
}
template <class C>
FN C join_max(C a, C b) {  // NaN wins
  return b > a || b != b ? b : a;
}
template <class C>
FN C join_min(C a, C b) {
  return b < a || b != b ? b : a;
}

// The first place after `p` where another row begins: in steps that double, then by halves.
FN place end_of(const key* rows, place p, place count) {
  const key row = rows[p];
  place step = 1;
  while (count - p > step && rows[p + step] == row) step *= 2;
  place low = p + step / 2, high = count - p < step ? count : p + step;  // rows[low] is of the row, rows[high] is not
  while (high - low > 1) {
    const place middle = low + (high - low) / 2;
    if (rows[middle] == row) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

// dst[o, rows[p], :] is combined with src[o, points[p], :], for all p of a row and each of `outer` planes.
struct Shares {
  i64 outer, bound, width, count;
};

extern "C" __global__ void combine(const key* rows, const key* points, const T* src, T* dst, Shares s
#ifdef RANK
                                   , Walk from  // its `in` says where the element of a point is in src
#endif
) {
  const place width = (place)s.width, count = (place)s.count, n = (place)s.outer * count * width;
  for (place i = first_place(); i < n; i += place_step()) {
    const place line = (place)((places)i / (places)width), j = (place)((places)i % (places)width);
    const place o = (place)((places)line / (places)count), p = (place)((places)line % (places)count);
    const key row = rows[p];
    if (row >= (key)s.bound || (p > 0 && rows[p - 1] == row)) continue;
    const place end = end_of(rows, p, count);
    T* to = dst + (o * (place)s.bound + (place)row) * width + j;
    A value = (A)*to;
#pragma unroll 4
    for (place q = LAST_ONLY ? end - 1 : p; q < end; ++q) {
#ifdef RANK
      const T more = src[locate(from, (place)points[q]).in];
#else
      const T more = src[(o * count + (place)points[q]) * width + j];
#endif
      value = JOIN(value, (A)more);
    }
    *to = (T)value;
  }
}

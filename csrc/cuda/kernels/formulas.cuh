// What the formulas of csrc/kernel/elementwise.h are written with, for one element: bool, an integer, float or double
// (16-bit floats come as float). The exact ones give the CPU's bits; of the others, float is computed as float.

template <class T>
struct is_floating { static constexpr bool value = is_same<T, float>::value || is_same<T, double>::value; };

template <class T>
struct unsigned_of { typedef T type; };
template <>
struct unsigned_of<i8> { typedef u8 type; };
template <>
struct unsigned_of<i16> { typedef u16 type; };
template <>
struct unsigned_of<i32> { typedef u32 type; };
template <>
struct unsigned_of<i64> { typedef u64 type; };
template <class T>
struct is_signed { static constexpr bool value = !is_same<typename unsigned_of<T>::type, T>::value; };

// ---- exact

// Integers are added in an unsigned type at least as wide as int, so that overflow wraps.
template <class T>
FN auto wide(T x) {
  if constexpr (is_floating<T>::value) {
    return x;
  } else if constexpr (sizeof(T) == 8) {
    return (u64)x;
  } else {
    return (u32)x;
  }
}

template <class T>
FN T negative(T x) {
  if constexpr (is_floating<T>::value) {
    return -x;
  } else {
    return (T)(0 - wide(x));
  }
}

FN float magnitude(float x) { return fabsf(x); }
FN double magnitude(double x) { return fabs(x); }
template <class T>
FN T magnitude(T x) {
  if constexpr (is_signed<T>::value) {
    return x < 0 ? negative(x) : x;
  } else {
    return x;
  }
}

// NaN wins; of equal operands (+0 and -0) the first.
template <class T>
FN T larger(T a, T b) {
  if constexpr (is_floating<T>::value) {
    return a >= b || a != a ? a : b;
  } else {
    return a > b ? a : b;
  }
}
template <class T>
FN T smaller(T a, T b) {
  if constexpr (is_floating<T>::value) {
    return a <= b || a != a ? a : b;
  } else {
    return a < b ? a : b;
  }
}

template <class T>
FN bool is_nan(T x) { return x != x; }
template <class T>
FN bool is_infinite(T x) {
  if constexpr (is_floating<T>::value) {
    return x == x && x - x != 0;
  } else {
    return false;
  }
}

FN float root(float x) { return sqrtf(x); }
FN double root(double x) { return sqrt(x); }
FN float round_even(float x) { return rintf(x); }
FN double round_even(double x) { return rint(x); }
FN float round_down(float x) { return floorf(x); }
FN double round_down(double x) { return floor(x); }
FN float round_up(float x) { return ceilf(x); }
FN double round_up(double x) { return ceil(x); }
FN float round_to_zero(float x) { return truncf(x); }
FN double round_to_zero(double x) { return trunc(x); }

// A shift by the width or more, or by a negative number, shifts everything out.
template <class T>
FN T shifted_left(T a, T b) {
  const auto by = (typename unsigned_of<T>::type)b;
  return by < sizeof(T) * 8 ? (T)(wide(a) << by) : (T)0;
}
template <class T>
FN T shifted_right(T a, T b) {
  const auto by = (typename unsigned_of<T>::type)b;
  if (by >= sizeof(T) * 8) {
    if constexpr (is_signed<T>::value) return a < 0 ? (T)-1 : (T)0;
    return (T)0;
  }
  return (T)(a >> by);
}

// ---- libm, by the names that the formulas have in namespace std

namespace math {
#define MINDS_MATH(name) \
  FN float name(float x) { return ::name##f(x); } \
  FN double name(double x) { return ::name(x); }
MINDS_MATH(exp)
MINDS_MATH(expm1)
MINDS_MATH(log)
MINDS_MATH(log1p)
MINDS_MATH(sin)
MINDS_MATH(cos)
MINDS_MATH(tan)
MINDS_MATH(asin)
MINDS_MATH(acos)
MINDS_MATH(atan)
MINDS_MATH(sinh)
MINDS_MATH(cosh)
MINDS_MATH(tanh)
MINDS_MATH(asinh)
MINDS_MATH(acosh)
MINDS_MATH(atanh)
MINDS_MATH(erf)
MINDS_MATH(erfc)
#undef MINDS_MATH
}  // namespace math

template <class T>
FN T sigmoid(T x) {
  const T e = math::exp(-magnitude(x));
  return (x < 0 ? e : (T)1) / (1 + e);
}

FN float log_gamma(float x) { return lgammaf(x); }
FN double log_gamma(double x) { return lgamma(x); }

// psi(x) for x > 0 or NaN: recurrence up to 10, then the asymptotic series in 1/x^2 (Bernoulli numbers).
FN double digamma_above_zero(double x) {
  double shift = 0;
  for (; x < 10; ++x) shift -= 1 / x;
  const double z = 1 / (x * x);
  const double series =
      z *
      (1.0 / 12 -
       z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return shift + log(x) - 0.5 / x - series;
}

// By reflection for x <= 0.
FN double digamma(double x) {
  const double pi = 3.14159265358979323846, infinity = 1.0 / 0.0;
  if (x != x || x == infinity) return x;
  if (x == 0) return copysign(infinity, -x);
  if (x > 0) return digamma_above_zero(x);
  const double r = fmod(x, 1.0);  // exact; tan(pi x) would lose the digits of a large x
  if (r == 0 || is_infinite(x)) return infinity - infinity;
  return digamma_above_zero(1 - x) - pi / tan(pi * r);
}
FN float digamma(float x) { return (float)digamma((double)x); }

FN float with_sign(float x, float sign) { return copysignf(x, sign); }
FN double with_sign(double x, double sign) { return copysign(x, sign); }

FN float truncated_mod(float a, float b) { return fmodf(a, b); }
FN double truncated_mod(double a, double b) { return fmod(a, b); }
template <class T>
FN T truncated_mod(T a, T b) {
  if (b == 0) return (T)0;
  if constexpr (is_signed<T>::value) {
    if (b == -1) return (T)0;
  }
  return (T)(a % b);
}

// The remainder with the divisor's sign, as Python's %.
template <class T>
FN T floor_mod(T a, T b) {
  const T r = truncated_mod(a, b);
  if constexpr (is_floating<T>::value) {
    if (r == 0) return with_sign((T)0, b);
  }
  return r != 0 && (r < 0) != (b < 0) ? (T)(r + b) : r;
}

// floor(a / b) of the exact quotient, as Python's //.
template <class T>
FN T floor_divide(T a, T b) {
  if constexpr (is_floating<T>::value) {
    if (b == 0) return a / b;
    const T r = truncated_mod(a, b);
    T q = (a - r) / b;
    if (r != 0 && (r < 0) != (b < 0)) q -= 1;
    if (q == 0) return with_sign((T)0, a / b);
    const T whole = round_down(q);
    return q - whole > (T)0.5 ? whole + 1 : whole;
  } else {
    if (b == 0) return (T)0;
    if constexpr (is_signed<T>::value) {
      if (b == -1) return negative(a);
      const T q = (T)(a / b);
      return (T)(q - ((a % b != 0) & ((a < 0) != (b < 0))));
    }
    return (T)(a / b);
  }
}

FN double power(double a, double b) { return pow(a, b); }
// The exponents that programs are full of are one operation.
FN float power(float a, float b) {
  if (b == 2) return a * a;
  if (b == 1) return a;
  if (b == 0.5f) return is_infinite(a) && a < 0 ? -a : sqrtf(a + 0.0f);
  if (b == -1) return 1 / a;
  return powf(a, b);
}
// Of integers by squaring; a negative exponent, which is a fault, gives 0.
template <class T>
FN T power(T a, T b) {
  if (b < 0) return (T)0;
  auto result = wide((T)1), base = wide(a);
  for (auto e = wide(b); e != 0; e >>= 1, base *= base) {
    if (e & 1) result *= base;
  }
  return (T)result;
}

FN float arc_tangent(float a, float b) { return atan2f(a, b); }
FN double arc_tangent(double a, double b) { return atan2(a, b); }
FN float hypotenuse(float a, float b) { return hypotf(a, b); }
FN double hypotenuse(double a, double b) { return hypot(a, b); }

// ---- casts

// Total: integers wrap, and so do floats, as `whole_part` in kernel/types.h says; anything but zero is true; of a complex
// number the real part is taken.
template <class By, class From>
FN By converted(From x, From end) { return (By)(x >= -end && x < end ? x : -end); }

template <class To, class From>
FN To integer_of(From x) {
  const From half = (From)((u64)1 << 63);
  if constexpr (sizeof(To) <= 2 || is_same<To, i32>::value) {
    return (To)converted<i32>(x, (From)((u64)1 << 31));
  } else if constexpr (is_same<To, u64>::value) {
    return x >= half ? (To)converted<i64>(x - half, half) ^ ((u64)1 << 63) : (To)converted<i64>(x, half);
  } else {
    return (To)converted<i64>(x, half);
  }
}

template <class T>
struct is_complex { static constexpr bool value = is_same<T, c64_t>::value || is_same<T, c128_t>::value; };
template <class T>
struct is_half { static constexpr bool value = is_same<T, f16_t>::value || is_same<T, bf16_t>::value; };

template <class To, class From>
FN To convert(From x) {
  if constexpr (is_same<To, From>::value) {
    return x;
  } else if constexpr (is_complex<From>::value && is_complex<To>::value) {
    return make_complex((typename To::real_t)x.re, (typename To::real_t)x.im);
  } else if constexpr (is_complex<From>::value) {
    return convert<To>(x.re);
  } else if constexpr (is_complex<To>::value) {
    return make_complex(convert<typename To::real_t>(x), (typename To::real_t)0);
  } else if constexpr (is_half<From>::value) {
    return convert<To>((float)x);
  } else if constexpr (is_same<To, bool>::value) {
    return x != 0;
  } else if constexpr (is_floating<From>::value && !is_floating<To>::value && !is_half<To>::value) {
    return integer_of<To>(x);
  } else {
    return (To)x;
  }
}

// ---- runs of elements: N of them, a power of two, at most 16 bytes

template <int BYTES>
struct bits_of_size;
template <>
struct bits_of_size<1> { typedef u8 type; };
template <>
struct bits_of_size<2> { typedef u16 type; };
template <>
struct bits_of_size<4> { typedef u32 type; };
template <>
struct bits_of_size<8> { typedef u64 type; };
template <>
struct bits_of_size<16> { typedef bits128_t type; };

template <class T, int N>
struct Run {
  typedef typename bits_of_size<(int)sizeof(T) * N>::type Bits;
  T at[N];
};

// From a multiple of their size.
template <int N, class T>
FN Run<T, N> load_run(const T* p) {
  typedef typename Run<T, N>::Bits Bits;
  return bits_as<Run<T, N>>(*reinterpret_cast<const Bits*>(p));
}
template <int N, class T>
FN void store_run(T* p, const Run<T, N>& x) {
  typedef typename Run<T, N>::Bits Bits;
  *reinterpret_cast<Bits*>(p) = bits_as<Bits>(x);
}

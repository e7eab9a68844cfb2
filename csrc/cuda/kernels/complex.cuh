// What the formulas of csrc/kernel/complex.h are written with, in double. Branch cuts are those of C99; arithmetic is by
// products of parts, so an infinity may meet a NaN.

typedef c128_t Complex;

FN Complex scaled(Complex z, double by) { return Complex(z.re * by, z.im * by); }
FN bool is_infinite(double x) { return x == x && x - x != 0; }
FN bool is_nan(Complex z) { return z.re != z.re || z.im != z.im; }
FN bool is_infinite(Complex z) { return is_infinite(z.re) || is_infinite(z.im); }
FN bool is_finite(double x) { return x - x == 0; }
// z times i, and by -i.
FN Complex turned(Complex z) { return Complex(-z.im, z.re); }
FN Complex turned_back(Complex z) { return Complex(z.im, -z.re); }

FN Complex product(Complex a, Complex b) { return Complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }

// By Smith's method, which divides by the larger part first so that squares do not overflow.
FN Complex quotient(Complex a, Complex b) {
  if (fabs(b.re) >= fabs(b.im)) {
    if (b == 0.0) return Complex(a.re / fabs(b.re), a.im / fabs(b.re));
    const double ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);
    return Complex((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
  }
  const double ratio = b.re / b.im, scale = 1 / (b.im + b.re * ratio);
  return Complex((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}

namespace math {

FN double abs(Complex z) { return ::hypot(z.re, z.im); }
FN Complex conj(Complex z) { return Complex(z.re, -z.im); }

// A part that is zero stays zero: no infinity may meet it.
FN Complex exp(Complex z) {
  const double size = ::exp(z.re);
  if (z.im == 0) return Complex(size, z.im);
  if (!is_finite(z.im)) {
    if (z.re == -1.0 / 0.0) return Complex(0, 0);
    return Complex(z.re == 1.0 / 0.0 ? size : z.im - z.im, z.im - z.im);
  }
  if (z.re > 709 && is_finite(z.re)) {  // the size alone may overflow
    const double half = ::exp(z.re / 2);
    return Complex(half * ::cos(z.im) * half, half * ::sin(z.im) * half);
  }
  return Complex(size * ::cos(z.im), size * ::sin(z.im));
}

// log |z|: near 1 by log1p of |z|^2 - 1, which keeps the digits that |z| would lose.
FN double log_size(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (a < b) {
    const double t = a;
    a = b;
    b = t;
  }
  if (a > 0.5 && a < 2 && b < 2) {
    const double squares = fma(b, b, fma(a, a, -1.0));  // rounded twice, where cancelling is worst once
    if (fabs(squares) < 0.5) return log1p((a - 1) * (a + 1) + b * b) / 2;
  }
  const double size = hypot(a, b);
  if (is_infinite(size) && is_finite(a)) return ::log(hypot(a / 2, b / 2)) + 0.69314718055994530942;
  return ::log(size);
}
FN Complex log(Complex z) { return Complex(log_size(z.re, z.im), atan2(z.im, z.re)); }

FN Complex sqrt(Complex z) {
  const double x = z.re, y = z.im;
  if (is_infinite(y)) return Complex(fabs(y), y);
  if (x == 0 && y == 0) return Complex(0, y);
  if (is_infinite(x)) {
    const double rest = y != y ? y : 0;
    return x > 0 ? Complex(x, copysign(rest, y)) : Complex(rest, copysign(fabs(x), y));
  }
  // Scaled, so that the size neither overflows nor loses digits below the normal numbers.
  const bool large = fabs(x) > 1e307 || fabs(y) > 1e307, small = fabs(x) < 1e-290 && fabs(y) < 1e-290;
  const double by = large ? 0.25 : small ? 18014398509481984.0 : 1, back = large ? 2 : small ? 1.0 / 134217728 : 1;
  const double u = x * by, v = y * by;
  const double t = ::sqrt((fabs(u) + hypot(u, v)) / 2);
  if (u >= 0) return Complex(t * back, v / (2 * t) * back);
  return Complex(fabs(v) / (2 * t) * back, copysign(t * back, y));
}

FN Complex sinh(Complex z) {
  if (z.im == 0) return Complex(::sinh(z.re), z.im);
  if (is_infinite(z.re) && !is_finite(z.im)) return Complex(z.re, z.im - z.im);
  if (z.re == 0) return Complex(z.re, ::sin(z.im));
  if (fabs(z.re) > 709 && is_finite(z.re)) {
    const double half = ::exp(fabs(z.re) / 2);
    return Complex(copysign(half / 2 * half, z.re) * ::cos(z.im), half / 2 * ::sin(z.im) * half);
  }
  return Complex(::sinh(z.re) * ::cos(z.im), ::cosh(z.re) * ::sin(z.im));
}
FN Complex cosh(Complex z) {
  if (z.im == 0) return Complex(::cosh(z.re), z.re != z.re ? z.im : copysign(z.im, z.re * z.im));
  if (is_infinite(z.re) && !is_finite(z.im)) return Complex(fabs(z.re), z.im - z.im);
  if (z.re == 0) return Complex(::cos(z.im), copysign(0.0, z.re) * (is_finite(z.im) ? ::sin(z.im) : 1));
  if (fabs(z.re) > 709 && is_finite(z.re)) {
    const double half = ::exp(fabs(z.re) / 2);
    return Complex(half / 2 * ::cos(z.im) * half, copysign(half / 2, z.re) * ::sin(z.im) * half);
  }
  return Complex(::cosh(z.re) * ::cos(z.im), ::sinh(z.re) * ::sin(z.im));
}
// By Kahan: with t = tan y and s = sinh x, (b s c + i t) / (1 + b s^2), b = 1 + t^2, c = sqrt(1 + s^2).
FN Complex tanh(Complex z) {
  const double x = z.re, y = z.im;
  if (!is_finite(y) && !is_infinite(x)) return Complex(x == 0 ? x : y - y, y - y);
  if (fabs(x) > 20) {
    const double e = ::exp(-2 * fabs(x));
    const double part = is_finite(y) ? 4 * ::sin(y) * ::cos(y) * e : copysign(0.0, y);
    return Complex(copysign(1.0, x), is_infinite(x) ? copysign(0.0, part) : part);
  }
  if (y == 0) return Complex(::tanh(x), y);
  const double t = ::tan(y), s = ::sinh(x), b = 1 + t * t, c = ::sqrt(1 + s * s);
  if (is_infinite(t)) return Complex(c / s, 1 / t);
  const double scale = 1 + b * s * s;
  return Complex(b * s * c / scale, t / scale);
}
FN Complex sin(Complex z) { return turned_back(sinh(turned(z))); }
FN Complex cos(Complex z) { return cosh(turned(z)); }
FN Complex tan(Complex z) { return turned_back(tanh(turned(z))); }

// By Kahan: products of the roots of 1 + z and 1 - z, which cancel nowhere.
FN Complex asinh(Complex z) {
  if (is_infinite(z) || is_nan(z)) {
    if (is_infinite(z.re)) {
      return Complex(z.re, is_infinite(z.im) ? copysign(0.78539816339744830962, z.im) : z.im != z.im ? z.im : copysign(0.0, z.im));
    }
    if (is_infinite(z.im)) return Complex(copysign(z.im, z.re), z.re != z.re ? z.re : copysign(1.57079632679489661923, z.im));
    if (z.im == 0) return z;
    return Complex(z.re + z.im, z.re + z.im);
  }
  if (fabs(z.re) > 1e150 || fabs(z.im) > 1e150) {
    const double size = log_size(z.re / 2, z.im / 2) + 2 * 0.69314718055994530942;
    return Complex(copysign(size, z.re), atan2(z.im, fabs(z.re)));
  }
  const Complex p = sqrt(Complex(1 - z.im, z.re)), m = sqrt(Complex(1 + z.im, -z.re));  // roots of 1 + i z, 1 - i z
  return Complex(::asinh(p.im * m.re - p.re * m.im), atan2(z.im, p.re * m.re - p.im * m.im));
}
FN Complex asin(Complex z) { return turned_back(asinh(turned(z))); }
FN Complex acos(Complex z) {
  if (is_infinite(z) || is_nan(z)) {
    if (is_infinite(z.im)) {
      const double angle = is_infinite(z.re) ? (z.re < 0 ? 2.35619449019234492885 : 0.78539816339744830962)
                           : z.re != z.re    ? z.re
                                             : 1.57079632679489661923;
      return Complex(angle, -z.im);
    }
    if (is_infinite(z.re)) {
      if (z.im != z.im) return Complex(z.im, z.re);
      return Complex(z.re < 0 ? 3.14159265358979323846 : 0.0, copysign(1.0 / 0.0, -z.im));
    }
    if (z.re == 0) return Complex(1.57079632679489661923, z.im);
    return Complex(z.re + z.im, z.re + z.im);
  }
  if (fabs(z.re) > 1e150 || fabs(z.im) > 1e150) {
    const double size = log_size(z.re / 2, z.im / 2) + 2 * 0.69314718055994530942;
    return Complex(atan2(fabs(z.im), z.re), copysign(size, -z.im));
  }
  const Complex m = sqrt(Complex(1 - z.re, -z.im)), p = sqrt(Complex(1 + z.re, z.im));  // roots of 1 - z, 1 + z
  return Complex(2 * atan2(m.re, p.re), ::asinh(p.re * m.im - p.im * m.re));
}
FN Complex acosh(Complex z) {
  const Complex w = acos(z);
  if (w.re != w.re && is_infinite(w.im)) return Complex(fabs(w.im), w.re);
  return Complex(fabs(w.im), copysign(w.re, z.im));
}
FN Complex atanh(Complex z) {
  const double x = z.re, y = z.im, quarter = 1.57079632679489661923;
  if (is_infinite(y)) return Complex(copysign(0.0, x), copysign(quarter, y));
  if (is_infinite(x)) return Complex(copysign(0.0, x), y != y ? y : copysign(quarter, y));
  if (y != y && x == 0) return z;
  if (is_nan(z)) return Complex(x + y, x + y);
  if (fabs(x) > 1e150 || fabs(y) > 1e150) {
    const double size = hypot(x / 2, y / 2);
    return Complex(x / 4 / size / size, copysign(quarter, y));
  }
  if (fabs(x) == 1 && y == 0) return Complex(copysign(1.0 / 0.0, x), y);
  const double a = fabs(x), squares = y * y;
  const double re = log1p(4 * a / ((1 - a) * (1 - a) + squares)) / 4;
  const double im = atan2(2 * y, (1 - a) * (1 + a) - squares) / 2;
  return Complex(copysign(re, x), y == 0 && a <= 1 ? y : im);
}
FN Complex atan(Complex z) { return turned_back(atanh(turned(z))); }

}  // namespace math

// Small whole exponents by multiplication, so that powers of zero and of real numbers are what they are.
FN Complex power(Complex a, Complex b) {
  if (b.im == 0 && fabs(b.re) <= 100 && b.re == trunc(b.re)) {
    Complex result = 1, factor = a;
    for (int n = (int)fabs(b.re); n > 0; n /= 2) {
      if (n % 2 == 1) result = result == 1.0 ? factor : product(result, factor);
      if (n > 1) factor = product(factor, factor);
    }
    return b.re < 0 ? quotient(1, result) : result;
  }
  const double none = 0.0 / 0.0;
  if (a == 0.0) return b.re > 0 ? Complex(0) : Complex(none, none);
  return math::exp(product(b, math::log(a)));
}

FN Complex expm1(Complex z) {
  const double half = sin(z.im / 2);
  return Complex(expm1(z.re) * cos(z.im) - 2 * half * half, exp(z.re) * sin(z.im));
}

FN Complex log1p(Complex z) {
  const bool near = fabs(z.re) < 0.5 && fabs(z.im) < 0.5;
  return Complex(near ? log1p(z.re * (2 + z.re) + z.im * z.im) / 2 : log(hypot(1 + z.re, z.im)), atan2(z.im, 1 + z.re));
}

FN Complex sigmoid(Complex z) {
  if (z.re >= 0) return quotient(1, Complex(1) + math::exp(-z));
  const Complex e = math::exp(z);
  return quotient(e, Complex(1) + e);
}

FN Complex direction(Complex z) {
  const double size = math::abs(z);
  return size == 0 ? z : Complex(z.re / size, z.im / size);
}

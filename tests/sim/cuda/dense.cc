// LAPACK's factorisations as its manual defines them, in double: what the stand-in of cuSOLVER lets the device process do.
#include <cmath>
#include <complex>
#include <type_traits>

#include "calls.h"

namespace minds::sim {
namespace {

template <class T>
struct IsComplex : std::false_type {};
template <class R>
struct IsComplex<std::complex<R>> : std::true_type {};

// A matrix in memory, by columns; computed with in W, the wider type.
template <class T, class W>
class Matrix {
 public:
  Matrix(uintptr_t at, int64_t ld) : at_(reinterpret_cast<T*>(at)), ld_(ld) {}
  W get(int64_t i, int64_t j) const { return static_cast<W>(at_[i + j * ld_]); }
  void set(int64_t i, int64_t j, W v) { at_[i + j * ld_] = static_cast<T>(v); }

 private:
  T* at_;
  int64_t ld_;
};

// The lower factor, in the lower triangle; `info` is the order of the first minor that is not positive.
template <class T, class W>
void potrf(const Dense& d, Matrix<T, W> a, int* info) {
  *info = 0;
  for (int64_t j = 0; j < d.n; ++j) {
    W sum = a.get(j, j);
    for (int64_t k = 0; k < j; ++k) sum -= a.get(j, k) * a.get(j, k);
    if (!(std::real(sum) > 0)) {
      *info = static_cast<int>(j) + 1;
      return;
    }
    const W root = std::sqrt(sum);
    a.set(j, j, root);
    for (int64_t i = j + 1; i < d.n; ++i) {
      W v = a.get(i, j);
      for (int64_t k = 0; k < j; ++k) v -= a.get(i, k) * a.get(j, k);
      a.set(i, j, v / root);
    }
  }
}

// P A = L U with the largest pivots; `info` is the first that is zero.
template <class T, class W>
void getrf(const Dense& d, Matrix<T, W> a, int64_t* pivots, int* info) {
  *info = 0;
  for (int64_t j = 0; j < std::min(d.m, d.n); ++j) {
    int64_t best = j;
    for (int64_t i = j + 1; i < d.m; ++i) {
      if (std::abs(a.get(i, j)) > std::abs(a.get(best, j))) best = i;
    }
    pivots[j] = best + 1;
    if (a.get(best, j) == W(0)) {
      if (*info == 0) *info = static_cast<int>(j) + 1;
      continue;
    }
    for (int64_t c = 0; c < d.n && best != j; ++c) {
      const W held = a.get(j, c);
      a.set(j, c, a.get(best, c));
      a.set(best, c, held);
    }
    for (int64_t i = j + 1; i < d.m; ++i) {
      const W factor = a.get(i, j) / a.get(j, j);
      a.set(i, j, factor);
      for (int64_t c = j + 1; c < d.n; ++c) a.set(i, c, a.get(i, c) - factor * a.get(j, c));
    }
  }
}

template <class T, class W>
void getrs(const Dense& d, Matrix<T, W> a, const int64_t* pivots, Matrix<T, W> b) {
  for (int64_t c = 0; c < d.k; ++c) {
    std::vector<W> x(static_cast<size_t>(d.n));
    const auto at = [&](int64_t i) -> W& { return x[static_cast<size_t>(i)]; };
    for (int64_t i = 0; i < d.n; ++i) at(i) = b.get(i, c);
    if (!d.turned) {
      for (int64_t i = 0; i < d.n; ++i) std::swap(at(i), at(pivots[i] - 1));
      for (int64_t i = 0; i < d.n; ++i) {
        for (int64_t j = 0; j < i; ++j) at(i) -= a.get(i, j) * at(j);
      }
      for (int64_t i = d.n; i-- > 0;) {
        for (int64_t j = i + 1; j < d.n; ++j) at(i) -= a.get(i, j) * at(j);
        at(i) /= a.get(i, i);
      }
    } else {
      for (int64_t i = 0; i < d.n; ++i) {
        for (int64_t j = 0; j < i; ++j) at(i) -= a.get(j, i) * at(j);
        at(i) /= a.get(i, i);
      }
      for (int64_t i = d.n; i-- > 0;) {
        for (int64_t j = i + 1; j < d.n; ++j) at(i) -= a.get(j, i) * at(j);
      }
      for (int64_t i = d.n; i-- > 0;) std::swap(at(i), at(pivots[i] - 1));
    }
    for (int64_t i = 0; i < d.n; ++i) b.set(i, c, at(i));
  }
}

// Reflections H = 1 - tau v vᵀ with v = (1, ...), whose rest is below the diagonal.
template <class T>
void geqrf(const Dense& d, Matrix<T, double> a, T* tau) {
  for (int64_t j = 0; j < std::min(d.m, d.n); ++j) {
    double below = 0;
    for (int64_t i = j + 1; i < d.m; ++i) below += a.get(i, j) * a.get(i, j);
    const double head = a.get(j, j);
    if (below == 0) {
      tau[j] = 0;
      continue;
    }
    const double norm = -std::copysign(std::sqrt(head * head + below), head);
    const double t = (norm - head) / norm;
    tau[j] = static_cast<T>(t);
    for (int64_t i = j + 1; i < d.m; ++i) a.set(i, j, a.get(i, j) / (head - norm));
    a.set(j, j, norm);
    for (int64_t c = j + 1; c < d.n; ++c) {
      double sum = a.get(j, c);
      for (int64_t i = j + 1; i < d.m; ++i) sum += a.get(i, j) * a.get(i, c);
      a.set(j, c, a.get(j, c) - t * sum);
      for (int64_t i = j + 1; i < d.m; ++i) a.set(i, c, a.get(i, c) - t * sum * a.get(i, j));
    }
  }
}

// The first n columns of the product of k reflections.
template <class T>
void orgqr(const Dense& d, Matrix<T, double> a, const T* tau) {
  std::vector<double> q(static_cast<size_t>(d.m * d.n));
  const auto at = [&](int64_t i, int64_t j) -> double& { return q[static_cast<size_t>(i + j * d.m)]; };
  for (int64_t j = 0; j < d.n; ++j) at(j, j) = 1;
  for (int64_t h = d.k; h-- > 0;) {
    const auto v = [&](int64_t i) { return i == h ? 1.0 : a.get(i, h); };
    for (int64_t c = 0; c < d.n; ++c) {
      double sum = 0;
      for (int64_t i = h; i < d.m; ++i) sum += v(i) * at(i, c);
      for (int64_t i = h; i < d.m; ++i) at(i, c) -= static_cast<double>(tau[h]) * sum * v(i);
    }
  }
  for (int64_t j = 0; j < d.n; ++j) {
    for (int64_t i = 0; i < d.m; ++i) a.set(i, j, at(i, j));
  }
}

// Operands: the matrix, what else is read or made (pivots, tau), right-hand sides, `info`, the work area.
template <class T, class W>
Status run(const std::string& function, const std::vector<uintptr_t>& at, const Dense& d) {
  Matrix<T, W> a(at[0], d.lda);
  auto* const info = reinterpret_cast<int*>(at[3]);
  auto* const pivots = reinterpret_cast<int64_t*>(at[1]);
  if (function == "potrf") {
    potrf(d, a, info);
  } else if (function == "getrf") {
    getrf(d, a, pivots, info);
  } else if (function == "getrs") {
    getrs(d, a, pivots, Matrix<T, W>(at[2], d.ldb));
    *info = 0;
  } else if constexpr (!IsComplex<T>::value) {
    *info = 0;
    if (function == "geqrf") {
      geqrf(d, a, reinterpret_cast<T*>(at[1]));
    } else {
      orgqr(d, a, reinterpret_cast<const T*>(at[1]));
    }
  }
  return {};
}

}  // namespace

Status run_dense(const std::string& function, const std::vector<uintptr_t>& at, Reader& body) {
  const auto d = body.get<Dense>();
  switch (d.type) {
    case 0: return run<float, double>(function, at, d);
    case 1: return run<double, double>(function, at, d);
    case 4: return run<std::complex<float>, std::complex<double>>(function, at, d);
    default: return run<std::complex<double>, std::complex<double>>(function, at, d);
  }
}

}  // namespace minds::sim

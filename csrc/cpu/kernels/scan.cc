// cumsum and cumprod along an axis. float32 runs in float64 and 16-bit floats in float32, rounded per
// element, so that the error does not grow along the axis; integers wrap. Complex numbers run in complex128.
#include <algorithm>
#include <complex>

#include "base/parallel.h"
#include "kernel/types.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

constexpr int64_t kColumns = 256;    // running values kept on the stack when the axis is not the innermost
constexpr int64_t kPiece = 1 << 14;  // a long line is cut here and its pieces are scanned in parallel
constexpr int64_t kFewLines = 64;

template <class T>
struct RunningOf {
  using type = std::conditional_t<std::is_same_v<T, float>, double, Wide<T>>;
};
template <class T>
struct RunningOf<std::complex<T>> {
  using type = std::complex<double>;
};
template <class T>
using Running = typename RunningOf<T>::type;

struct Plus {
  static constexpr int kStart = 0;
  template <class R>
  static R apply(R a, R b) {
    return a + b;
  }
};

struct Times {
  static constexpr int kStart = 1;
  template <class R>
  static R apply(R a, R b) {
    return a * b;
  }
};

// The total of n elements, in four interleaved parts.
template <class Op, class T>
Running<T> total(const T* x, int64_t step, int64_t n) {
  using R = Running<T>;
  R part[4] = {R(Op::kStart), R(Op::kStart), R(Op::kStart), R(Op::kStart)};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) part[k] = Op::apply(part[k], static_cast<R>(x[(i + k) * step]));
  }
  for (; i < n; ++i) part[0] = Op::apply(part[0], static_cast<R>(x[i * step]));
  return Op::apply(Op::apply(part[0], part[1]), Op::apply(part[2], part[3]));
}

template <class Op, class T>
void scan_line(const T* x, T* out, int64_t step, int64_t n, bool exclusive, Running<T> running) {
  using R = Running<T>;
  for (int64_t i = 0; i < n; ++i) {
    const R before = running;
    running = Op::apply(running, static_cast<R>(x[i * step]));
    out[i * step] = static_cast<T>(exclusive ? before : running);
  }
}

template <class Op>
class Scan final : public Kernel {
 public:
  explicit Scan(const Attrs& a)
      : axis_(a.i64("axis")),
        reverse_(a.has("reverse") && a.boolean("reverse")),
        exclusive_(a.has("exclusive") && a.boolean("exclusive")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    AxisPlan along;
    if (auto bad = along.prepare_map(s, axis_)) return bad;
    dtype_ = s.inputs[0].dtype;
    size_ = s.inputs[0].size();
    n_ = along.size;
    inner_ = along.inner;
    lines_ = along.outer;
    if (inner_ == 1 && lines_ < kFewLines && n_ >= 2 * kPiece) {
      pieces_ = (n_ + kPiece - 1) / kPiece;
      p.workspace = static_cast<size_t>(lines_ * pieces_) * sizeof(std::complex<double>);
    }
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    if (size_ == 0) return {};
    const auto scan = [&]<class T>(T) {
      const T* x = static_cast<const T*>(a.in[0]);
      T* out = static_cast<T*>(a.out[0]);
      if (inner_ > 1) return columns(x, out);
      if (pieces_ > 1) return long_lines(x, out, static_cast<Running<T>*>(a.workspace));
      parallel_for(lines_, kGrain / n_, [&](int64_t begin, int64_t end) {
        for (int64_t l = begin; l < end; ++l) {
          const int64_t at = l * n_ + first();
          scan_line<Op>(x + at, out + at, step(), n_, exclusive_, Running<T>(Op::kStart));
        }
      });
    };
    if (dtype_ == DType::kComplex64) {
      scan(std::complex<float>{});
    } else if (dtype_ == DType::kComplex128) {
      scan(std::complex<double>{});
    } else {
      visit(dtype_, scan);
    }
    return {};
  }

 private:
  int64_t step() const { return reverse_ ? -1 : 1; }
  int64_t first() const { return reverse_ ? n_ - 1 : 0; }

  // Totals of the pieces, then what precedes each piece, then the pieces.
  template <class T>
  void long_lines(const T* x, T* out, Running<T>* before) const {
    const auto each_piece = [&](auto&& body) {
      parallel_for(lines_ * pieces_, 1, [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; ++u) {
          const int64_t skip = u % pieces_ * kPiece;
          body(u, u / pieces_ * n_ + first() + skip * step(), std::min(kPiece, n_ - skip));
        }
      });
    };
    each_piece([&](int64_t u, int64_t at, int64_t n) { before[u] = total<Op>(x + at, step(), n); });
    for (int64_t l = 0; l < lines_; ++l) {
      Running<T> running(Op::kStart);
      for (int64_t u = l * pieces_; u < (l + 1) * pieces_; ++u) {
        const Running<T> piece = before[u];
        before[u] = running;
        running = Op::apply(running, piece);
      }
    }
    each_piece([&](int64_t u, int64_t at, int64_t n) {
      scan_line<Op>(x + at, out + at, step(), n, exclusive_, before[u]);
    });
  }

  template <class T>
  void columns(const T* x, T* out) const {
    using R = Running<T>;
    const int64_t tiles = (inner_ + kColumns - 1) / kColumns;
    const int64_t work = n_ * std::min(inner_, kColumns);
    parallel_for(lines_ * tiles, kGrain / work, [&](int64_t begin, int64_t end) {
      R running[kColumns];
      for (int64_t u = begin; u < end; ++u) {
        const int64_t column = u % tiles * kColumns, width = std::min(kColumns, inner_ - column);
        std::fill_n(running, width, R(Op::kStart));
        for (int64_t i = 0; i < n_; ++i) {
          const int64_t at = (u / tiles * n_ + first() + i * step()) * inner_ + column;
          for (int64_t j = 0; j < width; ++j) {
            const R before = running[j];
            running[j] = Op::apply(before, static_cast<R>(x[at + j]));
            out[at + j] = static_cast<T>(exclusive_ ? before : running[j]);
          }
        }
      }
    });
  }

  int64_t axis_;
  bool reverse_, exclusive_;
  DType dtype_{};
  int64_t size_ = 0, n_ = 0, inner_ = 1, lines_ = 0, pieces_ = 1;
};

MINDS_KERNEL("cpu", "cumsum", Scan<Plus>, MINDS_REALS, DType::kComplex64, DType::kComplex128);
MINDS_KERNEL("cpu", "cumprod", Scan<Times>, MINDS_REALS, DType::kComplex64, DType::kComplex128);

}  // namespace
}  // namespace minds::cpu

#include "comm/reduce.h"

#include <complex>
#include <string>

#include "base/parallel.h"
#include "kernel/types.h"

namespace minds::comm {
namespace {

constexpr int64_t kBlock = 512;  // elements whose sums stay in the cache while parts are added

// What elements are added in: integers wrap.
template <class T>
struct Accumulator {
  using type = std::conditional_t<kIsHalf<T>, float, T>;
};

template <Reduction R, class A>
A combine(A a, A b) {
  if constexpr (R == Reduction::kMax || R == Reduction::kMin) {
    if constexpr (std::is_floating_point_v<A>) {
      if (a != a) return a;
      if (b != b) return b;
    }
    return (R == Reduction::kMax ? a < b : b < a) ? b : a;
  } else if constexpr (std::is_integral_v<A>) {
    using U = std::conditional_t<sizeof(A) == 8, uint64_t, uint32_t>;
    const U x = static_cast<U>(a), y = static_cast<U>(b);
    return static_cast<A>(R == Reduction::kSum ? x + y : x * y);
  } else {
    if constexpr (R == Reduction::kSum) return a + b;
    return a * b;
  }
}

template <Reduction R, class T>
void reduce(const void* const* parts, int count, void* out, int64_t n) {
  using A = typename Accumulator<T>::type;
  parallel_for((n + kBlock - 1) / kBlock, kGrain / kBlock, [&](int64_t first, int64_t last) {
    A sums[kBlock];
    for (int64_t begin = first * kBlock; begin < std::min(n, last * kBlock); begin += kBlock) {
      const int64_t m = std::min(kBlock, n - begin);
      const T* part = static_cast<const T*>(parts[0]) + begin;
      for (int64_t i = 0; i < m; ++i) sums[i] = static_cast<A>(part[i]);
      for (int p = 1; p < count; ++p) {
        part = static_cast<const T*>(parts[p]) + begin;
        for (int64_t i = 0; i < m; ++i) sums[i] = combine<R, A>(sums[i], static_cast<A>(part[i]));
      }
      T* to = static_cast<T*>(out) + begin;
      for (int64_t i = 0; i < m; ++i) to[i] = static_cast<T>(sums[i]);
    }
  });
}

template <class T>
void reduce_as(Reduction op, const void* const* parts, int count, void* out, int64_t n) {
  if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>) {
    if (op == Reduction::kMax) return reduce<Reduction::kMax, T>(parts, count, out, n);
    if (op == Reduction::kMin) return reduce<Reduction::kMin, T>(parts, count, out, n);
  }
  if (op == Reduction::kProd) return reduce<Reduction::kProd, T>(parts, count, out, n);
  reduce<Reduction::kSum, T>(parts, count, out, n);
}

}  // namespace

Status reduction_of(std::string_view name, DType t, Reduction& out) {
  constexpr std::string_view names[] = {"sum", "prod", "max", "min"};
  const bool ordered = t != DType::kComplex64 && t != DType::kComplex128;
  for (int i = 0; i < (ordered ? 4 : 2); ++i) {
    if (name != names[i]) continue;
    out = static_cast<Reduction>(i);
    return {};
  }
  return {Code::kValue, "there is no reduction '" + std::string(name) + "' of " + minds::name(t)};
}

void reduce_in_order(Reduction op, DType t, const void* const* parts, int count, void* out, int64_t n) {
  if (t == DType::kComplex64) return reduce_as<std::complex<float>>(op, parts, count, out, n);
  if (t == DType::kComplex128) return reduce_as<std::complex<double>>(op, parts, count, out, n);
  if (t == DType::kBool) return;  // refused by `reduction_of`'s callers
  visit(t, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool>) reduce_as<T>(op, parts, count, out, n);
  });
}

}  // namespace minds::comm

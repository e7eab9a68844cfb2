// cast(x, dtype), and copy(x). Conversions are total: integers wrap, and so do floats (`whole_part`); anything but zero is
// true; of a complex number the real part is taken.
#include <complex>
#include <cstring>
#include <type_traits>

#include "base/parallel.h"
#include "cpu/kernels/loops.h"
#include "kernel/types.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class To, class From>
To convert(From x) {
  if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return static_cast<To>(x);
  } else if constexpr (kIsComplex<From>) {
    return convert<To>(x.real());
  } else if constexpr (kIsComplex<To>) {
    return convert<typename To::value_type>(x);
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (kIsHalf<From>) {
      return static_cast<float>(x) != 0;
    } else {
      return x != 0;
    }
  } else if constexpr (kIsFloating<From> && std::is_integral_v<To>) {
    return whole_part<To>(static_cast<std::conditional_t<kIsHalf<From>, float, From>>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void convert_all(void* dst, const void* src, int64_t n) {
  auto* d = static_cast<To*>(dst);
  if constexpr (std::is_same_v<From, bool>) {
    const auto* s = static_cast<const uint8_t*>(src);  // any byte but 0 is true
    for (int64_t i = 0; i < n; ++i) d[i] = convert<To>(static_cast<uint8_t>(s[i] != 0));
  } else {
    const auto* s = static_cast<const From*>(src);
    for (int64_t i = 0; i < n; ++i) d[i] = convert<To>(s[i]);
  }
}

// Calls f(T{}) with the C++ type of any dtype.
template <class F>
decltype(auto) visit_any(DType t, F&& f) {
  if (t == DType::kComplex64) return f(std::complex<float>{});
  if (t == DType::kComplex128) return f(std::complex<double>{});
  return visit(t, f);
}

}  // namespace

UnaryLoop cast_loop(DType from, DType to) {
  const bool half_from = from == DType::kFloat16 || from == DType::kBFloat16;
  if (half_from && to == DType::kFloat32) return loops().widen[from == DType::kBFloat16];
  if (from == DType::kFloat32 && to == DType::kFloat16) return loops().narrow[0];
  if (from == DType::kFloat32 && to == DType::kBFloat16) return loops().narrow[1];
  return visit_any(from, [&](auto f) {
    return visit_any(to, [](auto t) -> UnaryLoop { return convert_all<decltype(f), decltype(t)>; });
  });
}

namespace {

class Cast final : public Kernel {
 public:
  explicit Cast(const Attrs&) {}

  // A rank-0 result of a tensor with one element is a cast, too; so only the number of elements must agree.
  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 1, 1)) return e;
    const TensorSpec &x = s.inputs[0], &y = s.outputs[0];
    if (x.size() != y.size()) return bad_value("cannot cast " + to_string(x) + " to " + to_string(y));
    size_ = x.size();
    in_item_ = static_cast<int64_t>(item_size(x.dtype));
    out_item_ = static_cast<int64_t>(item_size(y.dtype));
    loop_ = x.dtype == y.dtype ? nullptr : cast_loop(x.dtype, y.dtype);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    const char* x = static_cast<const char*>(a.in[0]);
    char* y = static_cast<char*>(a.out[0]);
    if (x == y && loop_ == nullptr) return {};
    parallel_for(size_, 1 << 15, [&](int64_t begin, int64_t end) {
      if (loop_ != nullptr) {
        loop_(y + begin * out_item_, x + begin * in_item_, end - begin);
      } else {
        std::memcpy(y + begin * out_item_, x + begin * in_item_,
                    static_cast<size_t>((end - begin) * in_item_));
      }
    });
    return {};
  }

 private:
  UnaryLoop loop_ = nullptr;
  int64_t size_ = 0, in_item_ = 0, out_item_ = 0;
};

class Copy final : public Kernel {
 public:
  explicit Copy(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (Status e = expect_counts(s, 1, 1)) return e;
    bytes_ = static_cast<int64_t>(s.inputs[0].bytes());
    return expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, s.inputs[0].shape);
  }

  Status run(const Args& a, Stream&) const override {
    if (a.in[0] == a.out[0]) return {};
    parallel_for(bytes_, 1 << 18, [&](int64_t begin, int64_t end) {
      std::memcpy(static_cast<char*>(a.out[0]) + begin, static_cast<const char*>(a.in[0]) + begin,
                  static_cast<size_t>(end - begin));
    });
    return {};
  }

 private:
  int64_t bytes_ = 0;
};

MINDS_KERNEL("cpu", "cast", Cast, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "copy", Copy, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

// max_pool2d with the places of the maxima, its gradient, and the gradient of that.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "base/parallel.h"
#include "cpu/isa.h"
#include "cpu/kernels/pool_windows.h"
#include "cpu/kernels/through_float.h"
#include "kernel/fault.h"
#include "kernel/plan/pool.h"
#include "kernel/registry.h"

namespace minds::cpu {

namespace {

// (x) -> (out, index): index is the flat place in the H x W plane of the first maximum; a NaN is a maximum.
template <class T>
class MaxPool : public Kernel {
 public:
  explicit MaxPool(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto failed = expect_counts(s, 1, 2)) return failed;
    Shape output;
    if (auto failed = pool_.prepare(attrs_, s.inputs[0].shape, output)) return failed;
    if (auto failed = expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, output)) return failed;
    if (auto failed = expect_spec(s.outputs[1], "the index", DType::kInt64, output)) return failed;
    if (p_.in() > std::numeric_limits<Place<T>>::max()) return bad_value("planes are too large");
    whole_ = {0, 0};  // columns whose windows lie in the plane
    while (whole_.begin < p_.out_w && whole_.begin * w_.stride_w < w_.left) ++whole_.begin;
    whole_.end = whole_.begin;
    while (whole_.end < p_.out_w && whole_.end * w_.stride_w - w_.left + w_.span_w() <= p_.in_w) ++whole_.end;
    return Status::ok();
  }

  Status run(const Args& a, Stream&) const override {
    const T* x = static_cast<const T*>(a.in[0]);
    T* out = static_cast<T*>(a.out[0]);
    int64_t* index = static_cast<int64_t*>(a.out[1]);
    parallel_for(p_.count, items_per_thread(p_.in()), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        plane(x + i * p_.in(), out + i * p_.out(), index + i * p_.out());
      }
    });
    return Status::ok();
  }

 private:
  static MaxOfWindows<T> max_of_windows() {
    const MaxTier* tier = &kMaxGeneric;
#if defined(__x86_64__)
    if (isa() == Isa::kAvx2) tier = &kMaxAvx2;
    if (isa() == Isa::kAvx512) tier = &kMaxAvx512;
#endif
    if constexpr (std::is_same_v<T, float>) {
      return tier->f32;
    } else {
      return tier->f64;
    }
  }

  void plane(const T* x, T* out, int64_t* index) const {
    constexpr int64_t kBlock = 64;
    const MaxOfWindows<T> find = max_of_windows();
    Place<T> places[kBlock];
    for (const Span& r : pool_.rows) {
      WindowRow<T> w{x, p_.in_w, r.begin, r.end, w_.dilation_h, -w_.left, w_.stride_w, w_.kernel_w, w_.dilation_w};
      const auto give = [&](int64_t begin, int64_t end) {
        find(w, begin, end, out + begin, places);
        std::copy_n(places, end - begin, index + begin);
      };
      for (int64_t o = whole_.begin; o < whole_.end; o += kBlock) give(o, std::min(whole_.end, o + kBlock));
      for (int64_t o = 0; o < p_.out_w; ++o) {  // at the borders, where the columns differ from window to window
        if (o == whole_.begin) o = whole_.end;
        if (o >= p_.out_w) break;
        const Span& c = pool_.cols[static_cast<size_t>(o)];
        w.left = c.begin - o * w_.stride_w;
        w.cols = (c.end - c.begin + w_.dilation_w - 1) / w_.dilation_w;
        give(o, o + 1);
      }
      out += p_.out_w;
      index += p_.out_w;
    }
  }

  Attrs attrs_;
  PoolPlan pool_;
  const Window& w_ = pool_.window;
  const Planes& p_ = pool_.planes;
  Span whole_;
};

// Remembers the first place of an index that was out of range, from any thread.
class FirstBad {
 public:
  // The least of all, so that the message does not depend on the threads.
  void note(int64_t i) {
    int64_t seen = first_.load(std::memory_order_relaxed);
    while (i < seen && !first_.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
    }
  }
  Status status(const Args& a, const int64_t* index, int64_t size) const {
    const int64_t i = first_.load();
    return i == INT64_MAX ? Status::ok() : fail(a, {FaultKind::kPlane, index[i], size, i});
  }

 private:
  std::atomic<int64_t> first_{INT64_MAX};
};

// (dout, index) -> dx: adds each cotangent to the place that its maximum came from.
template <class T>
class MaxPoolDx : public Kernel {
 public:
  explicit MaxPoolDx(const Attrs& a) : in_shape_(a.ints("in_shape")) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto failed = expect_counts(s, 2, 1)) return failed;
    if (auto failed = plan_exchange(in_shape_, s.inputs[0].shape, s.inputs[1], p_)) return failed;
    return expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, in_shape_);
  }

  Status run(const Args& a, Stream&) const override {
    const T* dout = static_cast<const T*>(a.in[0]);
    const int64_t* index = static_cast<const int64_t*>(a.in[1]);
    T* dx = static_cast<T*>(a.out[0]);
    FirstBad bad;
    parallel_for(p_.count, items_per_thread(p_.in()), [&](int64_t begin, int64_t end) {
      const uint64_t size = static_cast<uint64_t>(p_.in());
      for (int64_t plane = begin; plane < end; ++plane) {
        T* const to = dx + plane * p_.in();
        const int64_t *from = index + plane * p_.out(), *const last = from + p_.out();
        std::memset(to, 0, size * sizeof(T));
        for (const T* d = dout + plane * p_.out(); from < last; ++from, ++d) {
          if (static_cast<uint64_t>(*from) >= size) return bad.note(from - index);
          to[*from] += *d;
        }
      }
    });
    return bad.status(a, index, p_.in());
  }

 private:
  Shape in_shape_;
  Planes p_;
};

// (x, index) -> out: each plane's elements at the places in `index`; the gradient of max_pool2d_dx.
template <class T>
class PoolGather : public Kernel {
 public:
  explicit PoolGather(const Attrs&) {}

  Status prepare(const Signature& s, Prepared&) override {
    if (auto failed = expect_counts(s, 2, 1)) return failed;
    if (auto failed = plan_exchange(s.inputs[0].shape, s.inputs[1].shape, s.inputs[1], p_)) return failed;
    return expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, s.inputs[1].shape);
  }

  Status run(const Args& a, Stream&) const override {
    const T* x = static_cast<const T*>(a.in[0]);
    const int64_t* index = static_cast<const int64_t*>(a.in[1]);
    T* out = static_cast<T*>(a.out[0]);
    FirstBad bad;
    parallel_for(p_.count, items_per_thread(p_.in()), [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const T* from = x + plane * p_.in();
        for (int64_t i = plane * p_.out(); i < (plane + 1) * p_.out(); ++i) {
          if (static_cast<uint64_t>(index[i]) >= static_cast<uint64_t>(p_.in())) return bad.note(i);
          out[i] = from[index[i]];
        }
      }
    });
    return bad.status(a, index, p_.in());
  }

 private:
  Planes p_;
};

MINDS_KERNEL("cpu", "max_pool2d", MaxPool<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "max_pool2d", MaxPool<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "max_pool2d", ThroughFloat<MaxPool<float>>, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "max_pool2d_dx", MaxPoolDx<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "max_pool2d_dx", MaxPoolDx<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "max_pool2d_dx", ThroughFloat<MaxPoolDx<float>>, DType::kFloat16, DType::kBFloat16);
MINDS_KERNEL("cpu", "pool_gather", PoolGather<float>, DType::kFloat32);
MINDS_KERNEL("cpu", "pool_gather", PoolGather<double>, DType::kFloat64);
MINDS_KERNEL("cpu", "pool_gather", ThroughFloat<PoolGather<float>>, DType::kFloat16, DType::kBFloat16);

}  // namespace

}  // namespace minds::cpu

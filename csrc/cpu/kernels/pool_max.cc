// max_pool2d with the places of the maxima, its gradient, and the gradient of that.
#include <algorithm>
#include <atomic>
#include <string>

#include "base/parallel.h"
#include "cpu/kernels/pool.h"
#include "cpu/kernels/through_float.h"
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
    if (auto failed = describe_pool(attrs_, s.inputs[0].shape, w_, p_, output)) return failed;
    if (auto failed = expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, output)) return failed;
    if (auto failed = expect_spec(s.outputs[1], "the index", DType::kInt64, output)) return failed;
    if (auto failed = spans(p_.in_h, p_.out_h, w_.kernel_h, w_.stride_h, w_.top, w_.dilation_h, rows_)) return failed;
    if (auto failed = spans(p_.in_w, p_.out_w, w_.kernel_w, w_.stride_w, w_.left, w_.dilation_w, cols_)) return failed;
    pairs_ = w_.kernel_h == 2 && w_.kernel_w == 2 && w_.stride_h == 2 && w_.stride_w == 2 && w_.top == 0 &&
             w_.left == 0 && w_.dilation_h == 1 && w_.dilation_w == 1 && 2 * p_.out_h <= p_.in_h &&
             2 * p_.out_w <= p_.in_w;
    return Status::ok();
  }

  Status run(const Args& a, Stream&) const override {
    const T* x = static_cast<const T*>(a.in[0]);
    T* out = static_cast<T*>(a.out[0]);
    int64_t* index = static_cast<int64_t*>(a.out[1]);
    parallel_for(p_.count, planes_grain(p_), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        (pairs_ ? plane_of_pairs : plane)(*this, x + i * p_.in(), out + i * p_.out(), index + i * p_.out());
      }
    });
    return Status::ok();
  }

 private:
  // 2x2 windows side by side, the usual case: no inner loops, no branches.
  static void plane_of_pairs(const MaxPool& k, const T* x, T* out, int64_t* index) {
    const int64_t in_w = k.p_.in_w, out_w = k.p_.out_w;
    for (int64_t i = 0; i < k.p_.out_h; ++i, out += out_w, index += out_w) {
      const int64_t at = 2 * i * in_w;
      const T *upper = x + at, *lower = upper + in_w;
      for (int64_t j = 0; j < out_w; ++j) {
        T best = upper[2 * j];
        int64_t place = at + 2 * j;
        const auto offer = [&](T v, int64_t where) {
          const bool better = v > best || (v != v && best == best);
          best = better ? v : best;
          place = better ? where : place;
        };
        offer(upper[2 * j + 1], at + 2 * j + 1);
        offer(lower[2 * j], at + in_w + 2 * j);
        offer(lower[2 * j + 1], at + in_w + 2 * j + 1);
        out[j] = best;
        index[j] = place;
      }
    }
  }

  static void plane(const MaxPool& k, const T* x, T* out, int64_t* index) {
    for (const Span& r : k.rows_) {
      for (const Span& c : k.cols_) {
        int64_t place = r.begin * k.p_.in_w + c.begin;
        T best = x[place];
        for (int64_t i = r.begin; i < r.end; i += k.w_.dilation_h) {
          for (int64_t j = c.begin; j < c.end; j += k.w_.dilation_w) {
            const T v = x[i * k.p_.in_w + j];
            if (v > best || (v != v && best == best)) {
              best = v;
              place = i * k.p_.in_w + j;
            }
          }
        }
        *out++ = best;
        *index++ = place;
      }
    }
  }

  Attrs attrs_;
  Window w_;
  Planes p_;
  std::vector<Span> rows_, cols_;
  bool pairs_ = false;
};

// The shapes of a plane-wise exchange between (N, C, H, W) and (N, C, OH, OW) by an index.
Status describe_exchange(const Shape& wide, const Shape& narrow, const TensorSpec& index, Planes& p) {
  if (wide.size() != 4 || narrow.size() != 4 || wide[0] != narrow[0] || wide[1] != narrow[1]) {
    return bad_value("shapes " + to_string(wide) + " and " + to_string(narrow) + " do not belong to one pooling");
  }
  p = {wide[0] * wide[1], wide[2], wide[3], narrow[2], narrow[3]};
  return expect_spec(index, "the index", DType::kInt64, narrow);
}

Status bad_index(int64_t place, int64_t size) {
  return {Code::kIndex, "index " + std::to_string(place) + " is out of range for a plane of " + std::to_string(size) +
                            " elements"};
}

// Remembers one index that was out of range, from any thread.
class Fault {
 public:
  // A fault in place i is reported as the least of all, so that the message does not depend on the threads.
  void note(int64_t i) {
    int64_t seen = first_.load(std::memory_order_relaxed);
    while (i < seen && !first_.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
    }
  }
  Status status(const int64_t* index, int64_t size) const {
    const int64_t i = first_.load();
    return i == INT64_MAX ? Status::ok() : bad_index(index[i], size);
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
    if (auto failed = describe_exchange(in_shape_, s.inputs[0].shape, s.inputs[1], p_)) return failed;
    return expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, in_shape_);
  }

  Status run(const Args& a, Stream&) const override {
    const T* dout = static_cast<const T*>(a.in[0]);
    const int64_t* index = static_cast<const int64_t*>(a.in[1]);
    T* dx = static_cast<T*>(a.out[0]);
    Fault fault;
    parallel_for(p_.count, planes_grain(p_), [&](int64_t begin, int64_t end) {
      std::fill(dx + begin * p_.in(), dx + end * p_.in(), T{0});
      for (int64_t plane = begin; plane < end; ++plane) {
        T* to = dx + plane * p_.in();
        for (int64_t i = plane * p_.out(); i < (plane + 1) * p_.out(); ++i) {
          if (static_cast<uint64_t>(index[i]) >= static_cast<uint64_t>(p_.in())) return fault.note(i);
          to[index[i]] += dout[i];
        }
      }
    });
    return fault.status(index, p_.in());
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
    if (auto failed = describe_exchange(s.inputs[0].shape, s.inputs[1].shape, s.inputs[1], p_)) return failed;
    return expect_spec(s.outputs[0], "the result", s.inputs[0].dtype, s.inputs[1].shape);
  }

  Status run(const Args& a, Stream&) const override {
    const T* x = static_cast<const T*>(a.in[0]);
    const int64_t* index = static_cast<const int64_t*>(a.in[1]);
    T* out = static_cast<T*>(a.out[0]);
    Fault fault;
    parallel_for(p_.count, planes_grain(p_), [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const T* from = x + plane * p_.in();
        for (int64_t i = plane * p_.out(); i < (plane + 1) * p_.out(); ++i) {
          if (static_cast<uint64_t>(index[i]) >= static_cast<uint64_t>(p_.in())) return fault.note(i);
          out[i] = from[index[i]];
        }
      }
    });
    return fault.status(index, p_.in());
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

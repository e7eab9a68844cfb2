// gather_dx, scatter_nd, tensor_scatter and scatter_add_d: rows combined into a tensor by index.
//
// Deterministic whatever the number of threads: a thread owns a range of the destination and takes the points
// that fall into it in their order. 16-bit floats are combined in float32 and rounded once at the end.
#include <algorithm>
#include <string>

#include "base/parallel.h"
#include "cpu/kernels/indices.h"
#include "cpu/kernels/scatter_ops.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

// The numbers of a scatter: `outer` copies of `bound` rows of `width` elements, `count` points each.
struct Rows {
  int64_t outer = 1, bound = 0, width = 1, count = 0;
};

template <class Op, class T, class C>
void scatter_rows(const Rows& r, const int64_t* rows, const T* src, C* dst) {
  const int64_t total = r.outer * r.bound, work = r.outer * r.count * r.width;
  if (work == 0) return;
  const int64_t grain =
      std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(total) * kGrain / work));
  parallel_for(total, grain, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin / r.bound; o * r.bound < end; ++o) {
      const int64_t first = begin - o * r.bound, last = end - o * r.bound;
      for (int64_t i = 0; i < r.count; ++i) {
        if (rows[i] < first || rows[i] >= last) continue;
        C* to = dst + (o * r.bound + rows[i]) * r.width;
        const T* from = src + (o * r.count + i) * r.width;
        using W = std::conditional_t<kIsHalf<C>, float, C>;
        for (int64_t j = 0; j < r.width; ++j) {
          to[j] = static_cast<C>(Op::apply(static_cast<W>(to[j]), static_cast<W>(from[j])));
        }
      }
    }
  });
}

// Zeros, or a copy of `x`; nothing where the result takes the place of `x`.
template <class T, class C>
void start(const T* x, C* dst, int64_t n) {
  if (static_cast<const void*>(x) == dst) return;
  parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
    if (x == nullptr) {
      std::fill(dst + begin, dst + end, C(0));
    } else {
      for (int64_t i = begin; i < end; ++i) dst[i] = static_cast<C>(x[i]);
    }
  });
}

// What the four have in common: where the indices and the float32 form of a 16-bit result lie in the
// workspace.
class Scatter : public Kernel {
 protected:
  void plan_workspace(const TensorSpec& out, int64_t indices, Prepared& p) {
    dtype_ = out.dtype;
    size_ = out.size();
    wide_at_ = (static_cast<size_t>(indices) * sizeof(int64_t) + 63) / 64 * 64;
    p.workspace =
        wide_at_ +
        (item_size(dtype_) == 2 && is_float(dtype_) ? static_cast<size_t>(size_) * sizeof(float) : 0);
  }

  // To what adds or replaces, a complex tensor is one of real numbers whose rows are twice as wide. To be called
  // after plan_workspace.
  void by_parts(Rows& rows) {
    if (dtype_ != DType::kComplex64 && dtype_ != DType::kComplex128) return;
    dtype_ = dtype_ == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    size_ *= 2;
    rows.width *= 2;
  }

  // Calls body(T{}, dst) with dst starting as zeros or as x, and rounds it to the output afterwards if it is
  // wider. Where every element is combined `once` at most, it need not be wider.
  template <class F>
  void with_destination(const Args& a, const void* x, F&& body, bool once = false) const {
    visit(dtype_, [&]<class T>(T) {
      T* out = static_cast<T*>(a.out[0]);
      if (kIsHalf<T> && !once) {
        float* wide = reinterpret_cast<float*>(static_cast<char*>(a.workspace) + wide_at_);
        start(static_cast<const T*>(x), wide, size_);
        body(T{}, wide);
        parallel_for(size_, kGrain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) out[i] = wide[i];
        });
      } else {
        start(static_cast<const T*>(x), out, size_);
        body(T{}, out);
      }
    });
  }

  DType dtype_{};
  int64_t size_ = 0;
  size_t wide_at_ = 0;
};

class GatherDx final : public Scatter {
 public:
  explicit GatherDx(const Attrs& a) : shape_(a.ints("shape")), axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = plan_.prepare_scatter(s, shape_, axis_)) return bad;
    rows_ = {plan_.outer, plan_.bound, plan_.width, plan_.count};
    plan_workspace(s.outputs[0], rows_.count, p);
    by_parts(rows_);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* at = static_cast<int64_t*>(a.workspace);
    if (const Fault f = normalise_indices(a.in[1], plan_.index, rows_.count, rows_.bound, at)) return fail(a, f);
    with_destination(a, nullptr, [&]<class T, class C>(T, C* dst) {
      scatter_rows<Add>(rows_, at, static_cast<const T*>(a.in[0]), dst);
    });
    return {};
  }

 private:
  Shape shape_;
  int64_t axis_;
  RowsPlan plan_;
  Rows rows_;
};

class ScatterNd final : public Scatter {
 public:
  explicit ScatterNd(const Attrs& a) : shape_(a.ints("shape")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = points_.prepare_scatter(s, shape_)) return bad;
    rows_ = {1, points_.rows(), points_.width, points_.count};
    plan_workspace(s.outputs[0], points_.count, p);
    by_parts(rows_);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* at = static_cast<int64_t*>(a.workspace);
    if (const Fault f = resolve_points(points_, a.in[0], at)) return fail(a, f);
    with_destination(a, nullptr, [&]<class T, class C>(T, C* dst) {
      scatter_rows<Add>(rows_, at, static_cast<const T*>(a.in[1]), dst);
    });
    return {};
  }

 private:
  Shape shape_;
  PointsPlan points_;
  Rows rows_;
};

class TensorScatter final : public Scatter {
 public:
  explicit TensorScatter(const Attrs& a) : mode_(a.str("mode")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = points_.prepare_update(s)) return bad;
    const TensorSpec& x = s.inputs[0];
    if (auto bad = find_scatter_mode(mode_, x.dtype, chosen_)) return bad;
    rows_ = {1, points_.rows(), points_.width, points_.count};
    plan_workspace(x, points_.count, p);
    by_parts(rows_);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* at = static_cast<int64_t*>(a.workspace);
    if (const Fault f = resolve_points(points_, a.in[1], at)) return fail(a, f);
    const auto combine = [&]<class T, class C>(T, C* dst) {
      visit_mode(chosen_,
                 [&]<class Op>(Op) { scatter_rows<Op>(rows_, at, static_cast<const T*>(a.in[2]), dst); });
    };
    with_destination(a, a.in[0], combine, rows_.count == 1 || chosen_ == ScatterMode::kUpdate);
    return {};
  }

 private:
  std::string mode_;
  ScatterMode chosen_{};
  PointsPlan points_;
  Rows rows_;
};

// out = x; out[.., index[.., i, ..] at dim, ..] += src[.., i, ..].
class ScatterAddD final : public Scatter {
 public:
  explicit ScatterAddD(const Attrs& a) : dim_(a.i64("dim")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = plan_.prepare_scatter(s, dim_)) return bad;
    plan_workspace(s.inputs[0], plan_.count, p);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* at = static_cast<int64_t*>(a.workspace);
    if (const Fault f = normalise_indices(a.in[1], plan_.index, plan_.count, plan_.bound, at)) return fail(a, f);
    with_destination(a, a.in[0], [&]<class T, class C>(T, C* dst) {
      if (plan_.count == 0) return;
      const T* src = static_cast<const T*>(a.in[2]);
      const int64_t lines = plan_.count / plan_.leading;  // different leading indices write to different places
      const int64_t stride = plan_.stride;
      parallel_for(plan_.leading, kGrain / lines, [&](int64_t begin, int64_t end) {
        Odometer where(plan_.dims, begin * lines);
        for (int64_t i = begin * lines; i < end * lines; ++i, where.next()) {
          C& to = dst[where.out + at[i] * stride];
          to = Add::apply(to, static_cast<C>(src[where.in]));
        }
      });
    });
    return {};
  }

 private:
  int64_t dim_;
  AlongPlan plan_;
};

MINDS_KERNEL("cpu", "gather_dx", GatherDx, MINDS_REALS, DType::kComplex64, DType::kComplex128);
MINDS_KERNEL("cpu", "scatter_nd", ScatterNd, MINDS_INTS);
MINDS_KERNEL("cpu", "tensor_scatter", TensorScatter, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "scatter_add_d", ScatterAddD, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu

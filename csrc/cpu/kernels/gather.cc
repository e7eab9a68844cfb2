// gather, gather_d and gather_nd: rows fetched by index.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/check.h"
#include "cpu/kernels/indices.h"
#include "cpu/strides.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

// dst[i] = row rows[i] of src, for rows of `bytes` bytes. One element is an assignment, more are a memcpy.
void fetch(const char* src, const int64_t* rows, int64_t n, int64_t bytes, char* dst) {
  const auto each = [&]<class T>(T) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<T*>(dst)[i] = reinterpret_cast<const T*>(src)[rows[i]];
  };
  switch (bytes) {
    case 1:
      return each(uint8_t{});
    case 2:
      return each(uint16_t{});
    case 4:
      return each(uint32_t{});
    case 8:
      return each(uint64_t{});
    default:
      for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * bytes, src + rows[i] * bytes, bytes);
  }
}

class Gather final : public Kernel {
 public:
  explicit Gather(const Attrs& a) : axis_(a.i64("axis")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = expect_counts(s, 2, 1)) return bad;
    const TensorSpec &x = s.inputs[0], &indices = s.inputs[1];
    if (auto bad = expect_axis(axis_, x.shape)) return bad;
    if (auto bad = expect_integers(indices, "indices")) return bad;
    Shape shape(x.shape.begin(), x.shape.begin() + axis_);
    shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
    shape.insert(shape.end(), x.shape.begin() + axis_ + 1, x.shape.end());
    if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, shape)) return bad;
    outer_ = product(x.shape, 0, axis_);
    bound_ = x.shape[axis_];
    row_ = product(x.shape, axis_ + 1, x.shape.size()) * static_cast<int64_t>(item_size(x.dtype));
    count_ = indices.size();
    index_dtype_ = indices.dtype;
    p.workspace = static_cast<size_t>(count_) * sizeof(int64_t);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* rows = static_cast<int64_t*>(a.workspace);
    if (auto bad = normalise_indices(a.in[1], index_dtype_, count_, bound_, rows)) return bad;
    if (row_ == 0) return {};
    const char* x = static_cast<const char*>(a.in[0]);
    char* out = static_cast<char*>(a.out[0]);
    parallel_for(outer_ * count_, kGrain / row_, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end;) {
        const int64_t o = i / count_, first = i % count_, n = std::min(end - i, count_ - first);
        fetch(x + o * bound_ * row_, rows + first, n, row_, out + i * row_);
        i += n;
      }
    });
    return {};
  }

 private:
  int64_t axis_, outer_ = 0, bound_ = 0, row_ = 0, count_ = 0;  // row_ in bytes
  DType index_dtype_{};
};

// out[.., i at dim, ..] = x[.., index[.., i, ..] at dim, ..].
class GatherD final : public Kernel {
 public:
  explicit GatherD(const Attrs& a) : dim_(a.i64("dim")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = expect_counts(s, 2, 1)) return bad;
    const TensorSpec &x = s.inputs[0], &index = s.inputs[1];
    if (auto bad = expect_axis(dim_, x.shape)) return bad;
    if (auto bad = expect_integers(index, "index")) return bad;
    bool fits = index.shape.size() == x.shape.size();
    for (size_t d = 0; fits && d < x.shape.size(); ++d) {
      fits = static_cast<int64_t>(d) == dim_ || index.shape[d] <= x.shape[d];
    }
    if (!fits)
      return bad_value("index of shape " + to_string(index.shape) + " does not fit x of " +
                       to_string(x.shape));
    if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, index.shape)) return bad;
    const Shape strides = row_major(x.shape);
    for (size_t d = 0; d < x.shape.size(); ++d) {
      dims_.push_back({index.shape[d], static_cast<int64_t>(d) == dim_ ? 0 : strides[d], 0});
    }
    stride_ = strides[dim_];
    bound_ = x.shape[dim_];
    count_ = index.size();
    index_dtype_ = index.dtype;
    item_ = static_cast<int64_t>(item_size(x.dtype));
    p.workspace = static_cast<size_t>(count_) * sizeof(int64_t);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* at = static_cast<int64_t*>(a.workspace);
    if (auto bad = normalise_indices(a.in[1], index_dtype_, count_, bound_, at)) return bad;
    const char* x = static_cast<const char*>(a.in[0]);
    char* out = static_cast<char*>(a.out[0]);
    parallel_for(count_, kGrain, [&](int64_t begin, int64_t end) {
      Odometer where(dims_, begin);
      for (int64_t i = begin; i < end; ++i, where.next()) at[i] = where.in + at[i] * stride_;
      fetch(x, at + begin, end - begin, item_, out + begin * item_);
    });
    return {};
  }

 private:
  int64_t dim_, stride_ = 0, bound_ = 0, count_ = 0, item_ = 0;
  std::vector<Dim> dims_;
  DType index_dtype_{};
};

class GatherNd final : public Kernel {
 public:
  explicit GatherNd(const Attrs&) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = expect_counts(s, 2, 1)) return bad;
    const TensorSpec &x = s.inputs[0], &indices = s.inputs[1];
    Shape shape;
    if (auto bad = points_.prepare(x.shape, indices, shape)) return bad;
    if (auto bad = expect_spec(s.outputs[0], "the output", x.dtype, shape)) return bad;
    row_ = points_.row * static_cast<int64_t>(item_size(x.dtype));
    p.workspace = static_cast<size_t>(points_.count) * sizeof(int64_t);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* rows = static_cast<int64_t*>(a.workspace);
    if (auto bad = points_.resolve(a.in[1], rows)) return bad;
    if (row_ == 0) return {};
    parallel_for(points_.count, kGrain / row_, [&](int64_t begin, int64_t end) {
      fetch(static_cast<const char*>(a.in[0]), rows + begin, end - begin, row_,
            static_cast<char*>(a.out[0]) + begin * row_);
    });
    return {};
  }

 private:
  Points points_;
  int64_t row_ = 0;
};

MINDS_KERNEL("cpu", "gather", Gather, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "gather_d", GatherD, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "gather_nd", GatherNd, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

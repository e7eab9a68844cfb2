// gather, gather_d and gather_nd: rows fetched by index.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/kernels/indices.h"
#include "kernel/plan/check.h"
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
    if (auto bad = rows_.prepare_gather(s, axis_)) return bad;
    bytes_ = rows_.width * static_cast<int64_t>(item_size(s.inputs[0].dtype));
    p.workspace = static_cast<size_t>(rows_.count) * sizeof(int64_t);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    const int64_t count = rows_.count, bytes = bytes_;
    int64_t* at = static_cast<int64_t*>(a.workspace);
    if (const Fault f = normalise_indices(a.in[1], rows_.index, count, rows_.bound, at)) return fail(a, f);
    if (bytes == 0) return {};
    const char* x = static_cast<const char*>(a.in[0]);
    char* out = static_cast<char*>(a.out[0]);
    parallel_for(rows_.outer * count, kGrain / bytes, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end;) {
        const int64_t o = i / count, first = i % count, n = std::min(end - i, count - first);
        fetch(x + o * rows_.bound * bytes, at + first, n, bytes, out + i * bytes);
        i += n;
      }
    });
    return {};
  }

 private:
  int64_t axis_;
  RowsPlan rows_;
  int64_t bytes_ = 0;  // of a row
};

// out[.., i at dim, ..] = x[.., index[.., i, ..] at dim, ..].
class GatherD final : public Kernel {
 public:
  explicit GatherD(const Attrs& a) : dim_(a.i64("dim")) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = plan_.prepare_gather(s, dim_)) return bad;
    item_ = static_cast<int64_t>(item_size(s.inputs[0].dtype));
    p.workspace = static_cast<size_t>(plan_.count) * sizeof(int64_t);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* at = static_cast<int64_t*>(a.workspace);
    if (const Fault f = normalise_indices(a.in[1], plan_.index, plan_.count, plan_.bound, at)) return fail(a, f);
    const char* x = static_cast<const char*>(a.in[0]);
    char* out = static_cast<char*>(a.out[0]);
    parallel_for(plan_.count, kGrain, [&](int64_t begin, int64_t end) {
      Odometer where(plan_.dims, begin);
      for (int64_t i = begin; i < end; ++i, where.next()) at[i] = where.in + at[i] * plan_.stride;
      fetch(x, at + begin, end - begin, item_, out + begin * item_);
    });
    return {};
  }

 private:
  int64_t dim_;
  AlongPlan plan_;
  int64_t item_ = 0;
};

class GatherNd final : public Kernel {
 public:
  explicit GatherNd(const Attrs&) {}

  Status prepare(const Signature& s, Prepared& p) override {
    if (auto bad = points_.prepare_gather(s)) return bad;
    bytes_ = points_.width * static_cast<int64_t>(item_size(s.inputs[0].dtype));
    p.workspace = static_cast<size_t>(points_.count) * sizeof(int64_t);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    int64_t* rows = static_cast<int64_t*>(a.workspace);
    if (const Fault f = resolve_points(points_, a.in[1], rows)) return fail(a, f);
    if (bytes_ == 0) return {};
    parallel_for(points_.count, kGrain / bytes_, [&](int64_t begin, int64_t end) {
      fetch(static_cast<const char*>(a.in[0]), rows + begin, end - begin, bytes_,
            static_cast<char*>(a.out[0]) + begin * bytes_);
    });
    return {};
  }

 private:
  PointsPlan points_;
  int64_t bytes_ = 0;  // of a row
};

MINDS_KERNEL("cpu", "gather", Gather, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "gather_d", GatherD, MINDS_ALL_DTYPES);
MINDS_KERNEL("cpu", "gather_nd", GatherNd, MINDS_ALL_DTYPES);

}  // namespace
}  // namespace minds::cpu

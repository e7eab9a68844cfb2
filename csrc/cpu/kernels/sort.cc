// sort and topk along an axis, stable, with indices.
//
// Elements become unsigned keys in the wanted order (sort_keys.h), so one radix sort serves every dtype; NaN
// is the largest number, -0 equals +0, and equal elements keep their order.
#include <algorithm>

#include "base/parallel.h"
#include "cpu/kernels/sort_keys.h"
#include "kernel/plan/axis.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

constexpr int64_t kMaxTasks =
    64;  // lines are dealt to at most this many tasks, each with scratch for one line
constexpr int64_t kInsertion = 48;  // up to this length insertion beats counting

template <class K>
struct Entry {
  K key;
  int64_t index;
  // A total order: no two entries are equal, so a selection has one result.
  bool operator<(const Entry& o) const { return key != o.key ? key < o.key : index < o.index; }
};

template <class K>
void insertion_sort(Entry<K>* e, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    const Entry<K> moving = e[i];
    int64_t j = i;
    for (; j > 0 && moving.key < e[j - 1].key; --j) e[j] = e[j - 1];
    e[j] = moving;
  }
}

// Stable, a byte at a time from the least significant; a byte that all keys share is skipped. The result is
// in the returned one of the two arrays.
template <class K>
Entry<K>* radix_sort(Entry<K>* e, Entry<K>* other, int64_t n) {
  for (unsigned shift = 0; shift < 8 * sizeof(K); shift += 8) {
    int64_t start[256] = {};
    for (int64_t i = 0; i < n; ++i) ++start[e[i].key >> shift & 0xff];
    if (start[e[0].key >> shift & 0xff] == n) continue;
    int64_t sum = 0;
    for (int64_t& s : start) {
      const int64_t count = s;
      s = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; ++i) other[start[e[i].key >> shift & 0xff]++] = e[i];
    std::swap(e, other);
  }
  return e;
}

class Ordering : public Kernel {
 public:
  Ordering(int64_t axis, bool descending, int64_t k) : axis_(axis), descending_(descending), k_(k) {}

  Status prepare(const Signature& s, Prepared& p) override {
    AxisPlan along;
    if (auto bad = along.prepare_order(s, axis_, k_)) return bad;
    size_ = along.size;
    if (k_ == AxisPlan::kAll) k_ = size_;
    inner_ = along.inner;
    lines_ = along.outer * inner_;
    dtype_ = s.inputs[0].dtype;
    tasks_ = std::min(lines_, kMaxTasks);
    p.workspace = static_cast<size_t>(tasks_ * 2 * size_) * sizeof(Entry<uint64_t>);
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    visit(dtype_, [&]<class T>(T) {
      order(static_cast<const T*>(a.in[0]), static_cast<T*>(a.out[0]), static_cast<int64_t*>(a.out[1]),
            static_cast<char*>(a.workspace));
    });
    return {};
  }

 private:
  template <class T>
  void order(const T* x, T* values, int64_t* indices, char* workspace) const {
    using E = Entry<SortKey<T>>;
    if (lines_ == 0 || k_ == 0) return;
    parallel_for(tasks_, std::max<int64_t>(1, kGrain / 8 * tasks_ / (lines_ * size_)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t task = begin; task < end; ++task) {
                     E* scratch = reinterpret_cast<E*>(workspace + static_cast<size_t>(task * 2 * size_) *
                                                                       sizeof(Entry<uint64_t>));
                     for (int64_t line = task * lines_ / tasks_; line < (task + 1) * lines_ / tasks_;
                          ++line) {
                       const int64_t outer = line / inner_, j = line % inner_;
                       const T* from = x + outer * size_ * inner_ + j;
                       const E* sorted = first_k<T>(from, scratch);
                       const int64_t to = outer * k_ * inner_ + j;
                       for (int64_t i = 0; i < k_; ++i) {
                         values[to + i * inner_] = from[sorted[i].index * inner_];
                         indices[to + i * inner_] = sorted[i].index;
                       }
                     }
                   }
                 });
  }

  // The first k_ entries of a line in order.
  template <class T>
  const Entry<SortKey<T>>* first_k(const T* from, Entry<SortKey<T>>* e) const {
    using K = SortKey<T>;
    const K flip = descending_ ? static_cast<K>(~K(0)) : K(0);
    const auto entry = [&](int64_t i) {
      return Entry<K>{static_cast<K>(sort_key(from[i * inner_]) ^ flip), i};
    };
    if (k_ > size_ / 8) {
      for (int64_t i = 0; i < size_; ++i) e[i] = entry(i);
      if (size_ > kInsertion) return radix_sort(e, e + size_, size_);
      insertion_sort(e, size_);
      return e;
    }
    // A heap of the k best, its worst on top: an entry that is not better than that costs one comparison.
    for (int64_t i = 0; i < k_; ++i) e[i] = entry(i);
    std::make_heap(e, e + k_);
    for (int64_t i = k_; i < size_; ++i) {
      const Entry<K> next = entry(i);
      if (!(next < e[0])) continue;
      std::pop_heap(e, e + k_);
      e[k_ - 1] = next;
      std::push_heap(e, e + k_);
    }
    std::sort_heap(e, e + k_);
    return e;
  }

  int64_t axis_;
  bool descending_;
  int64_t k_, size_ = 0, inner_ = 1, lines_ = 0, tasks_ = 0;
  DType dtype_{};
};

struct Sort : Ordering {
  explicit Sort(const Attrs& a)
      : Ordering(a.i64("axis", -1), a.has("descending") && a.boolean("descending"), AxisPlan::kAll) {}
};

struct TopK : Ordering {
  explicit TopK(const Attrs& a)
      : Ordering(a.i64("axis", -1), !a.has("largest") || a.boolean("largest"), a.i64("k")) {}
};

MINDS_KERNEL("cpu", "sort", Sort, DType::kBool, MINDS_REALS);
MINDS_KERNEL("cpu", "topk", TopK, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu

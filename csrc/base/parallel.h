// One pool of threads (OpenMP's), shared with oneDNN.
//
// The split of a range depends on the number of threads; a result must not: reductions use blocks of a fixed
// size and parallelise over blocks.
#pragma once
#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace minds {

inline constexpr int64_t kGrain = 1 << 15;  // elements of simple work that are worth a thread

// How many items of `size` elements are worth a thread, where an element takes more than simple work.
inline int64_t items_per_thread(int64_t size) {
  return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, size));
}

// The number of threads that parallel work may use. In a forked child it stays 1: the pool's threads did not
// survive.
int num_threads();
void set_num_threads(int n);

// Makes the calling thread's OpenMP default (what oneDNN reads) agree with num_threads(). Call it once per
// entry from Python.
void adopt_num_threads();

// While one lives, and unless `on` is false, the calling thread starts no others: for libraries that split even what
// takes less time than to wake a thread, which on a busy machine may not run for milliseconds.
class OneThread {
 public:
  explicit OneThread(bool on) : before_(on ? omp_get_max_threads() : 0) {
    if (on) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 0) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// Calls f(begin, end) on disjoint ranges that cover [0, n); inline when n <= grain or already inside a
// parallel region. No range but the last is shorter than `grain`; begins are multiples of 16. f must not
// throw.
template <class F>
void parallel_for(int64_t n, int64_t grain, F&& f) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t wanted = std::min<int64_t>((n + grain - 1) / grain, num_threads());
  if (wanted <= 1 || omp_in_parallel()) {
    f(int64_t{0}, n);
    return;
  }
  const int64_t align =
      n >= 1024 ? 16 : 1;  // few items are rows or images: any split; many are elements: whole lines
  const int64_t share = ((n + wanted - 1) / wanted + align - 1) / align * align;
#pragma omp parallel num_threads(static_cast<int>(wanted))
  for (int64_t part = omp_get_thread_num(); part * share < n; part += omp_get_num_threads()) {
    f(part * share, std::min(n, (part + 1) * share));
  }
}

}  // namespace minds

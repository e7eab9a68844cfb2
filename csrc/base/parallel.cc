#include "base/parallel.h"

#include <pthread.h>

#include <atomic>

namespace minds {
namespace {

std::atomic<int> limit{0};
std::atomic<bool> forked{false};

// libgomp keeps a pool per starting thread. The child owns the pool's records but not its threads, and would
// wait for them for ever.
void in_child() {
  forked.store(true);
  limit.store(1);
  omp_set_num_threads(1);
}

const int registered = pthread_atfork(nullptr, nullptr, in_child);

}  // namespace

int num_threads() {
  int n = limit.load(std::memory_order_relaxed);
  if (n == 0) {
    n = std::max(1, omp_get_max_threads());
    limit.store(n, std::memory_order_relaxed);
  }
  return n;
}

void set_num_threads(int n) {
  limit.store(forked.load() ? 1 : std::max(1, n));
  adopt_num_threads();
}

void adopt_num_threads() {
  static thread_local int adopted = 0;
  const int n = num_threads();
  if (adopted != n) {
    omp_set_num_threads(n);
    adopted = n;
  }
}

}  // namespace minds

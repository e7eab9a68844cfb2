#include "cuda/workers.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace minds::cuda {
namespace {

class Workers {
 public:
  void give(std::function<void()> work) {
    const std::lock_guard guard(lock_);
    waiting_.push_back(std::move(work));
    const size_t most = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
    if (idle_ < waiting_.size() && threads_.size() < most) threads_.emplace_back([this] { serve(); });
    some_.notify_one();
  }

  void end() {
    {
      const std::lock_guard guard(lock_);
      ended_ = true;
      waiting_.clear();
      some_.notify_all();
    }
    for (std::thread& t : threads_) t.join();
  }

 private:
  void serve() {
    std::unique_lock guard(lock_);
    for (;;) {
      ++idle_;
      some_.wait(guard, [this] { return ended_ || !waiting_.empty(); });
      --idle_;
      if (ended_) return;
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      guard.unlock();
      work();
      guard.lock();
    }
  }

  std::mutex lock_;  // of what follows
  std::condition_variable some_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool ended_ = false;
};

// Ends the threads before the libraries that they call are taken down. A forked child has none of them.
struct Owner {
  Workers& workers = *new Workers;
  const pid_t process = getpid();
  ~Owner() {
    if (getpid() == process) workers.end();
  }
};

}  // namespace

void in_background(std::function<void()> work) {
  static Owner owner;
  owner.workers.give(std::move(work));
}

}  // namespace minds::cuda

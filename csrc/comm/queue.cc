#include "comm/queue.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "comm/world.h"

namespace minds::comm {
namespace {

constexpr double kAsk = 0.05;  // seconds between questions whether to wait on

thread_local bool on_the_thread = false;

class Queue;

class Queued final : public Job {
 public:
  Queued(Queue& queue, std::function<Status()> work, bool gives) : queue_(queue), work(std::move(work)), gives(gives) {}
  bool wait(double seconds) override;
  Status take() override { return std::move(status); }

 private:
  Queue& queue_;

 public:
  std::function<Status()> work;
  const bool gives;  // whether it may give devices something
  Status status;
  bool over = false;  // under the queue's lock
};

class Queue {
 public:
  std::shared_ptr<Job> add(std::function<Status()> work, bool gives) {
    auto job = std::make_shared<Queued>(*this, std::move(work), gives);
    {
      const std::lock_guard lock(mutex);
      if (!started_) std::thread([this] { serve(); }).detach();
      started_ = true;
      jobs_.insert(on_the_thread ? jobs_.begin() + of_this_++ : jobs_.end(), job);
      ++open_;
      giving_ += gives;
    }
    changed.notify_all();
    return job;
  }

  // Until all have run, or those that give devices something, but no longer than that; whether they have.
  bool wait_for(bool all, double seconds) {
    std::unique_lock lock(mutex);
    const int& left = all ? open_ : giving_;
    return changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return left == 0; });
  }

  std::mutex mutex;
  std::condition_variable changed;

 private:
  void serve() {
    on_the_thread = true;
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return !jobs_.empty(); });
      const std::shared_ptr<Queued> job = std::move(jobs_.front());
      jobs_.pop_front();
      of_this_ = 0;
      lock.unlock();
      Status s = job->work();
      job->work = nullptr;
      lock.lock();
      job->status = std::move(s);
      job->over = true;
      --open_;
      giving_ -= job->gives;
      changed.notify_all();
    }
  }

  std::deque<std::shared_ptr<Queued>> jobs_;
  int of_this_ = 0;  // how many jobs the one that runs has added
  int open_ = 0, giving_ = 0;
  bool started_ = false;
};

bool Queued::wait(double seconds) {
  std::unique_lock lock(queue_.mutex);
  return queue_.changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return over; });
}

Queue& queue() {
  static auto& one = *new Queue;
  return one;
}

Status wait_for(bool all) {
  if (on_the_thread) return {};
  while (!queue().wait_for(all, kAsk)) {
    if (Status s = World::instance().idle()) return s;
  }
  return {};
}

}  // namespace

std::shared_ptr<Job> begin(std::function<Status()> work) { return queue().add(std::move(work), true); }

void oversee(std::function<Status()> work) { queue().add(std::move(work), false); }

Status after_begun() { return wait_for(true); }

Status after_given() { return wait_for(false); }

Status finish(Job& job) {
  while (!job.wait(kAsk)) {
    if (Status s = World::instance().idle()) return s;
  }
  return job.take();
}

bool is_beside() { return on_the_thread; }

}  // namespace minds::comm

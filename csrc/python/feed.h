// A queue of batches between the thread that makes them and a program that takes them one after the other.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>

#include "python/bindings.h"

namespace minds::python {

// A batch: arrays on the program's device, and the `Ahead` whose copies they are, or None.
struct FedBatch {
  py::list arrays;
  py::object copies;
};

class Feed {
 public:
  explicit Feed(size_t capacity) : capacity_(capacity) {}
  // Waits while the queue is full. False: it has ended, and the batch is not taken.
  bool put(py::list arrays, py::object copies);
  // Nothing is put any more; what is in it can be taken.
  void end();

  enum class Next { kReady, kNotYet, kEnd };
  // Waits for a batch, but not for long. Without the interpreter lock.
  Next await();
  // The batch that is ready; it stays until it is dropped. By the only thread that takes.
  const FedBatch& front();
  void drop_front();

 private:
  const size_t capacity_;
  std::mutex lock_;  // of what follows
  std::condition_variable changed_;
  std::deque<FedBatch> batches_;
  bool ended_ = false;
};

}  // namespace minds::python

#include "python/feed.h"

namespace minds::python {

bool Feed::put(py::list arrays, py::object copies) {
  FedBatch batch{std::move(arrays), std::move(copies)};
  const py::gil_scoped_release nogil;
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return ended_ || batches_.size() < capacity_; });
  if (ended_) return false;
  batches_.push_back(std::move(batch));
  changed_.notify_all();
  return true;
}

void Feed::end() {
  const std::lock_guard guard(lock_);
  ended_ = true;
  changed_.notify_all();
}

Feed::Next Feed::await() {
  using namespace std::chrono_literals;
  std::unique_lock lock(lock_);
  changed_.wait_for(lock, 20ms, [this] { return ended_ || !batches_.empty(); });
  return !batches_.empty() ? Next::kReady : ended_ ? Next::kEnd : Next::kNotYet;
}

const FedBatch& Feed::front() {
  const std::lock_guard guard(lock_);
  return batches_.front();
}

void Feed::drop_front() {
  FedBatch gone;  // its arrays go when the lock is free again
  const std::lock_guard guard(lock_);
  gone = std::move(batches_.front());
  batches_.pop_front();
  changed_.notify_all();
}

void bind_feed(py::module_& m) {
  py::class_<Feed>(m, "Feed", py::is_final(), "Batches for `Program.sink`, in the order in which they are put.")
      .def(py::init<size_t>(), py::arg("capacity"))
      .def("put", &Feed::put, py::arg("arrays"), py::arg("copies") = py::none())
      .def("end", &Feed::end);
}

}  // namespace minds::python

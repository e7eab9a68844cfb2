// Collectives that run beside the program, one after the other in the order in which they were begun. One that the program
// runs itself comes after all that were begun before, so that every process has the same order.
#pragma once
#include <functional>
#include <memory>

#include "base/status.h"

namespace minds::comm {

class Job {
 public:
  virtual ~Job() = default;
  virtual bool wait(double seconds) = 0;  // until it has run, but no longer than that; whether it has
  virtual Status take() = 0;              // what it returned, to the first who asks after that
};

// Runs `work` on the thread of communication.
std::shared_ptr<Job> begin(std::function<Status()> work);

// Before a collective on this thread: waits for those that were begun.
Status after_begun();

// Waits for a job, and gives what it returned.
Status finish(Job& job);

// Whether this is the thread of communication.
bool is_beside();

}  // namespace minds::comm

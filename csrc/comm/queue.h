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

// The same of what sees after a collective that a device was given. If that was given by the thread of communication, its
// turn is next, before what else was begun meanwhile.
void oversee(std::function<Status()> work);

// Before a collective of the processes on this thread: waits for all that runs there.
Status after_begun();

// Before one of the devices: waits until they were given those that were begun, but not until these are over.
Status after_given();

// Waits for a job, and gives what it returned.
Status finish(Job& job);

// Whether this is the thread of communication.
bool is_beside();

}  // namespace minds::comm

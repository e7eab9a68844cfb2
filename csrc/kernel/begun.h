// What one kernel of a run begins and another one ends. It is kept until then, but no longer than the run: a run that fails
// in between leaves nothing behind.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/status.h"

namespace minds {

class Begun {
 public:
  virtual ~Begun() = default;
  virtual std::string text() const = 0;  // what it is, for a message
};

// All that a run has begun and not ended; one for each run, on its thread.
class BegunByRun {
 public:
  BegunByRun();
  ~BegunByRun();
  BegunByRun(const BegunByRun&) = delete;
  BegunByRun& operator=(const BegunByRun&) = delete;

  // That of the run on this thread; nullptr where there is none, as in PyNative mode.
  static BegunByRun* current();

  int64_t put(std::shared_ptr<Begun> what);          // its number
  std::shared_ptr<Begun> take(int64_t number);       // nullptr: there is none of this number
  Status expect_none() const;                        // at the end of a run: what is left is an error

 private:
  BegunByRun* const outer_;
  std::map<int64_t, std::shared_ptr<Begun>> left_;
  int64_t last_ = 0;
};

}  // namespace minds

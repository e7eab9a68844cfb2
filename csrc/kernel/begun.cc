#include "kernel/begun.h"

#include <utility>

namespace minds {
namespace {

thread_local BegunByRun* innermost = nullptr;

}  // namespace

BegunByRun::BegunByRun() : outer_(std::exchange(innermost, this)) {}

BegunByRun::~BegunByRun() { innermost = outer_; }

BegunByRun* BegunByRun::current() { return innermost; }

int64_t BegunByRun::put(std::shared_ptr<Begun> what) {
  left_[++last_] = std::move(what);
  return last_;
}

std::shared_ptr<Begun> BegunByRun::take(int64_t number) {
  auto found = left_.extract(number);
  return found.empty() ? nullptr : std::move(found.mapped());
}

Status BegunByRun::expect_none() const {
  if (left_.empty()) return {};
  return {Code::kValue, left_.begin()->second->text() + " was begun and never ended"};
}

}  // namespace minds

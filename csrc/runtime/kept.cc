#include "runtime/kept.h"

#include <algorithm>

#include "runtime/executor.h"

namespace minds::runtime {
namespace {

struct Keepers {
  std::mutex lock;
  std::vector<Program*> programs;
};

Keepers& keepers() {
  static Keepers& all = *new Keepers;
  return all;
}

}  // namespace

void keeps(Program& p) {
  Keepers& all = keepers();
  const std::lock_guard guard(all.lock);
  if (std::find(all.programs.begin(), all.programs.end(), &p) == all.programs.end()) all.programs.push_back(&p);
}

void keeps_nothing(Program& p) noexcept {
  Keepers& all = keepers();
  const std::lock_guard guard(all.lock);
  std::erase(all.programs, &p);
}

bool give_back(Device& device) noexcept {
  Keepers& all = keepers();
  const std::lock_guard guard(all.lock);
  return std::erase_if(all.programs, [&](Program* p) {
           if (p->device != &device) return false;
           const std::lock_guard idle(p->idle_lock);
           for (const std::unique_ptr<Context>& c : p->idle) c->forget();
           return true;
         }) != 0;
}

}  // namespace minds::runtime

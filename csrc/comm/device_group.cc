#include "comm/device_group.h"

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "comm/queue.h"

namespace minds::comm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kAsk = std::chrono::milliseconds(50);
constexpr auto kNap = std::chrono::microseconds(100);

struct Groups {
  // Held while something is queued, so that all is watched in the order in which the devices do it. Recursive: what is
  // asked meanwhile may be a signal's handler.
  std::recursive_mutex lock;
  std::map<std::pair<Device*, std::vector<int>>, std::unique_ptr<DeviceGroup>> all;
  std::vector<Communicator*> communicators;
  std::map<std::string, const Communication*, std::less<>> kinds;  // of devices
};

Groups& groups() {
  static auto& one = *new Groups;
  return one;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Of a process whose communication has failed: why. Not said to the thread that found it.
Status failure() {
  World& world = World::instance();
  if (!world.has_failed() || is_beside()) return {};
  Call call;
  call.what = "communication";
  if (Status s = world.find_line(call)) return s;
  return world.exchange({}, {}, call);
}

void abort_all() {
  Groups& g = groups();
  const std::lock_guard guard(g.lock);
  World::instance().give_up();
  for (Communicator* c : g.communicators) c->abort();
  g.communicators.clear();
}

}  // namespace

void DeviceGroup::offer(std::string_view device, const Communication& c) {
  Groups& g = groups();
  const std::lock_guard guard(g.lock);
  g.kinds.emplace(device, &c);
}

Status DeviceGroup::of(Device& d, const Group& g, const Call& call, DeviceGroup*& out) {
  if (Status s = after_given()) return s;
  Groups& known = groups();
  const std::lock_guard guard(known.lock);
  std::unique_ptr<DeviceGroup>& found = known.all[{&d, g.ranks}];
  if (!found) {
    std::unique_ptr<DeviceGroup> made(new DeviceGroup(d, g, *known.kinds.at(d.name())));
    if (Status s = made->join(call)) return s;
    made->kind_.check_waits(&failure);
    known.communicators.push_back(made->communicator_.get());
    found = std::move(made);
  }
  out = found.get();
  return {};
}

std::vector<int> DeviceGroup::others() const {
  std::vector<int> ranks;
  for (int i = 0; i < group_.size(); ++i) {
    if (i != group_.here) ranks.push_back(group_.ranks[static_cast<size_t>(i)]);
  }
  return ranks;
}

Status DeviceGroup::join(const Call& call) {
  if (Status s = after_begun()) return s;
  std::string key;
  if (group_.here == 0) {
    if (Status s = kind_.group_key(device_, key)) return s;
  }
  uint64_t bytes = key.size();
  if (Status s = broadcast(group_, sizeof bytes, 0, &bytes, call)) return s;
  key.resize(bytes);
  if (Status s = broadcast(group_, bytes, 0, key.data(), call)) return s;
  if (Status s = kind_.join(device_, key, group_.here, group_.size(), communicator_)) return s;
  Status s = await_ready(call);
  if (s) communicator_->abort();
  return s;
}

Status DeviceGroup::await_ready(const Call& call) {
  const auto start = Clock::now();
  auto next = start + kAsk;
  bool asked = false, yes = false;
  Status s = communicator_->ready(yes);
  while (!s && !yes) {
    std::this_thread::sleep_for(kNap);
    if (Clock::now() >= next) {
      asked = true;
      s = World::instance().ask(others(), call, seconds_since(start));
      next = Clock::now() + kAsk;
    }
    if (!s) s = communicator_->ready(yes);
  }
  if (!asked) return s;
  Status interrupted = World::instance().left();
  return s ? std::move(s) : std::move(interrupted);
}

Status DeviceGroup::begin(Stream& q, const Call& call, const Work& work, std::shared_ptr<Event>& done) {
  Stream& lane = device_.stream(Lane::kComm);
  const std::lock_guard guard(groups().lock);
  if (Status s = failure()) return s;
  if (World::instance().has_failed()) return {Code::kBackend, call.what + ": communication has failed"};
  if (&lane != &q) {
    const std::unique_ptr<Event> before = device_.event(false);
    if (before == nullptr) return {Code::kBackend, "no event on " + device_.label()};
    if (Status s = q.record(*before)) return s;
    if (Status s = lane.wait(*before)) return s;
  }
  if (Status s = work(*communicator_, lane)) return s;
  if (Status s = await_ready(call)) return s;
  done = device_.event(false);
  if (done == nullptr) return {Code::kBackend, "no event on " + device_.label()};
  if (Status s = lane.record(*done)) return s;
  Call watched = call;
  if (Status s = World::instance().find_line(watched)) return s;
  comm::oversee([this, watched = std::move(watched), done] {
    const Status s = oversee(watched, *done);
    if (s) abort_all();
    return Status{};
  });
  return {};
}

Status DeviceGroup::run(Stream& q, const Call& call, const Work& work) {
  std::shared_ptr<Event> done;
  if (Status s = begin(q, call, work, done)) return s;
  return q.wait(*done);
}

// On the thread of communication.
Status DeviceGroup::oversee(const Call& call, Event& done) const {
  if (Status s = barrier(group_, call)) return s;
  World& world = World::instance();
  const auto start = Clock::now();
  auto next = start + kAsk;
  bool asked = false;
  Status s;
  while (!s && !done.done()) {
    std::this_thread::sleep_for(kNap);
    if (Clock::now() < next) continue;
    asked = true;
    s = world.has_failed() ? Status{Code::kBackend, "communication has failed"} : world.ask(others(), call, seconds_since(start));
    next = Clock::now() + kAsk;
  }
  if (!asked) return s;
  Status interrupted = world.left();
  return s ? std::move(s) : std::move(interrupted);
}

}  // namespace minds::comm

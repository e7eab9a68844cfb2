#include "device.h"

#include <algorithm>
#include <cstring>

namespace minds::sim {
namespace {

DeviceTraits sim_traits() {
  DeviceTraits t;
  t.immediates = true;
  t.fuses = true;
  t.records = true;
  t.lanes = kLanes;
  return t;
}

uintptr_t address(const void* p) { return reinterpret_cast<uintptr_t>(p); }

}  // namespace

SimDevice::SimDevice(int index, std::unique_ptr<Process> process, std::unique_ptr<Memory> memory)
    : Device("sim", index, sim_traits(), *memory), process_(std::move(process)), memory_(std::move(memory)) {
  memory_->serve(*this);
  for (uint32_t n = 0; n < kSimStreams; ++n) {
    const Lane lane = n < kLanes ? static_cast<Lane>(n) : Lane::kCompute;
    streams_.push_back(std::make_unique<SimStream>(*this, lane, n));
    if (n < kLanes) set_lane(lane, *streams_[n]);
  }
  recorder_ = std::make_unique<SimStream>(*this, Lane::kCompute, kRecordingStream);
}

MemoryInfo SimDevice::memory() { return {process_->size(), process_->size() - memory_->stats().in_use}; }

// ---- copies

Status SimDevice::copy(void* to, const void* from, size_t bytes, CopyKind kind, Stream& q) {
  if (bytes == 0) return {};
  const uint32_t stream = number_of(q);
  switch (kind) {
    case CopyKind::kToDevice:
      return process_->post(stream, Kind::kWrite, Writer().put(address(to)).put(bytes).raw(from, bytes));
    case CopyKind::kToHost:
      return download(to, from, bytes, stream);
    default:
      return process_->post(stream, Kind::kCopy, Writer().put(address(to)).put(address(from)).put(bytes));
  }
}

Status SimDevice::fill(void* to, const void* item, size_t item_bytes, size_t count, Stream& q) {
  return process_->post(number_of(q), Kind::kFill,
                        Writer().put(address(to)).put(item_bytes).put(count).raw(item, item_bytes));
}

Status SimDevice::download(void* to, const void* from, size_t bytes, uint32_t stream) {
  Download d{stream, 0, 0, to, bytes};
  // What is on its way lies in pinned memory of the host where a device is real.
  if (Status s = memory_->take(bytes, false, stream, d.from)) return s;
  const Writer body = Writer().put(d.from).put(address(from)).put(bytes);
  if (Status s = process_->post(stream, Kind::kCopy, body, &d.number)) return s;
  std::memset(to, kFreed, bytes);
  const std::lock_guard guard(lock_);
  downloads_.push_back(d);
  return {};
}

// All that are finished, whoever waits: they are nobody's to read before their own streams are waited for. Under the
// lock to the end, as another thread may find its own among those that this one reads.
Status SimDevice::deliver() {
  const std::lock_guard guard(lock_);
  const auto rest = std::partition(downloads_.begin(), downloads_.end(), [this](const Download& d) {
    return !process_->finished(d.stream, d.number);
  });
  Status s;
  for (auto d = rest; d != downloads_.end(); ++d) {
    if (Status failed = process_->read(d->to, d->from, d->bytes)) s = std::move(failed);
    memory_->give(d->from, d->stream);
  }
  downloads_.erase(rest, downloads_.end());
  return s;
}

Status SimDevice::synchronize(uint32_t stream, uint64_t number) {
  Status waited = process_->await(stream, number);
  Status delivered = deliver();
  if (waited && process_->alive()) {  // what is not finished will never be
    const std::lock_guard guard(lock_);
    downloads_.clear();
  }
  return waited ? std::move(waited) : std::move(delivered);
}

Status SimDevice::synchronize() {
  Status first;
  for (uint32_t stream = 0; stream < kSimStreams; ++stream) {
    Status s = synchronize(stream, process_->posted(stream));
    if (s && !first) first = std::move(s);
  }
  return first;
}

Status SimDevice::record(const std::function<Status(Stream&)>& work, std::unique_ptr<Recording>& out) {
  const std::lock_guard guard(recording_);
  std::vector<Process::Command> commands;
  process_->record(&commands);
  Status s = work(*recorder_);
  process_->record(nullptr);
  if (!s) out = std::make_unique<SimRecording>(std::move(commands));
  return s;
}

Status SimRecording::replay(Stream& q) {
  auto& stream = static_cast<SimStream&>(q);
  for (const Process::Command& c : commands_) {
    if (Status s = stream.sim().process().post(stream.number(), c.kind, c.body)) return s;
  }
  return {};
}

// ---- streams and events

Stream& SimDevice::user_stream() {
  const uint32_t turn = turn_.fetch_add(1);
  return *streams_[kLanes + turn % (kSimStreams - kLanes)];
}

std::unique_ptr<Event> SimDevice::event(bool timing) {
  return std::make_unique<SimEvent>(*this, timing ? take_timer() : -1);
}

int SimDevice::take_timer() {
  const std::lock_guard guard(lock_);
  const auto free = std::find(timers_.begin(), timers_.end(), false);
  if (free == timers_.end()) return -1;
  *free = true;
  return static_cast<int>(free - timers_.begin());
}

void SimDevice::give_timer(int timer) {
  if (timer < 0) return;
  const std::lock_guard guard(lock_);
  timers_[static_cast<size_t>(timer)] = false;
}

Status SimStream::record(Event& e) { return static_cast<SimEvent&>(e).record(*this); }

Status SimStream::wait(Event& e) {
  auto* const mine = dynamic_cast<SimEvent*>(&e);
  if (mine == nullptr || &mine->device() != &sim()) return e.synchronize();  // of another device
  if (mine->done() || mine->stream() == number_) return {};
  return sim().process().post(number_, Kind::kWait, Writer().put(mine->stream()).put(mine->number()));
}

Status SimEvent::record(const SimStream& q) {
  if (&q.sim() != &device_) {
    return {Code::kValue, "an event of " + device_.label() + " cannot be recorded on " + q.device().label()};
  }
  stream_ = q.number();
  if (timer_ < 0) {
    number_ = device_.process().posted(stream_);
    return {};
  }
  return device_.process().post(stream_, Kind::kTime, Writer().put(static_cast<uint32_t>(timer_)), &number_);
}

Status SimEvent::milliseconds_since(Event& earlier, double& out) {
  const auto* before = dynamic_cast<SimEvent*>(&earlier);
  if (before == nullptr || before->timer_ < 0 || timer_ < 0) {
    return {Code::kValue, "an event has no time: it was made without timing"};
  }
  out = static_cast<double>(nanoseconds() - before->nanoseconds()) * 1e-6;
  return {};
}

}  // namespace minds::sim

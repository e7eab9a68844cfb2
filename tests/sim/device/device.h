// The device `sim`: what the seam of devices asks for, made of commands to a device process.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.h"
#include "process.h"
#include "space.h"

namespace minds::sim {

class Memory final : public Allocator {
 public:
  explicit Memory(Process& process) : process_(process), space_(process.begin(), process.size()) {}
  void serve(Device& device) { device_ = &device; }  // by its constructor: each needs the other
  BufferRef allocate(size_t bytes) noexcept override { return allocate_for(bytes, 0); }
  BufferRef allocate(size_t bytes, Stream& home) noexcept override;
  void used_by(Buffer& b, Stream& q) noexcept override;
  void trim() noexcept override {}  // what is free is free to all at once
  Stats stats() const noexcept override;
  void reset_peaks() noexcept override;

  // The same without a header: for what the device itself needs.
  Status take(size_t bytes, bool counted, uint32_t stream, uintptr_t& at);
  void give(uintptr_t at, uint32_t stream) noexcept;

 private:
  struct Block;
  BufferRef allocate_for(size_t bytes, uint32_t stream) noexcept;
  static void drop(Buffer* b) noexcept;

  Process& process_;
  Device* device_ = nullptr;
  mutable std::mutex lock_;  // of the book, not held while a command is sent
  Space space_;
};

inline constexpr uint32_t kSimStreams = 8;  // three lanes, and those that users ask for

class SimDevice final : public Device {
 public:
  SimDevice(int index, std::unique_ptr<Process> process, std::unique_ptr<Memory> memory);

  Status begin() override { return process_->alive(); }
  MemoryInfo memory() override;
  std::unique_ptr<Event> event(bool timing) override;
  Stream& user_stream() override;
  Status copy(void* to, const void* from, size_t bytes, CopyKind kind, Stream& q) override;
  Status fill(void* to, const void* item, size_t item_bytes, size_t count, Stream& q) override;
  Status synchronize() override;
  Status record(const std::function<Status(Stream&)>& work, std::unique_ptr<Recording>& out) override;

  Process& process() { return *process_; }
  Status synchronize(uint32_t stream, uint64_t number);
  int take_timer();
  void give_timer(int timer);

 private:
  // A copy to the host that has been queued: it ends in memory of the device, from where it is read once somebody
  // waits. Until then the host sees poison.
  struct Download {
    uint32_t stream;
    uint64_t number;
    uintptr_t from;
    void* to;
    size_t bytes;
  };
  Status download(void* to, const void* from, size_t bytes, uint32_t stream);
  Status deliver();

  std::unique_ptr<Process> process_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::unique_ptr<Stream>> streams_;  // the lanes, then the users'
  std::atomic<uint32_t> turn_ = 0;
  std::unique_ptr<Stream> recorder_;
  std::mutex recording_;  // held while that is in use
  std::mutex lock_;  // of what follows
  std::vector<Download> downloads_;
  std::vector<bool> timers_ = std::vector<bool>(kTimers);
};

class SimStream final : public Stream {
 public:
  SimStream(SimDevice& device, Lane lane, uint32_t number) : Stream(device, lane), number_(number) {}
  Status record(Event& e) override;
  Status wait(Event& e) override;
  Status synchronize() override { return sim().synchronize(number_, sim().process().posted(number_)); }
  bool idle() override { return sim().process().finished(number_, sim().process().posted(number_)); }
  uintptr_t handle() const override { return number_ + 1; }
  uint32_t number() const { return number_; }
  SimDevice& sim() const { return static_cast<SimDevice&>(device()); }

 private:
  const uint32_t number_;
};

// A point in a stream is the number of its last command, so to record one needs no command.
class SimEvent final : public Event {
 public:
  SimEvent(SimDevice& device, int timer) : device_(device), timer_(timer) {}
  ~SimEvent() override { device_.give_timer(timer_); }
  Status synchronize() override { return device_.synchronize(stream_, number_); }
  bool done() override { return device_.process().finished(stream_, number_); }
  Status milliseconds_since(Event& earlier, double& out) override;
  Status record(const SimStream& q);
  int64_t nanoseconds() const { return device_.process().time(static_cast<uint32_t>(timer_)); }

  SimDevice& device() const { return device_; }
  uint32_t stream() const { return stream_; }
  uint64_t number() const { return number_; }

 private:
  SimDevice& device_;
  const int timer_;  // -1: it has none
  uint32_t stream_ = 0;
  uint64_t number_ = 0;
};

class SimRecording final : public Recording {
 public:
  explicit SimRecording(std::vector<Process::Command> commands) : commands_(std::move(commands)) {}
  Status replay(Stream& q) override;

 private:
  const std::vector<Process::Command> commands_;
};

inline uint32_t number_of(Stream& q) { return static_cast<SimStream&>(q).number(); }

}  // namespace minds::sim

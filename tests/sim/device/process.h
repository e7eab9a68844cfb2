// The host's end: starts the device process, sends commands, waits for them, reads the memory.
#pragma once
#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "protocol.h"

namespace minds::sim {

// A descriptor that is closed with its owner.
class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  File(File&& o) noexcept : number_(std::exchange(o.number_, -1)) {}
  File& operator=(File o) noexcept {
    std::swap(number_, o.number_);
    return *this;
  }
  ~File();
  int number() const { return number_; }

 private:
  int number_ = -1;
};

inline constexpr uint32_t kRecordingStream = kStreams;

// Which device a process is to stand for.
struct Machine {
  std::string label;    // for messages
  std::string program;  // beside this shared object
  int index;            // of the range of addresses
  size_t size;          // bytes of memory
  size_t shared = 0;    // bytes behind it that the host may touch too
};

class Process {
 public:
  static Status start(const Machine& m, std::unique_ptr<Process>& out);
  ~Process();

  uintptr_t begin() const { return begin_; }
  size_t size() const { return size_; }
  uintptr_t shared() const { return begin_ + size_; }
  pid_t pid() const { return pid_; }

  // Queues a command; `number` becomes its number in the stream. One for kRecordingStream is put into the list that was
  // given to `record`.
  Status post(uint32_t stream, Kind kind, const Writer& body, uint64_t* number = nullptr);
  struct Command {
    Kind kind;
    Writer body;
  };
  void record(std::vector<Command>* into) { recorded_ = into; }  // nullptr: that is all
  // Where the stream is: the number of the last command.
  uint64_t posted(uint32_t stream) const;
  bool finished(uint32_t stream, uint64_t number) const { return control_->finished[stream].load() >= number; }
  // Waits, and gives the first error that a command had since the last time.
  Status await(uint32_t stream, uint64_t number);
  // Waits only; fails if that has no end.
  Status reach(uint32_t stream, uint64_t number);
  Status read(void* to, uintptr_t from, size_t bytes) const;
  int64_t time(uint32_t timer) const { return control_->times[timer].load(); }

  // Fine unless the device process has died, or this one is a fork of the one that started it.
  Status alive();
  bool forked() const { return forked_; }
  void in_child();

 private:
  explicit Process(const Machine& m)
      : label_(m.label),
        program_(m.program),
        begin_(kFirstAddress + static_cast<size_t>(m.index) * kAddressStep),
        size_(m.size),
        shared_(m.shared) {}
  Status map(int control);
  Status spawn(int control, File theirs);
  Status lost();
  Status error();

  const std::string label_, program_;
  const uintptr_t begin_;
  const size_t size_, shared_;
  pid_t pid_ = -1;
  File memory_, socket_;
  Control* control_ = nullptr;
  mutable std::mutex lock_;  // of what follows, and of writing to the socket
  uint64_t posted_[kStreams] = {};
  std::vector<Command>* recorded_ = nullptr;
  std::mutex end_lock_;  // of what follows, and of the error that the device process has left
  std::string end_;      // how it ended
  std::atomic<bool> forked_ = false;
};

}  // namespace minds::sim

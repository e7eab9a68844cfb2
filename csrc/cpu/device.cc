#include "cpu/device.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

#include "base/parallel.h"
#include "kernel/plugin.h"
#include "kernel/tile_program.h"

namespace minds::cpu {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;  // a cached block would hide uses after release
#else
constexpr bool kCaching = true;
#endif

// Held for some ten instructions: cheaper than a lock that can sleep. Who waits for long sleeps all the same: a thread of a
// higher priority that only yields would keep the one that holds the lock from running.
class SpinLock {
 public:
  void lock() noexcept {
    for (int tries = 0; taken_.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries < kYields) {
        sched_yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    }
  }
  void unlock() noexcept { taken_.clear(std::memory_order_release); }

 private:
  static constexpr int kYields = 64;
  std::atomic_flag taken_ = ATOMIC_FLAG_INIT;
};

// Blocks come in classes of four steps per power of two, at least 128 bytes, so at most a fifth of a block is
// unused. The first 64 bytes of a block are its Buffer header; the data follows, aligned.
class Pool final : public Allocator {
 public:
  explicit Pool(Device& device) : device_(device) {}

  BufferRef allocate(size_t bytes) noexcept override {
    if (bytes > limit_) return {};
    const int k = class_of(bytes + kAlignment);
    void* block = take(k, true);
    if (block == nullptr) {
      block = std::aligned_alloc(kAlignment, class_size(k));
      if (block == nullptr) {
        trim();
        block = std::aligned_alloc(kAlignment, class_size(k));
      }
      if (block == nullptr) return {};
      const std::lock_guard guard(lock_);
      account(class_size(k));
    }
    return BufferRef(new (block) Block(static_cast<char*>(block) + kAlignment, bytes, *this, k));
  }

  // What a stream was given has run: memory that is dropped is free.
  BufferRef allocate(size_t bytes, Stream&) noexcept override { return allocate(bytes); }
  void used_by(Buffer&, Stream&) noexcept override {}

  void trim() noexcept override {
    for (int k = 0; k < kClasses; ++k) {
      while (void* block = take(k, false)) std::free(block);
    }
  }

  void hold() { lock_.lock(); }
  void let_go() { lock_.unlock(); }

  Stats stats() const noexcept override {
    const std::lock_guard guard(lock_);
    return {in_use_, cached_, peak_, peak_reserved_};
  }

  void reset_peaks() noexcept override {
    const std::lock_guard guard(lock_);
    peak_ = in_use_;
    peak_reserved_ = in_use_ + cached_;
  }

  size_t limit() const { return limit_; }

  static size_t taken(size_t bytes) { return class_size(class_of(bytes + kAlignment)); }

 private:
  static constexpr int kClasses = 160;

  struct Block final : Buffer {
    Block(void* data, size_t bytes, Pool& p, int k)
        : Buffer(data, bytes, p.device_, give_back), pool(p), size_class(k) {}
    Pool& pool;
    int size_class;
  };
  static_assert(sizeof(Block) <= kAlignment);

  struct Free {  // what a cached block holds
    Free* next;
  };

  static int class_of(size_t bytes) {
    if (bytes <= 128) return 0;
    const int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes <= 2^(log+1), log >= 7
    const size_t quarter = size_t{1} << (log - 2);
    return (log - 7) * 4 + static_cast<int>((bytes - 1 - (size_t{1} << log)) / quarter) + 1;
  }
  static size_t class_size(int k) {
    if (k == 0) return 128;
    const int log = (k - 1) / 4 + 7;
    const size_t size = (size_t{1} << log) + (size_t{1} << (log - 2)) * static_cast<size_t>((k - 1) % 4 + 1);
    return (size + kAlignment - 1) / kAlignment * kAlignment;
  }

  static void give_back(Buffer* buffer) noexcept {
    Block* block = static_cast<Block*>(buffer);
    Pool& pool = block->pool;
    const int k = block->size_class;
    block->~Block();
    pool.put(block, k);
  }

  // A cached block, to be used or to be freed.
  void* take(int k, bool use) noexcept {
    const std::lock_guard guard(lock_);
    Free* block = free_[static_cast<size_t>(k)];
    if (block == nullptr) return nullptr;
    free_[static_cast<size_t>(k)] = block->next;
    cached_ -= class_size(k);
    if (use) account(class_size(k));
    return block;
  }

  // Keeps a released block for the next request of its class, unless far more is cached than used.
  void put(void* block, int k) noexcept {
    const size_t size = class_size(k);
    bool keep = false;
    {
      const std::lock_guard guard(lock_);
      in_use_ -= size;
      keep = kCaching && cached_ + size <= kSlack + peak_;
      if (keep) {
        free_[static_cast<size_t>(k)] = new (block) Free{free_[static_cast<size_t>(k)]};
        cached_ += size;
      }
    }
    if (!keep) std::free(block);
  }

  void account(size_t size) noexcept {  // under the lock
    in_use_ += size;
    peak_ = std::max(peak_, in_use_);
    peak_reserved_ = std::max(peak_reserved_, in_use_ + cached_);
  }

  static constexpr size_t kSlack = size_t{256} << 20;
  // More than the machine has would only succeed until it is touched.
  const size_t limit_ =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  Device& device_;
  mutable SpinLock lock_;
  std::array<Free*, kClasses> free_{};
  size_t in_use_ = 0, cached_ = 0, peak_ = 0, peak_reserved_ = 0;
};

using Clock = std::chrono::steady_clock;

// What was recorded has happened; only its time is of interest.
class HostEvent final : public Event {
 public:
  Status synchronize() override { return {}; }
  bool done() override { return true; }
  Status milliseconds_since(Event& earlier, double& out) override {
    out = std::chrono::duration<double, std::milli>(at_ - static_cast<HostEvent&>(earlier).at_).count();
    return {};
  }
  void happen() { at_ = Clock::now(); }

 private:
  Clock::time_point at_ = Clock::now();
};

class HostStream final : public Stream {
 public:
  using Stream::Stream;
  Status record(Event& e) override {
    static_cast<HostEvent&>(e).happen();
    return {};
  }
  Status wait(Event&) override { return {}; }
  Status synchronize() override { return {}; }
  bool idle() override { return true; }
};

DeviceTraits cpu_traits() {
  DeviceTraits t;
  t.title = "CPU";
  t.host_memory = t.immediates = t.fuses = t.channels_last = true;
  t.tile_values = kTileValues;
  t.dlpack_type = 1;
  return t;
}

class Cpu final : public Device {
 public:
  Cpu() : Device("cpu", 0, cpu_traits(), pool_), pool_(*this), stream_(*this, Lane::kCompute) {
    set_lane(Lane::kCompute, stream_);
  }

  Status begin() override {
    adopt_num_threads();
    return {};
  }
  MemoryInfo memory() override {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return {pool_.limit(), static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)) * page};
  }
  std::unique_ptr<Event> event(bool) override { return std::make_unique<HostEvent>(); }
  Stream& user_stream() override { return stream_; }
  Status copy(void* to, const void* from, size_t bytes, CopyKind, Stream&) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Status fill(void* to, const void* item, size_t item_bytes, size_t count, Stream&) override {
    char* at = static_cast<char*>(to);
    for (size_t k = 0; k < count; ++k, at += item_bytes) std::memcpy(at, item, item_bytes);
    return {};
  }
  Status synchronize() override { return {}; }
  Pool& pool() { return pool_; }

 private:
  Pool pool_;
  HostStream stream_;
};

Cpu& the_cpu() {
  // Never destroyed: buffers may be released by the interpreter after the static destructors have run.
  static Cpu& cpu = *new Cpu;
  return cpu;
}

// The pool is held across a fork, so that the child does not inherit it locked by a thread that it does not have.
const int registered = pthread_atfork([] { the_cpu().pool().hold(); }, [] { the_cpu().pool().let_go(); },
                                      [] { the_cpu().pool().let_go(); });

const Plugin plugin{"cpu",
                    [](int& n) -> Status {
                      n = 1;
                      return {};
                    },
                    [](int, Device*& out) -> Status {
                      out = &the_cpu();
                      return {};
                    },
                    Registry::instance()};
const bool added = add_builtin(plugin);

}  // namespace

Device& device() { return the_cpu(); }

size_t pooled_bytes(size_t bytes) { return Pool::taken(bytes); }

}  // namespace minds::cpu

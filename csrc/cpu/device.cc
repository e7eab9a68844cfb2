#include "cpu/device.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>

namespace minds::cpu {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;  // a cached block would hide uses after release
#else
constexpr bool kCaching = true;
#endif

// Blocks come in classes of four steps per power of two, at least 128 bytes, so at most a fifth of a block is
// unused. The first 64 bytes of a block are its Buffer header; the data follows, aligned.
class Pool final : public Allocator {
 public:
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

  void trim() noexcept override {
    for (int k = 0; k < kClasses; ++k) {
      while (void* block = take(k, false)) std::free(block);
    }
  }

  // Held across a fork, so that the child does not inherit it locked by a thread that it does not have.
  void hold() { lock_.lock(); }
  void let_go() { lock_.unlock(); }

  Stats stats() const noexcept override {
    const std::lock_guard guard(lock_);
    return {in_use_, cached_, peak_};
  }

 private:
  static constexpr int kClasses = 160;

  struct Block final : Buffer {
    Block(void* data, size_t bytes, Pool& p, int k)
        : Buffer(data, bytes, give_back), pool(p), size_class(k) {}
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
    if (in_use_ > peak_) peak_ = in_use_;
  }

  static constexpr size_t kSlack = size_t{256} << 20;
  // More than the machine has would only succeed until it is touched.
  const size_t limit_ =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  mutable std::mutex lock_;
  std::array<Free*, kClasses> free_{};
  size_t in_use_ = 0, cached_ = 0, peak_ = 0;
};

class HostStream final : public Stream {
 public:
  Status synchronize() override { return {}; }
};

class Cpu final : public Device {
 public:
  std::string_view name() const override { return "cpu"; }
  Pool& allocator() override { return pool_; }
  Stream& stream() override { return stream_; }

 private:
  Pool pool_;
  HostStream stream_;
};

}  // namespace

namespace {

Cpu& the_cpu() {
  // Never destroyed: buffers may be released by the interpreter after the static destructors have run.
  static Cpu& cpu = *new Cpu;
  return cpu;
}

const int registered =
    pthread_atfork([] { the_cpu().allocator().hold(); }, [] { the_cpu().allocator().let_go(); },
                   [] { the_cpu().allocator().let_go(); });

}  // namespace

Device& device() { return the_cpu(); }

}  // namespace minds::cpu

// Devices, and memory that counts its users.
#pragma once
#include <atomic>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace minds {

inline constexpr size_t kAlignment = 64;

// Work queued on a device in order. The CPU's stream runs everything at once.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Status synchronize() = 0;
};

class Buffer;

// Owning handle of a buffer; copying it makes one more user.
class BufferRef {
 public:
  BufferRef() = default;
  explicit BufferRef(Buffer* adopted) : buffer_(adopted) {}  // takes over one count
  BufferRef(const BufferRef& o);
  BufferRef(BufferRef&& o) noexcept : buffer_(std::exchange(o.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef o) noexcept {
    std::swap(buffer_, o.buffer_);
    return *this;
  }
  ~BufferRef();
  Buffer* get() const { return buffer_; }
  Buffer* detach() { return std::exchange(buffer_, nullptr); }  // hands the count over to the caller
  Buffer* operator->() const { return buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }

 private:
  Buffer* buffer_ = nullptr;
};

// A block of device memory. Its life does not depend on Python: counts are atomic and no lock of the
// interpreter is taken.
class Buffer {
 public:
  using Release = void (*)(Buffer*) noexcept;  // destroys the header and gives the memory back
  Buffer(void* data, size_t bytes, Release release) : data_(data), bytes_(bytes), release_(release) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  int use_count() const { return users_.load(std::memory_order_acquire); }
  // Memory that something outside minds may read or write is never unique: a writer takes a new buffer.
  bool unique() const { return use_count() == 1 && !foreign_; }
  bool foreign() const { return foreign_; }

  void retain() { users_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) release_(this);
  }

 protected:
  bool foreign_ = false;

 private:
  void* data_;
  size_t bytes_;
  Release release_;
  std::atomic<int> users_{1};
};

inline BufferRef::BufferRef(const BufferRef& o) : buffer_(o.buffer_) {
  if (buffer_) buffer_->retain();
}
inline BufferRef::~BufferRef() {
  if (buffer_) buffer_->release();
}

// Buffers from a pool. An empty handle means that there is no memory.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual BufferRef allocate(size_t bytes) noexcept = 0;
  virtual void trim() noexcept = 0;  // gives what is free back to the system
  struct Stats {
    size_t in_use, cached, peak;
  };
  virtual Stats stats() const noexcept = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  virtual Allocator& allocator() = 0;
  virtual Stream& stream() = 0;  // the default stream
};

}  // namespace minds

// Devices: memory that counts its users, streams of work, events between them.
//
// The host queues work and goes on; what a stream was given runs in that order. On the CPU it has run when the call
// returns. A device is never destroyed: buffers may be released after the static destructors have run.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace minds {

inline constexpr size_t kAlignment = 64;  // of every buffer, and of what lies in an arena of the CPU

class Buffer;
class Device;
class Event;

// What a device's default streams are for.
enum class Lane : uint8_t { kCompute, kCopy, kComm };
inline constexpr int kLanes = 3;

// Work queued on a device, run in order.
class Stream {
 public:
  Stream(Device& device, Lane lane) : device_(device), lane_(lane) {}
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device& device() const { return device_; }
  Lane lane() const { return lane_; }

  virtual Status record(Event& e) = 0;  // `e` happens when all that was queued before has run
  virtual Status wait(Event& e) = 0;    // what is queued from now on runs after `e`, wherever that was recorded
  virtual Status synchronize() = 0;     // waits on the host; fails if the device did
  virtual bool idle() = 0;
  virtual uintptr_t handle() const { return 0; }  // the vendor's name of it, for exchange with other libraries

 private:
  Device& device_;
  const Lane lane_;
};

// Work that was recorded: the same kernels with the same operands, queued as one.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual Status replay(Stream& q) = 0;
};

// A point in a stream's work. One that was never recorded has happened.
class Event {
 public:
  virtual ~Event() = default;
  virtual Status synchronize() = 0;  // waits on the host
  virtual bool done() = 0;
  // The time from `earlier` to this one; both were made with timing and have happened.
  virtual Status milliseconds_since(Event& earlier, double& out) = 0;
};

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
  Buffer(void* data, size_t bytes, Device& device, Release release)
      : data_(data), bytes_(bytes), device_(device), release_(release) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }  // an address of the device; only the host's may be followed here
  void* host() const;                   // the same, or nullptr where the host cannot follow it
  size_t bytes() const { return bytes_; }
  Device& device() const { return device_; }
  int use_count() const { return users_.load(std::memory_order_acquire); }
  // Memory that something outside minds may read or write is never unique: a writer takes a new buffer.
  bool unique() const { return use_count() == 1 && !foreign_; }
  bool foreign() const { return foreign_; }
  // The line of the user's that made it, as the number that the bindings gave it; 0: unknown.
  uint16_t site() const { return site_; }
  void set_site(uint16_t site) { site_ = site; }

  void retain() { users_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) release_(this);
  }

 protected:
  bool foreign_ = false;

 private:
  uint16_t site_ = 0;
  std::atomic<int> users_{1};
  void* data_;
  size_t bytes_;
  Device& device_;
  Release release_;
};

inline BufferRef::BufferRef(const BufferRef& o) : buffer_(o.buffer_) {
  if (buffer_) buffer_->retain();
}
inline BufferRef::~BufferRef() {
  if (buffer_) buffer_->release();
}

// Buffers from a pool. An empty handle means that there is no memory.
//
// Ordered by streams: a buffer is for work of one stream, the compute lane's unless another is named. The host may
// drop it while that work is queued: whoever gets the memory next is queued behind it. Work of other streams that
// touches it is announced by `used_by`.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual BufferRef allocate(size_t bytes) noexcept = 0;
  virtual BufferRef allocate(size_t bytes, Stream& home) noexcept = 0;
  // After work that touches `b` was queued on a stream that is not its home: its memory is not given to others
  // before that work has run.
  virtual void used_by(Buffer& b, Stream& q) noexcept = 0;
  virtual void trim() noexcept = 0;  // gives what is free back to the system
  struct Stats {
    size_t in_use, cached, peak, peak_reserved;
  };
  virtual Stats stats() const noexcept = 0;
  virtual void reset_peaks() noexcept = 0;  // to what is in use now
};

// What the compiler and the runtime must know of a device.
struct DeviceTraits {
  std::string_view title{};     // what users call its kind, where that is not its name
  bool host_memory = false;     // the host may follow its addresses, and a stream has run what it was given
  bool immediates = false;      // its kernels take operands that are host words (Signature::inputs_at)
  bool fuses = false;           // it has the kernel `tile`
  bool channels_last = false;   // convolutions want NHWC inside
  bool records = false;         // it can `record`
  int lanes = 1;                // of Lane, from the first: those that run beside each other
  size_t alignment = kAlignment;  // of what lies in an arena
  int tile_values = 0;          // the most values that a tile program may hold at once; 0: no limit
  int dlpack_type = 12;         // DLPack's code of its memory; 12: an extension
};

struct MemoryInfo {
  size_t total, free;  // bytes of the device, not of its pool
};

// What users are told of a device; empty or 0: it has no such thing.
struct DeviceProperties {
  std::string name;              // of the product
  int major = 0, minor = 0;      // its compute capability
  int processors = 0, warp = 0;  // multiprocessors, threads that step together
  std::vector<std::pair<std::string, std::string>> libraries;  // of vendors: name, and version or what is missing
};

enum class CopyKind : uint8_t {
  kToDevice,  // from the host; the bytes have been taken when the call returns
  kToHost,    // there once the stream is synchronized
  kOnDevice,  // the areas do not overlap
};

class Device {
 public:
  Device(std::string_view name, int index, const DeviceTraits& traits, Allocator& allocator);
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }
  int index() const { return index_; }
  // As users name it: "GPU:0"; the host itself has no number.
  const std::string& label() const { return label_; }
  const DeviceTraits& traits() const { return traits_; }
  Allocator& allocator() const { return allocator_; }
  // Lanes that the device does not have are the compute lane.
  Stream& stream(Lane lane = Lane::kCompute) const { return *lanes_[static_cast<size_t>(lane)]; }

  // To be called once per call from Python, before anything is queued by this thread.
  virtual Status begin() = 0;
  virtual MemoryInfo memory() = 0;
  virtual DeviceProperties properties() { return {}; }
  virtual std::unique_ptr<Event> event(bool timing) = 0;
  virtual Stream& user_stream() = 0;  // one of a few of the compute lane, in turns; they are never destroyed
  virtual Status copy(void* to, const void* from, size_t bytes, CopyKind kind, Stream& q) = 0;
  // `count` times the `item_bytes` (1, 2, 4, 8 or 16) at `item`, which have been taken when the call returns.
  virtual Status fill(void* to, const void* item, size_t item_bytes, size_t count, Stream& q) = 0;
  virtual Status synchronize() = 0;  // all streams
  // Calls `work` with a stream on which kernels and copies on the device are not run, but recorded. Fails if `work` does
  // or queues something else; nothing has run then.
  virtual Status record(const std::function<Status(Stream&)>& work, std::unique_ptr<Recording>& out);

 protected:
  void set_lane(Lane lane, Stream& stream);  // by the constructor; the compute lane first
  // Refuses a device that was opened before this process was forked off.
  Status check_process() const;

 private:
  const std::string name_;
  const int index_;
  const DeviceTraits traits_;
  const std::string label_;
  Allocator& allocator_;
  Stream* lanes_[kLanes] = {};
  const int64_t process_;
};

inline void* Buffer::host() const { return device_.traits().host_memory ? data_ : nullptr; }

}  // namespace minds

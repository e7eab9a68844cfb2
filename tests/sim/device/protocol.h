// What the host says to the device process, and where it reads how far that is.
//
// Messages go one way, through a socket, in order. Nothing comes back on it: the device process writes into memory
// that both map how many commands of each stream are finished, and the first error. So a command costs the host one
// system call, and nothing waits but who asks to.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/kernel.h"

namespace minds::sim {

inline constexpr uint32_t kStreams = 32;
inline constexpr uint32_t kTimers = 256;  // points in time that events hold at once
// Both processes map the device's memory here, one device after the other: far from heap, stacks and libraries, and
// where the sanitizers allow an application's memory.
inline constexpr uintptr_t kFirstAddress = 0x5510'0000'0000;
inline constexpr uintptr_t kAddressStep = uintptr_t{64} << 30;

inline constexpr unsigned char kFresh = 0xff;  // of memory that nobody has written: as floats NaN, as integers -1
inline constexpr unsigned char kFreed = 0xfe;  // of memory given back: -1.7e38

enum class Kind : uint8_t {
  kPrepare,   // a kernel: number, op, attributes, signature. Of no stream, as is
  kForget,    // a kernel that will not run again
  kAllocate,  // a block is used from here on
  kFree,      // ... and up to here
  kRun,       // a kernel on operands
  kWrite,     // bytes that are in the message
  kCopy,      // from one place of the memory to another
  kFill,      // some bytes, many times
  kWait,      // for a command of another stream
  kTime,      // notes what time it is
  kLoad,      // ... and the rest: what only one kind of device has (Server::other). Of no stream
  kUnload,
  kShare,     // memory that the host may touch too; of no stream
  kUnshare,
  kLaunch,
  kCall,      // a function of a library
};
// What is done when it is read, before what was queued.
inline bool of_no_stream(Kind k) {
  return k == Kind::kPrepare || k == Kind::kForget || (k >= Kind::kLoad && k <= Kind::kUnshare);
}

struct Header {
  uint32_t bytes;  // of the body that follows
  Kind kind;
  uint8_t stream;
  uint64_t number;  // of this command in its stream, from 1
};

enum class ErrorState : uint32_t { kNone, kBeingWritten, kThere };

// The first error of a command since the host last looked.
struct FirstError {
  std::atomic<ErrorState> state;
  Code code;
  uint32_t size;
  char text[2000];
};

// The pages that both processes map. A futex is 32 bits, hence the low halves of the numbers are waited for.
struct Control {
  std::atomic<uint32_t> ready;
  std::atomic<uint32_t> waiters;
  std::atomic<uint64_t> finished[kStreams];  // numbers of commands
  std::atomic<int64_t> times[kTimers];       // nanoseconds
  FirstError error;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// Sleeps while the low half of `word` is that of `seen`, at most some milliseconds.
void sleep_while(std::atomic<uint64_t>& word, uint64_t seen, int milliseconds);
void wake(std::atomic<uint64_t>& word);

// A message's body as it is made.
class Writer {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  Writer& put(const T& v) {
    return raw(&v, sizeof v);
  }
  Writer& raw(const void* from, size_t bytes) {
    const char* p = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), p, p + bytes);
    return *this;
  }
  Writer& text(std::string_view s) { return put(static_cast<uint32_t>(s.size())).raw(s.data(), s.size()); }
  template <class T>
  Writer& list(const std::vector<T>& v) {
    return put(static_cast<uint32_t>(v.size())).raw(v.data(), v.size() * sizeof(T));
  }
  Writer& attrs(const Attrs& a);
  Writer& specs(const std::vector<TensorSpec>& s);
  const std::vector<char>& bytes() const { return bytes_; }

 private:
  std::vector<char> bytes_;
};

// ... and as it is read. Both ends are of one build, so a body that ends too early is our mistake: it throws.
class Reader {
 public:
  Reader(const char* from, size_t bytes) : at_(from), end_(from + bytes) {}
  const char* raw(size_t bytes);
  template <class T>
    requires std::is_trivially_copyable_v<T>
  T get() {
    T v;
    std::memcpy(&v, raw(sizeof v), sizeof v);
    return v;
  }
  std::string text();
  template <class T>
  std::vector<T> list() {
    std::vector<T> v(get<uint32_t>());
    const char* from = raw(v.size() * sizeof(T));
    if (!v.empty()) std::memcpy(v.data(), from, v.size() * sizeof(T));
    return v;
  }
  Attrs attrs();
  std::vector<TensorSpec> specs();

 private:
  const char* at_;
  const char* end_;
};

}  // namespace minds::sim

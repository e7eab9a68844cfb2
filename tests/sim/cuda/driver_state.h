// What the stand-in of the driver keeps on the host: contexts with their device process, and everything that a handle
// names. A call that breaks a rule of the manual (https://docs.nvidia.com/cuda/cuda-driver-api) fails with the
// manual's code, is told on stderr, and is written to the file MINDS_CUDA_REPORT.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "driver_order.h"
#include "fibers.h"
#include "process.h"
#include "space.h"

enum CUresult : unsigned {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kOutOfResources = 701,
  kMisaligned = 716,
  kLaunchFailed = 719,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureMerge = 902,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kCapturedEvent = 907,
  kCaptureWrongThread = 908,
};
using CUdevice = int;
using CUdeviceptr = unsigned long long;

struct CUctx_st;
struct CUstream_st;

namespace minds::sim::driver {

constexpr uint64_t kPinned = uint64_t{256} << 20;  // bytes of host memory that the device can reach

struct Block {
  size_t bytes;
};
using Blocks = std::map<uintptr_t, Block>;

// A piece of captured work.
struct Node {
  Kind kind;
  Writer body;
  std::vector<uint32_t> after;
  std::vector<Use> uses;  // of the device's memory
  std::string what;
};

struct Capture {
  CUstream_st* origin;
  unsigned mode;
  std::thread::id thread;
  std::vector<Node> nodes;
  // What a stream's next work comes after.
  std::map<CUstream_st*, std::vector<uint32_t>> last;
  bool invalid = false;
};

}  // namespace minds::sim::driver

struct CUmemPoolHandle_st {
  CUctx_st* context;
};

struct CUctx_st {
  int index;
  std::unique_ptr<minds::sim::Process> process;
  minds::sim::Space memory, pinned;
  minds::sim::driver::Blocks blocks, pinned_blocks;
  minds::sim::driver::Order order;
  CUmemPoolHandle_st pool;
  std::vector<bool> streams = std::vector<bool>(minds::sim::kStreams);
  std::vector<bool> timers = std::vector<bool>(minds::sim::kTimers);
  CUresult broken = kSuccess;  // for good
  uint64_t modules = 0;        // how many were ever loaded
};

struct CUstream_st {
  CUctx_st* context;
  uint32_t number;
  unsigned flags;
  std::shared_ptr<minds::sim::driver::Capture> capture;
};

struct CUevent_st {
  CUctx_st* context;
  unsigned flags;
  int timer;
  bool recorded;
  uint32_t stream;
  uint64_t number;
  minds::sim::driver::Clock clock;  // what comes before what waits for it
  std::shared_ptr<minds::sim::driver::Capture> capture;
  std::vector<uint32_t> after;  // of the captured nodes
};

struct CUmod_st {
  CUctx_st* context;
  uint64_t number;
  int file;
  std::unique_ptr<minds::sim::TextModule> text;
};

struct CUfunc_st {
  CUmod_st* module;
  std::string name;
  const CudaEntry* entry;
  int dynamic_shared = 48 << 10;
};

struct CUgraph_st {
  CUctx_st* context;
  std::vector<minds::sim::driver::Node> nodes;
};

struct CUgraphExec_st {
  CUctx_st* context;
  std::vector<minds::sim::driver::Node> nodes;
  uint32_t stream = 0;  // of the last launch
  uint64_t number = 0;
  minds::sim::driver::Clock clock{};
};

namespace minds::sim::driver {

// The objects of one kind that are alive.
template <class T>
class Living {
 public:
  T* add(std::unique_ptr<T> made) {
    T* p = made.get();
    all_[p] = std::move(made);
    return p;
  }
  bool has(T* p) const { return all_.find(p) != all_.end(); }
  void drop(T* p) { all_.erase(p); }
  size_t size() const { return all_.size(); }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

 private:
  std::map<T*, std::unique_ptr<T>> all_;
};

struct State {
  std::recursive_mutex lock;  // held by each call but while it waits
  int64_t process = 0;        // that called cuInit
  std::vector<std::unique_ptr<CUctx_st>> contexts;
  Living<CUstream_st> streams;
  Living<CUevent_st> events;
  Living<CUmod_st> modules;
  Living<CUfunc_st> functions;
  Living<CUgraph_st> graphs;
  Living<CUgraphExec_st> execs;
  std::set<std::shared_ptr<Capture>> captures;
};
State& state();

// Tells of a broken rule; gives the code.
CUresult wrong(CUresult code, const char* call, const std::string& what);
// A device's error: it stays with the context.
CUresult failed(CUctx_st& c, const char* call, const Status& s);
const char* message_of(CUresult code);

// What each call begins with: the driver's lock, and whether the call may be made at all.
class Call {
 public:
  enum Needs { kNothing, kInit, kContext };
  explicit Call(const char* name, Needs needs = kContext);
  explicit operator bool() const { return result != kSuccess; }
  CUctx_st& context() const { return *context_; }
  CUresult wrong(CUresult code, const std::string& what) const { return driver::wrong(code, name, what); }
  // Of calls that a capture of this thread, or a global one, forbids; it ends the capture.
  CUresult unsafe() const;
  CUresult check(CUstream_st* s) const;
  CUresult check(CUevent_st* e) const;
  // Queues a command on a stream, or notes it in the stream's capture.
  CUresult queue(CUstream_st* s, Node node, uint64_t* number = nullptr) const;
  // Waits, without the lock, for a command and what comes before it; for all of a stream.
  CUresult await(CUctx_st& c, uint32_t stream, uint64_t number, const Clock& clock);
  CUresult await(CUctx_st& c, uint32_t stream) {
    return await(c, stream, c.process->posted(stream), c.order.before(stream));
  }

  const char* const name;
  CUresult result = kSuccess;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  CUctx_st* context_ = nullptr;
};

CUctx_st*& current();
// Whether all of an area is in one block.
bool inside(const Blocks& blocks, uintptr_t at, size_t bytes);
std::string hexadecimal(uint64_t v);
// Whether MINDS_CUDA_FORGET names the call, which then does nothing: as if the plug-in had forgotten it. Tests see that
// somebody notices.
bool is_forgotten(const char* call);

}  // namespace minds::sim::driver

// At the start of a function of the driver: names it, and checks what each needs.
#define CALL(...)                                                     \
  minds::sim::driver::Call call(__VA_ARGS__);                         \
  if (call) return call.result;                                       \
  if (minds::sim::driver::is_forgotten(call.name)) return kSuccess

#include "cuda/device.h"

#include <cstring>

#include "cuda/communicator.h"
#include "cuda/module.h"
#include "cuda/nvrtc.h"
#include "cuda/provider/provider.h"

namespace minds::cuda {
namespace {

constexpr uint32_t kStreams = kLanes + 4;  // with those of users; there is one more to record from

DeviceTraits cuda_traits() {
  DeviceTraits t;
  t.title = "GPU";
  t.immediates = true;
  t.fuses = true;
  t.records = true;
  t.lanes = kLanes;
  t.alignment = 256;
  t.dlpack_type = 2;
  return t;
}

CUdeviceptr address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

Status attribute(CUdevice_attribute which, CUdevice device, int& out) {
  return MINDS_DRIVER(cuDeviceGetAttribute, &out, which, device);
}

Status describe(CUdevice device, Processor& p) {
  int major = 0, minor = 0, shared = 0, pools = 0;
  char name[256] = {};
  if (Status s = MINDS_DRIVER(cuDeviceGetName, name, sizeof name - 1, device)) return s;
  p.name = name;
  if (Status s = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device, major)) return s;
  if (Status s = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device, minor)) return s;
  if (Status s = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device, p.multiprocessors)) return s;
  if (Status s = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device, shared)) return s;
  p.capability = 10 * major + minor;
  p.most_shared = static_cast<unsigned>(shared);
  if (Status s = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device, pools)) return s;
  if (pools == 0) return {Code::kBackend, "the GPU's driver has no memory pools here (a virtual GPU?); minds needs them"};
  if (p.capability >= 80) return {};
  return {Code::kBackend, "the GPU has compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                              "; minds needs 8.0 (Ampere) or later"};
}

}  // namespace

Status CudaDevice::open(int index, Device*& out) {
  if (Status s = open_driver()) return s;
  if (Status s = open_nvrtc()) return s;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmemoryPool pool = nullptr;
  Processor processor;
  if (Status s = MINDS_DRIVER(cuDeviceGet, &device, index)) return s;
  if (Status s = describe(device, processor)) return s;
  if (Status s = MINDS_DRIVER(cuDevicePrimaryCtxRetain, &context, device)) return s;
  if (Status s = MINDS_DRIVER(cuCtxSetCurrent, context)) return s;
  if (Status s = MINDS_DRIVER(cuDeviceGetDefaultMemPool, &pool, device)) return s;
  unsigned long long keep_all = ~0ull;
  if (Status s = MINDS_DRIVER(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep_all)) return s;
  std::unique_ptr<CudaDevice> made(new CudaDevice(index, context, processor, std::make_unique<Memory>(pool)));
  if (Status s = made->add_streams()) return s;
  out = made.release();
  return {};
}

CudaDevice::CudaDevice(int index, CUcontext context, const Processor& processor, std::unique_ptr<Memory> memory)
    : Device("cuda", index, cuda_traits(), *memory),
      context_(context),
      processor_(processor),
      memory_(std::move(memory)),
      modules_(std::make_unique<Modules>(processor.capability)) {
  memory_->serve(*this);
}

CudaDevice::~CudaDevice() = default;

Status CudaDevice::add_streams() {
  for (uint32_t n = 0; n <= kStreams; ++n) {
    const Lane lane = n < kLanes ? static_cast<Lane>(n) : Lane::kCompute;
    CUstream made = nullptr;
    if (Status s = MINDS_DRIVER(cuStreamCreate, &made, CU_STREAM_NON_BLOCKING)) return s;
    streams_.push_back(std::make_unique<CudaStream>(*this, lane, made));
    if (n < kLanes) set_lane(lane, *streams_[n]);
  }
  return {};
}

Status CudaDevice::begin() {
  if (end_.load(std::memory_order_relaxed) != CUDA_SUCCESS) {
    const Status why = check(end_, ended_by_);
    return {Code::kBackend, label() + " has ended: " + why.message() + "; start the program anew"};
  }
  return enter();
}

void CudaDevice::end(CUresult why, const char* call) {
  ended_by_ = call;
  end_ = why;
}

Status CudaDevice::enter() const {
  if (Status s = check_process()) return s;
  return MINDS_DRIVER(cuCtxSetCurrent, context_);
}

MemoryInfo CudaDevice::memory() {
  size_t available = 0, total = 0;
  if (enter() || MINDS_DRIVER(cuMemGetInfo_v2, &available, &total)) return {0, 0};
  return {total, available};
}

DeviceProperties CudaDevice::properties() {
  const int version = driver_version();
  const std::string text = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  constexpr int kWarp = 32;
  DeviceProperties p{processor_.name, processor_.capability / 10, processor_.capability % 10,
                     processor_.multiprocessors, kWarp, {{"CUDA driver", text}, {"NVRTC", nvrtc_version()}}};
  for (auto& library : library_versions()) p.libraries.push_back(std::move(library));
  return p;
}

std::unique_ptr<Event> CudaDevice::event(bool timing) {
  CUevent made = nullptr;
  const unsigned flags = timing ? 0u : unsigned{CU_EVENT_DISABLE_TIMING};
  if (enter() || driver().cuEventCreate(&made, flags) != CUDA_SUCCESS) return nullptr;
  return std::make_unique<CudaEvent>(*this, made, timing);
}

Stream& CudaDevice::user_stream() { return *streams_[kLanes + turn_.fetch_add(1) % (kStreams - kLanes)]; }

Status CudaDevice::copy(void* to, const void* from, size_t bytes, CopyKind kind, Stream& q) {
  if (bytes == 0) return {};
  if (Status s = enter()) return s;  // the thread may have worked on another device since its call began
  switch (kind) {
    case CopyKind::kToDevice:
      return transfers_.upload(to, from, bytes, stream_of(q));
    case CopyKind::kToHost:
      return transfers_.download(to, from, bytes, stream_of(q));
    default:
      return MINDS_DRIVER(cuMemcpyDtoDAsync_v2, address(to), address(from), bytes, stream_of(q));
  }
}

Status CudaDevice::fill(void* to, const void* item, size_t item_bytes, size_t count, Stream& q) {
  if (count == 0) return {};
  if (Status s = enter()) return s;
  uint64_t words[2] = {};
  std::memcpy(words, item, item_bytes);
  const CUdeviceptr at = address(to);
  const bool halves = static_cast<uint32_t>(words[0]) == words[0] >> 32;
  switch (item_bytes) {
    case 1:
      return MINDS_DRIVER(cuMemsetD8Async, at, static_cast<unsigned char>(words[0]), count, stream_of(q));
    case 2:
      return MINDS_DRIVER(cuMemsetD16Async, at, static_cast<unsigned short>(words[0]), count, stream_of(q));
    case 4:
      return MINDS_DRIVER(cuMemsetD32Async, at, static_cast<unsigned>(words[0]), count, stream_of(q));
    default:
      break;
  }
  if (halves && (item_bytes == 8 || words[0] == words[1])) {
    return MINDS_DRIVER(cuMemsetD32Async, at, static_cast<unsigned>(words[0]), count * (item_bytes / 4), stream_of(q));
  }
  if (Status s = prepare_fill(item_bytes)) return s;
  const auto n = static_cast<int64_t>(count);
  return item_bytes == 8 ? launch(*fill8_.load(), q, grid_for(n, *this), to, words[0], n)
                         : launch(*fill16_.load(), q, grid_for(n, *this), to, words[0], words[1], n);
}

Status CudaDevice::prepare_fill(size_t item_bytes) {
  if (item_bytes < 8) return {};
  std::atomic<const Function*>& kernel = item_bytes == 8 ? fill8_ : fill16_;
  if (kernel.load() != nullptr) return {};
  const Function* found = nullptr;
  if (Status s = find_function(*this, "fill", item_bytes == 8 ? "fill8" : "fill16", {}, found)) return s;
  kernel.store(found);
  return {};
}

// On a stream that nobody else queues on, so that work of other threads is not taken for this.
Status CudaDevice::record(const std::function<Status(Stream&)>& work, std::unique_ptr<Recording>& out) {
  const std::lock_guard guard(recording_);
  CudaStream& q = *streams_[kStreams];
  if (Status s = MINDS_DRIVER(cuStreamBeginCapture_v2, q.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)) return s;
  Status worked = work(q);
  CUgraph graph = nullptr;
  Status ended = MINDS_DRIVER(cuStreamEndCapture, q.stream(), &graph);
  CUgraphExec made = nullptr;
  if (!worked && !ended) ended = MINDS_DRIVER(cuGraphInstantiateWithFlags, &made, graph, 0);
  if (graph != nullptr) driver().cuGraphDestroy(graph);
  if (worked || ended) return worked ? std::move(worked) : std::move(ended);
  out = std::make_unique<Graph>(*this, made);
  return {};
}

Status CudaDevice::synchronize() {
  if (Status s = enter()) return s;
  return settle(wait_for_all());
}

Status CudaDevice::wait_for_all() {
  const std::lock_guard guard(recording_);
  return MINDS_DRIVER(cuCtxSynchronize);
}

Status CudaDevice::settle(Status waited) {
  transfers_.deliver();
  return waited ? std::move(waited) : check_collectives();
}

}  // namespace minds::cuda

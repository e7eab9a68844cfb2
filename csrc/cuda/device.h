// A GPU of NVIDIA, through the driver's primary context (so that other libraries of the process share it).
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/memory.h"
#include "cuda/stream.h"
#include "cuda/transfers.h"
#include "device/device.h"

namespace minds::cuda {

class Modules;  // cuda/module.h
class Function;

// What kernels are planned by.
struct Processor {
  std::string name;
  int capability = 0;  // 90: 9.0
  int multiprocessors = 1;
  unsigned most_shared = 48u << 10;  // bytes of shared memory that a block may ask for
};

class CudaDevice final : public Device {
 public:
  static Status open(int index, Device*& out);
  ~CudaDevice() override;

  Status begin() override;
  MemoryInfo memory() override;
  DeviceProperties properties() override;
  std::unique_ptr<Event> event(bool timing) override;
  Stream& user_stream() override;
  Status copy(void* to, const void* from, size_t bytes, CopyKind kind, Stream& q) override;
  Status fill(void* to, const void* item, size_t item_bytes, size_t count, Stream& q) override;
  Status synchronize() override;
  Status record(const std::function<Status(Stream&)>& work, std::unique_ptr<Recording>& out) override;

  // Loads what `fill` launches for items of so many bytes, so that it needs no lock afterwards.
  Status prepare_fill(size_t item_bytes);
  // Notes that a call failed as calls do when the device can do no more in this process.
  void end(CUresult why, const char* call);
  // Makes its context this thread's; refuses a forked child.
  Status enter() const;
  // Waits for all of the context's work, its other users' too. None may be captured meanwhile.
  Status wait_for_all();
  // After a wait that ended as said: hands out what was copied to the host.
  Status settle(Status waited);
  const Processor& processor() const { return processor_; }
  Modules& modules() { return *modules_; }

 private:
  CudaDevice(int index, CUcontext context, const Processor& processor, std::unique_ptr<Memory> memory);
  Status add_streams();

  const CUcontext context_;
  const Processor processor_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Modules> modules_;
  Transfers<DriverCopies> transfers_;
  std::vector<std::unique_ptr<CudaStream>> streams_;  // the lanes, then the users', then one to record from
  std::recursive_mutex recording_;  // held while that is in use
  std::atomic<uint32_t> turn_ = 0;
  std::atomic<CUresult> end_ = CUDA_SUCCESS;
  std::atomic<const char*> ended_by_ = "";
  std::atomic<const Function*> fill8_ = nullptr, fill16_ = nullptr;
};

}  // namespace minds::cuda

// A device of Ascend's, by way of its default context.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "ascend/memory.h"
#include "ascend/stream.h"
#include "ascend/transfers.h"
#include "device/device.h"

namespace minds::ascend {

class AscendDevice final : public Device {
 public:
  static Status open(int index, Device*& out);

  Status begin() override { return enter(); }
  MemoryInfo memory() override;
  DeviceProperties properties() override;
  std::unique_ptr<Event> event(bool timing) override;
  Stream& user_stream() override;
  Status copy(void* to, const void* from, size_t bytes, CopyKind kind, Stream& q) override;
  Status fill(void* to, const void* item, size_t item_bytes, size_t count, Stream& q) override;
  Status synchronize() override;

  // Makes its context this thread's; refuses a forked child.
  Status enter() const;
  // After a wait that ended as said: hands out what was copied to the host.
  Status settle(Status waited);
  // Memory that stands for operands while kernels are prepared; nothing reads or writes it.
  Status placeholder(void*& out);

 private:
  AscendDevice(int index, aclrtContext context, std::unique_ptr<Memory> memory);
  Status add_streams();

  const aclrtContext context_;
  std::unique_ptr<Memory> memory_;
  Transfers<AclCopies> transfers_;
  std::vector<std::unique_ptr<AscendStream>> streams_;  // the lanes, then the users'
  std::atomic<uint32_t> turn_ = 0;
  std::mutex lock_;  // of what follows
  BufferRef placeholder_;
};

}  // namespace minds::ascend

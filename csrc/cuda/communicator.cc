#include "cuda/communicator.h"

#include <atomic>
#include <cstring>

#include "cuda/device.h"
#include "cuda/nccl.h"
#include "cuda/provider/provider.h"

namespace minds::cuda {
namespace {

ncclDataType_t type_of(DType t) {
  switch (t) {
    case DType::kInt8: return ncclInt8;
    case DType::kInt32: return ncclInt32;
    case DType::kUInt32: return ncclUint32;
    case DType::kInt64: return ncclInt64;
    case DType::kUInt64: return ncclUint64;
    case DType::kFloat16: return ncclFloat16;
    case DType::kBFloat16: return ncclBfloat16;
    case DType::kFloat32: return ncclFloat32;
    case DType::kFloat64: return ncclFloat64;
    default: return ncclUint8;
  }
}

ncclRedOp_t operation_of(Reduction op) {
  switch (op) {
    case Reduction::kProd: return ncclProd;
    case Reduction::kMax: return ncclMax;
    case Reduction::kMin: return ncclMin;
    default: return ncclSum;
  }
}

size_t size_of(int64_t count) { return static_cast<size_t>(count); }

// Calls that become one: all end, whatever fails.
class Together {
 public:
  explicit Together(ncclComm_t comm) : comm_(comm), status_(MINDS_NCCL(comm, ncclGroupStart)), open_(!status_) {}
  ~Together() {
    if (open_) nccl().ncclGroupEnd();
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

  void add(Status s) {
    if (s && !status_) status_ = std::move(s);
  }
  explicit operator bool() const { return !status_; }  // whether to go on
  Status end() {
    if (open_) add(MINDS_NCCL(comm_, ncclGroupEnd));
    open_ = false;
    return std::move(status_);
  }

 private:
  const ncclComm_t comm_;
  Status status_;
  bool open_;
};

// Made without blocking, so that a group that never comes together can be given up.
class NcclCommunicator final : public Communicator {
 public:
  explicit NcclCommunicator(CudaDevice& d) : device_(d) {}
  ~NcclCommunicator() override { abort(); }

  Status join(const ncclUniqueId& id, int member, int members) {
    ncclConfig_t config;
    config.blocking = 0;
    ncclComm_t made = nullptr;
    Status s = MINDS_NCCL(nullptr, ncclCommInitRankConfig, &made, members, id, member, &config);
    comm_ = made;
    return s;
  }

  Status ready(bool& yes) override {
    ncclResult_t now = ncclSuccess;
    if (Status s = device_.enter()) return s;
    if (Status s = MINDS_NCCL(comm_, ncclCommGetAsyncError, comm_, &now)) return s;
    yes = now == ncclSuccess;
    return check(now, comm_, "NCCL");
  }

  void abort() noexcept override {
    const ncclComm_t comm = comm_.exchange(nullptr);
    if (comm != nullptr && !device_.enter()) nccl().ncclCommAbort(comm);
  }

  Status all_reduce(Reduction op, DType t, std::span<const Reduced> parts, Stream& q) override {
    if (Status s = device_.enter()) return s;
    Together all(comm_);
    for (const Reduced& p : parts) {
      if (!all) break;
      all.add(MINDS_NCCL(comm_, ncclAllReduce, p.in, p.out, size_of(p.count), type_of(t), operation_of(op), comm_, stream_of(q)));
    }
    return all.end();
  }

  Status reduce(Reduction op, DType t, const Reduced& p, int root, Stream& q) override {
    if (Status s = device_.enter()) return s;
    return MINDS_NCCL(comm_, ncclReduce, p.in, p.out, size_of(p.count), type_of(t), operation_of(op), root, comm_, stream_of(q));
  }

  Status reduce_scatter(Reduction op, DType t, const Reduced& p, Stream& q) override {
    if (Status s = device_.enter()) return s;
    return MINDS_NCCL(comm_, ncclReduceScatter, p.in, p.out, size_of(p.count), type_of(t), operation_of(op), comm_, stream_of(q));
  }

  Status all_gather(const void* in, void* out, size_t bytes, Stream& q) override {
    if (Status s = device_.enter()) return s;
    return MINDS_NCCL(comm_, ncclAllGather, in, out, bytes, ncclUint8, comm_, stream_of(q));
  }

  Status broadcast(const void* in, void* out, size_t bytes, int root, Stream& q) override {
    if (Status s = device_.enter()) return s;
    return MINDS_NCCL(comm_, ncclBroadcast, in, out, bytes, ncclUint8, root, comm_, stream_of(q));
  }

  Status exchange(std::span<const Passed> send, std::span<const Passed> receive, Stream& q) override {
    if (Status s = device_.enter()) return s;
    Together all(comm_);
    for (const Passed& p : send) {
      if (all) all.add(MINDS_NCCL(comm_, ncclSend, p.in, p.bytes, ncclUint8, p.member, comm_, stream_of(q)));
    }
    for (const Passed& p : receive) {
      if (all) all.add(MINDS_NCCL(comm_, ncclRecv, p.out, p.bytes, ncclUint8, p.member, comm_, stream_of(q)));
    }
    return all.end();
  }

 private:
  CudaDevice& device_;
  std::atomic<ncclComm_t> comm_ = nullptr;
};

Status make_key(Device&, std::string& key) {
  if (Status s = open_nccl()) return s;
  ncclUniqueId id;
  if (Status s = MINDS_NCCL(nullptr, ncclGetUniqueId, &id)) return s;
  key.assign(id.internal, sizeof id.internal);
  return {};
}

Status join(Device& device, const std::string& key, int member, int members, std::unique_ptr<Communicator>& out) {
  if (Status s = open_nccl()) return s;
  auto& d = static_cast<CudaDevice&>(device);
  ncclUniqueId id;
  if (key.size() != sizeof id.internal) return {Code::kValue, "the key of a group of GPUs has another size"};
  std::memcpy(id.internal, key.data(), key.size());
  if (Status s = d.enter()) return s;
  auto made = std::make_unique<NcclCommunicator>(d);
  if (Status s = made->join(id, member, members)) return s;
  out = std::move(made);
  return {};
}

std::vector<DType> reduced_dtypes() {
  if (is_left_out("nccl")) return {};
  return {DType::kInt8,   DType::kUInt8,   DType::kInt32,    DType::kUInt32,  DType::kInt64,
          DType::kUInt64, DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64};
}

std::atomic<Status (*)()> wait_check = nullptr;

void check_waits(Status (*check)()) { wait_check = check; }

}  // namespace

const Communication kCommunication{reduced_dtypes, make_key, join, check_waits};

Status check_collectives() {
  Status (*const check)() = wait_check.load(std::memory_order_relaxed);
  return check == nullptr ? Status{} : check();
}

}  // namespace minds::cuda

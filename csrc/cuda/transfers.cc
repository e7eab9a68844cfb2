#include "cuda/transfers.h"

namespace minds::cuda {
namespace {

CUdeviceptr address(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

}  // namespace

Status DriverCopies::make(CUevent& done, void*& memory, size_t bytes) {
  if (Status s = MINDS_DRIVER(cuEventCreate, &done, CU_EVENT_DISABLE_TIMING)) return s;
  return MINDS_DRIVER(cuMemHostAlloc, &memory, bytes, 0);
}

Status DriverCopies::to_device(void* to, const void* from, size_t bytes, CUstream stream) {
  return MINDS_DRIVER(cuMemcpyHtoDAsync_v2, address(to), from, bytes, stream);
}

Status DriverCopies::to_host(void* to, const void* from, size_t bytes, CUstream stream) {
  return MINDS_DRIVER(cuMemcpyDtoHAsync_v2, to, address(from), bytes, stream);
}

Status DriverCopies::record(CUevent done, CUstream stream) { return MINDS_DRIVER(cuEventRecord, done, stream); }

Status DriverCopies::wait(CUevent done) { return MINDS_DRIVER(cuEventSynchronize, done); }

Progress DriverCopies::progress(CUevent done) {
  const CUresult r = driver().cuEventQuery(done);
  if (r == CUDA_ERROR_NOT_READY) return Progress::kRunning;
  return r == CUDA_SUCCESS ? Progress::kEnded : Progress::kFailed;
}

}  // namespace minds::cuda

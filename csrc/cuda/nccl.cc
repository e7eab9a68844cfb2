#include "cuda/nccl.h"

namespace minds::cuda {
namespace {

Nccl table;

Status open_once() {
  const Vendor vendor{"NVIDIA's library of collectives", {"libnccl.so.2"}, "get it by `pip install minds[cuda]`"};
  return load_functions(vendor, {MINDS_NCCL_FUNCTIONS(MINDS_SYMBOL)});
}

}  // namespace

Status open_nccl() {
  static const Status opened = open_once();
  return opened ? Status{opened.code(), opened.message()} : Status{};
}

const Nccl& nccl() { return table; }

std::string nccl_version() {
  int v = 0;
  if (table.ncclGetVersion(&v) != ncclSuccess) return "unknown";
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

Status check(ncclResult_t result, ncclComm_t comm, const char* call) {
  if (result == ncclSuccess || result == ncclInProgress) return {};
  const char* last = comm == nullptr ? nullptr : table.ncclGetLastError(comm);
  const bool more = last != nullptr && *last != 0;
  return {Code::kBackend, std::string(call) + ": " + table.ncclGetErrorString(result) + (more ? std::string(" (") + last + ")" : "")};
}

}  // namespace minds::cuda

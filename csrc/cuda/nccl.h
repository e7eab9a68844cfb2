// Collectives of the vendor's: types and functions of nccl.tbl by the vendor's names.
#pragma once
#include <cstddef>
#include <string>

#include "cuda/library.h"
#include "cuda/nccl.tbl"

namespace minds::cuda {

enum ncclResult_t : unsigned {};
enum ncclDataType_t : unsigned {};
enum ncclRedOp_t : unsigned {};
using ncclComm_t = struct ncclComm*;
using cudaStream_t = struct CUstream_st*;

struct ncclUniqueId {
  char internal[128];
};

// As of 2.14; libraries since then have more at its end, which they take only from who says that he is as new.
struct ncclConfig_t {
  size_t size = sizeof(ncclConfig_t);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 1;
};

MINDS_NCCL_CONSTANTS(MINDS_CONSTANT)

struct Nccl {
  MINDS_NCCL_FUNCTIONS(MINDS_POINTER)
};

// Opened once; fails with a sentence that says what is missing.
Status open_nccl();
// After `open_nccl` was fine.
const Nccl& nccl();
std::string nccl_version();  // "2.27.3"

// Fine, also where the call goes on, or what the library says of it; `comm` may be null.
Status check(ncclResult_t result, ncclComm_t comm, const char* call);

// MINDS_NCCL(comm, ncclSend, ...): the call, and what the library says of it as a Status.
#define MINDS_NCCL(comm, name, ...) ::minds::cuda::check(::minds::cuda::nccl().name(__VA_ARGS__), comm, #name)

}  // namespace minds::cuda

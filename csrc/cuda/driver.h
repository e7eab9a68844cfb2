// The driver: types and functions of driver.tbl by the vendor's names.
#pragma once
#include <cstddef>
#include <string>

#include "cuda/driver.tbl"
#include "cuda/library.h"

namespace minds::cuda {

enum CUresult : unsigned {};
enum CUdevice_attribute : unsigned {};
enum CUmemPool_attribute : unsigned {};
enum CUfunction_attribute : unsigned {};
enum CUstreamCaptureMode : unsigned {};
enum CUstream_flags : unsigned {};
enum CUevent_flags : unsigned {};
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

MINDS_DRIVER_CONSTANTS(MINDS_CONSTANT)

struct Driver {
  MINDS_DRIVER_FUNCTIONS(MINDS_POINTER)
  MINDS_DRIVER_OPTIONAL(MINDS_POINTER)
};

// Opened and initialised once; fails with a sentence that says what is missing.
Status open_driver();
// After `open_driver` was fine.
const Driver& driver();
int driver_version();  // of CUDA: 12040 is 12.4

// The sonames of a toolkit's library ("libnvrtc.so"), those first that this driver's CUDA version runs; `of13` and `of12` are
// the library's own versions in toolkits 13 and 12.
std::vector<std::string> toolkit_sonames(const std::string& name, int of13 = 13, int of12 = 12);

// Fine, or what the driver says of it: "cuMemAllocAsync: out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
Status check(CUresult result, const char* call);

// MINDS_DRIVER(cuStreamSynchronize, stream): the call, and what it says as a Status.
#define MINDS_DRIVER(name, ...) ::minds::cuda::check(::minds::cuda::driver().name(__VA_ARGS__), #name)

}  // namespace minds::cuda

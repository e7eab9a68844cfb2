// Convolutions of the vendor's, by its graph interface: types and functions of cudnn.tbl by the vendor's names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "cuda/cudnn.tbl"
#include "cuda/library.h"

namespace minds {
class Device;
}

namespace minds::cuda {

enum cudnnStatus_t : unsigned {};
enum cudnnDataType_t : unsigned {};
enum cudnnConvolutionMode_t : unsigned {};
enum cudnnBackendHeurMode_t : unsigned {};
enum cudnnBackendNumericalNote_t : unsigned {};
enum cudnnBackendAttributeType_t : unsigned {};
enum cudnnBackendAttributeName_t : unsigned {};
enum cudnnBackendDescriptorType_t : unsigned {};
using cudaStream_t = struct CUstream_st*;
using cudnnHandle_t = struct cudnnContext*;
using cudnnBackendDescriptor_t = void*;

MINDS_CUDNN_CONSTANTS(MINDS_CONSTANT)

struct Cudnn {
  MINDS_CUDNN_FUNCTIONS(MINDS_POINTER)
};

// Opened once; fails with a sentence that says what is missing.
Status open_cudnn();
// After `open_cudnn` was fine.
const Cudnn& cudnn();
std::string cudnn_version();  // "9.28.1"

// A device's handle. It is for one thread at a time, as it is told a stream before each use.
struct CudnnHandle {
  cudnnHandle_t handle = nullptr;
  std::mutex lock;
};

// Made when it is first asked for and kept for ever. The device's context is current.
Status cudnn_handle(const Device& d, CudnnHandle*& out);

Status check(cudnnStatus_t status, const char* call);

// MINDS_CUDNN(cudnnBackendFinalize, d): the call, and what the library says of it as a Status.
#define MINDS_CUDNN(name, ...) ::minds::cuda::check(::minds::cuda::cudnn().name(__VA_ARGS__), #name)

}  // namespace minds::cuda

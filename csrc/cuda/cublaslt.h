// Matrix products of the vendor's: types and functions of cublaslt.tbl by the vendor's names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda/cublaslt.tbl"
#include "cuda/library.h"

namespace minds {
class Device;
}

namespace minds::cuda {

enum cublasStatus_t : unsigned {};
enum cublasOperation_t : unsigned {};
enum cublasComputeType_t : unsigned {};
enum cudaDataType_t : unsigned {};
enum cublasLtMatmulDescAttributes_t : unsigned {};
enum cublasLtMatrixLayoutAttribute_t : unsigned {};
enum cublasLtMatmulPreferenceAttributes_t : unsigned {};
enum cublasLtReductionScheme_t : unsigned {};
enum cublasLtEpilogue_t : unsigned {};
using cudaStream_t = struct CUstream_st*;
using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque_t*;

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};

struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

MINDS_CUBLASLT_CONSTANTS(MINDS_CONSTANT)

struct CublasLt {
  MINDS_CUBLASLT_FUNCTIONS(MINDS_POINTER)
};

// Opened once; fails with a sentence that says what is missing.
Status open_cublaslt();
// After `open_cublaslt` was fine.
const CublasLt& cublaslt();
std::string cublaslt_version();  // "13.1.0"

// The device's handle, made when it is first asked for and kept for ever; any number of threads may use it. The device's
// context is current.
Status cublaslt_handle(const Device& d, cublasLtHandle_t& out);

Status check(cublasStatus_t status, const char* call);

// MINDS_CUBLASLT(cublasLtMatmul, ...): the call, and what the library says of it as a Status.
#define MINDS_CUBLASLT(name, ...) ::minds::cuda::check(::minds::cuda::cublaslt().name(__VA_ARGS__), #name)

}  // namespace minds::cuda

// Dense linear algebra of the vendor's: types and functions of cusolver.tbl by the vendor's names.
#pragma once
#include <mutex>
#include <string>

#include "cuda/cublaslt.h"
#include "cuda/cusolver.tbl"
#include "cuda/library.h"

namespace minds::cuda {

enum cusolverStatus_t : unsigned {};
enum cublasFillMode_t : unsigned {};
using cusolverDnHandle_t = struct cusolverDnContext*;
using cusolverDnParams_t = struct cusolverDnParams*;

MINDS_CUSOLVER_CONSTANTS(MINDS_CONSTANT)

struct Cusolver {
  MINDS_CUSOLVER_FUNCTIONS(MINDS_POINTER)
};

// Opened once; fails with a sentence that says what is missing.
Status open_cusolver();
// After `open_cusolver` was fine.
const Cusolver& cusolver();
std::string cusolver_version();  // "12.0.4"

// A device's handle. It is for one thread at a time, as it is told a stream before each use.
struct CusolverHandle {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;  // the library's defaults
  std::mutex lock;
};

// Made when it is first asked for and kept for ever. The device's context is current.
Status cusolver_handle(const Device& d, CusolverHandle*& out);

Status check(cusolverStatus_t status, const char* call);

// MINDS_CUSOLVER(cusolverDnXpotrf, ...): the call, and what the library says of it as a Status.
#define MINDS_CUSOLVER(name, ...) ::minds::cuda::check(::minds::cuda::cusolver().name(__VA_ARGS__), #name)

}  // namespace minds::cuda

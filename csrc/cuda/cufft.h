// Fourier transforms of the vendor's: types and functions of cufft.tbl by the vendor's names.
#pragma once
#include <cstddef>
#include <string>

#include "cuda/cufft.tbl"
#include "cuda/library.h"

namespace minds::cuda {

enum cufftResult : unsigned {};
enum cufftType : unsigned {};
using cufftHandle = int;
using cufftComplex = struct float2;
using cufftDoubleComplex = struct double2;
using cudaStream_t = struct CUstream_st*;

MINDS_CUFFT_CONSTANTS(MINDS_CONSTANT)

struct Cufft {
  MINDS_CUFFT_FUNCTIONS(MINDS_POINTER)
};

// Opened once; fails with a sentence that says what is missing.
Status open_cufft();
// After `open_cufft` was fine.
const Cufft& cufft();
std::string cufft_version();  // "12.0.0"

Status check(cufftResult result, const char* call);

// MINDS_CUFFT(cufftSetStream, ...): the call, and what the library says of it as a Status.
#define MINDS_CUFFT(name, ...) ::minds::cuda::check(::minds::cuda::cufft().name(__VA_ARGS__), #name)

}  // namespace minds::cuda

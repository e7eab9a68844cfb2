// How the stand-ins of the vendors' libraries queue work of the simulated driver: a call of a function of the device
// process (calls.h), by name, on areas of memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

struct CUstream_st;

// An area that the call reads or writes.
struct CudaOperand {
  uintptr_t at;
  size_t bytes;
  bool writes = false;
};

#pragma GCC visibility push(default)
extern "C" {
// What the driver would say (0: fine); a mistake is told as the driver's are.
unsigned cuda_simulator_call(CUstream_st* s, const char* caller, const char* function, const void* body, size_t bytes,
                             const CudaOperand* operands, size_t count);
// Tells of a broken rule of a library.
void cuda_simulator_wrong(const char* caller, const char* what);
// Whether a context is current.
bool cuda_simulator_has_context();
int cuda_simulator_device();  // of the context that is current
}
#pragma GCC visibility pop

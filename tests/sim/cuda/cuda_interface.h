// What a text that g++ compiled and the host that runs it know of one another.
#pragma once

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// Of the thread that runs now: set at each switch of fibers.
struct CudaIndices {
  uint3 thread, block, threads, blocks;
};

struct CudaParameter {
  unsigned bytes, alignment;
  bool writes;  // a pointer to what is not const
};
// A kernel of a text, as the symbol `cuda_entry_NAME`.
struct CudaEntry {
  void (*call)(void** arguments);
  unsigned parameters;
  const CudaParameter* of;
  unsigned max_threads;  // 0: not said
};

#pragma GCC visibility push(default)
extern "C" {
extern __thread CudaIndices cuda_indices __attribute__((tls_model("initial-exec")));
void cuda_block_barrier(const char* file, int line);
// Gives the 32 values of the warp, until the lane's next call but one. `what` names the function.
const unsigned long long* cuda_warp(unsigned mask, unsigned long long mine, const char* what, const char* file,
                                    int line);
void* cuda_dynamic_shared(unsigned long alignment);
[[noreturn]] void cuda_refuse(const char* what, const char* file, int line);
}
#pragma GCC visibility pop

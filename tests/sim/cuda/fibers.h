// Runs kernels that g++ compiled: a block's threads are fibers of one thread of the host, one runs until it meets a
// barrier, then the next. In two orders of threads and two of blocks a right kernel gives the same bits.
//
// Each access of memory is checked: it is in a block of the device's memory that is in use, in the block's shared
// memory, on the thread's own stack, or (reads) among the constants of the text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cuda_interface.h"

namespace minds::sim {

// The area of memory that holds an address; false: it is nobody's.
using FindArea = bool (*)(void* context, uintptr_t at, uintptr_t& begin, uintptr_t& end);

// A shared object made of a text.
class __attribute__((visibility("default"))) TextModule {
 public:
  // Fails with a message.
  static std::string open(const char* path, std::unique_ptr<TextModule>& out);
  ~TextModule();
  const CudaEntry* find(std::string_view kernel) const;
  size_t static_shared() const { return shared_bytes_; }
  // The static shared memory of the calling thread.
  char* shared() const { return static_cast<char*>(touch_()) - mark_; }
  bool constant(uintptr_t at, size_t bytes) const { return at >= begin_ && at + bytes <= end_; }
  // "FILE:LINE" of an address in its code; "a kernel" where that is not known.
  std::string place(uintptr_t code) const;

 private:
  void* library_ = nullptr;
  std::string path_;
  void* (*touch_)() = nullptr;
  ptrdiff_t mark_ = 0;
  size_t shared_bytes_ = 0;
  uintptr_t begin_ = 0, end_ = 0;
};

struct Launch {
  const TextModule* module;
  const CudaEntry* entry;
  void** arguments;
  dim3 grid, block;
  size_t shared = 0;  // bytes of dynamic shared memory
  bool threads_backward = false, blocks_backward = false;
  FindArea find;
  void* context;
};

// Runs all blocks. Gives the message of the first mistake, else nothing.
__attribute__((visibility("default"))) std::string run_blocks(const Launch& l);

}  // namespace minds::sim

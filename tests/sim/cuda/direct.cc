// A kernel run in this process, on memory that is named by areas: what `texts.py` calls.
#include <cstring>
#include <string>

#include "fibers.h"

namespace {

struct Areas {
  const uintptr_t* begins;
  const uintptr_t* ends;
  size_t count;
};

bool find(void* context, uintptr_t at, uintptr_t& begin, uintptr_t& end) {
  const Areas& a = *static_cast<const Areas*>(context);
  for (size_t n = 0; n < a.count; ++n) {
    if (at >= a.begins[n] && at < a.ends[n]) {
      begin = a.begins[n], end = a.ends[n];
      return true;
    }
  }
  return false;
}

void say(const std::string& text, char* to, size_t size) {
  const size_t n = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* cuda_text_open(const char* path, char* message, size_t size) {
  std::unique_ptr<minds::sim::TextModule> m;
  say(minds::sim::TextModule::open(path, m), message, size);
  return m.release();
}

void cuda_text_close(void* module) { delete static_cast<minds::sim::TextModule*>(module); }

// How many parameters the kernel has, their sizes in `bytes` (room for 64); -1: there is no such kernel.
int cuda_text_parameters(void* module, const char* kernel, unsigned* bytes) {
  const CudaEntry* e = static_cast<minds::sim::TextModule*>(module)->find(kernel);
  if (e == nullptr) return -1;
  for (unsigned n = 0; n < e->parameters && n < 64; ++n) bytes[n] = e->of[n].bytes;
  return static_cast<int>(e->parameters);
}

// `shape` is the grid's and the block's; `order` 1: threads backward, 2: blocks backward, 3: both.
void cuda_text_launch(void* module, const char* kernel, void** arguments, const unsigned* shape, size_t shared,
                      int order, const uintptr_t* begins, const uintptr_t* ends, size_t areas, char* message,
                      size_t size) {
  auto* const m = static_cast<minds::sim::TextModule*>(module);
  Areas known{begins, ends, areas};
  minds::sim::Launch l{m,
                       m->find(kernel),
                       arguments,
                       {shape[0], shape[1], shape[2]},
                       {shape[3], shape[4], shape[5]},
                       shared,
                       (order & 1) != 0,
                       (order & 2) != 0,
                       find,
                       &known};
  say(run_blocks(l), message, size);
}

}  // extern "C"
#pragma GCC visibility pop

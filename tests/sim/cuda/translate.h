// A text in CUDA C as one in C++ that includes cuda_on_cpu.h: what macros cannot say.
#pragma once
#include <string>

namespace minds::sim {

// Of a preprocessed text: kernels get entries, arrays of dynamic shared memory become pointers. Fails with a message.
std::string translate(const std::string& text, std::string& out);

}  // namespace minds::sim

// Compiled kernels on disk, so that a program compiles each once per machine.
#pragma once
#include <string>

namespace minds::cuda {

// `key` is all that the kernel depends on: its text, the options, the compiler's version. False if there is none, or if
// what lies there is damaged.
bool read_cached(const std::string& key, std::string& cubin);

// A folder that cannot be written is no error: the kernel is compiled again next time.
void write_cached(const std::string& key, const std::string& cubin);

}  // namespace minds::cuda

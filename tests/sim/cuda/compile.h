// Texts in CUDA C as shared objects, made by g++ and kept in a folder under the checksum of all that they depend on.
#pragma once
#include <string>
#include <vector>

namespace minds::sim {

struct Compiled {
  bool ok = false;
  std::string object;  // the shared object's bytes
  std::string log;     // what the compiler said
};

// `defines` as NAME=VALUE; `name` stands for the text in messages.
Compiled compile_text(const std::string& text, const std::string& name, const std::vector<std::string>& defines,
                      int arch);

}  // namespace minds::sim

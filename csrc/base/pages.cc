#include "base/pages.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace minds {

bool machine_code_wanted() {
#if defined(__x86_64__)
  const char* set = std::getenv("MINDS_MACHINE_CODE");
  return set == nullptr || std::string_view(set) != "0";
#else
  return false;
#endif
}

Pages::Pages(std::span<const uint8_t> code) {
  void* p = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return;
  std::memcpy(p, code.data(), code.size());
  if (mprotect(p, code.size(), PROT_READ | PROT_EXEC) != 0) {
    munmap(p, code.size());
    return;
  }
  at_ = static_cast<uint8_t*>(p);
  bytes_ = code.size();
}

Pages::~Pages() {
  if (at_ != nullptr) munmap(at_, bytes_);
}

}  // namespace minds

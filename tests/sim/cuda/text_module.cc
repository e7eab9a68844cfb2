#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

#include "fibers.h"

namespace minds::sim {
namespace {

struct Image {
  uintptr_t base;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  uintptr_t shared = 0;
  size_t shared_bytes = 0;
};

int look(dl_phdr_info* i, size_t, void* to) {
  Image& image = *static_cast<Image*>(to);
  if (i->dlpi_addr != image.base) return 0;
  for (const ElfW(Phdr)* p = i->dlpi_phdr; p < i->dlpi_phdr + i->dlpi_phnum; ++p) {
    if (p->p_type == PT_LOAD) {
      image.begin = std::min<uintptr_t>(image.begin, i->dlpi_addr + p->p_vaddr);
      image.end = std::max<uintptr_t>(image.end, i->dlpi_addr + p->p_vaddr + p->p_memsz);
    }
    if (p->p_type == PT_TLS) image.shared_bytes = p->p_memsz;
  }
  image.shared = reinterpret_cast<uintptr_t>(i->dlpi_tls_data);
  return 1;
}

}  // namespace

std::string TextModule::open(const char* path, std::unique_ptr<TextModule>& out) {
  auto m = std::make_unique<TextModule>();
  m->path_ = path;
  m->library_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (m->library_ == nullptr) return dlerror();
  m->touch_ = reinterpret_cast<void* (*)()>(dlsym(m->library_, "cuda_shared_mark"));
  if (m->touch_ == nullptr) return std::string(path) + " was not made of a text in CUDA C";
  const char* mark = static_cast<char*>(m->touch_());
  link_map* map = nullptr;
  if (dlinfo(m->library_, RTLD_DI_LINKMAP, &map) != 0) return dlerror();
  Image image{map->l_addr};
  dl_iterate_phdr(look, &image);
  m->mark_ = mark - reinterpret_cast<char*>(image.shared);
  m->shared_bytes_ = image.shared_bytes;
  m->begin_ = image.begin;
  m->end_ = image.end;
  out = std::move(m);
  return {};
}

TextModule::~TextModule() {
  if (library_ != nullptr) dlclose(library_);
}

const CudaEntry* TextModule::find(std::string_view kernel) const {
  return static_cast<const CudaEntry*>(dlsym(library_, ("cuda_entry_" + std::string(kernel)).c_str()));
}

std::string TextModule::place(uintptr_t code) const {
  link_map* map = nullptr;
  std::string found;
  if (dlinfo(library_, RTLD_DI_LINKMAP, &map) == 0) {
    char command[600];
    std::snprintf(command, sizeof command, "addr2line -e '%s' %#zx 2>/dev/null", path_.c_str(),
                  static_cast<size_t>(code - map->l_addr - 1));
    if (FILE* f = popen(command, "r")) {
      char line[400] = "";
      if (std::fgets(line, sizeof line, f) != nullptr) found = line;
      pclose(f);
    }
  }
  found = found.substr(0, found.find_first_of(" \n"));
  found = found.substr(found.rfind('/') + 1);
  return found.empty() || found[0] == '?' ? "a kernel" : found;
}

}  // namespace minds::sim

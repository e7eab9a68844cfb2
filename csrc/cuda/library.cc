#include "cuda/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace minds::cuda {
namespace {

using Folders = std::vector<std::string>;

void add(Folders& folders, std::string folder) {
  if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(std::move(folder));
}

// The files of a folder whose names begin so, in alphabetical order.
std::vector<std::string> files(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> found;
  DIR* const listing = opendir(folder.c_str());
  if (listing == nullptr) return found;
  while (const dirent* entry = readdir(listing)) {
    if (std::string_view(entry->d_name).substr(0, prefix.size()) == prefix) found.emplace_back(entry->d_name);
  }
  closedir(listing);
  std::sort(found.begin(), found.end());
  return found;
}

// Where Python's packages lie: beside this one, and wherever a loaded library of another package (NumPy's) comes from.
int add_packages(dl_phdr_info* loaded, size_t, void* folders) {
  const std::string_view path = loaded->dlpi_name;
  for (const std::string_view mark : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.find(mark);
    if (at != path.npos) add(*static_cast<Folders*>(folders), std::string(path.substr(0, at + mark.size() - 1)));
  }
  return 0;
}

Folders package_folders() {
  Folders found;
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&load_functions), &self) != 0 && self.dli_fname != nullptr) {
    std::string path = self.dli_fname;  // PACKAGES/minds/lib/libminds_cuda.so
    for (int up = 0; up < 3 && !path.empty(); ++up) path.resize(std::min(path.find_last_of('/'), path.size()));
    if (!path.empty()) found.push_back(path);
  }
  dl_iterate_phdr(add_packages, &found);
  return found;
}

// PACKAGES/nvidia/*/lib, the newest toolkit's (cu13) first; then what conda puts beside Python's own folder.
Folders wheel_folders() {
  Folders found;
  const Folders places = package_folders();
  for (const std::string& packages : places) {
    const std::string nvidia = packages + "/nvidia";
    std::vector<std::string> names = files(nvidia, "");
    std::stable_partition(names.begin(), names.end(), [](const std::string& n) { return n == "cu13"; });
    for (const std::string& name : names) add(found, nvidia + "/" + name + "/lib");
  }
  for (const std::string& packages : places) {
    if (packages.ends_with("-packages")) add(found, packages + "/../..");  // of PREFIX/lib/pythonX/site-packages
  }
  return found;
}

// Where drivers and toolkits of the system lie that the loader was not told of: WSL, containers, NixOS.
Folders system_folders() {
  Folders found{"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib64-nvidia",
                "/usr/lib/x86_64-linux-gnu/nvidia/current", "/run/opengl-driver/lib"};
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(name)) add(found, std::string(home) + "/lib64");
  }
  add(found, "/usr/local/cuda/lib64");
  return found;
}

// Folders to look in; an empty one leaves it to the loader.
const Folders& folders() {
  static const Folders found = [] {
    Folders list;
    if (const char* given = std::getenv("MINDS_CUDA_LIBRARIES")) {
      std::string_view rest = given;
      while (!rest.empty()) {
        const size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) list.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      return list;
    }
    list = wheel_folders();
    list.emplace_back();
    for (const std::string& folder : system_folders()) add(list, folder);
    return list;
  }();
  return found;
}

void* open(const Vendor& vendor, const std::string& folder, const std::string& name) {
  if (folder.empty()) return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const library = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr || vendor.parts == nullptr) return library;
  for (const std::string& part : files(folder, vendor.parts)) dlopen((folder + "/" + part).c_str(), RTLD_NOW | RTLD_LOCAL);
  return library;
}

}  // namespace

Status load_functions(const Vendor& vendor, const std::vector<Symbol>& symbols) {
  void* library = nullptr;
  std::string broken;  // why a library that is there cannot be opened
  for (const std::string& name : vendor.sonames) {
    for (const std::string& folder : folders()) {
      library = open(vendor, folder, name);
      if (library != nullptr) break;
      const std::string why = dlerror();
      if (broken.empty() && why.find("No such file") == why.npos) broken = why;
    }
    if (library != nullptr) break;
  }
  const std::string what = vendor.what;
  if (library == nullptr) {
    return {Code::kBackend, what + " (" + vendor.sonames[0] + ") " +
                                (broken.empty() ? "is missing" : "cannot be opened (" + broken + ")") + "; " + vendor.get};
  }
  for (const Symbol& s : symbols) {
    *s.at = dlsym(library, s.name);
    if (*s.at == nullptr && !s.optional) {
      return {Code::kBackend, what + " is too old: it has no " + s.name + "; " + vendor.get};
    }
  }
  return {};  // never closed: its functions are used until the process ends
}

}  // namespace minds::cuda

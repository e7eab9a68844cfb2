#include "ascend/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace minds::ascend {
namespace {

constexpr char kGet[] =
    "install Huawei's Ascend driver and the CANN toolkit with its kernels (hiascend.com/cann), then "
    "`source /usr/local/Ascend/ascend-toolkit/set_env.sh`";

// Folders to look in; an empty one leaves it to the loader.
std::vector<std::string> folders() {
  std::vector<std::string> list;
  if (const char* given = std::getenv("MINDS_ASCEND_LIBRARIES")) {
    std::string_view rest = given;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) list.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return list;
  }
  if (const char* home = std::getenv("ASCEND_HOME_PATH")) list.push_back(std::string(home) + "/lib64");
  list.emplace_back("/usr/local/Ascend/ascend-toolkit/latest/lib64");
  list.emplace_back();
  return list;
}

}  // namespace

Status load_functions(const char* soname, const std::vector<Symbol>& symbols) {
  void* library = nullptr;
  std::string broken;  // why a library that is there cannot be opened
  for (const std::string& folder : folders()) {
    const std::string path = folder.empty() ? soname : folder + "/" + soname;
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    const std::string why = dlerror();
    if (broken.empty() && why.find(std::string(soname) + ": cannot open shared object") == why.npos) broken = why;
  }
  if (library == nullptr) {
    return {Code::kBackend, std::string("a library of CANN (") + soname + ") " +
                                (broken.empty() ? "is missing" : "cannot be opened (" + broken + ")") + "; " + kGet};
  }
  for (const Symbol& s : symbols) {
    *s.at = dlsym(library, s.name.c_str());
    if (*s.at == nullptr)
      return {Code::kBackend, "CANN is too old: " + std::string(soname) + " has no " + s.name + "; " + kGet};
  }
  return {};  // never closed: its functions are used until the process ends
}

}  // namespace minds::ascend

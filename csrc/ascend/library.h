// CANN's libraries, opened at run time: neither the build nor the import needs them.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"

namespace minds::ascend {

struct Symbol {
  std::string name;
  void** at;
};

// Opens the library and looks all functions up. Looked for: in the folders of the environment variable
// MINDS_ASCEND_LIBRARIES (separated by ':', and then nowhere else), under ASCEND_HOME_PATH, where CANN is usually
// installed, where the loader looks.
Status load_functions(const char* soname, const std::vector<Symbol>& symbols);

}  // namespace minds::ascend

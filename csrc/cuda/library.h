// Libraries of the vendor, opened at run time: neither the build nor the import needs them.
//
// A table (driver.tbl and its like) lists a library's functions; its header makes of it a struct of pointers with
// MINDS_POINTER, and `load_functions` fills it.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"

namespace minds::cuda {

struct Vendor {
  const char* what;                       // as messages name it
  std::vector<std::string> sonames;       // the first that is found anywhere is taken
  const char* get;                        // how it is got: a sentence's end
  // How the names of libraries begin that it opens by itself, from its own folder: some wheels do not say that they
  // lie there, but what is open already is found by its name.
  const char* parts = nullptr;
};

struct Symbol {
  const char* name;
  void** at;
  bool optional = false;  // null where the library is too old to have it
};

// Opens the library and looks all functions up. Looked for: in the folders of the environment variable
// MINDS_CUDA_LIBRARIES (separated by ':', and then nowhere else), in the vendor's wheels, where the loader looks, in folders
// of drivers and toolkits that the loader may not know.
Status load_functions(const Vendor& vendor, const std::vector<Symbol>& symbols);

}  // namespace minds::cuda

#define MINDS_POINTER(name, result, parameters) result(*name) parameters = nullptr;
#define MINDS_SYMBOL(name, result, parameters) {#name, reinterpret_cast<void**>(&table.name)},
#define MINDS_OPTIONAL_SYMBOL(name, result, parameters) {#name, reinterpret_cast<void**>(&table.name), true},
#define MINDS_CONSTANT(type, name, value) inline constexpr type name{value};

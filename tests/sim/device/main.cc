// The device process. What it does is in the plug-in, beside this program.
#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "serve.h"

int main(int argc, char** argv) {
  const std::string self = argv[0];
  const std::string plugin = self.substr(0, self.rfind('/') + 1) + "libminds_sim.so";
  void* library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto serve =
      library == nullptr ? nullptr : reinterpret_cast<decltype(&minds_sim_serve)>(dlsym(library, "minds_sim_serve"));
  if (serve == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 4;
  }
  return serve(argc, argv);
}

#include "comm/mpi.h"

#include <dlfcn.h>

namespace minds::comm {
namespace {

template <class F>
bool find(void* library, const char* name, F& f) {
  f = reinterpret_cast<F>(dlsym(library, name));
  return f != nullptr;
}

}  // namespace

Status Mpi::open(const std::string& path) {
  // Global: parts of a library that it opens itself look its symbols up.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return {Code::kBackend, "the MPI library cannot be opened: " + std::string(why != nullptr ? why : path)};
  }
  const bool all = find(library, "MPI_Init_thread", init_thread) && find(library, "MPI_Finalize", finalize) &&
                   find(library, "MPI_Abort", abort) && find(library, "MPI_Comm_rank", comm_rank) &&
                   find(library, "MPI_Comm_size", comm_size) &&
                   find(library, "MPI_Comm_set_errhandler", comm_set_errhandler) &&
                   find(library, "MPI_Isend_c", isend) && find(library, "MPI_Irecv_c", irecv) &&
                   find(library, "MPI_Test", test) && find(library, "MPI_Error_string", error_string);
  if (!all) return {Code::kBackend, path + " lacks functions of MPI 4"};
  return {};
}

Status Mpi::check(int code, const char* what) const {
  if (code == 0) return {};
  char text[kMpiErrorText + 1] = {};
  int length = 0;
  if (error_string(code, text, &length) != 0) text[0] = 0;
  return {Code::kBackend, std::string(what) + ": " + (text[0] != 0 ? text : "error " + std::to_string(code))};
}

}  // namespace minds::comm

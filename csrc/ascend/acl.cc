#include "ascend/acl.h"

#include "ascend/library.h"

namespace minds::ascend {
namespace {

Acl functions;
Aclnn operators;

#define MINDS_ACL_SYMBOL(name, result, parameters) {#name, reinterpret_cast<void**>(&functions.name)},
#define MINDS_ACLNN_SYMBOLS(name, kinds, page)                                        \
  {"aclnn" #name "GetWorkspaceSize", reinterpret_cast<void**>(&operators.name.size)}, \
      {"aclnn" #name, reinterpret_cast<void**>(&operators.name.run)},

Status open_once() {
  if (Status s = load_functions("libascendcl.so", {MINDS_ACL_FUNCTIONS(MINDS_ACL_SYMBOL)})) return s;
  if (Status s = load_functions("libnnopbase.so", {MINDS_NNOPBASE_FUNCTIONS(MINDS_ACL_SYMBOL)})) return s;
  if (Status s = load_functions("libopapi.so", {MINDS_ACLNN_FUNCTIONS(MINDS_ACLNN_SYMBOLS)})) return s;
  const aclError started = functions.aclInit(nullptr);
  return started == ACL_ERROR_REPEAT_INITIALIZE ? Status() : check(started, "aclInit");  // another library was first
}

}  // namespace

Status open_acl() {
  static const Status opened = open_once();
  return opened ? Status{opened.code(), opened.message()} : Status{};
}

const Acl& acl() { return functions; }
const Aclnn& aclnn() { return operators; }

Status check(int result, const char* call) {
  if (result == ACL_SUCCESS) return {};
  const char* text = functions.aclGetRecentErrMsg();
  const bool memory = result == ACL_ERROR_BAD_ALLOC || result == ACL_ERROR_RT_MEMORY_ALLOCATION;
  return {memory ? Code::kMemory : Code::kBackend, std::string(call) + " failed with " + std::to_string(result) +
                                                       (text == nullptr || *text == 0 ? "" : std::string(": ") + text)};
}

aclDataType acl_dtype(DType t) {
  constexpr aclDataType codes[kDTypeCount] = {ACL_BOOL,  ACL_INT8,   ACL_INT16,  ACL_INT32,     ACL_INT64,
                                              ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64,    ACL_FLOAT16,
                                              ACL_BF16,  ACL_FLOAT,  ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128};
  return codes[static_cast<int>(t)];
}

}  // namespace minds::ascend

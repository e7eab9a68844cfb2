// libnnopbase.so: tensors, scalars, lists, executors, and which of them are alive.
#include <cstring>
#include <mutex>
#include <set>

#include "simulator.h"

namespace minds::sim::ascend {
namespace {

std::mutex& lock() {
  static std::mutex& one = *new std::mutex;
  return one;
}

template <class T>
std::set<const T*>& all() {
  static std::set<const T*>& made = *new std::set<const T*>;
  return made;
}

template <class T>
bool find(const T* p) {
  const std::lock_guard guard(lock());
  return all<T>().count(p) != 0;
}

template <class T>
T* keep(T* made) {
  const std::lock_guard guard(lock());
  all<T>().insert(made);
  return made;
}

template <class T>
int destroy(const T* p, const char* call) {
  if (p == nullptr) return 0;
  {
    const std::lock_guard guard(lock());
    if (all<T>().erase(p) == 0) return wrong(kInvalid, call, "this is none, or was destroyed before");
  }
  delete p;
  return 0;
}

template <class T>
void report(const char* what) {
  if (all<T>().empty()) return;
  wrong(kInvalid, "the end", std::to_string(all<T>().size()) + " " + what + " were never destroyed");
}

__attribute__((destructor)) void report_all() {
  report<aclTensor>("tensors");
  report<aclScalar>("scalars");
  report<aclIntArray>("lists of integers");
  report<aclBoolArray>("lists of truth values");
  report<aclOpExecutor>("executors");
}

}  // namespace

bool alive(const aclTensor* t) { return find(t); }
bool alive(const aclScalar* s) { return find(s); }
bool alive(const aclIntArray* l) { return find(l); }
bool alive(const aclBoolArray* l) { return find(l); }
bool alive(const aclOpExecutor* e) { return find(e); }
aclOpExecutor* adopt(aclOpExecutor&& e) { return keep(new aclOpExecutor(std::move(e))); }
void release(aclOpExecutor* e) { destroy(e, "an executor"); }

}  // namespace minds::sim::ascend

using namespace minds::sim::ascend;

ACL_EXPORT aclTensor* aclCreateTensor(const int64_t* dims, uint64_t rank, int dtype, const int64_t* strides,
                                      int64_t offset, int format, const int64_t* storage, uint64_t storage_rank,
                                      void* data) {
  const char* const call = "aclCreateTensor";
  const auto at = reinterpret_cast<uintptr_t>(data);
  if (rank > 8 || storage_rank > 8) return wrong(kInvalid, call, "more than 8 dimensions"), nullptr;
  if (format != 2 && format != 0) return wrong(kInvalid, call, "the simulator knows formats ND and NCHW only"), nullptr;
  if (!of_device(at)) return wrong(kInvalid, call, "the address is not of the device"), nullptr;
  minds::Shape d(dims, dims + rank), s(strides, strides + rank), of(storage, storage + storage_rank);
  int64_t last = offset;
  for (size_t n = 0; n < d.size(); ++n) {
    if (d[n] < 0 || s[n] < 0) return wrong(kInvalid, call, "a negative size or stride"), nullptr;
    last += d[n] == 0 ? 0 : (d[n] - 1) * s[n];
  }
  if (minds::numel(d) != 0 && (offset < 0 || last >= minds::numel(of))) {
    return wrong(kInvalid, call, "the view leaves its storage"), nullptr;
  }
  return keep(new aclTensor{dtype, format, std::move(d), std::move(s), std::move(of), offset, at});
}

ACL_EXPORT int aclDestroyTensor(const aclTensor* t) { return destroy(t, "aclDestroyTensor"); }

ACL_EXPORT aclScalar* aclCreateScalar(void* value, int dtype) {
  float real = 0;
  double precise = 0;
  int64_t whole = 0;
  if (dtype == 9) {
    std::memcpy(&whole, value, sizeof whole);
    return keep(new aclScalar{dtype, static_cast<double>(whole), whole});
  }
  if (dtype == 11) {
    std::memcpy(&precise, value, sizeof precise);
    return keep(new aclScalar{dtype, precise, static_cast<int64_t>(precise)});
  }
  if (dtype != 0) return wrong(kInvalid, "aclCreateScalar", "the simulator knows float, double and int64 only"), nullptr;
  std::memcpy(&real, value, sizeof real);
  return keep(new aclScalar{dtype, real, static_cast<int64_t>(real)});
}

ACL_EXPORT int aclDestroyScalar(const aclScalar* s) { return destroy(s, "aclDestroyScalar"); }

ACL_EXPORT aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t size) {
  return keep(new aclIntArray{{values, values + size}});
}

ACL_EXPORT int aclDestroyIntArray(const aclIntArray* l) { return destroy(l, "aclDestroyIntArray"); }

ACL_EXPORT aclBoolArray* aclCreateBoolArray(const bool* values, uint64_t size) {
  return keep(new aclBoolArray{std::vector<bool>(values, values + size)});
}

ACL_EXPORT int aclDestroyBoolArray(const aclBoolArray* l) { return destroy(l, "aclDestroyBoolArray"); }

ACL_EXPORT int aclSetAclOpExecutorRepeatable(aclOpExecutor* e) {
  if (!alive(e)) return wrong(kNull, "aclSetAclOpExecutorRepeatable", "the executor is none");
  e->repeatable = true;
  return 0;
}

ACL_EXPORT int aclDestroyAclOpExecutor(aclOpExecutor* e) {
  if (!alive(e)) return wrong(kNull, "aclDestroyAclOpExecutor", "the executor is none, or was used up");
  if (!e->repeatable)
    return wrong(kInvalid, "aclDestroyAclOpExecutor", "an executor that is not repeatable is not the caller's");
  release(e);
  return 0;
}

// CANN: types and functions of acl.tbl and aclnn.tbl by the vendor's names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "ascend/acl.tbl"
#include "ascend/aclnn.tbl"
#include "base/dtype.h"
#include "base/status.h"

struct aclTensor;
struct aclScalar;
struct aclIntArray;
struct aclBoolArray;
struct aclOpExecutor;

namespace minds::ascend {

using aclError = int;
using aclnnStatus = int32_t;
using aclrtContext = void*;
using aclrtStream = void*;
using aclrtEvent = void*;
enum aclrtStreamStatus : unsigned {};
enum aclrtEventRecordedStatus : unsigned {};
enum aclSysParamOpt : int {};
enum aclrtMemMallocPolicy : unsigned {};
enum aclrtMemAttr : unsigned {};
enum aclrtMemcpyKind : unsigned {};
enum aclFormat : int {};
enum aclDataType : int {};

#define MINDS_ACL_CONSTANT(type, name, value) inline constexpr type name{value};
MINDS_ACL_CONSTANTS(MINDS_ACL_CONSTANT)
#undef MINDS_ACL_CONSTANT

#define MINDS_ACL_POINTER(name, result, parameters) result(*name) parameters = nullptr;
struct Acl {
  MINDS_ACL_FUNCTIONS(MINDS_ACL_POINTER)
  MINDS_NNOPBASE_FUNCTIONS(MINDS_ACL_POINTER)
};
#undef MINDS_ACL_POINTER

// An operator: both of its functions, for the kinds of arguments that its line in the table names.
template <class>
struct Operator;
template <class... Kind>
struct Operator<void(Kind...)> {
  const char* name;
  aclnnStatus (*size)(Kind..., uint64_t*, aclOpExecutor**) = nullptr;
  aclnnStatus (*run)(void*, uint64_t, aclOpExecutor*, aclrtStream) = nullptr;
};

struct Aclnn {
  using T = const aclTensor*;
  using O = aclTensor*;
  using S = const aclScalar*;
  using I = const aclIntArray*;
  using D = aclDataType;
  using B = const aclBoolArray*;
  using i = int64_t;
  using n = int;
  using d = double;
  using c = int8_t;
  using b = bool;
#define MINDS_ACLNN_OPERATOR(name, kinds, page) Operator<void kinds> name{"aclnn" #name};
  MINDS_ACLNN_FUNCTIONS(MINDS_ACLNN_OPERATOR)
#undef MINDS_ACLNN_OPERATOR
};

// Opened and initialised once; fails with a sentence that says what is missing.
Status open_acl();
// After `open_acl` was fine.
const Acl& acl();
const Aclnn& aclnn();

// Fine, or what CANN says of it.
Status check(int result, const char* call);

aclDataType acl_dtype(DType t);

// MINDS_ACL(aclrtSynchronizeStream, stream): the call, and what it says as a Status.
#define MINDS_ACL(name, ...) ::minds::ascend::check(::minds::ascend::acl().name(__VA_ARGS__), #name)

}  // namespace minds::ascend

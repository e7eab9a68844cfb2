#include "ascend/calls.h"

#include <algorithm>

#include "ascend/device.h"
#include "kernel/plan/strides.h"

namespace minds::ascend {
namespace {

constexpr size_t kMostDims = 8;

size_t padded(size_t bytes) { return (bytes + kTail + kUnit - 1) / kUnit * kUnit; }

}  // namespace

Arguments::~Arguments() {
  for (const aclTensor* t : tensors_) acl().aclDestroyTensor(t);
  for (const aclScalar* s : scalars_) acl().aclDestroyScalar(s);
  for (const aclIntArray* l : lists_) acl().aclDestroyIntArray(l);
  for (const aclBoolArray* w : wanted_) acl().aclDestroyBoolArray(w);
}

aclTensor* Arguments::make(const View& v) {
  void* data = placeholder_;
  if (data == nullptr) {
    switch (v.of) {
      case View::Of::kInput:
        data = const_cast<void*>(args_.in[v.place]);
        break;
      case View::Of::kOutput:
        data = args_.out[v.place];
        break;
      case View::Of::kWorkspace:
        data = static_cast<char*>(args_.workspace) + v.place;
        break;
      case View::Of::kFault:
        data = args_.fault;
    }
  }
  aclTensor* made =
      acl().aclCreateTensor(v.shape.data(), v.shape.size(), acl_dtype(v.dtype), v.strides.data(), v.offset,
                            v.planes ? ACL_FORMAT_NCHW : ACL_FORMAT_ND, v.storage.data(), v.storage.size(), data);
  if (made != nullptr) tensors_.push_back(made);
  return made;
}

aclScalar* Arguments::make(const Number& n) {
  int64_t whole = 0;
  double real = 0;
  aclScalar* made = nullptr;
  if (const auto* i = std::get_if<int64_t>(&n.value)) {
    whole = *i;
    made = acl().aclCreateScalar(&whole, ACL_INT64);
  } else {
    real = std::get<double>(n.value);
    made = acl().aclCreateScalar(&real, ACL_DOUBLE);
  }
  if (made != nullptr) scalars_.push_back(made);
  return made;
}

aclScalar* Arguments::make(FaultTag tag) {
  return make(Number{static_cast<int64_t>(pack(tag.kind, false, args_.instruction))});
}

aclIntArray* Arguments::make(const Shape& list) {
  aclIntArray* made = acl().aclCreateIntArray(list.data(), list.size());
  if (made != nullptr) lists_.push_back(made);
  return made;
}

aclBoolArray* Arguments::make(const Wanted& list) {
  aclBoolArray* made = acl().aclCreateBoolArray(list.each, std::size(list.each));
  if (made != nullptr) wanted_.push_back(made);
  return made;
}

View shaped(View v, const Shape& shape) {
  v.shape = shape;
  v.strides = row_major(shape);
  return v;
}

View Calls::whole(View::Of of, size_t n, const TensorSpec& s) {
  return {of, n, s.dtype, s.shape, row_major(s.shape), 0, s.shape};
}

View Calls::scratch(const TensorSpec& s) {
  View v = whole(View::Of::kWorkspace, scratch_, s);
  scratch_ += padded(s.bytes());
  return v;
}

View Calls::fault() const {
  return whole(View::Of::kFault, 0, {DType::kInt64, {sizeof(FaultWord) / sizeof(int64_t)}});
}

Status Calls::prepare(size_t& workspace) {
  void* placeholder = nullptr;
  if (Status s = device_->enter()) return s;
  if (Status s = device_->placeholder(placeholder)) return s;
  const Args none{nullptr, nullptr, nullptr};
  uint64_t most = 0;
  for (Call& c : list_) {
    Arguments arguments(none, placeholder);
    aclOpExecutor* executor = nullptr;
    if (Status s = check(c.size(arguments, &c.workspace, &executor), c.name)) return s;
    // Only an executor that may run again is its owner's to destroy.
    if (Status s = MINDS_ACL(aclSetAclOpExecutorRepeatable, executor)) return s;
    if (Status s = MINDS_ACL(aclDestroyAclOpExecutor, executor)) return s;
    most = std::max(most, c.workspace);
  }
  workspace = scratch_ + (most == 0 ? 0 : padded(most));
  return {};
}

Status Calls::run(const Args& a, Stream& q) const {
  if (list_.empty()) return {};
  if (Status s = device_->enter()) return s;
  for (const Call& c : list_) {
    Arguments arguments(a, nullptr);
    aclOpExecutor* executor = nullptr;
    uint64_t bytes = 0;
    if (Status s = check(c.size(arguments, &bytes, &executor), c.name)) return s;
    if (bytes > c.workspace) {
      return {Code::kBackend, std::string(c.name) + " asks for more workspace than when it was prepared"};
    }
    void* const workspace = bytes == 0 ? nullptr : static_cast<char*>(a.workspace) + scratch_;
    if (Status s = check(c.run(workspace, bytes, executor, stream_of(q)), c.name)) return s;
  }
  return {};
}

Status CallsKernel::prepare(const Signature& s, Prepared& p) {
  if (s.device == nullptr) return {Code::kInternal, "ascend: a kernel is prepared for no device"};
  for (const auto* specs : {&s.inputs, &s.outputs}) {
    for (const TensorSpec& t : *specs) {
      if (t.shape.size() > kMostDims) {
        return bad_value("Ascend's operators take at most 8 dimensions, got " + to_string(t.shape));
      }
    }
  }
  calls_ = std::make_unique<Calls>(static_cast<AscendDevice&>(*s.device));
  if (Status bad = plan(s, *calls_)) return bad;
  return calls_->prepare(p.workspace);
}

Status CallsKernel::run(const Args& a, Stream& q) const { return calls_->run(a, q); }

}  // namespace minds::ascend

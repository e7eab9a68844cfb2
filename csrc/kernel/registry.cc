#include "kernel/registry.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>

namespace minds {
namespace {

std::string key_of(std::string_view device, std::string_view op, DType t) {
  return std::string(device).append("/").append(op).append("/").append(name(t));
}

// A scalar has one axis, as a vector of one element: to a kernel that works along an axis it is one.
Signature along_an_axis(const Attrs& a, const Signature& s) {
  Signature found = s;
  const auto axis = a.values().find(a.has("axis") ? "axis" : "dim");
  if (axis == a.values().end() || !std::holds_alternative<int64_t>(axis->second)) return found;
  const auto scalar = [](const TensorSpec& t) { return t.shape.empty(); };
  if (std::all_of(s.inputs.begin(), s.inputs.end(), scalar) &&
      std::all_of(s.outputs.begin(), s.outputs.end(), scalar)) {
    for (TensorSpec& t : found.inputs) t.shape = {1};
    const bool reduces = a.has("keepdims") && !a.boolean("keepdims");
    for (TensorSpec& t : found.outputs) t.shape = reduces ? Shape{} : Shape{1};
  }
  return found;
}

}  // namespace

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

void Registry::add(std::string_view device, std::string_view op, const std::vector<DType>& dtypes,
                   KernelFactory make) {
  const std::unique_lock guard(lock_);
  for (DType t : dtypes) {
    const auto [entry, added] = factories_.emplace(key_of(device, op, t), make);
    if (!added) conflicts_.push_back(entry->first);
  }
}

Status Registry::merge(std::string_view device, const Registry& others) {
  if (!others.conflicts_.empty()) return {Code::kInternal, "two kernels for " + others.conflicts_[0]};
  const std::string own = std::string(device) + "/";
  const std::unique_lock guard(lock_);
  for (const auto& [key, make] : others.factories_) {
    if (key.compare(0, own.size(), own) == 0) factories_.emplace(key, make);
  }
  return {};
}

void Registry::drop(std::string_view device, std::string_view op) {
  const std::unique_lock guard(lock_);
  for (int t = 0; t < kDTypeCount; ++t) factories_.erase(key_of(device, op, static_cast<DType>(t)));
}

bool Registry::contains(std::string_view device, std::string_view op, DType t) const {
  const std::shared_lock guard(lock_);
  return factories_.count(key_of(device, op, t)) != 0;
}

Status Registry::make(std::string_view device, std::string_view op, const Attrs& a, const Signature& s,
                      std::unique_ptr<Kernel>& kernel, Prepared& p) const {
  if (s.inputs.empty() && s.outputs.empty()) return {Code::kInternal, "a kernel needs an input or an output"};
  const DType t = s.inputs.empty() ? s.outputs[0].dtype : s.inputs[0].dtype;
  KernelFactory factory = nullptr;
  {
    const std::shared_lock guard(lock_);
    const auto found = factories_.find(key_of(device, op, t));
    if (found != factories_.end()) factory = found->second;
  }
  if (factory == nullptr) {
    return {Code::kBackend, "no kernel for " + std::string(name(t)) + " on " + std::string(device)};
  }
  try {
    kernel = factory(op, a);
    return kernel->prepare(along_an_axis(a, s), p);
  } catch (const std::bad_alloc&) {
    return {Code::kMemory, "out of memory while preparing the kernel"};
  } catch (const std::exception& e) {
    return {Code::kInternal, std::string("bad attributes or signature: ") + e.what()};
  }
}

std::vector<Registry::Entry> Registry::entries() const {
  std::vector<Entry> out;
  const std::shared_lock guard(lock_);
  for (const auto& [key, make] : factories_) {
    const size_t a = key.find('/'), b = key.rfind('/');
    for (int t = 0; t < kDTypeCount; ++t) {
      if (key.compare(b + 1, std::string::npos, name(static_cast<DType>(t))) == 0) {
        out.push_back({key.substr(0, a), key.substr(a + 1, b - a - 1), static_cast<DType>(t)});
      }
    }
  }
  return out;
}

}  // namespace minds

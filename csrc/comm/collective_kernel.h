// What the kernels of collectives have in common, on the CPU and on devices.
#pragma once
#include <string>
#include <vector>

#include "comm/collectives.h"
#include "kernel/kernel.h"
#include "kernel/unrepeated.h"

namespace minds::comm {

// Of a few ranks that are not all of the world: which.
inline std::string text_of(const Group& g) {
  const std::string all = " over " + std::to_string(g.size()) + " ranks";
  if (g.size() == World::instance().size() || g.size() > 8) return all;
  std::string some;
  for (const int r : g.ranks) some += (some.empty() ? " over rank " : " and ") + std::to_string(r);
  return some;
}

// What all of them have: a group, and what is said of the call to others.
class Collective : public Kernel, public Unrepeated {
 protected:
  explicit Collective(const Attrs& a) : ranks_(a.ints("ranks")) {
    if (a.has("site")) call_.site = a.str("site");
  }

  // `what` is what all processes must agree on.
  Status describe(std::string what) {
    if (Status s = Group::make(ranks_, group_)) return s;
    call_.what = std::move(what) + text_of(group_) + by_;
    std::string agreed = call_.what;
    for (const int64_t r : ranks_) agreed += "," + std::to_string(r);
    call_.tag = tag_of(agreed);
    return {};
  }

  // Ranks have different parts in it, such as that of the root.
  void has_parts() { call_.has_parts = true; }

  Group group_;
  Call call_;
  const char* by_ = "";  // what moves the data, where it is not the processes

 private:
  const std::vector<int64_t> ranks_;
};

class Reducing : public Collective {
 protected:
  Reducing(const Attrs& a) : Collective(a), op_name_(a.str("op")) {}

  Status describe(const char* name, const Signature& s) {
    elements_ = {s.inputs[0].dtype, 0};
    std::string shapes;
    for (const TensorSpec& t : s.inputs) {
      if (t.dtype != elements_.dtype) return {Code::kType, "the operands have different dtypes"};
      elements_.count += t.size();
      shapes += (shapes.empty() ? "" : ", ") + to_string(t);
    }
    if (Status bad = reduction_of(op_name_, elements_.dtype, op_)) return bad;
    return Collective::describe(std::string(name) + "(" + op_name_ + ") of " + shapes);
  }

  Reduction op_{};
  Elements elements_{};  // of all operands

 private:
  const std::string op_name_;
};

// Single messages, by way of the host.
std::unique_ptr<Kernel> make_exchange(const Attrs& a);

}  // namespace minds::comm

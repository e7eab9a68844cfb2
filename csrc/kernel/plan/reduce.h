// Which axes a reduction takes, and what its operand looks like with neighbouring axes merged.
#pragma once
#include <vector>

#include "kernel/plan/check.h"

namespace minds {

struct ReducePlan {
  struct Group {  // neighbouring axes that are all reduced, or all kept
    int64_t size, stride;
    bool reduced;
  };

  // Checks the signature of a reduction over `axes`; it gives elements of the operand's dtype, or truth values.
  Status prepare(const Signature& s, const Shape& axes, bool keepdims, bool truth);

  std::vector<Group> groups;  // alternating, the innermost last; none of size 1; none at all where nothing is left
};

}  // namespace minds

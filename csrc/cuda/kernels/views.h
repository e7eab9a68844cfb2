// Strided views as arguments of kernels: the structs of prelude.cuh, filled by the host.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/plan/strides.h"

namespace minds::cuda {

template <int rank>
struct View {
  int64_t size[rank], stride[rank];
};

// The view that an operand of a plan is, with dims of size 1 in front to make it as long as a View.
template <int rank, class Sizes, class Strides>
View<rank> view_of(const Sizes& sizes, const Strides& strides) {
  View<rank> v;
  const int own = static_cast<int>(sizes.size());
  for (int d = 0; d < rank; ++d) {
    const int at = d - (rank - own);
    v.size[d] = at < 0 ? 1 : sizes[static_cast<size_t>(at)];
    v.stride[d] = at < 0 ? 0 : strides[static_cast<size_t>(at)];
  }
  return v;
}

}  // namespace minds::cuda

#include "cpu/kernels/norm_spans.h"

#include "cpu/isa.h"

namespace minds::cpu {

template <>
const Spans<float>& spans<float>() {
#if defined(__x86_64__)
  if (isa() == Isa::kAvx512) return kSpansAvx512F32;
  if (isa() == Isa::kAvx2) return kSpansAvx2F32;
#endif
  return kSpansGenericF32;
}

template <>
const Spans<double>& spans<double>() {
#if defined(__x86_64__)
  if (isa() == Isa::kAvx512) return kSpansAvx512F64;
  if (isa() == Isa::kAvx2) return kSpansAvx2F64;
#endif
  return kSpansGenericF64;
}

}  // namespace minds::cpu

// The inner loops of reductions, one table per operation, dtype and instruction set. Every table gives the
// same bits: the order of the additions is part of the definition (reduce_loops.h) and not left to the
// compiler.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/dtype.h"

namespace minds::cpu {

enum class ReduceOp : uint8_t { kSum, kProd, kAmax, kAmin, kAll, kAny };

inline constexpr int64_t kReduceBlock = 4096;  // elements that one accumulator set takes at most

struct ReduceLoops {
  size_t item, acc_size;  // bytes of an element and of an accumulator
  // acc[r] = the reduction of x[r * stride, r * stride + n) for r in [0, rows); n <= kReduceBlock.
  void (*inner)(const void* x, int64_t rows, int64_t stride, int64_t n, void* acc);
  // acc[j] = the reduction over r in [0, rows) of x[r * stride + j] for j in [0, width).
  void (*outer)(const void* x, int64_t rows, int64_t stride, int64_t width, void* acc);
  void (*identity)(void* acc, int64_t width);
  void (*combine)(void* acc, const void* other, int64_t width);
};

const ReduceLoops* reduce_loops_generic(ReduceOp op, DType t);
const ReduceLoops* reduce_loops_avx2(ReduceOp op, DType t);
const ReduceLoops* reduce_loops_avx512(ReduceOp op, DType t);

}  // namespace minds::cpu

// Elementwise loops by op and dtype: what the stand-alone kernels and, tile by tile, fused programs run.
//
// A loop takes contiguous operands; a binary loop exists three times, with either operand being one number. A
// destination may be the same memory as an operand of the same element size. All instruction sets give the
// same bits: nobody contracts, every formula uses only operations that IEEE 754 rounds in one way (or calls
// the same libm function), and the tail of a range goes through the same code as its body.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cpu/isa.h"
#include "kernel/elementwise.h"

namespace minds::cpu {

// Elements that are worth a thread, some 10 µs of work: less than threads need to meet gains nothing, and on a busy
// machine loses much. Vectorised functions cost a few times what a negation does, those of libm a hundred times.
int64_t grain_of(UnaryOp op, DType t);
int64_t grain_of(BinaryOp op);

using UnaryLoop = void (*)(void* dst, const void* a, int64_t n);
using BinaryLoop = void (*)(void* dst, const void* a, const void* b, int64_t n);

using SelectLoop = void (*)(void* dst, const void* cond, const void* a, const void* b, int64_t n);

struct BinaryLoops {
  BinaryLoop both = nullptr, left_number = nullptr, right_number = nullptr;
};

// The loops of one instruction set. 16-bit floats have none of their own: they are widened, computed and
// narrowed.
struct LoopTable {
  UnaryLoop unary[kUnaryCount][kDTypeCount] = {};
  BinaryLoops binary[kBinaryCount][kDTypeCount] = {};
  bool vectorised[kUnaryCount] = {};  // the float32 loop is not by libm
  UnaryLoop widen[2] = {}, narrow[2] = {};  // float16 and bfloat16 to and from float32
};

// The table of the instruction set in use; a missing loop means that the op does not exist for the dtype.
const LoopTable& loops();
UnaryLoop cast_loop(DType from, DType to);     // between different dtypes; in cast.cc
SelectLoop select_loop(size_t bytes);          // for elements of so many bytes; in select.cc

// Each fills in what it has; later ones replace earlier ones.
void add_scalar_float_loops(LoopTable& t);  // one element at a time: libm
void add_integer_loops(LoopTable& t);
void add_vector_loops_generic(LoopTable& t);
void add_vector_loops_avx2(LoopTable& t);
void add_vector_loops_avx512(LoopTable& t);

}  // namespace minds::cpu

// The float32 formulas of a tile program's steps as instructions. They are those of kernel/exact.h and of
// cpu/kernels/vector_math.h, operation by operation, so that both give the same bits.
#pragma once
#include "cpu/assembled/groups.h"
#include "kernel/elementwise.h"

namespace minds::cpu::assembled {

bool has_formula(UnaryOp op);
bool has_formula(BinaryOp op);

// d = op(x); a truth is a lane of ones. `d` is no operand.
void emit(Groups& g, UnaryOp op, Group d, Group x);
void emit(Groups& g, BinaryOp op, Group d, Group x, Group y);
// The same of truths.
bool has_truth_formula(BinaryOp op);
void emit_truth(Groups& g, BinaryOp op, Group d, Group x, Group y);
void emit_not(Groups& g, Group d, Group x);

}  // namespace minds::cpu::assembled

// What elementwise kernels ask of their signatures.
#pragma once
#include "kernel/elementwise.h"
#include "kernel/plan/check.h"

namespace minds {

Status check_unary(const Signature& s, UnaryOp op);
Status check_binary(const Signature& s, BinaryOp op);  // but for the shapes, which a BroadcastPlan checks
Status check_select(const Signature& s);               // the same

}  // namespace minds

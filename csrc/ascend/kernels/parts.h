// Calls that several kernels are made of.
#pragma once
#include "ascend/calls.h"
#include "kernel/plan/index.h"

namespace minds::ascend {

// Elements of a view from `offset` on, one behind the other; of one with one dimension.
View slice(View v, int64_t offset, int64_t count);

// The view, or a copy of it of another dtype.
View add_cast(Calls& calls, const View& v, DType t);
// A tensor to compute an operand's result in: the operand itself, or one that `finish_cast` makes it of.
View cast_target(Calls& calls, const View& out, DType t);
void finish_cast(Calls& calls, const View& computed, const View& out);
// A tensor of one number.
View add_filled(Calls& calls, const TensorSpec& s, Number n);
// 0, 1, ... of int32 or int64.
View add_counting(Calls& calls, DType t, int64_t count);

// Where `bad`, of bools, is true the data is wrong: the first such place becomes the run's fault, unless there is one.
struct Wrong {
  FaultKind kind;
  int64_t limit = 0;
  int64_t scale = 1, shift = 0;   // the place that is told is scale * place + shift
  const View* values = nullptr;   // int64: which is told; none: 0
};
void add_fault(Calls& calls, const View& bad, const Wrong& w);

// Places along an axis of `bound` elements, at least one, as operators take them: int64, those below 0 counted from
// the end. One that is out of range is told and replaced by one that is not. `given` has one dimension.
View add_places(Calls& calls, const View& given, int64_t bound, Wrong w);
// Fails for an axis of no elements, of which something is asked.
Status check_bound(int64_t bound, int64_t count);
// The numbers of the rows that points name.
Status add_points(Calls& calls, const PointsPlan& p, const View& coordinates, View& rows);

// Whether operators compute with this dtype; the others are only moved.
bool is_computed(DType t);

}  // namespace minds::ascend

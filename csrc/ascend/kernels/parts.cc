#include "ascend/kernels/parts.h"

#include <algorithm>

namespace minds::ascend {

View slice(View v, int64_t offset, int64_t count) {
  v.offset += offset * v.strides[0];
  v.shape = {count};
  return v;
}

View add_cast(Calls& calls, const View& v, DType t) {
  if (v.dtype == t) return v;
  const View made = calls.scratch({t, v.shape});
  if (numel(v.shape) != 0) calls.add(aclnn().Cast, v, t, made);
  return made;
}

View cast_target(Calls& calls, const View& out, DType t) {
  return out.dtype == t ? out : calls.scratch({t, out.shape});
}

void finish_cast(Calls& calls, const View& computed, const View& out) {
  if (computed.dtype != out.dtype) calls.add(aclnn().Cast, computed, out.dtype, out);
}

View add_filled(Calls& calls, const TensorSpec& s, Number n) {
  const View made = calls.scratch(s);
  calls.add(aclnn().InplaceFillScalar, made, n);
  return made;
}

View add_counting(Calls& calls, DType t, int64_t count) {
  const View made = calls.scratch({t, {count}});
  calls.add(aclnn().Arange, Number{int64_t{0}}, Number{count}, Number{int64_t{1}}, made);
  return made;
}

void add_fault(Calls& calls, const View& bad, const Wrong& w) {
  const TensorSpec one{DType::kInt64, {1}}, yes{DType::kBool, {1}};
  const int64_t count = numel(bad.shape);
  const View flat = shaped(bad, {count});
  const View whether = calls.scratch(yes), free = calls.scratch(yes), place = calls.scratch(one);
  const View word = calls.fault(), fresh = calls.scratch({DType::kInt64, word.shape});
  calls.add(aclnn().Any, flat, Shape{0}, true, whether);
  calls.add(aclnn().EqScalar, slice(word, 0, 1), Number{int64_t{0}}, free);
  calls.add(aclnn().LogicalAnd, whether, free, whether);
  calls.add(aclnn().ArgMax, add_cast(calls, flat, DType::kInt32), int64_t{0}, true, place);
  calls.add(aclnn().InplaceFillScalar, slice(fresh, 0, 1), FaultTag{w.kind});
  if (w.values != nullptr) {
    calls.add(aclnn().Gather, *w.values, int64_t{0}, place, slice(fresh, 1, 1));
  } else {
    calls.add(aclnn().InplaceFillScalar, slice(fresh, 1, 1), Number{int64_t{0}});
  }
  calls.add(aclnn().InplaceFillScalar, slice(fresh, 2, 1), Number{w.limit});
  calls.add(aclnn().Muls, place, Number{w.scale}, place);
  calls.add(aclnn().Adds, place, Number{w.shift}, Number{int64_t{1}}, slice(fresh, 3, 1));
  calls.add(aclnn().SWhere, whether, fresh, word, word);
}

View add_places(Calls& calls, const View& given, int64_t bound, Wrong w) {
  const TensorSpec same{DType::kInt64, given.shape}, truth{DType::kBool, given.shape};
  const View number = add_cast(calls, given, DType::kInt64);
  const View below = calls.scratch(truth), wrapped = calls.scratch(same), inside = calls.scratch(same);
  calls.add(aclnn().LtScalar, number, Number{int64_t{0}}, below);
  calls.add(aclnn().Adds, number, Number{bound}, Number{int64_t{1}}, wrapped);
  calls.add(aclnn().SWhere, below, wrapped, number, wrapped);
  calls.add(aclnn().Clamp, wrapped, Number{int64_t{0}}, Number{bound - 1}, inside);
  calls.add(aclnn().NeTensor, wrapped, inside, below);
  w.limit = bound;
  w.values = &number;
  add_fault(calls, below, w);
  return inside;
}

Status check_bound(int64_t bound, int64_t count) {
  if (bound > 0 || count == 0) return {};
  return {Code::kIndex, "an axis of size 0 has no element for " + std::to_string(count) + " indices"};
}

Status add_points(Calls& calls, const PointsPlan& p, const View& coordinates, View& rows) {
  const int64_t depth = p.depth();
  if (depth == 0) return bad_value("on Ascend indices must have at least one coordinate");
  for (int64_t d = 0; d < depth; ++d) {
    if (Status bad = check_bound(p.bounds[d], p.count)) return bad;
    View one = coordinates;
    one.shape = {p.count};
    one.strides = {depth};
    one.offset = d;
    const Wrong wrong{.kind = FaultKind::kPoint, .scale = kMaxCoordinates, .shift = d};
    const View at = add_places(calls, one, p.bounds[d], wrong);
    if (d == 0) {
      rows = at;
      continue;
    }
    calls.add(aclnn().Muls, rows, Number{p.bounds[d]}, rows);
    calls.add(aclnn().Add, rows, at, Number{int64_t{1}}, rows);
  }
  return {};
}

bool is_computed(DType t) {
  constexpr DType all[] = {MINDS_ASCEND_NUMBERS};
  return std::find(std::begin(all), std::end(all), t) != std::end(all);
}

}  // namespace minds::ascend

// libopapi.so: what reads, writes, orders and scans along a dimension.
#include "opapi.h"

using namespace minds::sim;
using namespace minds::sim::ascend;
using minds::Attrs;
using minds::Shape;

FIRST(Gather, const aclTensor* self, int64_t dim, const aclTensor* index, aclTensor* out) {
  First f("aclnnGather", size, e);
  if (f.tensor(self, kAll) && f.tensor(index, Codes{3, 9}) && f.tensor(out, kAll) && f.shaped(out, index->dims) &&
      f.expect(self->dtype == out->dtype, "the result has another dtype")) {
    Attrs a;
    a.set("dim", dim);
    a.set("places", int64_t{1});
    f.step("gather_d", std::move(a), {self, index}, {out});
  }
  return f.end();
}

FIRST(ScatterAdd, const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* src, aclTensor* out) {
  First f("aclnnScatterAdd", size, e);
  if (f.tensor(self, kNumbers) && f.tensor(index, Codes{3, 9}) && f.tensor(src, kNumbers) && f.tensor(out, kNumbers) &&
      f.shaped(out, self->dims) && f.shaped(src, index->dims) &&
      f.expect(self->dtype == src->dtype && self->dtype == out->dtype, "operands of two dtypes")) {
    Attrs a;
    a.set("dim", dim);
    a.set("places", int64_t{1});
    f.needs(512);
    f.step("scatter_add_d", std::move(a), {self, index, src}, {out});
  }
  return f.end();
}


FIRST(IndexSelect, const aclTensor* self, int64_t dim, const aclTensor* index, aclTensor* out) {
  First f("aclnnIndexSelect", size, e);
  if (!f.tensor(self, kAll) || !f.places(index) || !f.tensor(out, kAll) || !f.dim(self, dim)) return f.end();
  Shape picked = self->dims;
  picked[dim < 0 ? dim + static_cast<int64_t>(picked.size()) : dim] = minds::numel(index->dims);
  if (f.shaped(out, picked) && f.expect(self->dtype == out->dtype, "the result has another dtype")) {
    Attrs a = one("axis", dim);
    a.set("places", int64_t{1});
    f.step("gather", std::move(a), {self, index}, {out});
  }
  return f.end();
}

namespace {

// What goes to rows of a tensor fits it.
bool rows(First& f, const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* source,
          const Codes& dtypes) {
  if (!f.tensor(self, dtypes) || !f.places(index) || !f.tensor(source, dtypes) || !f.dim(self, dim)) return false;
  Shape fit = self->dims;
  fit[dim < 0 ? dim + static_cast<int64_t>(fit.size()) : dim] = minds::numel(index->dims);
  return f.shaped(source, fit) && f.expect(self->dtype == source->dtype, "operands of two dtypes");
}

}  // namespace

FIRST(IndexAdd, const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* source,
      const aclScalar* alpha, aclTensor* out) {
  First f("aclnnIndexAdd", size, e);
  if (!rows(f, self, dim, index, source, kNumbersAndBool) || !f.object(alpha) || !f.tensor(out, kNumbersAndBool) ||
      !f.shaped(out, self->dims) || !f.expect(self->dtype == out->dtype, "the result has another dtype")) {
    return f.end();
  }
  Attrs a = one("dim", dim);
  a.set("places", int64_t{1});
  a.set("alpha", alpha->whole);
  Step s{"scatter_add_d", std::move(a), {First::operand(self), First::operand(index), First::operand(source)},
         {First::operand(out)}};
  // The same index for all elements of a row.
  Operand& at = s.in[1];
  const int64_t step = index->dims.empty() ? 1 : index->strides[0];
  at.spec.shape = source->dims;
  at.strides = Shape(source->dims.size());
  at.strides[dim < 0 ? dim + static_cast<int64_t>(self->dims.size()) : dim] = step;
  f.needs(1024);
  f.add(std::move(s));
  return f.end();
}

FIRST(InplaceIndexCopy, aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* source) {
  First f("aclnnInplaceIndexCopy", size, e);
  if (rows(f, self, dim, index, source, kAll) && f.expect(dim == 0, "the simulator copies to rows only")) {
    Attrs a = one("mode", std::string("update"));
    a.set("places", int64_t{1});
    Step s{"tensor_scatter", std::move(a), {First::operand(self), First::operand(index), First::operand(source)},
           {First::operand(self)}};
    s.in[1].spec.shape = {minds::numel(index->dims), 1};
    s.in[1].strides = {index->dims.empty() ? 1 : index->strides[0], 1};
    f.add(std::move(s));
  }
  return f.end();
}

FIRST(Sort, const aclTensor* self, bool stable, int64_t dim, bool descending, aclTensor* values, aclTensor* indices) {
  First f("aclnnSort", size, e);
  if (!f.tensor(self, kNumbersAndBool) || !f.tensor(values, kNumbersAndBool) || !f.tensor(indices, Codes{kInt64Code}) ||
      !f.dim(self, dim) || !f.shaped(values, self->dims) || !f.shaped(indices, self->dims) ||
      !f.expect(self->dtype == values->dtype, "the result has another dtype") ||
      !f.expect(stable, "the simulator sorts stably only") ||
      !f.expect(self->dtype != kBFloat16Code || self->dims[dim] != 1, "an axis of size 1 of bfloat16")) {
    return f.end();
  }
  Attrs a = one("axis", dim);
  a.set("descending", descending);
  f.needs(1024);
  f.step("sort", std::move(a), {self}, {values, indices});
  return f.end();
}

namespace {

void place(First& f, const char* op, const aclTensor* x, int64_t dim, bool keep, aclTensor* out) {
  if (!f.tensor(x, kNumbers) || !f.tensor(out, Codes{kInt64Code}) || !f.dim(x, dim)) return;
  Shape left = x->dims;
  const int64_t at = dim < 0 ? dim + static_cast<int64_t>(left.size()) : dim;
  left[at] = 1;
  if (!keep) left.erase(left.begin() + at);
  if (!f.shaped(out, left)) return;
  Attrs a = one("axis", at);
  a.set("keepdims", keep);
  f.needs(512);
  f.step(op, std::move(a), {x}, {out});
}

}  // namespace

FIRST(ArgMax, const aclTensor* self, int64_t dim, bool keep, aclTensor* out) {
  First f("aclnnArgMax", size, e);
  place(f, "argmax", self, dim, keep, out);
  return f.end();
}

FIRST(ArgMin, const aclTensor* self, int64_t dim, bool keep, aclTensor* out) {
  First f("aclnnArgMin", size, e);
  place(f, "argmin", self, dim, keep, out);
  return f.end();
}

FIRST(ProdDim, const aclTensor* self, int64_t dim, bool keep, int dtype, aclTensor* out) {
  First f("aclnnProdDim", size, e);
  if (!f.tensor(self, kNumbers) || !f.tensor(out, kNumbers) || !f.dim(self, dim) ||
      !f.expect(dtype == out->dtype && self->dtype == dtype, "the simulator multiplies in the operand's dtype")) {
    return f.end();
  }
  Shape left = self->dims;
  left[dim] = 1;
  if (!keep) left.erase(left.begin() + dim);
  if (f.shaped(out, left)) {
    Attrs a = one("axis", std::vector<int64_t>{dim});
    a.set("keepdims", keep);
    f.needs(1024);
    f.step("prod", std::move(a), {self}, {out});
  }
  return f.end();
}

FIRST(CumsumV2, const aclTensor* self, int64_t dim, bool exclusive, bool reverse, aclTensor* out) {
  First f("aclnnCumsumV2", size, e);
  if (f.tensor(self, kNumbers) && f.tensor(out, kNumbers) && f.dim(self, dim) && f.shaped(out, self->dims) &&
      f.expect(self->dtype == out->dtype, "the result has another dtype")) {
    Attrs a = one("axis", dim);
    a.set("exclusive", exclusive);
    a.set("reverse", reverse);
    f.needs(512);
    f.step("cumsum", std::move(a), {self}, {out});
  }
  return f.end();
}

FIRST(Cumprod, const aclTensor* input, const aclScalar* dim, int dtype, aclTensor* out) {
  First f("aclnnCumprod", size, e);
  if (f.tensor(input, kNumbers) && f.object(dim) && f.tensor(out, kNumbers) && f.dim(input, dim->whole) &&
      f.expect(dim->dtype == kInt64Code, "the dimension is no integer") && f.shaped(out, input->dims) &&
      f.expect(input->dtype == out->dtype && out->dtype == dtype, "the result has another dtype")) {
    f.needs(512);
    f.step("cumprod", one("axis", dim->whole), {input}, {out});
  }
  return f.end();
}

FIRST(Flip, const aclTensor* self, const aclIntArray* dims, aclTensor* out) {
  First f("aclnnFlip", size, e);
  if (f.tensor(self, kAll) && f.object(dims) && f.tensor(out, kAll) && f.shaped(out, self->dims) &&
      f.expect(self->dtype == out->dtype, "the result has another dtype")) {
    for (const int64_t d : dims->values) f.dim(self, d);
    f.step("flip", one("axis", dims->values), {self}, {out});
  }
  return f.end();
}

#define TRIANGLE(Name, op)                                                                                       \
  FIRST(Name, const aclTensor* self, int64_t diagonal, aclTensor* out) {                                         \
    First f("aclnn" #Name, size, e);                                                                             \
    if (f.tensor(self, kNumbersAndBool) && f.tensor(out, kNumbersAndBool) && f.shaped(out, self->dims) &&        \
        f.expect(self->dims.size() >= 2 && self->dtype == out->dtype, "no matrices, or a result of another dtype")) { \
      f.step(op, one("k", diagonal), {self}, {out});                                                             \
    }                                                                                                            \
    return f.end();                                                                                              \
  }
TRIANGLE(Tril, "tril")
TRIANGLE(Triu, "triu")

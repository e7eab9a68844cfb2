#include "kernel/plan/pool.h"

#include <algorithm>

#include "device/array.h"

namespace minds {
namespace {

// The spans of all placements along one axis.
Status find_spans(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t before, int64_t dilation,
                  std::vector<Span>& list) {
  list.clear();
  for (int64_t o = 0; o < out; ++o) {
    const int64_t start = o * stride - before, outside = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const Span s{start + outside * dilation, std::min(in, start + (kernel - 1) * dilation + 1)};
    if (s.begin >= s.end) {
      return bad_value("the window of output position " + std::to_string(o) +
                       " lies wholly in the padding; pad must be smaller than the kernel");
    }
    list.push_back(s);
  }
  return {};
}

}  // namespace

Status PoolPlan::prepare(const Attrs& a, const Shape& input, Shape& output) {
  if (input.size() != 4) return bad_value("the input must have 4 dimensions, got " + to_string(input));
  if (auto failed = check_shape(input, DType::kFloat64)) return failed;
  Window& w = window;
  if (auto failed = read_window(a, a.ints("kernel"), w)) return failed;
  if (auto failed = check_window(w, input[2], input[3])) return failed;
  output = {input[0], input[1], w.out_h(input[2]), w.out_w(input[3])};
  planes = {input[0] * input[1], input[2], input[3], output[2], output[3]};
  const Planes& p = planes;
  if (auto failed = find_spans(p.in_h, p.out_h, w.kernel_h, w.stride_h, w.top, w.dilation_h, rows)) return failed;
  return find_spans(p.in_w, p.out_w, w.kernel_w, w.stride_w, w.left, w.dilation_w, cols);
}

Status plan_exchange(const Shape& wide, const Shape& narrow, const TensorSpec& index, Planes& p) {
  if (wide.size() != 4 || narrow.size() != 4 || wide[0] != narrow[0] || wide[1] != narrow[1]) {
    return bad_value("shapes " + to_string(wide) + " and " + to_string(narrow) + " do not belong to one pooling");
  }
  if (auto failed = check_shape(wide, DType::kInt64)) return failed;
  p = {wide[0] * wide[1], wide[2], wide[3], narrow[2], narrow[3]};
  return expect_spec(index, "the index", DType::kInt64, narrow);
}

}  // namespace minds

#include "cpu/kernels/pool.h"

#include <algorithm>

namespace minds::cpu {

Status spans(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t before, int64_t dilation,
             std::vector<Span>& list) {
  list.resize(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    const int64_t start = o * stride - before, outside = start < 0 ? (-start + dilation - 1) / dilation : 0;
    const Span s{start + outside * dilation, std::min(in, start + (kernel - 1) * dilation + 1)};
    if (s.begin >= s.end) {
      return bad_value("the window of output position " + std::to_string(o) +
                       " lies wholly in the padding; pad must be smaller than the kernel");
    }
    list[static_cast<size_t>(o)] = s;
  }
  return Status::ok();
}

Status describe_pool(const Attrs& a, const Shape& input, Window& w, Planes& p, Shape& output) {
  if (input.size() != 4) return bad_value("the input must have 4 dimensions, got " + to_string(input));
  if (auto failed = read_window(a, a.ints("kernel"), w)) return failed;
  if (auto failed = check_window(w, input[2], input[3])) return failed;
  output = {input[0], input[1], w.out_h(input[2]), w.out_w(input[3])};
  p = {input[0] * input[1], input[2], input[3], output[2], output[3]};
  return Status::ok();
}

int64_t planes_grain(const Planes& p) { return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, p.in())); }

}  // namespace minds::cpu

#include "cpu/kernels/broadcast.h"

#include <algorithm>

#include "cpu/check.h"

namespace minds::cpu {
namespace {

constexpr size_t kMaxRank = 32;

}  // namespace

void spread(const char* from, size_t block, size_t total, char* to) {
  std::memcpy(to, from, std::min(block, total));
  for (size_t done = block; done < total; done *= 2) std::memcpy(to + done, to, std::min(done, total - done));
}

Status Broadcast::prepare(const TensorSpec* inputs, int count, const TensorSpec& output, bool numbers) {
  Shape joined;
  if (Status e = plan(inputs, count, output, numbers, joined)) return e;
  if (joined != output.shape) {
    return bad_value("the operands broadcast to " + to_string(joined) + ", not to " + to_string(output.shape));
  }
  return {};
}

Status Broadcast::prepare_one(const TensorSpec& input, const TensorSpec& output) {
  Shape joined;
  return plan(&input, 1, output, true, joined);
}

Status Broadcast::plan(const TensorSpec* inputs, int count, const TensorSpec& output, bool numbers, Shape& joined) {
  count_ = count;
  numbers_ = numbers;
  size_ = output.size();
  const size_t rank = output.shape.size();
  if (rank > kMaxRank) return bad_value("a tensor has at most 32 dimensions, got " + std::to_string(rank));
  std::array<Shape, kMost> strides;
  joined.assign(rank, 1);
  for (int i = 0; i < count; ++i) {
    const Shape& shape = inputs[i].shape;
    if (shape.size() > rank) return bad_value(to_string(inputs[i]) + " has more dimensions than the result");
    strides[i].assign(rank, 0);
    int64_t step = 1;
    for (size_t k = 1; k <= shape.size(); ++k) {
      const int64_t d = shape[shape.size() - k], o = output.shape[rank - k];
      if (d != o && d != 1) {
        return bad_value("shape " + to_string(shape) + " does not broadcast to " + to_string(output.shape));
      }
      if (d != 1) {
        strides[i][rank - k] = step;
        joined[rank - k] = d;
      }
      step *= d;
    }
  }
  // Merge, from the innermost dim outwards: dims of size 1 vanish, a dim joins its inner neighbour if it
  // continues it.
  dims_.clear();
  for (auto& o : operands_) o.strides.clear();
  for (size_t d = rank; d-- > 0;) {
    const int64_t n = output.shape[d];
    if (n == 1) continue;
    bool joins = !dims_.empty();
    for (int i = 0; i < count && joins; ++i) {
      joins = strides[i][d] == operands_[i].strides.back() * dims_.back();
    }
    if (joins) {
      dims_.back() *= n;
      continue;
    }
    dims_.push_back(n);
    for (int i = 0; i < count; ++i) operands_[i].strides.push_back(strides[i][d]);
  }
  if (dims_.empty()) {
    dims_.push_back(1);
    for (int i = 0; i < count; ++i) operands_[i].strides.push_back(0);
  }
  std::reverse(dims_.begin(), dims_.end());
  simple_ = true;
  bool strided = false;
  for (int i = 0; i < count; ++i) {
    Operand& o = operands_[i];
    std::reverse(o.strides.begin(), o.strides.end());
    o.item = item_size(inputs[i].dtype);
    const int64_t own = inputs[i].size();
    // Merged strides of the trailing dims that the operand spans without a gap.
    int64_t span = 1;
    for (size_t d = dims_.size(); d-- > 0 && o.strides[d] == span;) span *= dims_[d];
    if (own == size_) {
      o.kind = kWhole;
    } else if (own == 1) {
      o.kind = numbers ? kNumber : kPeriodic;
      o.period = 1;
    } else if (span == own && own <= kPeriod) {
      o.kind = kPeriodic;
      o.period = own;
    } else {
      o.kind = kStrided;
      strided = true;
    }
    simple_ = simple_ && (o.kind == kWhole || o.kind == kNumber);
  }
  rows_ = strided && dims_.back() >= kLongRow;
  return {};
}

void Broadcast::repeat(const void* const* in, char (*scratch)[kScratch]) const {
  for (int i = 0; i < count_; ++i) {
    const Operand& o = operands_[i];
    if (o.kind != kPeriodic) continue;
    const auto length = static_cast<size_t>(kTile + o.period), period = static_cast<size_t>(o.period);
    spread(static_cast<const char*>(in[i]), period * o.item, length * o.item, scratch[i]);
  }
}

const char* Broadcast::piece(int i, const void* in, int64_t p, int64_t n, char* scratch, bool& number) const {
  const Operand& o = operands_[i];
  const auto item = static_cast<int64_t>(o.item);
  const char* base = static_cast<const char*>(in);
  number = false;
  if (o.kind == kWhole) return base + p * item;
  if (o.kind == kNumber) {
    number = true;
    return base;
  }
  if (!rows_) {
    if (o.kind == kPeriodic) return scratch + p % o.period * item;
    gather(o, base, p, n, scratch);
    return scratch;
  }
  int64_t offset = 0, rest = p;
  for (size_t d = dims_.size(); d-- > 0; rest /= dims_[d]) offset += rest % dims_[d] * o.strides[d];
  const char* at = base + offset * item;
  if (o.strides.back() == 1) return at;
  if (numbers_) {
    number = true;
    return at;
  }
  spread(at, o.item, static_cast<size_t>(n) * o.item, scratch);
  return scratch;
}

void Broadcast::gather(const Operand& o, const char* in, int64_t p, int64_t n, char* to) const {
  switch (o.item) {
    case 1:
      return gather_as(o, reinterpret_cast<const uint8_t*>(in), p, n, reinterpret_cast<uint8_t*>(to));
    case 2:
      return gather_as(o, reinterpret_cast<const uint16_t*>(in), p, n, reinterpret_cast<uint16_t*>(to));
    case 4:
      return gather_as(o, reinterpret_cast<const uint32_t*>(in), p, n, reinterpret_cast<uint32_t*>(to));
    case 8:
      return gather_as(o, reinterpret_cast<const uint64_t*>(in), p, n, reinterpret_cast<uint64_t*>(to));
    default:
      return gather_as(o, reinterpret_cast<const Bits128*>(in), p, n, reinterpret_cast<Bits128*>(to));
  }
}

template <class T>
void Broadcast::gather_as(const Operand& o, const T* in, int64_t p, int64_t n, T* to) const {
  std::array<int64_t, kMaxRank> index{};
  int64_t offset = 0, rest = p;
  const size_t last = dims_.size() - 1;
  for (size_t d = dims_.size(); d-- > 0; rest /= dims_[d]) {
    index[d] = rest % dims_[d];
    offset += index[d] * o.strides[d];
  }
  const int64_t row = dims_[last], step = o.strides[last];
  while (n > 0) {
    const int64_t run = std::min(n, row - index[last]);
    if (step == 1) {
      for (int64_t j = 0; j < run; ++j) to[j] = in[offset + j];
    } else {
      const T value = in[offset];
      for (int64_t j = 0; j < run; ++j) to[j] = value;
    }
    to += run;
    n -= run;
    offset -= index[last] * step;
    index[last] = 0;
    for (size_t d = last; d-- > 0;) {
      offset += o.strides[d];
      if (++index[d] < dims_[d]) break;
      offset -= dims_[d] * o.strides[d];
      index[d] = 0;
    }
  }
}

}  // namespace minds::cpu

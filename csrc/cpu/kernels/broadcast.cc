#include "cpu/kernels/broadcast.h"

#include <utility>

#include "kernel/plan/strides.h"

namespace minds::cpu {

void spread(const char* from, size_t block, size_t total, char* to) {
  std::memcpy(to, from, std::min(block, total));
  for (size_t done = block; done < total; done *= 2) std::memcpy(to + done, to, std::min(done, total - done));
}

Status Broadcast::prepare(const TensorSpec* inputs, int count, const TensorSpec& output, bool numbers) {
  BroadcastPlan plan;
  if (Status e = plan.prepare(inputs, count, output)) return e;
  *this = Broadcast(std::move(plan), numbers);
  return {};
}

Broadcast::Broadcast(BroadcastPlan plan, bool numbers) : plan_(std::move(plan)), numbers_(numbers) {
  bool strided = false;
  for (int i = 0; i < plan_.count; ++i) {
    Operand& o = plan_.operands[i];
    if (o.kind == Kind::kNumber && !numbers) o.kind = Kind::kPeriodic;
    if (o.kind == Kind::kPeriodic && o.period > kPeriod) o.kind = Kind::kStrided;
    strided = strided || o.kind == Kind::kStrided;
    simple_ = simple_ && (o.kind == Kind::kWhole || o.kind == Kind::kNumber);
  }
  rows_ = strided && plan_.dims.back() >= kLongRow;
}

void Broadcast::repeat(const void* const* in, char (*scratch)[kScratch]) const {
  for (int i = 0; i < plan_.count; ++i) {
    const Operand& o = plan_.operands[i];
    if (o.kind != Kind::kPeriodic) continue;
    const auto length = static_cast<size_t>(kTile + o.period), period = static_cast<size_t>(o.period);
    spread(static_cast<const char*>(in[i]), period * o.item, length * o.item, scratch[i]);
  }
}

const char* Broadcast::piece(int i, const void* in, int64_t p, int64_t n, char* scratch, bool& number) const {
  const Operand& o = plan_.operands[i];
  const auto item = static_cast<int64_t>(o.item);
  const char* base = static_cast<const char*>(in);
  number = false;
  if (o.kind == Kind::kWhole) return base + p * item;
  if (o.kind == Kind::kNumber) {
    number = true;
    return base;
  }
  if (!rows_) {
    if (o.kind == Kind::kPeriodic) return scratch + p % o.period * item;
    gather(o, base, p, n, scratch);
    return scratch;
  }
  int64_t offset = 0, rest = p;
  for (size_t d = plan_.dims.size(); d-- > 0; rest /= plan_.dims[d]) offset += rest % plan_.dims[d] * o.strides[d];
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
  const size_t last = plan_.dims.size() - 1;
  for (size_t d = plan_.dims.size(); d-- > 0; rest /= plan_.dims[d]) {
    index[d] = rest % plan_.dims[d];
    offset += index[d] * o.strides[d];
  }
  const int64_t row = plan_.dims[last], step = o.strides[last];
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
      if (++index[d] < plan_.dims[d]) break;
      offset -= plan_.dims[d] * o.strides[d];
      index[d] = 0;
    }
  }
}

}  // namespace minds::cpu

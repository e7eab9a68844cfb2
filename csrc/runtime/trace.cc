#include "runtime/trace.h"

#include <chrono>
#include <cstring>
#include <mutex>

namespace minds::runtime {

std::atomic<int> watching{kNothing};

namespace {

std::mutex lock;

std::vector<Span>& spans() {
  static auto& all = *new std::vector<Span>;
  return all;
}

// A float of this width is a NaN if, without its sign, it is above infinity.
template <typename Bits>
bool any_above(const void* data, size_t count, Bits infinity) {
  const char* const at = static_cast<const char*>(data);
  for (size_t n = 0; n < count; ++n) {
    Bits bits;
    std::memcpy(&bits, at + n * sizeof bits, sizeof bits);
    if (static_cast<Bits>(bits << 1) > static_cast<Bits>(infinity << 1)) return true;
  }
  return false;
}

bool holds_nan(DType t, const void* data, size_t count) {
  switch (t) {
    case DType::kFloat16:
      return any_above<uint16_t>(data, count, 0x7c00);
    case DType::kBFloat16:
      return any_above<uint16_t>(data, count, 0x7f80);
    case DType::kFloat32:
      return any_above<uint32_t>(data, count, 0x7f800000);
    case DType::kComplex64:
      return any_above<uint32_t>(data, 2 * count, 0x7f800000);
    case DType::kFloat64:
      return any_above<uint64_t>(data, count, 0x7ff0000000000000);
    case DType::kComplex128:
      return any_above<uint64_t>(data, 2 * count, 0x7ff0000000000000);
    default:
      return false;
  }
}

}  // namespace

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void note(Span span) {
  static std::atomic<uint32_t> threads{0};
  thread_local const uint32_t mine = threads++;
  span.thread = mine;
  const std::lock_guard guard(lock);
  spans().push_back(std::move(span));
}

std::vector<Span> take_spans() {
  const std::lock_guard guard(lock);
  return std::exchange(spans(), {});
}

Status find_nan(Device& device, Stream& q, std::span<const Watched> all, int& found) {
  found = -1;
  for (size_t n = 0; n < all.size(); ++n) {
    const TensorSpec& spec = *all[n].spec;
    if (spec.dtype < DType::kFloat16 || all[n].data == nullptr) continue;
    const void* data = all[n].data;
    std::vector<char> here;
    if (!device.traits().host_memory) {
      here.resize(spec.bytes());
      if (Status s = device.copy(here.data(), data, here.size(), CopyKind::kToHost, q)) return s;
      if (Status s = q.synchronize()) return s;
      data = here.data();
    }
    if (!holds_nan(spec.dtype, data, static_cast<size_t>(spec.size()))) continue;
    found = static_cast<int>(n);
    return {};
  }
  return {};
}

Status nan_given(int operand) {
  if (operand < 0) return {Code::kBackend, "the result holds NaN, and no operand does"};
  return {Code::kBackend, "the result holds NaN, as operand " + std::to_string(operand) + " does already"};
}

}  // namespace minds::runtime

#include "protocol.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <climits>
#include <stdexcept>

namespace minds::sim {
namespace {

static_assert(std::endian::native == std::endian::little);
uint32_t* low_half(std::atomic<uint64_t>& word) { return reinterpret_cast<uint32_t*>(&word); }

}  // namespace

void sleep_while(std::atomic<uint64_t>& word, uint64_t seen, int milliseconds) {
  const timespec limit{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  syscall(SYS_futex, low_half(word), FUTEX_WAIT, static_cast<uint32_t>(seen), &limit, nullptr, 0);
}

void wake(std::atomic<uint64_t>& word) {
  syscall(SYS_futex, low_half(word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

Writer& Writer::attrs(const Attrs& a) {
  put(static_cast<uint32_t>(a.values().size()));
  for (const auto& [name, value] : a.values()) {
    text(name).put(static_cast<uint8_t>(value.index()));
    std::visit(
        [this]<class T>(const T& v) {
          if constexpr (std::is_same_v<T, std::string>) {
            text(v);
          } else if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<double>>) {
            list(v);
          } else if constexpr (!std::is_same_v<T, std::monostate>) {
            put(v);
          }
        },
        value);
  }
  return *this;
}

Writer& Writer::specs(const std::vector<TensorSpec>& s) {
  put(static_cast<uint32_t>(s.size()));
  for (const TensorSpec& t : s) put(t.dtype).list(t.shape);
  return *this;
}

const char* Reader::raw(size_t bytes) {
  if (static_cast<size_t>(end_ - at_) < bytes) throw std::logic_error("a message of the host ends too early");
  const char* p = at_;
  at_ += bytes;
  return p;
}

std::string Reader::text() {
  const size_t size = get<uint32_t>();
  return std::string(raw(size), size);
}

namespace {

Attrs::Value attribute(Reader& r, uint8_t kind) {
  switch (kind) {
    case 0:
      return std::monostate{};
    case 1:
      return r.get<bool>();
    case 2:
      return r.get<int64_t>();
    case 3:
      return r.get<double>();
    case 4:
      return r.text();
    case 5:
      return r.get<DType>();
    case 6:
      return r.list<int64_t>();
    case 7:
      return r.list<double>();
    default:
      throw std::logic_error("an attribute of unknown type");
  }
}
static_assert(std::variant_size_v<Attrs::Value> == 8);

}  // namespace

Attrs Reader::attrs() {
  Attrs a;
  for (uint32_t n = get<uint32_t>(); n > 0; --n) {
    std::string name = text();
    const uint8_t kind = get<uint8_t>();
    a.set(std::move(name), attribute(*this, kind));
  }
  return a;
}

std::vector<TensorSpec> Reader::specs() {
  std::vector<TensorSpec> found(get<uint32_t>());
  for (TensorSpec& t : found) {
    t.dtype = get<DType>();
    t.shape = list<int64_t>();
  }
  return found;
}

}  // namespace minds::sim

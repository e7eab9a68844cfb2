// The device process of the simulated Ascend: what the simulated device's does, and operators, as kernels of the CPU on
// dense copies of their operands.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cpu/device.h"
#include "kernel/plan/strides.h"
#include "kernel/registry.h"
#include "kernel/types.h"
#include "serve.h"
#include "server.h"

namespace minds::sim {
namespace {

struct Operand {
  uintptr_t data;
  TensorSpec spec;
  Shape strides;
  int64_t offset, elements;
};

struct Free {
  void operator()(void* p) const { std::free(p); }
};
using Bytes = std::unique_ptr<char, Free>;

Bytes room_for(size_t bytes) { return Bytes(static_cast<char*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64))); }

class AscendServer final : public Server {
 public:
  using Server::Server;

 protected:
  Status other(const Command& c) override {
    Reader r(c.body.data(), c.body.size());
    switch (c.header.kind) {
      case Kind::kShare: {
        const uintptr_t at = r.get<uintptr_t>();
        return blocks_.add(at, r.get<size_t>());
      }
      case Kind::kCall:
        return call(r);
      default:
        return Server::other(c);
    }
  }

 private:
  Status call(Reader& r) {
    const std::string name = r.text();
    const uintptr_t workspace = r.get<uintptr_t>();
    const uint64_t bytes = r.get<uint64_t>();
    if (bytes != 0) {
      if (Status s = blocks_.check(workspace, bytes)) return {s.code(), name + ": its workspace: " + s.message()};
      std::memset(reinterpret_cast<void*>(workspace), kFreed, bytes);  // whoever else lies there loses it
    }
    for (uint32_t n = r.get<uint32_t>(); n > 0; --n) {
      if (Status s = step(r)) return {s.code(), name + ": " + s.message()};
    }
    return {};
  }

  Status operands(Reader& r, std::vector<Operand>& out) {
    for (uint32_t n = r.get<uint32_t>(); n > 0; --n) {
      Operand o{};
      o.data = r.get<uintptr_t>();
      o.spec = r.specs().front();
      o.strides = r.list<int64_t>();
      o.offset = r.get<int64_t>();
      o.elements = r.get<int64_t>();
      if (o.spec.size() != 0) {
        if (Status s = blocks_.check(o.data, static_cast<size_t>(o.elements) * item_size(o.spec.dtype))) return s;
      }
      out.push_back(std::move(o));
    }
    return {};
  }

  // Between an operand and its dense copy.
  static void move(const Operand& o, char* dense, bool out_of_it) {
    const int64_t size = o.spec.size();
    if (size == 0) return;
    const size_t item = item_size(o.spec.dtype);
    const Shape rows = row_major(o.spec.shape);
    std::vector<Dim> dims;
    for (size_t d = 0; d < rows.size(); ++d) dims.push_back({o.spec.shape[d], o.strides[d], rows[d]});
    char* const memory = reinterpret_cast<char*>(o.data) + o.offset * static_cast<int64_t>(item);
    Odometer at(dims, 0);
    for (int64_t n = 0; n < size; ++n, at.next()) {
      char *a = memory + at.in * static_cast<int64_t>(item), *b = dense + at.out * static_cast<int64_t>(item);
      std::memcpy(out_of_it ? a : b, out_of_it ? b : a, item);
    }
  }

  // The CPU's kernels count places below 0 from the end; CANN's operators do not.
  static Status not_below_zero(const TensorSpec& s, const void* values) {
    return visit_integer(s.dtype, [&]<class T>(T) -> Status {
      const T* const v = static_cast<const T*>(values);
      const bool below = std::any_of(v, v + s.size(), [](T x) { return x < T{0}; });
      return below ? Status{Code::kIndex, "an index is below 0"} : Status();
    });
  }

  static void scale(const TensorSpec& s, int64_t by, char* values) {
    visit(s.dtype, [&]<class T>(T) {
      T* const v = reinterpret_cast<T*>(values);
      for (int64_t n = 0; n < s.size(); ++n) v[n] = static_cast<T>(static_cast<Wide<T>>(v[n]) * static_cast<Wide<T>>(by));
    });
  }

  Status step(Reader& r) {
    const std::string op = r.text();
    const Attrs attrs = r.attrs();
    std::vector<Operand> in, out;
    if (Status s = operands(r, in)) return s;
    if (Status s = operands(r, out)) return s;
    Signature signature;
    std::vector<Bytes> copies;
    std::vector<const void*> sources;
    std::vector<void*> targets;
    for (const Operand& o : in) {
      signature.inputs.push_back(o.spec);
      copies.push_back(room_for(o.spec.bytes()));
      move(o, copies.back().get(), false);
      sources.push_back(copies.back().get());
    }
    if (attrs.has("places")) {
      const auto n = static_cast<size_t>(attrs.i64("places"));
      if (Status s = not_below_zero(signature.inputs[n], sources[n])) return s;
    }
    if (attrs.i64("alpha", 1) != 1) scale(in.back().spec, attrs.i64("alpha"), copies.back().get());
    if (attrs.has("number")) {
      signature.inputs.push_back({in[0].spec.dtype, {}});
      copies.push_back(room_for(8));
      visit(in[0].spec.dtype, [&]<class T>(T) {
        const T value = number_as<T>(attrs, "number");
        std::memcpy(copies.back().get(), &value, sizeof value);
      });
      sources.push_back(copies.back().get());
    }
    for (const Operand& o : out) {
      signature.outputs.push_back(o.spec);
      copies.push_back(room_for(o.spec.bytes()));
      targets.push_back(copies.back().get());
    }
    std::unique_ptr<Kernel> kernel;
    Prepared p;
    if (Status s = Registry::instance().make("cpu", op, attrs, signature, kernel, p)) return s;
    const Bytes workspace = room_for(p.workspace);
    if (Status s = kernel->run({sources.data(), targets.data(), workspace.get()}, cpu::device().stream())) return s;
    for (size_t n = 0; n < out.size(); ++n) move(out[n], static_cast<char*>(targets[n]), true);
    return {};
  }
};

}  // namespace
}  // namespace minds::sim

int main(int argc, char** argv) {
  using namespace minds::sim;
  return serve(argc, argv, [](int socket, Control& c, uint64_t seed, unsigned delay) -> std::unique_ptr<Server> {
    return std::make_unique<AscendServer>(socket, c, seed, delay);
  });
}

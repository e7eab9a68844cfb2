// tile: a chain of elementwise functions (kernel/tile_program.h), rendered as one kernel.
#include "cuda/kernels/elementwise.h"
#include "kernel/plan/check.h"
#include "kernel/registry.h"

namespace minds::cuda {
namespace {

class Tile final : public Kernel {
 public:
  explicit Tile(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    TileProgram p;
    if (Status e = p.parse(attrs_, s)) return e;
    return kernel_.prepare(p, s, "tile");
  }
  Status run(const Args& a, Stream& q) const override { return kernel_.run(a, q); }

 private:
  const Attrs attrs_;
  Elementwise kernel_;
};

MINDS_KERNEL("cuda", "tile", Tile, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cuda

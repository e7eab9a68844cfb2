// tile: a chain of elementwise functions as one kernel (kernel/tile_program.h).
//
// The program runs over tiles of the result: as machine code where there is some (cpu/assembled/tiles.h), else each step is
// the loop of the op's stand-alone kernel on one tile. The bits are the same; what lies between stays in registers, or in
// the cache.
#include <alloca.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/parallel.h"
#include "cpu/assembled/tiles.h"
#include "cpu/kernels/broadcast.h"
#include "cpu/kernels/loops.h"
#include "kernel/registry.h"
#include "kernel/tile_program.h"

namespace minds::cpu {
namespace {

constexpr int64_t kTile = 512, kSmallTile = 128;  // elements
constexpr size_t kRoomy = size_t{128} << 10;      // bytes of scratch above which tiles are small: it is on the stack
constexpr size_t kMostValues = 2 * kTileValues;   // with the spread numbers, of which there is one per input at most
constexpr int64_t kWork = 10 << 15;               // a thread is worth ten cheap steps on so many elements

int half_of(DType t) { return t == DType::kFloat16 ? 0 : t == DType::kBFloat16 ? 1 : -1; }

// Where a value is while a tile is computed.
enum class Where : uint8_t {
  kWhole,     // an input or output of the size of the result: moves on with the tile
  kNumber,    // an input of one element
  kSpread,    // a tile full of an input of one element
  kPeriodic,  // an input that repeats itself, laid out for a tile and one period more
  kGathered,  // any other input, gathered for each tile
  kScratch,   // between two steps
};

struct Value {
  DType dtype = DType::kFloat32;
  Where where = Where::kScratch;
  int input = -1, output = -1;
  size_t offset = 0;  // of its scratch
  int64_t period = 0;
  size_t last = 0;  // the step that reads it last
  Broadcast space;

  int64_t item() const { return static_cast<int64_t>(item_size(dtype)); }
  bool in_scratch() const { return where != Where::kWhole && where != Where::kNumber; }
};

struct Step {
  enum Kind : uint8_t { kUnary, kBinary, kSelect } kind = kUnary;
  UnaryLoop unary = nullptr;
  BinaryLoop binary = nullptr;
  SelectLoop select = nullptr;
  int half = -1;  // 16-bit floats: widened for the loop
  bool narrow = false;  // and its result narrowed again
  bool cast = false;
  size_t a = 0, b = 0, c = 0, out = 0;
};

class Tile final : public Kernel {
 public:
  explicit Tile(const Attrs& a) : attrs_(a) {}

  Status prepare(const Signature& s, Prepared&) override {
    TileProgram p;
    if (Status e = p.parse(attrs_, s)) return e;
    size_ = p.size;
    assembled_ = assembled::Tiles::make(p);
    for (TileProgram::Value& v : p.values) add_value(std::move(v));
    for (size_t k = 0; k < p.steps.size(); ++k) add_step(p.steps[k], p.inputs + k);
    grain_ = std::max<int64_t>(kTile, kWork / (work_ + 4));
    lay_out();
    if (scratch_ > kRoomy) {
      tile_ = kSmallTile;
      lay_out();
    }
    return {};
  }

  Status run(const Args& a, Stream&) const override {
    parallel_for(size_, grain_, [&](int64_t begin, int64_t end) { compute(a, begin, end); });
    return {};
  }

 private:
  void add_value(TileProgram::Value p) {
    Value v;
    v.dtype = p.dtype;
    v.input = p.input;
    v.output = p.output;
    if (p.output >= 0) v.where = Where::kWhole;
    if (p.input >= 0) {
      v.space = Broadcast(std::move(p.space));
      v.period = v.space.period(0);
      constexpr Where places[] = {Where::kWhole, Where::kNumber, Where::kPeriodic, Where::kGathered};
      v.where = places[v.space.kind(0)];
    }
    values_.push_back(std::move(v));
  }

  // The loops of a step, whose result is value `out`.
  void add_step(const TileProgram::Step& p, size_t out) {
    Step s;
    s.out = out;
    const size_t* in = p.args;
    const DType t = values_[in[0]].dtype;
    const int half = half_of(t);
    const auto of_loops = static_cast<size_t>(half < 0 ? t : DType::kFloat32);
    switch (p.kind) {
      case TileProgram::Step::Kind::kUnary:
        s.half = half;
        s.narrow = half >= 0 && !gives_bool(p.unary);
        s.unary = loops().unary[static_cast<size_t>(p.unary)][of_loops];
        s.a = elements(in[0]);
        work_ += (1 << 17) / grain_of(p.unary, t);
        break;
      case TileProgram::Step::Kind::kBinary:
        s.kind = Step::kBinary;
        s.half = half;
        s.narrow = half >= 0 && !gives_bool(p.binary);
        take_two(s, loops().binary[static_cast<size_t>(p.binary)][of_loops], in);
        work_ += (1 << 17) / grain_of(p.binary);
        break;
      case TileProgram::Step::Kind::kSelect:
        s.kind = Step::kSelect;
        s.select = select_loop(item_size(values_[in[1]].dtype));
        s.a = elements(in[0]);
        s.b = elements(in[1]);
        s.c = elements(in[2]);
        work_ += 2;
        break;
      case TileProgram::Step::Kind::kCast:
        s.cast = true;
        s.unary = cast_loop(t, values_[out].dtype);
        s.a = elements(in[0]);
        work_ += 2;
    }
    steps_.push_back(s);
  }

  // One of the operands may stay a number.
  void take_two(Step& s, const BinaryLoops& found, const size_t* in) {
    const bool numbers = s.half < 0 && found.left_number != nullptr;
    const bool left = numbers && values_[in[0]].where == Where::kNumber;
    const bool right = numbers && !left && values_[in[1]].where == Where::kNumber;
    s.binary = left ? found.left_number : right ? found.right_number : found.both;
    s.a = left ? in[0] : elements(in[0]);
    s.b = right ? in[1] : elements(in[1]);
  }

  // The value as one that has an element for each of the tile: a number is spread out.
  size_t elements(size_t v) {
    if (values_[v].where != Where::kNumber) return v;
    for (const auto& [number, spread] : spread_) {
      if (number == v) return spread;
    }
    Value s;
    s.dtype = values_[v].dtype;
    s.where = Where::kSpread;
    s.input = values_[v].input;
    values_.push_back(std::move(s));
    spread_.push_back({v, values_.size() - 1});
    return values_.size() - 1;
  }

  // Gives scratch to what needs it. A step's result takes the place of an operand that it reads last.
  void lay_out() {
    scratch_ = 0;
    size_t widest = 1;
    for (const Value& v : values_) widest = std::max(widest, item_size(v.dtype));
    // A line apart: powers of two would compete for the same cache sets.
    const size_t room = static_cast<size_t>(tile_) * widest + kLine;
    for (size_t k = 0; k < steps_.size(); ++k) {
      for (size_t v : {steps_[k].a, steps_[k].b, steps_[k].c}) values_[v].last = k;
    }
    for (Value& v : values_) {
      if (v.input < 0 || !v.in_scratch()) continue;
      v.offset = scratch_;
      scratch_ += v.where == Where::kPeriodic
                      ? static_cast<size_t>(tile_ + Broadcast::kPeriod) * item_size(v.dtype) + kLine
                      : room;
    }
    std::vector<size_t> free;
    for (size_t k = 0; k < steps_.size(); ++k) {
      Value& out = values_[steps_[k].out];
      std::vector<size_t> dying;
      for (size_t v : {steps_[k].a, steps_[k].b, steps_[k].c}) {
        const Value& x = values_[v];
        const bool dies = x.where == Where::kScratch && x.last == k;
        if (dies && std::find(dying.begin(), dying.end(), v) == dying.end()) dying.push_back(v);
      }
      const auto give = [&](bool same) {
        for (size_t v : dying) {
          const bool fits = item_size(values_[v].dtype) == item_size(out.dtype) && !steps_[k].cast;
          if (fits == same) free.push_back(values_[v].offset);
        }
      };
      give(true);
      if (out.where == Where::kScratch) {
        if (free.empty()) {
          out.offset = scratch_;
          scratch_ += room;
        } else {
          out.offset = free.back();
          free.pop_back();
        }
        if (out.last < k) free.push_back(out.offset);  // nothing reads it
      }
      give(false);
    }
    scratch_ += kLine;
  }

  void compute(const Args& a, int64_t begin, int64_t end) const {
    char* const memory = aligned(static_cast<char*>(alloca(scratch_)));
    char* at[kMostValues];
    lay_constants(a, memory, at, std::min(tile_, end - begin));
    for (int64_t p = begin; p < end; p += tile_) {
      const int64_t n = std::min(tile_, end - p);
      for (size_t i = 0; i < values_.size(); ++i) {
        const Value& v = values_[i];
        if (v.where == Where::kWhole) {
          char* base = v.output >= 0 ? static_cast<char*>(a.out[v.output])
                                     : static_cast<char*>(const_cast<void*>(a.in[v.input]));
          at[i] = base + p * v.item();
        } else if (v.where == Where::kPeriodic) {
          at[i] = memory + v.offset + p % v.period * v.item();
        } else if (v.where == Where::kGathered) {
          v.space.gather(0, a.in[v.input], p, n, memory + v.offset);
        }
      }
      const int64_t done = assembled_ == nullptr ? 0 : n / assembled_->turn() * assembled_->turn();
      if (done > 0) {
        assembled_->run(at, done);
        for (size_t i = 0; done < n && i < values_.size(); ++i) {
          const Where w = values_[i].where;
          if (w == Where::kWhole || w == Where::kPeriodic || w == Where::kGathered) at[i] += done * values_[i].item();
        }
      }
      if (done < n) interpret(at, n - done);
    }
  }

  void interpret(char* const* at, int64_t n) const {
    for (const Step& s : steps_) {
      if (s.half >= 0) {
        run_half(s, at, n);
      } else if (s.kind == Step::kBinary) {
        s.binary(at[s.out], at[s.a], at[s.b], n);
      } else if (s.kind == Step::kUnary) {
        s.unary(at[s.out], at[s.a], n);
      } else {
        s.select(at[s.out], at[s.a], at[s.b], at[s.c], n);
      }
    }
  }

  // What stays where it is for all tiles.
  void lay_constants(const Args& a, char* memory, char** at, int64_t tile) const {
    for (size_t i = 0; i < values_.size(); ++i) {
      const Value& v = values_[i];
      if (v.where == Where::kWhole) continue;
      at[i] = memory + v.offset;
      if (v.where == Where::kNumber) {
        at[i] = static_cast<char*>(const_cast<void*>(a.in[v.input]));
      } else if (v.where == Where::kSpread || v.where == Where::kPeriodic) {
        const auto period = static_cast<size_t>(v.where == Where::kSpread ? 1 : v.period), item = item_size(v.dtype);
        const size_t length = static_cast<size_t>(tile) + (v.where == Where::kSpread ? 0 : period);
        spread(static_cast<const char*>(a.in[v.input]), period * item, length * item, at[i]);
      }
    }
  }

  void run_half(const Step& s, char* const* at, int64_t n) const {
    alignas(64) float x[kTile], y[kTile], result[kTile];
    void* to = s.narrow ? static_cast<void*>(result) : at[s.out];
    loops().widen[s.half](x, at[s.a], n);
    if (s.kind == Step::kBinary) {
      loops().widen[s.half](y, at[s.b], n);
      s.binary(to, x, y, n);
    } else {
      s.unary(to, x, n);
    }
    if (s.narrow) loops().narrow[s.half](at[s.out], result, n);
  }

  static constexpr size_t kLine = 64;
  static char* aligned(char* p) { return p + (-reinterpret_cast<uintptr_t>(p) & (kLine - 1)); }

  Attrs attrs_;
  int64_t size_ = 0, work_ = 0, grain_ = kTile, tile_ = kTile;
  size_t scratch_ = 0;
  std::vector<Value> values_;
  std::vector<Step> steps_;
  std::vector<std::pair<size_t, size_t>> spread_;  // numbers, and the values that are their spreads
  std::unique_ptr<assembled::Tiles> assembled_;
};

MINDS_KERNEL("cpu", "tile", Tile, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu

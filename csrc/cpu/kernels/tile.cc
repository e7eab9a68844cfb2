// tile: a chain of elementwise functions as one kernel.
//
// A program of steps runs over tiles of the result: each step is the loop of the op's stand-alone kernel on one tile,
// so the bits are the same, but what lies between stays in the cache. Values are numbered: the inputs, then what each
// step gives. Attributes:
//   ops    names of the steps' ops, separated by blanks; "select" and "cast" besides those of loops.h
//   args   the numbers of their operands, one step after the other
//   casts  the dtypes (codes) that the casts give, in their order
//   outs   per output, the value that it is
//   shape  what inputs are broadcast to; one with as many elements may have another shape
// A result may take the buffer of an input that no later step reads.
#include <alloca.h>

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "cpu/check.h"
#include "cpu/kernels/broadcast.h"
#include "cpu/kernels/loops.h"
#include "cpu/kernels/tile.h"
#include "cpu/types.h"
#include "device/array.h"
#include "kernel/registry.h"

namespace minds::cpu {
namespace {

constexpr int64_t kTile = 512, kSmallTile = 128;  // elements
constexpr size_t kRoomy = size_t{128} << 10;      // bytes of scratch above which tiles are small: it is on the stack
constexpr size_t kMostValues = 2 * kTileValues;  // with the spread numbers
constexpr int64_t kWork = 10 << 15;  // a thread is worth ten cheap steps on so many elements

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
  explicit Tile(const Attrs& a)
      : names_(a.str("ops")), args_(a.ints("args")), casts_(a.ints("casts")), outs_(a.ints("outs")) {
    shape_.shape = a.ints("shape");
  }

  Status prepare(const Signature& s, Prepared&) override {
    if (s.outputs.empty() || s.inputs.empty() || outs_.size() != s.outputs.size()) return malformed("its outputs");
    shape_.dtype = s.outputs[0].dtype;
    if (Status e = check_shape(shape_.shape, DType::kFloat64)) return e;
    size_ = shape_.size();
    for (size_t i = 0; i < s.inputs.size(); ++i) {
      if (Status e = add_input(s.inputs[i], static_cast<int>(i))) return e;
    }
    if (Status e = add_steps()) return e;
    for (size_t k = 0; k < outs_.size(); ++k) {
      const size_t v = static_cast<size_t>(outs_[k]);
      if (v < s.inputs.size() || v >= inputs_ + steps_.size() || values_[v].output >= 0) return malformed("its outputs");
      if (s.outputs[k].dtype != values_[v].dtype || s.outputs[k].size() != size_) return malformed("an output's type");
      values_[v].output = static_cast<int>(k);
      values_[v].where = Where::kWhole;
    }
    if (values_.size() > kMostValues) return malformed("its length");
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
  static Status malformed(const std::string& what) { return bad_value("malformed program of tiles: " + what); }

  Status add_input(const TensorSpec& s, int i) {
    Value v;
    v.dtype = s.dtype;
    v.input = i;
    if (s.dtype > DType::kFloat64) return bad_type(std::string("is not defined for ") + name(s.dtype));
    if (s.size() == size_) {
      v.where = Where::kWhole;
    } else {
      if (Status e = v.space.prepare_one(s, shape_)) return e;
      switch (v.space.kind(0)) {
        case Broadcast::kNumber:
          v.where = Where::kNumber;
          break;
        case Broadcast::kPeriodic:
          v.where = Where::kPeriodic;
          v.period = v.space.period(0);
          break;
        default:
          v.where = Where::kGathered;
      }
    }
    values_.push_back(std::move(v));
    inputs_ = values_.size();
    return {};
  }

  // Decodes the steps; their values follow the inputs, in order.
  Status add_steps() {
    size_t at = 0, cast = 0;
    std::vector<std::string> names;
    for (size_t p = 0; p < names_.size();) {
      const size_t end = std::min(names_.find(' ', p), names_.size());
      names.push_back(names_.substr(p, end - p));
      p = end + 1;
    }
    if (names.empty() || names.size() + inputs_ > kTileValues) return malformed("its length");
    values_.resize(inputs_ + names.size());
    for (const std::string& name : names) {
      const auto binary = binary_named(name);
      const size_t count = name == "select" ? 3 : binary ? 2 : 1;
      if (args_.size() - at < count) return malformed("its operands");
      size_t operands[3] = {};
      for (size_t k = 0; k < count; ++k) {
        const int64_t v = args_[at + k];
        if (v < 0 || static_cast<size_t>(v) >= inputs_ + steps_.size()) return malformed("its operands");
        operands[k] = static_cast<size_t>(v);
      }
      at += count;
      Step s;
      s.out = inputs_ + steps_.size();
      Status failed;
      if (name == "select") {
        failed = select(s, operands);
      } else if (name == "cast") {
        const int64_t code = cast < casts_.size() ? casts_[cast++] : -1;
        if (code < 0 || code > static_cast<int64_t>(DType::kFloat64)) return malformed("a cast");
        failed = convert(s, operands[0], static_cast<DType>(code));
      } else if (binary) {
        failed = two(s, *binary, operands);
      } else if (const auto unary = unary_named(name)) {
        failed = one(s, *unary, operands[0]);
      } else {
        return malformed("no op '" + name + "'");
      }
      if (failed) return failed;
      steps_.push_back(s);
    }
    if (at != args_.size()) return malformed("its operands");
    grain_ = std::max<int64_t>(kTile, kWork / (work_ + 4));
    return {};
  }

  Status one(Step& s, UnaryOp op, size_t x) {
    const DType t = values_[x].dtype;
    s.half = half_of(t);
    s.unary = loops().unary[static_cast<int>(op)][static_cast<int>(s.half < 0 ? t : DType::kFloat32)];
    if (s.unary == nullptr) return bad_type(std::string("is not defined for ") + name(t));
    s.narrow = s.half >= 0 && !gives_bool(op);
    s.a = elements(x);
    values_[s.out].dtype = gives_bool(op) ? DType::kBool : t;
    work_ += (1 << 17) / grain_of(op, t);
    return {};
  }

  Status two(Step& s, BinaryOp op, const size_t* in) {
    const DType t = values_[in[0]].dtype;
    if (values_[in[1]].dtype != t) return malformed("operands of two dtypes");
    s.half = half_of(t);
    const BinaryLoops found =
        loops().binary[static_cast<int>(op)][static_cast<int>(s.half < 0 ? t : DType::kFloat32)];
    const bool checked = about(op).refused != Refused::kNothing;
    if (found.both == nullptr || (checked && is_integer(t))) return bad_type(std::string("is not defined for ") + name(t));
    s.kind = Step::kBinary;
    s.binary = found.both;
    s.narrow = s.half >= 0 && !gives_bool(op);
    const bool numbers = s.half < 0 && found.left_number != nullptr;
    const bool left = numbers && values_[in[0]].where == Where::kNumber;
    const bool right = numbers && !left && values_[in[1]].where == Where::kNumber;
    if (left) s.binary = found.left_number;
    if (right) s.binary = found.right_number;
    s.a = left ? in[0] : elements(in[0]);
    s.b = right ? in[1] : elements(in[1]);
    values_[s.out].dtype = gives_bool(op) ? DType::kBool : t;
    work_ += (1 << 17) / grain_of(op);
    return {};
  }

  Status select(Step& s, const size_t* in) {
    const DType t = values_[in[1]].dtype;
    if (values_[in[0]].dtype != DType::kBool || values_[in[2]].dtype != t) return malformed("the dtypes of a select");
    s.kind = Step::kSelect;
    s.select = select_loop(item_size(t));
    s.a = elements(in[0]);
    s.b = elements(in[1]);
    s.c = elements(in[2]);
    values_[s.out].dtype = t;
    work_ += 2;
    return {};
  }

  Status convert(Step& s, size_t x, DType to) {
    if (values_[x].dtype == to) return malformed("a cast to the same dtype");
    s.unary = cast_loop(values_[x].dtype, to);
    s.cast = true;
    s.a = elements(x);
    values_[s.out].dtype = to;
    work_ += 2;
    return {};
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
    const size_t room = static_cast<size_t>(tile_) * widest + kLine;  // a line apart: powers of two would compete for the same cache sets
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

  std::string names_;
  std::vector<int64_t> args_, casts_, outs_;
  TensorSpec shape_;
  int64_t size_ = 0, work_ = 0, grain_ = kTile, tile_ = kTile;
  size_t inputs_ = 0, scratch_ = 0;
  std::vector<Value> values_;
  std::vector<Step> steps_;
  std::vector<std::pair<size_t, size_t>> spread_;  // numbers, and the values that are their spreads
};

MINDS_KERNEL("cpu", "tile", Tile, DType::kBool, MINDS_REALS);

}  // namespace
}  // namespace minds::cpu

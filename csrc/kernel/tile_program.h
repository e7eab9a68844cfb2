// The program of the kernel `tile`: a chain of elementwise functions that is computed as one. Parsed and verified once
// for all devices; the CPU interprets it over tiles of the result, others may render it to source.
//
// Values are numbered: the inputs, then what each step gives. Attributes:
//   ops    names of the steps' ops, separated by blanks; "select" and "cast" besides those of elementwise.h
//   args   the numbers of their operands, one step after the other
//   casts  the dtypes (codes) that the casts give, in their order
//   outs   per output, the step's value that it is
//   shape  what inputs are broadcast to; one with as many elements may have another shape
// A result may take the buffer of an input that no later step reads.
#pragma once
#include <string>
#include <vector>

#include "kernel/elementwise.h"
#include "kernel/plan/broadcast.h"

namespace minds {

inline constexpr size_t kTileValues = 96;  // inputs and steps together, at most; the compiler keeps to it

struct TileProgram {
  struct Value {
    DType dtype = DType::kFloat32;
    int input = -1, output = -1;  // which one it is, if it is one
    BroadcastPlan space;          // of an input: how its one operand lies in the result
  };
  struct Step {
    enum class Kind : uint8_t { kUnary, kBinary, kSelect, kCast } kind = Kind::kUnary;
    UnaryOp unary{};
    BinaryOp binary{};
    size_t args[3] = {};  // numbers of values; as many as the kind takes
  };

  Status parse(const Attrs& a, const Signature& s);

  int64_t size = 0;           // elements of the result
  size_t inputs = 0;          // as many of the values
  std::vector<Value> values;  // value `inputs + k` is what step k gives
  std::vector<Step> steps;

 private:
  Status add_input(const TensorSpec& s, const TensorSpec& result);
  Status add_step(const std::string& name, const std::vector<int64_t>& args, size_t& at, int64_t cast_to);
  Status type_of(const Step& s, DType cast_to, DType& out) const;
};

}  // namespace minds

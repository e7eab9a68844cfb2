// How operands of different shapes lie in the result that they are broadcast to.
#pragma once
#include <array>

#include "kernel/plan/check.h"

namespace minds {

// Neighbouring dims that look alike to every operand are merged, so the common cases have one or two.
struct BroadcastPlan {
  static constexpr int kMost = 3;
  enum Kind : uint8_t {
    kWhole,     // as large as the result
    kNumber,    // one element
    kPeriodic,  // its `period` elements over and over
    kStrided,   // anything else
  };
  struct Operand {
    Kind kind = kWhole;
    size_t item = 0;  // bytes of an element
    int64_t period = 1;
    Shape strides;  // per merged dim, in elements; the last is 0 or 1
  };

  // Checks that the output's shape is what broadcasting the inputs gives.
  Status prepare(const TensorSpec* inputs, int count, const TensorSpec& output);
  // The same for one operand, which need not fill the output: others may.
  Status prepare_one(const TensorSpec& input, const TensorSpec& output);

  int64_t size = 0;  // of the result
  int count = 0;
  Shape dims;  // at least one
  std::array<Operand, kMost> operands;

 private:
  Status plan(const TensorSpec* inputs, int count, const TensorSpec& output, Shape& joined);
  void merge(const Shape& shape, const std::array<Shape, kMost>& strides);
  void classify(Operand& o, const TensorSpec& input) const;
};

}  // namespace minds

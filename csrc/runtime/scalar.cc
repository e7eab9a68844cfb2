#include "runtime/scalar.h"

#include <algorithm>

namespace minds::runtime {
namespace {

template <class T>
constexpr DType kDType = kWordTypes[kSlot<T>];

template <size_t n>
void add_exact(std::vector<ScalarForm>& forms, const Elementwise (&ops)[n], int operands, uint32_t first) {
  for (size_t k = 0; k < n; ++k) {
    for (uint32_t slot = 0; slot < 4 && ops[k].exact; ++slot) {
      const DType in = kWordTypes[slot], out = ops[k].gives == Gives::kBool ? DType::kBool : in;
      if (!(ops[k].takes & kind_of(in))) continue;
      forms.push_back({first + static_cast<uint32_t>(k) * 4 + slot, ops[k].name, operands, in, out, false});
    }
  }
}

std::vector<ScalarForm> all() {
  std::vector<ScalarForm> forms;
  add_exact(forms, kUnaryOps, 1, 0);
  add_exact(forms, kBinaryOps, 2, kUnaryCount * 4);
#define MINDS_ADD(From, To) forms.push_back({kConversion<From, To>, "cast", 1, kDType<From>, kDType<To>, false});
  MINDS_CONVERSIONS(MINDS_ADD)
#undef MINDS_ADD
#define MINDS_ADD(Name, name, T, ...) \
  forms.push_back({checked_number<T>(BinaryOp::k##Name), #name, 2, kDType<T>, kDType<T>, true});
  MINDS_CHECKED(MINDS_ADD)
#undef MINDS_ADD
  return forms;
}

}  // namespace

const std::vector<ScalarForm>& scalar_forms() {
  static const std::vector<ScalarForm> forms = all();
  return forms;
}

bool is_scalar(uint32_t number) {
  static const std::vector<bool> known = [] {
    std::vector<bool> numbers;
    for (const ScalarForm& f : scalar_forms()) {
      numbers.resize(std::max<size_t>(numbers.size(), f.number + 1));
      numbers[f.number] = true;
    }
    return numbers;
  }();
  return number < known.size() && known[number];
}

}  // namespace minds::runtime

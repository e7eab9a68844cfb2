// Encodes the instructions of AVX-512 or AVX2 that assembled tile programs are made of.
//
// The code is one function f(char* const* at, int64_t n) of the System V ABI: a loop over n elements, some vectors each time.
// In it rdi is `at`, rsi n, rax the number of the element, and the stack holds slots of a vector each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minds::cpu::assembled {

// What code is for: its registers are `ways` vectors for each of so many groups, and those that AVX2 takes for masks.
struct Target {
  bool wide;        // AVX-512
  unsigned bytes;   // of a vector
  unsigned ways;    // vectors per turn of the loop: enough work that does not wait for itself
  unsigned groups;
  int64_t turn() const { return ways * bytes / 4; }  // elements
};
inline constexpr Target kAvx512{true, 64, 2, 16}, kAvx2{false, 32, 1, 13};

// Bits 0-7 the opcode, 8-9 its map (0f, 0f38, 0f3a), 12-13 the prefix (none, 66, f3, f2), 14 that W is set, 15 that only
// the lower half of a vector is meant.
enum class Op : uint16_t {
  kLoad = 0x0110,
  kStore = 0x0111,
  kMove = 0x0128,
  kSpread = 0x1218,
  kSpreadWord = 0x1279,
  kAdd = 0x0158,
  kMul = 0x0159,
  kSub = 0x015c,
  kMin = 0x015d,
  kDiv = 0x015e,
  kMax = 0x015f,
  kSqrt = 0x0151,
  kAnd = 0x11db,
  kOr = 0x11eb,
  kXor = 0x11ef,
  kAddInt = 0x11fe,
  kSubInt = 0x11fa,
  kShift = 0x1172,  // the register's number says which
  kFromInt = 0x015b,
  kCompare = 0x01c2,
  kLoadBytes = 0x1231,
  kLoadWords = 0x1233,
  kWidenHalf = 0x1213,
  kNarrowHalf = 0x131d,
  // Of AVX-512 alone.
  kScale = 0x122c,  // by a power of two
  kTernary = 0x1325,
  kTest = 0x1227,
  kBlend = 0x1265,
  kFromMask = 0x2238,
  kToMask = 0x2239,
  kStoreBytes = 0x2231,
  kStoreWords = 0x2233,
  // Of AVX2.
  kBlendBySign = 0x134a,
  kGreaterInt = 0x1166,
  kPackWords = 0x122b,
  kPackBytes = 0x9167,
  kPermute = 0x5300,  // quarters
  kStoreHalf = 0x8111,
  kStoreQuarter = 0x91d6,
};

enum class Shift : unsigned { kRight = 2, kRightSigned = 4, kLeft = 6 };

// The predicates of kCompare; none of them signals.
enum class Compare : int { kEqual = 0, kUnordered = 3, kNotEqual = 4, kLess = 0x11, kAtMost = 0x12, kAtLeast = 0x1d,
                           kGreater = 0x1e, kNotLessEqual = 0x16 };

// Where an instruction has its last operand.
struct Source {
  enum class Kind : uint8_t {
    kRegister,
    kElements,  // from what rcx points at, as far as the loop is
    kNumber,    // what rcx points at
    kConstant,  // the same 32 bits for all lanes
    kSlot,
  } kind = Kind::kRegister;
  uint32_t value = 0;  // the register, the bytes of an element, the bits, the slot
  unsigned way = 0;    // of elements
};

class VectorCode {
 public:
  explicit VectorCode(const Target& target);
  // `mask`: only these lanes; the others keep what they are, or become 0 if `zeroing`.
  void op(Op o, unsigned reg, unsigned second, const Source& last, int immediate = -1, unsigned mask = 0,
          bool zeroing = false);
  void pointer(size_t k);  // rcx = at[k]
  // Ends the loop and the function, and fills in what was not known: how many slots there are, and where constants lie.
  const std::vector<uint8_t>& finish(size_t slots);

 private:
  void bytes(std::initializer_list<unsigned> list);
  void start(Op o, unsigned reg, unsigned second, const Source& last, unsigned mask, bool zeroing);
  void int32(uint32_t v);
  void place(unsigned reg, const Source& last, size_t behind);

  struct Hole {
    size_t at, end;  // the distance, and where the instruction ends, from which it counts
    uint32_t bits;
  };
  Target target_;
  std::vector<uint8_t> code_;
  std::vector<Hole> constants_;
  size_t frame_ = 0, loop_ = 0;
};

}  // namespace minds::cpu::assembled

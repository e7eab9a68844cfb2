#include "cpu/assembled/vectors.h"

#include <algorithm>
#include <cstring>

namespace minds::cpu::assembled {
void VectorCode::bytes(std::initializer_list<unsigned> list) {
  for (unsigned b : list) code_.push_back(static_cast<uint8_t>(b));
}

void VectorCode::int32(uint32_t v) { bytes({v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff, v >> 24}); }

VectorCode::VectorCode(const Target& target) : target_(target) {
  bytes({0x55});              // push rbp
  bytes({0x48, 0x89, 0xe5});  // mov rbp, rsp
  bytes({0x48, 0x81, 0xec});  // sub rsp, the slots
  frame_ = code_.size();
  int32(0);
  bytes({0x48, 0x83, 0xe4, 0xc0});  // and rsp, -64
  bytes({0x31, 0xc0});              // xor eax, eax
  loop_ = code_.size();
}

void VectorCode::pointer(size_t k) {
  bytes({0x48, 0x8b, 0x8f});  // mov rcx, [rdi + 8 k]
  int32(static_cast<uint32_t>(8 * k));
}

// What goes before the operands: with EVEX for AVX-512, with VEX for AVX2.
void VectorCode::start(Op o, unsigned reg, unsigned second, const Source& last, unsigned mask, bool zeroing) {
  const auto code = static_cast<unsigned>(o);
  const unsigned rm = last.kind == Source::Kind::kRegister ? last.value : 0;
  if (!target_.wide) {
    return bytes({0xc4, (reg & 8 ? 0u : 0x80u) | 0x40u | (rm & 8 ? 0u : 0x20u) | (code >> 8 & 3),
                  (code & 0x4000u ? 0x80u : 0u) | (~second & 15u) << 3 | (code & 0x8000u ? 0u : 4u) | (code >> 12 & 3),
                  code & 0xff});
  }
  const bool broadcasts = last.kind == Source::Kind::kConstant && o != Op::kSpread;
  bytes({0x62,
         (reg & 8 ? 0u : 0x80u) | (rm & 16 ? 0u : 0x40u) | (rm & 8 ? 0u : 0x20u) | (reg & 16 ? 0u : 0x10u) |
             (code >> 8 & 3),
         (~second & 15u) << 3 | 4u | (code >> 12 & 3),
         (zeroing ? 0x80u : 0u) | 0x40u | (broadcasts ? 0x10u : 0u) | (second & 16 ? 0u : 8u) | mask,
         code & 0xff});
}

void VectorCode::op(Op o, unsigned reg, unsigned second, const Source& last, int immediate, unsigned mask,
                    bool zeroing) {
  start(o, reg, second, last, mask, zeroing);
  place(reg & 7, last, immediate >= 0 ? 1 : 0);
  if (immediate >= 0) bytes({static_cast<unsigned>(immediate)});
}

// The operand's bytes; `behind` them come so many of an immediate number.
void VectorCode::place(unsigned reg, const Source& last, size_t behind) {
  switch (last.kind) {
    case Source::Kind::kRegister:
      return bytes({0xc0u | reg << 3 | (last.value & 7)});
    case Source::Kind::kElements: {  // [rcx + rax * item + way], the last in vectors
      const unsigned scale = last.value == 4 ? 2 : last.value == 2 ? 1 : 0;
      return bytes({0x44u | reg << 3, scale << 6 | 1u, last.way});
    }
    case Source::Kind::kNumber:
      return bytes({1u | reg << 3});
    case Source::Kind::kConstant:
      bytes({5u | reg << 3});  // from the instruction's end
      constants_.push_back({code_.size(), code_.size() + 4 + behind, last.value});
      return int32(0);
    case Source::Kind::kSlot:  // [rsp + ...]
      bytes({0x84u | reg << 3, 0x24u});
      return int32(static_cast<uint32_t>(last.value * target_.bytes));
  }
}

const std::vector<uint8_t>& VectorCode::finish(size_t slots) {
  bytes({0x48, 0x83, 0xc0, static_cast<unsigned>(target_.turn())});  // add rax, a turn
  bytes({0x48, 0x39, 0xf0});                                // cmp rax, rsi
  bytes({0x0f, 0x8c});                                      // jl
  int32(static_cast<uint32_t>(loop_ - (code_.size() + 4)));
  bytes({0x48, 0x89, 0xec});  // mov rsp, rbp
  bytes({0x5d});              // pop rbp
  bytes({0xc5, 0xf8, 0x77});  // vzeroupper
  bytes({0xc3});              // ret
  const auto frame = static_cast<uint32_t>((slots + 1) * target_.bytes);
  std::memcpy(&code_[frame_], &frame, sizeof(frame));
  while (code_.size() % 4 != 0) bytes({0xcc});
  std::vector<uint32_t> pool;
  const size_t begin = code_.size(), copies = target_.wide ? 1 : target_.bytes / 4;  // AVX2 spreads no operand
  for (const Hole& h : constants_) {
    const auto at = static_cast<size_t>(std::find(pool.begin(), pool.end(), h.bits) - pool.begin());
    if (at == pool.size()) {
      pool.push_back(h.bits);
      for (size_t n = 0; n < copies; ++n) int32(h.bits);
    }
    const auto distance = static_cast<uint32_t>(begin + 4 * copies * at - h.end);
    std::memcpy(&code_[h.at], &distance, sizeof(distance));
  }
  return code_;
}

}  // namespace minds::cpu::assembled

// Which instruction set the elementwise loops use. All give the same bits; only speed differs.
#pragma once
#include <string>

namespace minds::cpu {

enum class Isa : unsigned char { kGeneric, kAvx2, kAvx512 };

// The best that the processor has, or less where the environment variable MINDS_ISA (generic, avx2, avx512)
// says so.
Isa isa();

// Whether AVX-512's products of bytes may be used: the processor has them, and MINDS_ISA is not set.
bool vnni();

// For people: "avx512 (processor: avx2 avx512 amx)".
std::string features();

}  // namespace minds::cpu

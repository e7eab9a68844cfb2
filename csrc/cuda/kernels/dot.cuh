// The sum of the products of four bytes without and four with a sign, added to `sum` (PTX manual, "dp4a").

#ifndef CUDA_ON_CPU
FN i32 dot_u8_s8(u32 a, u32 b, i32 sum) {
  i32 d;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(sum));
  return d;
}
#endif

// The tensor cores: d += a b of 16 x 16 and 16 x 8 elements, in float (PTX manual, "Matrix Fragments for mma.m16n8k16").

#ifndef CUDA_ON_CPU
FN void mma_f16_16816(float* d, const u32* a, const u32* b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
FN void mma_bf16_16816(float* d, const u32* a, const u32* b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

template <class T>
FN void mma(float* d, const u32* a, const u32* b) {
  if constexpr (is_same<T, f16_t>::value) {
    mma_f16_16816(d, a, b);
  } else {
    mma_bf16_16816(d, a, b);
  }
}

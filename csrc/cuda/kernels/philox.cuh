// Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011): block
// number `block` of a key's stream, four words, numbered as on the CPU (csrc/cpu/kernels/random_loops.h).
FN void philox(u64 seed, u64 counter, u64 block, u32 (&w)[4]) {
  w[0] = (u32)block;
  w[1] = (u32)(block >> 32);
  w[2] = (u32)counter;
  w[3] = (u32)(counter >> 32);
  u32 k0 = (u32)seed, k1 = (u32)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const u32 high0 = __umulhi(w[0], 0xD2511F53u), low0 = w[0] * 0xD2511F53u;
    const u32 high1 = __umulhi(w[2], 0xCD9E8D57u), low1 = w[2] * 0xCD9E8D57u;
    w[0] = high1 ^ w[1] ^ k0;
    w[1] = low1;
    w[2] = high0 ^ w[3] ^ k1;
    w[3] = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

// Memory full of one item, of 8 or of 16 bytes.

extern "C" __global__ void fill8(u64* to, u64 item, i64 n) {
  for (i64 i = grid_thread(); i < n; i += grid_threads()) to[i] = item;
}

extern "C" __global__ void fill16(bits128_t* to, u64 low, u64 high, i64 n) {
  bits128_t item;
  item.x = (u32)low;
  item.y = (u32)(low >> 32);
  item.z = (u32)high;
  item.w = (u32)(high >> 32);
  for (i64 i = grid_thread(); i < n; i += grid_threads()) to[i] = item;
}

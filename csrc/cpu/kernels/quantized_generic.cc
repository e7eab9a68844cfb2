#include "cpu/kernels/quantized_micro.h"

namespace minds::cpu {

namespace {

struct Generic {
  static constexpr int kLanes = 4, kRows = 2, kStrips = 1;
  typedef float F __attribute__((vector_size(16)));
  typedef int32_t I __attribute__((vector_size(16)));
  typedef uint32_t U __attribute__((vector_size(16)));
  typedef uint8_t B __attribute__((vector_size(4)));
  struct Column {
    I byte[4];
  };
  struct Weight {
    int32_t byte[4];
  };
  static Column column(const uint8_t* p) {
    I v;
    __builtin_memcpy(&v, p, sizeof v);
    return {{v & 255, (v >> 8) & 255, (v >> 16) & 255, (v >> 24) & 255}};
  }
  static Weight weight(const int8_t* p) { return {{p[0], p[1], p[2], p[3]}}; }
  static I add(I sum, const Column& c, const Weight& w) {
    for (int b = 0; b < 4; ++b) sum += c.byte[b] * w.byte[b];
    return sum;
  }
  // The plain loops over what is left do all.
  static int32_t sum(const int8_t*, int64_t, int64_t&) { return 0; }
  static int32_t dot(const int8_t*, const uint8_t*, int64_t, int64_t&) { return 0; }
};

}  // namespace

const QuantizedTier kQuantizedGeneric = QuantizedMicro<Generic>::tier();

}  // namespace minds::cpu

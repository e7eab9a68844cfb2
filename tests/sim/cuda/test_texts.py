"""Texts in CUDA C on the CPU: a right kernel gives right numbers in all orders, and each planted
mistake is found, with its line.
"""

import numpy as np
import pytest
from texts import TextError, compile_text

ROWS = """
__device__ float block_sum(float v) {
  __shared__ float part[32];
  for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffffu, v, m);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  float s = 0;
  for (int n = 0; n < blockDim.x / 32; ++n) s += part[n];
  return s;
}
extern "C" __global__ void __launch_bounds__(256, 2) softmax(const float* x, float* y, int n) {
  extern __shared__ float row[];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += row[i] = expf(x[blockIdx.x * n + i]);
  s = block_sum(s);
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = row[i] / s;
}
"""


def test_a_softmax():
    module = compile_text(ROWS)
    x = np.random.RandomState(0).randn(5, 700).astype("f")
    y = np.zeros_like(x)
    module.launch("softmax", 5, 256, x, y, np.int32(700), shared=2800)
    e = np.exp(x.astype("d"))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)
    assert module.parameters("softmax") == [8, 8, 4]


VOTES = """
extern "C" __global__ void votes(unsigned* y, int by) {
  const unsigned full = 0xffffffffu;
  const int t = threadIdx.x;
  y[t] = __ballot_sync(full, t % 3 == 0);
  y[32 + t] = __shfl_down_sync(full, t, by);
  y[64 + t] = __shfl_up_sync(full, t, by);
  y[96 + t] = __shfl_sync(full, t, by);
  y[128 + t] = __shfl_xor_sync(full, t, by, 8);
  y[160 + t] = __any_sync(full, t == by) + 2 * __all_sync(full, t == by);
}
"""


def test_functions_of_a_warp():
    y, lanes = np.zeros((6, 32), np.uint32), np.arange(32)
    compile_text(VOTES).launch("votes", 1, 32, y, np.int32(5))
    assert (y[0] == sum(1 << n for n in range(0, 32, 3))).all()
    assert (y[1] == np.where(lanes + 5 < 32, lanes + 5, lanes)).all()
    assert (y[2] == np.where(lanes >= 5, lanes - 5, lanes)).all()
    assert (y[3] == 5).all()
    assert (y[4] == lanes ^ 5).all()
    assert (y[5] == 1).all()


MMA = """
extern "C" __global__ void mma(const unsigned short* a, const unsigned short* b, float* c) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const unsigned* rows = reinterpret_cast<const unsigned*>(a);      // 16 x 16, by rows
  const unsigned* columns = reinterpret_cast<const unsigned*>(b);   // 8 columns of 16
  unsigned fa[4] = {rows[g * 8 + t], rows[(g + 8) * 8 + t], rows[g * 8 + t + 4], rows[(g + 8) * 8 + t + 4]};
  unsigned fb[2] = {columns[g * 8 + t], columns[g * 8 + t + 4]};
  float d[4] = {0, 0, 0, 0};
  mma_f16_16816(d, fa, fb);
  for (int n = 0; n < 4; ++n) c[(g + n / 2 * 8) * 8 + 2 * t + n % 2] = d[n];
}
"""


def test_tensor_cores():
    rng = np.random.RandomState(0)
    a, b = rng.randn(16, 16).astype("e"), rng.randn(8, 16).astype("e")
    c = np.zeros((16, 8), "f")
    compile_text(MMA).launch("mma", 1, 32, a, b, c)
    np.testing.assert_allclose(c, a.astype("d") @ b.T.astype("d"), rtol=1e-4, atol=1e-4)


MISTAKES = """
__global__ void race(float* y) {
  __shared__ float t[64];
  t[threadIdx.x] = threadIdx.x;
  y[threadIdx.x] = t[(threadIdx.x + 1) % 64];
}
__global__ void order(float* y) { y[0] = blockIdx.x; }
__global__ void branch(float* y) {
  if (threadIdx.x < 40) __syncthreads();
  y[threadIdx.x] = 1;
}
__global__ void two_barriers(float* y) {
  if (threadIdx.x < 40) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
__global__ void early(float* y) {
  if (threadIdx.x == 7) return;
  __syncthreads();
}
__global__ void half_a_warp(int* y) {
  if (threadIdx.x % 2) y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1, 2);
}
__global__ void mask(int* y) { y[threadIdx.x] = __shfl_xor_sync(0xffffu, 1, 2); }
__global__ void after(float* y) { y[threadIdx.x + 1] = 1; }
__global__ void wild(float* y) { y[threadIdx.x + 1000000] = 1; }
__global__ void host(float** y) { *y[0] = 1; }
__global__ void vector(float* y) { reinterpret_cast<float4*>(y + 1)->x = 1; }
__global__ void shared_array(float* y) {
  __shared__ float t[64];
  t[threadIdx.x + 1] = 1;
}
__global__ void division(int* y) { y[0] = 1 / y[1]; }
""".replace("__global__", 'extern "C" __global__')


@pytest.fixture(scope="module")
def mistakes():
    return compile_text(MISTAKES, name="mistakes.cu")


@pytest.mark.parametrize(
    "kernel,message",
    [
        ("race", "array 0 depends on the order of threads or blocks"),
        ("order", "array 0 depends on the order of threads or blocks"),
        ("branch", "mistakes.cu:9: __syncthreads is not reached by all: .* has returned"),
        ("two_barriers", "mistakes.cu:16: __syncthreads where other .* wait at mistakes.cu:14"),
        (
            "early",
            "mistakes.cu:21: __syncthreads is not reached by all: .* thread 7,0,0 has returned",
        ),
        ("half_a_warp", "mistakes.cu:24: __shfl_xor_sync is not reached by all"),
        ("mask", "mistakes.cu:26: __shfl_xor_sync with a mask that is not full"),
        ("after", "mistakes.cu:27: writes 4 bytes .*just after the end of a block of 256 bytes"),
        ("wild", "mistakes.cu:28: writes 4 bytes at .* in no block that is in use"),
        ("host", "mistakes.cu:29: writes 4 bytes at .* in no block that is in use"),
        ("vector", "mistakes.cu:30: an address is not aligned for its type"),
        ("shared_array", "mistakes.cu:33: an index is outside of its array"),
        ("division", "mistakes.cu:35: an integer is divided by zero"),
    ],
)
def test_mistakes_are_found(mistakes, kernel, message):
    y = np.zeros(64, "f")
    if kernel == "host":
        target = np.zeros(1)
        y.view(np.uint64)[:] = target.ctypes.data
    with pytest.raises(TextError, match=message):
        mistakes.launch(kernel, 2, 64, y)


def test_a_block_is_whole_warps(mistakes):
    with pytest.raises(TextError, match="in a block of 40 threads, which are not whole warps"):
        mistakes.launch("mask", 1, 40, np.zeros(64, "f"))


def test_shared_memory_is_poisoned():
    text = """
    extern "C" __global__ void fresh(float* y, int n) {
      __shared__ float t[64];
      extern __shared__ float more[];
      if (n > 0) t[threadIdx.x] = more[threadIdx.x] = 1;
      __syncthreads();
      y[threadIdx.x] = t[threadIdx.x] + more[threadIdx.x];
    }"""
    y, module = np.zeros(64, "f"), compile_text(text)
    module.launch("fresh", 3, 64, y, np.int32(1), shared=256)
    assert (y == 2).all()
    module.launch("fresh", 3, 64, y, np.int32(0), shared=256)
    assert np.isnan(y).all()
    with pytest.raises(TextError, match="reads 4 bytes|writes 4 bytes"):
        module.launch("fresh", 3, 64, y, np.int32(1), shared=252)
    with pytest.raises(TextError, match="dynamic shared memory, which its launch has none of"):
        module.launch("fresh", 3, 64, y, np.int32(1))


@pytest.mark.parametrize(
    "text,message",
    [
        ("#include <math.h>", "no include path"),
        (
            'extern "C" __global__ void f(float* x) { atomicAdd(x, 1.0f); }',
            "atomics are on integers",
        ),
        (
            'extern "C" __global__ void f(float* x) { x[0] = __expf(x[0]); }',
            "__expf.* not declared",
        ),
        ('extern "C" __global__ void f(float* x) { x[0] = __ldg(x); }', "__ldg.* not declared"),
        ('extern "C" __global__ void f() { asm("bar.sync 0;"); }', "inline assembly"),
        ("__global__ void f() {}", 'a kernel is not extern "C"'),
        ("extern __shared__ int x[];", "is declared in the function that uses it"),
    ],
)
def test_what_the_subset_has_not(text, message):
    with pytest.raises(TextError, match=message):
        compile_text(text)


def test_arguments_are_counted(mistakes):
    with pytest.raises(TextError, match="takes 1 arguments, not 2"):
        mistakes.launch("early", 1, 32, np.zeros(64, "f"), np.int32(1))
    with pytest.raises(TextError, match="argument 0 has 4 bytes, not 8"):
        mistakes.launch("early", 1, 32, np.int32(1))
    with pytest.raises(TextError, match="there is no kernel 'none'"):
        mistakes.launch("none", 1, 32)

"""Gradients given by the user: functions, hooks; the public numerical check."""

import numpy as np
import pytest
from test_derivatives import both

import minds as ms
from minds import Tensor, ops
from minds.ops.function.grad.grad_func import custom_vjp

X = Tensor(np.array([0.5, -1.25, 2.0]))


def clipped(x, out, dout):
    return (ops.clip(dout, -1.0, 1.0),)


@ops.custom_bprop(bprop=clipped)
def cube(x):
    return x * x * x


def test_a_function_with_its_own_gradient():
    found = both(lambda x: ms.value_and_grad(lambda v: (cube(v) * v).sum())(x), X)
    x = X.asnumpy()
    np.testing.assert_allclose(found[0], (x**4).sum())
    np.testing.assert_allclose(found[1], x**3 + np.clip(x, -1, 1))


def test_it_composes():
    slow = ops.custom_bprop(
        lambda x, k: x * x * k, lambda x, k, out, dout: (dout * x * 2.0 * k, dout * out / k)
    )
    x = X.asnumpy()
    (found,) = both(lambda a: ms.hessian(lambda v: slow(v, 3.0 * ops.ones_like(v)).sum())(a), X)
    np.testing.assert_allclose(found, 6 * np.eye(3))
    (found,) = both(lambda a: ms.vmap(ms.grad(lambda v: cube(v)))(a), X)
    np.testing.assert_allclose(found, np.ones(3))
    (found,) = both(lambda a: ms.jvp(lambda v: slow(v, ops.ones_like(v)), a, a)[1], X)
    np.testing.assert_allclose(found, 2 * x * x)


def test_hook_backward_in_both_modes():
    double = ops.HookBackward(lambda grads: grads[0] * 2.0)
    leave = ops.HookBackward(lambda grads: None)
    (found,) = both(lambda x: ms.grad(lambda v: leave(double(v * v)).sum())(x), X)
    np.testing.assert_allclose(found, 4 * X.asnumpy())


def test_check_grad_is_public():
    ops.check_grad(lambda x, y: ops.sin(x * y), [[1.0, 2.0], 3.0], order=2)
    with pytest.raises(AssertionError, match="derivative of order 1"):
        ops.check_grad(cube, [[1.5, 2.0]], order=1)


def test_recompute_and_get_grad():
    block = ms.recompute(lambda x, k: x * k, X, k=2.0)
    np.testing.assert_array_equal(block.asnumpy(), 2 * X.asnumpy())
    w = ms.Parameter(Tensor([2.0]), name="w")
    found = ms.grad(lambda x: x * w, 0, [w], return_ids=True)(Tensor([3.0]))
    assert float(ms.get_grad(found, 0)) == 2.0 and float(ms.get_grad(found, w)) == 3.0
    with pytest.raises(RuntimeError, match="no gradient"):
        ms.get_grad(found, 1)


def test_refusals():
    with pytest.raises(TypeError, match="bprop is NoneType"):
        ops.custom_bprop(ops.sin)
    with pytest.raises(TypeError, match="hook_fn is int"):
        ops.HookBackward(3)


def test_a_gradient_given_afterwards():
    @custom_vjp
    def twice(x, k):
        return x * k * 2.0

    twice.defbwd(lambda x, k, out, dout: (dout * 5.0, out))
    x = X.asnumpy()
    found = both(
        lambda x, k: ms.grad(lambda x, k: (twice(x, k) * x).sum(), (0, 1))(x, k), X, Tensor(3.0)
    )
    np.testing.assert_allclose(found[0], x * 5.0 + x * 6.0)
    np.testing.assert_allclose(found[1], (x * 6.0).sum())

    @custom_vjp
    def bare(x):
        return x

    with pytest.raises(ValueError, match="has no gradient"):
        ms.grad(lambda x: bare(x).sum())(X)


def test_a_primitive_by_the_name_of_a_function_calls_it():
    add, root = ops.Primitive("ScalarAdd"), ops.Primitive("Sqrt")

    def f(a, b, x):
        return add(a, b), root(x), ops.Primitive("scalar_mul")(a, b)

    for fn in (f, ms.jit(f)):
        a, x, b = fn(1, 2, Tensor([4.0]))
        assert (a, b) == (3, 2) and x.asnumpy().tolist() == [2.0]


ADD = """
#include <cstdint>
#include <cstring>
extern "C" int add(int nparam, void **params, int *ndims, int64_t **shapes, const char **dtypes,
                   void *stream, void *extra) {
  if (nparam != 3) return 1;
  for (int i = 0; i < 3; i++)
    if (strcmp(dtypes[i], "float32")) return 2;
  int64_t n = 1;
  for (int i = 0; i < ndims[2]; i++) n *= shapes[2][i];
  auto a = static_cast<float *>(params[0]), b = static_cast<float *>(params[1]);
  auto c = static_cast<float *>(params[2]);
  for (int64_t i = 0; i < n; i++) c[i] = a[i] + b[i];
  return 0;
}
"""


OUTER = """
@ops.kernel
def outer(a, b):
    c = output_tensor((a.shape[0], b.shape[0]), a.dtype)
    for i, j in grid(c.shape):
        c[i, j] = a[i] * b[j]
    return c
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("custom") / "add.cc"
    path.write_text(ADD)
    return path


def test_a_kernel_of_a_cpp_source(source):
    add = ops.Custom(
        f"{source}:add",
        lambda x, _: x,
        lambda x, _: x,
        "aot",
        bprop=lambda x, y, out, dout: (dout * 2.0, dout * 3.0),
    )
    x, y = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), ops.ones((2, 3))
    (found,) = both(lambda x, y: add(x, y) * 2.0, x, y)
    np.testing.assert_array_equal(found, 2 * (x.asnumpy() + 1))
    found = both(ms.grad(lambda x, y: add(x, y).sum(), (0, 1)), x, y)
    np.testing.assert_array_equal(found, [np.full((2, 3), 2), np.full((2, 3), 3)])
    with pytest.raises(RuntimeError, match="add gave 2"):
        add(Tensor(np.ones(2)), Tensor(np.ones(2)))
    with pytest.raises(TypeError, match="no gradient"):
        ms.grad(ops.Custom(f"{source}:add", lambda x, _: x, lambda x, _: x, "aot"))(x, y)


def test_kernels_of_python():
    two = ops.Custom(
        lambda x: (x + 1, (x * 2).astype(np.int32)),
        lambda x: (x, x),
        lambda x: (x, ms.int32),
        "pyfunc",
    )
    x = Tensor([1.0, 2.5])
    found = both(lambda x: two(x * 2.0), x)
    np.testing.assert_array_equal(found[0], [3, 6])
    np.testing.assert_array_equal(found[1], [4, 10])
    assert two(x)[1].dtype is ms.int32

    script = {"ops": ops}
    exec(OUTER, script)
    outer = ops.Custom(script["outer"])
    (found,) = both(outer, x, Tensor([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found, np.outer(x.asnumpy(), [1, 2, 3]))


def test_bad_kernels_say_what_is_wrong(source, tmp_path):
    def shape(*inputs):
        return inputs[0]

    (tmp_path / "bad.cc").write_text("int f( {")
    for kind, said, make in (
        (ValueError, "no file", lambda: ops.Custom("none.so:f", shape, shape, "aot")),
        (ValueError, "no function 'f'", lambda: ops.Custom(f"{source}:f", shape, shape, "aot")),
        (
            RuntimeError,
            "not compile",
            lambda: ops.Custom(f"{tmp_path}/bad.cc:f", shape, shape, "aot"),
        ),
        (
            ValueError,
            "out_shape",
            lambda: ops.Custom(f"{source}:add", None, shape, "aot")(Tensor([1.0])),
        ),
        (TypeError, "must be of type str", lambda: ops.Custom(len, shape, shape, "aot")),
        (TypeError, "file_name:func_name", lambda: ops.Custom("add", None, shape, "aot")),
        (
            RuntimeError,
            "kernel of Ascend devices",
            lambda: ops.Custom("aclnnAdd", shape, shape, "aot")(Tensor([1.0])),
        ),
        (TypeError, "ops.kernel", lambda: ops.Custom(len, func_type="hybrid")),
        (ValueError, "does not have", lambda: ops.Custom(len, shape, shape, "tbe")),
        (ValueError, "func_type is 'x'", lambda: ops.Custom(len, shape, shape, "x")),
    ):
        with pytest.raises(kind, match=said):
            make()
    wrong = ops.Custom(lambda x: x[:1], shape, shape, "pyfunc")
    with pytest.raises(ValueError, match="as out says"):
        wrong(Tensor([1.0, 2.0]))

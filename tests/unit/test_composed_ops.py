"""Ops that are made of others and have a gradient rule: eager calls of one are repeated by the core."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ops.define import P

CALLS = 8  # the core knows them by then
RNG = np.random.default_rng(0)


def tensors(*shape):
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


@pytest.mark.parametrize("name", ("gelu", "silu", "softplus", "mish", "elu", "hardswish"))
def test_each_call_is_of_its_operand(name):
    fn = getattr(ops, name)
    compiled = ms.jit(ms.value_and_grad(lambda x: fn(x).sum() * 0.5, 0))
    eager = ms.value_and_grad(lambda x: fn(x).sum() * 0.5, 0)
    for _ in range(CALLS):
        x = tensors(3, 4)
        for found, expected in zip(eager(x), compiled(x), strict=True):
            np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=2e-6, atol=1e-6)
        assert fn(x).asnumpy().tobytes() == ms.jit(fn)(x).asnumpy().tobytes()


def test_operands_that_were_one():
    """What was seen of one tensor in two places says nothing of two."""
    one, other = ops.ones((3,)), ops.zeros((3,))
    for _ in range(CALLS):
        x = tensors(2, 3, 2)
        P.batch_norm_relu(x, one, other, x, 1e-5)
    for _ in range(CALLS):
        x, y = tensors(2, 3, 2), tensors(2, 3, 2)
        found = P.batch_norm_relu(x, one, other, y, 1e-5)[0]
        expected = ops.relu(P.batch_norm(x, one, other, 1e-5)[0] + y)
        np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())


def test_several_results_and_orders():
    for _ in range(CALLS):
        x, y = tensors(3, 4), Tensor(RNG.integers(0, 4, 3).astype(np.int32))
        losses, tops, logs = P.softmax_nll(x, y)
        wide = x.asnumpy().astype(np.float64)
        sums = np.log(np.exp(wide - wide.max(1, keepdims=True)).sum(1))
        np.testing.assert_allclose(tops.asnumpy(), wide.max(1), rtol=1e-6)
        np.testing.assert_allclose(logs.asnumpy(), sums, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            losses.asnumpy(), sums + wide.max(1) - wide[range(3), y.asnumpy()], rtol=1e-5
        )
    second = ms.grad(lambda x: ms.grad(lambda v: ops.gelu(v).sum())(x).sum())
    for _ in range(CALLS):
        x = tensors(5)
        wide = x.asnumpy().astype(np.float64)
        density = np.exp(-wide * wide / 2) / np.sqrt(2 * np.pi)
        np.testing.assert_allclose(
            second(x).asnumpy(), density * (2 - wide * wide), rtol=1e-4, atol=1e-6
        )


def test_a_function_of_it_is_repeated():
    """Within what is repeated itself."""
    outer = ms.value_and_grad(lambda x: ops.logsigmoid(ops.gelu(x) + ops.selu(x)).sum())
    for _ in range(CALLS):
        x = tensors(4)
        compiled = ms.jit(outer)(x)
        for found, expected in zip(outer(x), compiled, strict=True):
            np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


def test_what_it_refuses():
    for _ in range(CALLS):
        with pytest.raises(TypeError, match="softplus: input"):
            ops.softplus(Tensor([1j]))
        with pytest.raises(ValueError, match="gelu: approximate"):
            ops.gelu(ops.ones(2), "other")

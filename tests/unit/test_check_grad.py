"""The numerical gradient check finds right gradients right and wrong ones wrong, at each order."""

from __future__ import annotations

import numpy as np
import pytest

from minds import Tensor, ops
from minds.ops.define import P, op
from minds.transforms.check_grad import check_grad


def test_accepts_right_gradients_to_order_three():
    check_grad(lambda x, y: ops.sin(x * y) / x, [[1.0, 2.0], 3.0], order=3)


def test_takes_tuples_and_leaves_integers_alone():
    check_grad(lambda x, i: (x * x, x * 2.0, i), [np.array([1.0, -2.0]), np.array([1, 2])])


@op
def wrong_slope(x: Tensor):
    """sin with a gradient that is off by one percent."""
    return x


@wrong_slope.decompose
def _(x):
    return P.sin(x)


@wrong_slope.bprop
def _(x, out, dout):
    return (P.mul(dout, P.mul(P.cos(x), 1.01)),)


@op
def wrong_curve(x: Tensor):
    """sin whose gradient is right in value but is not differentiable."""
    return x


@wrong_curve.decompose
def _(x):
    return P.sin(x)


@wrong_curve.bprop
def _(x, out, dout):
    return (P.mul(dout, P.stop_gradient(P.cos(x))),)


del P.wrong_slope, P.wrong_curve  # not for tests that go through all ops


def test_refuses_a_wrong_gradient():
    with pytest.raises(AssertionError, match="order 1"):
        check_grad(wrong_slope, [[0.3, 0.7]])


def test_refuses_a_wrong_second_derivative():
    check_grad(wrong_curve, [[0.3, 0.7]], order=1)
    with pytest.raises(AssertionError, match="order 2"):
        check_grad(wrong_curve, [[0.3, 0.7]])


def test_a_gradient_function_may_be_given():
    calls = []

    def gradients(fn, args):
        calls.append(len(args))
        return [P.full(a.shape, 0, a.dtype) for a in args]

    with pytest.raises(AssertionError, match="order 1"):
        check_grad(P.sin, [[0.3]], gradients=gradients)
    assert calls == [1]

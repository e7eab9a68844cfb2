"""Epilogues: which products take a bias and an activation with them."""

from __future__ import annotations

import pytest
from program_graphs import P, tensor, traced

from minds.base import dtype as dt
from minds.lower.epilogue import add_epilogues
from minds.lower.format import RUN
from minds.lower.fuse import fuse
from minds.lower.legalise import legalise
from minds.lower.linearize import LinearIR
from minds.lower.memory import plan


def kernels(graph, has_kernel=lambda t: True) -> list:
    """(kernel, whether `relu` is in it) of each instruction."""
    p = LinearIR(legalise(graph))
    fuse(p)
    add_epilogues(p, has_kernel)
    plan(p, 64)
    found = [p.tables.kernel_list[i.target] for i in p.functions[0].code if i.op == RUN]
    return [(attrs.get("ops", name), attrs.get("relu")) for name, attrs, _, _ in found]


X, W, B = tensor(3, 4), tensor(4, 5), tensor(5)


@pytest.mark.parametrize(
    "f, wanted",
    [
        (lambda x, w, b: P.add(P.matmul(x, w), b), [("matmul_bias", False)]),
        (lambda x, w, b: P.add(b, P.matmul(x, w)), [("matmul_bias", False)]),
        (lambda x, w, b: P.relu(P.add(P.matmul(x, w), b)), [("matmul_bias", True)]),
        (lambda x, w, b: P.relu(P.matmul(x, w)), [("matmul", None), ("relu", None)]),
        (
            lambda x, w, b: P.tanh(P.add(P.matmul(x, w), b)),
            [("matmul", None), ("add tanh", None)],
        ),
        (
            lambda x, w, b: P.exp(P.relu(P.add(P.matmul(x, w), b))),
            [("matmul", None), ("add relu exp", None)],
        ),
    ],
)
def test_bias_and_relu(f, wanted):
    assert kernels(traced(f, X, W, B)) == wanted


def test_what_is_read_twice_stays():
    def f(x, w, b):
        y = P.matmul(x, w)
        return P.add(y, b), y

    assert kernels(traced(f, X, W, B)) == [("matmul", None), ("add", None)]


def test_rows_of_many_batches_are_one_product():
    graph = traced(lambda x, w, b: P.add(P.matmul(x, w), b), tensor(2, 3, 4), W, B)
    assert kernels(graph) == [("matmul_bias", False)]


@pytest.mark.parametrize(
    "shapes", [((3, 4), (4, 5), (1, 5)), ((3, 4), (4, 5), (3, 5)), ((2, 3, 4), (2, 4, 5), (5,))]
)
def test_other_shapes_stay(shapes):
    graph = traced(lambda x, w, b: P.add(P.matmul(x, w), b), *(tensor(*s) for s in shapes))
    assert kernels(graph) == [("matmul", None), ("add", None)]


def test_a_device_without_the_kernel_for_a_dtype():
    graph = traced(lambda x, w, b: P.add(P.matmul(x, w), b), X, W, B)
    assert kernels(graph, lambda t: t is not dt.float32) == [("matmul", None), ("add", None)]

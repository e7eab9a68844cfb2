"""A call whose program ran a moment ago runs in the core (`minds.jit.latest`): the same results, misses and
errors as by way of Python.
"""

import sys
from collections import deque, namedtuple

import numpy as np
import pytest
from python_calls import python_calls

import minds as ms
from minds import Tensor, nn, ops
from minds.base import devices, options
from minds.jit import find as finder


def is_warm(run) -> bool:
    """Whether a call needs no search for its program."""
    found = []

    def profile(frame, event, arg):
        if event == "call":
            found.append(frame.f_code)

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return finder.find.__code__ not in found


X = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3))
POINT = namedtuple("Point", "x y")


@pytest.mark.parametrize("known", [set(), {"a device", "memory"}], ids=["plain", "placed"])
def test_calls_enter_few_python_functions(known, monkeypatch):
    """Also where a device was used or memory limited before."""
    for name in ("used", "narrowed"):
        monkeypatch.setattr(finder, name, known)
    monkeypatch.setattr(devices, "used", known)
    monkeypatch.setattr(options, "narrowed", known)

    @ms.jit
    def f(x):
        return x + 1

    net, gradient = nn.Dense(3, 2), ms.value_and_grad(lambda x: (x * x).sum())
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for call in (lambda: f(X), lambda: net(X), lambda: gradient(X)):
            call()
            call()
            calls = python_calls(call)
            assert len(calls) <= 12, calls
            assert is_warm(call)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_limit_that_is_taken_back_leaves_no_trace():
    """Numbers too are taken by the core again."""

    @ms.jit
    def f(x, n):
        return x * n

    ms.set_context(mode=ms.GRAPH_MODE, max_device_memory="3GB")
    try:
        f(X, 2.0)
        ms.set_context(max_device_memory="1024GB")
        for _ in range(2):
            f(X, 2.0)
        calls = python_calls(lambda: f(X, 2.0))
        assert len(calls) <= 12, calls
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE, max_device_memory="1024GB")


@pytest.mark.parametrize(
    "fn, calls",
    [
        (lambda x, n: x * n, [(X, 3), (X, -4), (X, 2.5), (X, True), (X, 3)]),
        (lambda x, n: ops.sum(x, n), [(X, 0), (X, 1), (X, 0), (X, -1)]),
        (lambda x, how: x + (how == "a"), [(X, "a"), (X, "b"), (X, None), (X, "a")]),
        (lambda x, p: x * p[0] + p[1], [(X, (X, 2)), (X, [X, 2]), (X, (2, X)), (X, (X, 2.0))]),
        (lambda x, d: x * d["k"], [(X, {"k": X}), (X, {"k": 2}), (X, {"k": X, "j": 1}), (X, {"k": X})]),
        (lambda x, p: x * p.x - p.y, [(X, POINT(X, 2)), (X, POINT(1, X)), (X, POINT(X, 3))]),
        (lambda x: (x.sum(), (x, x * 2), 3), [(X,), (X[:1],), (X.astype(ms.float64),), (X,)]),
        (lambda x: {"a": [x, x.shape[0]]}, [(X,), (X[0],), (X,)]),
        (lambda n: n * 2 + 0.5, [(1,), (-3,), (2.5,), (2**40,)]),
        (lambda x, q: x * (len(q) + 1), [(X, deque()), (X, deque([1, 2])), (X, deque())]),
    ],
    ids=["number", "axis", "string", "sequence", "dict", "named", "results", "made", "scalar", "deque"],
)  # fmt: skip
def test_alternating_arguments(fn, calls):
    compiled = ms.jit(fn)
    for given in calls * 3:
        agree(compiled(*given), fn(*given))


def agree(got, expected) -> None:
    assert type(got) is type(expected)
    if isinstance(got, Tensor):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.asnumpy(), expected.asnumpy())
    elif isinstance(got, (tuple, list)):
        assert len(got) == len(expected)
        for a, b in zip(got, expected):
            agree(a, b)
    elif isinstance(got, dict):
        agree(list(got.items()), list(expected.items()))
    else:
        assert got == expected


def test_a_container_that_grew():
    @ms.jit
    def f(x, q):
        return x * (len(q) + 1)

    q = deque()
    for n in range(3):
        agree(f(X, q), X * (n + 1))
        q.append(n)


def test_named_arguments():
    @ms.jit
    def f(x, scale=2, *, shift=0):
        return x * scale + shift

    for _ in range(2):
        agree(f(X), X * 2)
        agree(f(X, shift=1), X * 2 + 1)
        agree(f(X, shift=X), X * 2 + X)
        agree(f(x=X, scale=3), X * 3)
        agree(f(X, 3, shift=1), X * 3 + 1)


def test_what_is_captured_is_read_anew():
    scale, held = 2.0, [X]

    @ms.jit
    def f(x):
        return x * scale + held[0]

    for _ in range(3):
        agree(f(X), X * 2.0 + X)
    scale = 3.0
    for _ in range(3):
        agree(f(X), X * 3.0 + X)
    held[0] = X * 5
    for _ in range(3):
        agree(f(X), X * 3.0 + X * 5)
    held.append(X)
    agree(f(X), X * 3.0 + X * 5)


def test_a_tensor_that_is_read_in_two_places_is_compiled_once():
    class Holder:
        pass

    weight, holder = X * 2, Holder()
    holder.weight = weight

    @ms.jit
    def f(x):
        return x * weight + holder.weight

    for _ in range(4):
        agree(f(X), X * weight + weight)
    assert len(ms.recompiles(f)) == 1
    holder.weight = X
    agree(f(X), X * weight + X)


def test_other_functions_of_one_object_keep_apart():
    class Net(nn.Cell):
        def construct(self, x):
            return x + 1

        @ms.jit
        def double(self, x):
            return x * 2

    one, two = Net(), Net()
    for _ in range(3):
        agree(ms.jit(one)(X), X + 1)
        agree(one.double(X), X * 2)
        agree(two.double(X), X * 2)


def test_an_error_of_the_run_names_the_line():
    @ms.jit
    def f(x, i):
        return x[i] + 1

    i, texts = Tensor(1), []
    for _ in range(2):
        agree(f(X, i), X[1] + 1)
    for _ in range(3):
        with pytest.raises(IndexError) as caught:
            f(X, Tensor(7))
        texts.append(str(caught.value))
    assert texts[0] == texts[1] == texts[2]
    assert "return x[i] + 1" in texts[0]


def test_an_error_of_a_host_function_is_itself():
    @ms.host(out=float)
    def fail(x):
        raise KeyError("of the host")

    @ms.jit
    def f(x):
        return x * fail(x)

    for _ in range(3):
        with pytest.raises(KeyError, match="of the host"):
            f(X)


def test_hooks_are_seen():
    x = Tensor(np.ones(3, np.float32))
    gradient = ms.jit(ms.grad(lambda x: (x * x).sum()))
    for _ in range(2):
        agree(gradient(x), x * 2)
    handle = x.register_hook(lambda g: g * 10)
    agree(gradient(x), x * 20)
    handle.remove()
    agree(gradient(x), x * 2)


def test_a_call_is_recorded_on_a_tape():
    @ms.jit
    def f(x):
        return (x * x).sum()

    f(X)
    f(X)
    agree(ms.grad(f)(X), X * 2)


OUTSIDE = [1.0, 2.0]


def test_lists_that_are_only_read_are_no_reason_to_search():
    @ms.jit
    def f(x, ks):
        return x * ks[0] + OUTSIDE[1] * len(ks)

    ks = [3.0, X]
    for _ in range(3):
        np.testing.assert_allclose(f(X, ks).asnumpy(), X.asnumpy() * 3 + 4)
    assert is_warm(lambda: f(X, ks))
    OUTSIDE[1], ks[0] = 5.0, 4.0
    for _ in range(3):
        np.testing.assert_allclose(f(X, ks).asnumpy(), X.asnumpy() * 4 + 10)
    ks.append(X)
    np.testing.assert_allclose(f(X, ks).asnumpy(), X.asnumpy() * 4 + 15)


def test_lists_that_are_returned_are_the_callers():
    @ms.jit
    def f(x, ks):
        return ks, OUTSIDE, x * 2.0

    ks = [X, 1.0]
    for _ in range(3):
        found = f(X, ks)
        assert found[0] is ks and found[1] is OUTSIDE

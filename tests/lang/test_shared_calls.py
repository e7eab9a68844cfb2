"""Functions of which each calls the one below on two paths that data choose: twice as many calls at each
level, one graph for all that are alike.
"""

import linecache

import numpy as np
import pytest

import minds as ms
from minds import Tensor

RETURNED = """
def f{k}(x):
    if x.sum() > {k}.0:
        return f{below}(x * 0.5)
    return f{below}(x + 0.25) * 2.0
"""
JOINED = """
def f{k}(x):
    if x.sum() > {k}.0:
        y = f{below}(x * 0.5)
    else:
        y = f{below}(x + 0.25) * 2.0
    return y - 0.1
"""
# What no graph can do that serves all calls is inlined.
LISTED = """
def f{k}(x, made=None):
    made = [] if made is None else made
    if x.sum() > {k}.0:
        made.append(x)
        y = f{below}(x * 0.5)
    else:
        y = f{below}(x + 0.25) * 2.0
    return y + len(made)
"""
CHANGED = """
def f{k}(x):
    x = x.copy()
    if x.sum() > {k}.0:
        x[0] = x[0] + 1.0
        return f{below}(x * 0.5)
    x += 0.25
    return f{below}(x) * 2.0
"""
FORMS = {
    "returned": (RETURNED, 14),
    "joined": (JOINED, 14),
    "listed": (LISTED, 8),
    "changed": (CHANGED, 8),
}


def tower(form: str, levels: int):
    """The function at the top of so many."""
    text = "def f0(x):\n    return x * 1.5 + 1.0\n"
    text += "".join(form.format(k=k, below=k - 1) for k in range(1, levels + 1))
    name = f"<tower {hash(form)} {levels}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict = {"__name__": "tower"}
    exec(compile(text, name, "exec"), names)
    return names[f"f{levels}"]


X = np.array([0.3, 0.9, 2.0], np.float32)


@pytest.mark.parametrize("name", FORMS)
def test_values_and_gradients(name):
    f = tower(*FORMS[name])

    def loss(x):
        return f(x).sum()

    given = Tensor(X)
    np.testing.assert_allclose(ms.jit(f)(given).asnumpy(), f(given).asnumpy(), rtol=1e-6)
    found = ms.jit(ms.grad(loss))(given)
    np.testing.assert_allclose(found.asnumpy(), ms.grad(loss)(given).asnumpy(), rtol=1e-6)


def read_late(x, n: int, q: bool):
    q, k, total = q and n % 2 == 0, 0, x * 0.0
    while k < n:
        k += 1
        for i in (3, 2, 1):
            late = x * i
            j = 0
            while j < 9:
                j += 1
                if j > n:
                    other = x  # noqa: F841
            turn = 0
            while turn < 3:
                turn += 1

                def read():
                    return late

                for _ in range(12):
                    total += (read if q else read)()
    return total


def test_variables_that_are_set_after_the_common_start():
    """The graph of `read` may not start where `late` has no value yet."""
    np.testing.assert_allclose(ms.jit(read_late)(Tensor(X), 2, True).asnumpy(), X * 432, rtol=1e-5)
    slope = ms.jit(ms.grad(lambda x: read_late(x, 2, True).sum()))(Tensor(X))
    np.testing.assert_allclose(slope.asnumpy(), np.full(3, 432.0, np.float32), rtol=1e-5)

"""`with` over users' objects in compiled code: the order of what happens is CPython's, on every way
out.
"""

import pytest
from agreement import agree, assert_same, gradients_agree

import minds as ms
from minds import Parameter, Tensor, nn
from minds.base.errors import ParseError

X = Tensor([0.5, -1.25, 2.0])


class Noted:
    """Writes into a list when it is entered and left."""

    def __init__(self, log, name):
        super().__init__()
        self.log, self.name = log, name

    def __enter__(self):
        self.log.append("enter " + self.name)
        return len(self.log)

    def __exit__(self, kind, value, traceback):
        assert kind is None and value is None and traceback is None
        self.log.append("exit " + self.name)


def in_order(x, n):
    log = []
    with Noted(log, "a") as a, Noted(log, "b") as b:
        log.append(a * 10 + b)
    with Noted(log, "c"):
        with Noted(log, "d") as log2:
            x = x * log2
        x = x + n
    return x, log


def returns_inside(x, n):
    log = []

    def f(k):
        with Noted(log, "a"), Noted(log, "b"):
            if k > 2:
                return k * 2
        log.append("behind")
        return k

    return f(1), f(5), log, x * n


def breaks_inside(x, n):
    log = []
    for i in range(4):
        with Noted(log, "outer"):
            for j in range(3):
                with Noted(log, "inner"):
                    if j == 1:
                        break
                    if i == 1:
                        continue
                    log.append(i * 10 + j)
            if i == 2:
                break
    return x, log


class Scaled:
    def __init__(self, by):
        self.by = by

    def __enter__(self):
        return self.by * 2.0

    def __exit__(self, *error):
        self.by = self.by + 1.0


def by_data(x, n):
    s = Scaled(x)
    with s as y:
        if n > 2:
            y = y * n
        else:
            y = y + 1.0
    return y, s.by


def leaves_by_data(x, n):
    with Scaled(x) as y:
        if n > 2:
            return y * n
        y = y - 1.0
    return y


def rolled(x, n):
    for i in range(n):
        with Scaled(x) as y:
            if i == 40:
                break
            x = y * 0.5 + i
    return x


PROGRAMS = [in_order, returns_inside, breaks_inside, by_data, leaves_by_data, rolled]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("n", [1, 5, 50])
def test_agrees(program, n):
    agree(program, X, n)


@pytest.mark.parametrize("n", [1, 5])
def test_gradient(n):
    gradients_agree(lambda x: leaves_by_data(x, n).sum() + by_data(x, n)[0].sum(), X)


class Counted:
    """Writes to a parameter when it is left."""

    def __init__(self):
        self.n = Parameter(Tensor([0.0]), name="n")

    def __enter__(self):
        return self.n * 1.0

    def __exit__(self, *error):
        self.n += 1.0


def test_parameter():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = Counted()

        def construct(self, x):
            with self.count as before:
                if x.sum() > 0:
                    return x + before
            return x - self.count.n

    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        try:
            net = Net()
            assert_same(net(X), X + 0.0)
            assert_same(net(-X), -X - 2.0)
            assert_same(net.count.n.asnumpy(), Tensor([2.0]).asnumpy())
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)


def test_foreign_contexts_are_refused():
    with pytest.raises(ParseError, match="'with' is not supported"):

        @ms.jit
        def f(x):
            with open("log"):
                return x

        f(X)

"""Objects of `collections` made outside of compiled code: read as they are at the call, and changed
when the program has run.
"""

from collections import Counter, OrderedDict, defaultdict, deque

import pytest
from agreement import assert_same

import minds as ms
from minds import Tensor

X = Tensor([1.0, -2.0])


def test_arguments_are_never_stale():
    @ms.jit
    def f(x, d, o):
        return x * d[0] + o["k"], len(d), d.maxlen, list(o)

    d, o = deque([1.0, 2.0], maxlen=3), OrderedDict(k=X)
    for change in (
        lambda: None,
        lambda: d.__setitem__(0, 5.0),
        lambda: d.append(3.0),
        lambda: o.update(k=X * 2.0),
        lambda: o.update(j=1),
    ):
        change()
        assert_same(f(X, d, o), (X * d[0] + o["k"], len(d), 3, list(o)))


def test_what_is_outside_is_changed_and_read_anew():
    def run(wrap):
        log, last, seen = defaultdict(list), deque(maxlen=2), Counter()

        @wrap
        def step(x, n):
            log["x"].append(x)
            last.append(x * n)
            seen["steps"] += 1
            return last[-1] + len(last)

        found = [step(X * k, k) for k in (1, 2, 3)]
        last.append(X)
        return found, step(X, 2), dict(log), list(last), last.maxlen, dict(seen)

    assert_same(run(ms.jit), run(lambda f: f))


def test_an_argument_is_not_changed():
    @ms.jit
    def f(x, d):
        d.append(x)
        return x

    with pytest.raises(SyntaxError, match="append"):
        f(X, deque())

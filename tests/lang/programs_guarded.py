"""Exceptions in generators and in what these make: functions of a tensor ``x`` and an int ``n``."""

import contextlib

import minds as ms
from minds import Tensor, ops


@contextlib.contextmanager
def guarded(log):
    log.append("in")
    try:
        yield 1
    except ValueError:
        log.append("caught")
    finally:
        log.append("fin")


def t_caught(x, n):
    log = []
    with guarded(log):
        x = x * 2.0
        raise ValueError("a")
    return x, log, n


def t_suppress(x, n):
    with contextlib.suppress(KeyError):
        d = {}
        d["a"]
    return x * n


def t_gen_try(x, n):
    def gen():
        try:
            yield 1
            yield 2
        finally:
            pass

    return list(gen()), x


def t_gen_raise(x, n):
    def gen():
        yield 1
        raise ValueError("q")

    out = []
    try:
        for v in gen():
            out.append(v)
    except ValueError:
        out.append(99)
    return out, x


def t_stopiter(x, n):
    def gen():
        yield x
        return 5

    g = gen()
    next(g)
    try:
        next(g)
    except StopIteration as e:
        return e.value, x
    return 0, x


def t_exitstack(x, n):
    log = []
    try:
        with contextlib.ExitStack() as s:
            s.callback(log.append, 1)
            s.enter_context(contextlib.nullcontext())
            raise KeyError("k")
    except KeyError:
        log.append(2)
    return log, x


def t_import(x, n):
    try:
        import nothing_like_this

        k = 1
    except ImportError:
        k = 2
    return x * k


def t_attr(x, n):
    class A:
        pass

    try:
        A().q
    except AttributeError:
        x = x + 1.0
    return x * n


def t_deque(x, n):
    from collections import deque

    d = deque()
    try:
        d.pop()
    except IndexError:
        d.append(x)
    return d[0], n


def t_dict(x, n):
    try:
        y = {"a": x}["b"]
    except KeyError:
        y = x * n
    return y


def t_nonlocal(x, n):
    k = 0

    def f():
        nonlocal k
        k = 1
        if n > 2:
            raise ValueError("v")
        k = 2

    try:
        f()
    except ValueError:
        pass
    return k, x

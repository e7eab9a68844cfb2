"""Reductions beside the program: what is begun goes with its run, which says so if nothing else fails."""

import resource

import numpy as np
import pytest

from minds import Tensor
from minds.base import dtype as dt
from minds.ir.abstract import AbstractTensor
from minds.ir.build import Builder, building
from minds.ir.node import Graph
from minds.lower.program import lower
from minds.ops.define import P

SIZE = 1 << 20
ALONE = (0,)


def program(ends, looks_up=False):
    """Begins the sum of a tensor; looks up an element of another one; ends the sum."""
    g = Graph("f")
    x = g.add_param("x", AbstractTensor((SIZE,), dt.float32))
    at = g.add_param("at", AbstractTensor((1,), dt.int64))
    b = Builder(g)
    with building(b):
        begun = P.reduction_begin((x,), "sum", ALONE)
        found = [P.gather(x, at, 0)] if looks_up else []
        if ends:
            found.append(b.getitem(P.reduction_end(begun, ((SIZE,),), dt.float32), 0))
    g.output = b.make_tuple(found)
    g.has_effect = True
    run = lower(g)
    return lambda x, at: run([x._array, at._array])


X, FIRST, BEHIND = Tensor(np.ones(SIZE, np.float32)), Tensor([0]), Tensor([SIZE])


def grown(run, times=40):
    """Bytes that a process needs more for ``run`` a few times."""
    run()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(times):
        run()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10


def test_ended():
    run = program(ends=True)
    (total,) = run(X, FIRST)
    assert (Tensor._wrap(total).asnumpy() == 1).all()


def test_never_ended():
    run = program(ends=False, looks_up=True)

    def fails():
        text = r"all_reduce\(sum\) of .*1048576.* over 1 ranks.* was begun and never ended"
        with pytest.raises(ValueError, match=text):
            run(X, FIRST)

    assert grown(fails) < 20 * SIZE


def test_a_run_that_fails_between():
    """Its error is that of what failed; the next run is as ever."""
    run = program(ends=True, looks_up=True)

    def fails():
        with pytest.raises(IndexError, match="out of range"):
            run(X, BEHIND)

    assert grown(fails) < 20 * SIZE
    assert (Tensor._wrap(run(X, FIRST)[1]).asnumpy() == 1).all()


def test_without_a_program():
    with pytest.raises(ValueError, match="begun in a program, not in PyNative mode"):
        P.reduction_begin((X,), "sum", ALONE)

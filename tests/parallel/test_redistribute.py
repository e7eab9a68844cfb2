"""Every way from one layout to another: the parts are those of the layout, and no way is cheaper."""

import itertools
import math

import numpy as np
import pytest

from minds import Tensor
from minds.base import dtype as dt
from minds.ir.abstract import AbstractTensor
from minds.ir.build import Builder, building
from minds.ir.node import Graph
from minds.sharding.exchange import exchanged
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.redistribute import cost, moved, path
from minds.sharding.virtual import lockstep

MESHES = [Mesh(("a", "b", "c"), (2, 2, 2)), Mesh(("a", "b"), (2, 3))]


def layouts(mesh, shape, partial=False):
    """All layouts that divide a shape, with terms along unused axes where ``partial``."""
    found = []
    for places in itertools.product(range(-1, len(shape)), repeat=len(mesh.names)):
        used = [a for a, p in zip(mesh.names, places) if p >= 0]
        for order in itertools.permutations(used):
            at = dict(zip(mesh.names, places))
            dims = tuple(tuple(a for a in order if at[a] == d) for d in range(len(shape)))
            free = [a for a in mesh.names if a not in used]
            for terms in itertools.product((False, True), repeat=len(free) if partial else 0):
                s = Sharding(dims, tuple((a, "sum") for a, t in zip(free, terms) if t))
                if all(n % s.parts(mesh, d) == 0 for d, n in enumerate(shape)):
                    found.append(s)
    return list(dict.fromkeys(found))


def parts(mesh, whole, s):
    """What each device has; terms are of whole numbers, so that sums are exact."""
    rng, ranks = np.random.default_rng(0), []
    terms = [mesh.length(a) for a, _ in s.partial]
    split = rng.integers(-9, 9, (math.prod(terms), *whole.shape)).astype(np.float32)
    split[-1] = whole - split[:-1].sum(0)
    for r in range(mesh.size):
        place, at = mesh.place(r), 0
        for a, _ in s.partial:
            at = at * mesh.length(a) + place[a]
        ranks.append(Tensor(split[at][s.part(mesh, whole.shape, r)]))
    return ranks


def program(mesh, rank, shape, moves):
    """What a rank runs."""
    graph = Graph("moves")
    value = graph.add_param("x", AbstractTensor(tuple(shape), dt.float32))
    with building(Builder(graph)):
        for move in moves:
            value = exchanged(mesh, rank, value, move)
    graph.output = value
    return graph


def _cases(count):
    rng = np.random.default_rng(1)
    for mesh in MESHES:
        for shape in ((12,), (12, 6), (4, 6, 12), (2, 6, 4, 3)):
            pairs = list(
                itertools.product(layouts(mesh, shape, partial=True), layouts(mesh, shape))
            )
            chosen = (
                pairs if count is None else [pairs[i] for i in rng.permutation(len(pairs))[:count]]
            )
            yield mesh, shape, chosen


def test_every_pair(request):
    count = None if request.config.getoption("--whole") else 15
    for mesh, shape, pairs in _cases(count):
        whole = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
        for start, end in pairs:
            values, here = parts(mesh, whole, start), start
            moves = path(mesh, shape, 4, start, end)
            for move in moves:
                here = moved(here, move)
            assert here == end
            graphs = [program(mesh, r, v.shape, moves) for r, v in enumerate(values)]
            for r, (value, _) in enumerate(lockstep(graphs, [[v] for v in values])):
                expected = whole[end.part(mesh, shape, r)]
                np.testing.assert_array_equal(value.asnumpy(), expected, f"{start} -> {end}")


def test_costs():
    mesh = Mesh(("a",), (4,))
    whole, rows, columns = Sharding.whole(2), Sharding((("a",), ())), Sharding(((), ("a",)))
    terms = Sharding(((), ()), (("a", "sum"),))
    shape, size = (512, 512), 512 * 512 * 4

    def kinds(start, end):
        return [m.kind for m in path(mesh, shape, 4, start, end)]

    assert kinds(whole, rows) == ["cut"]
    assert kinds(rows, whole) == ["all_gather"]
    assert kinds(rows, columns) == ["all_to_all"]
    assert kinds(terms, whole) == ["all_reduce"]
    assert kinds(terms, columns) == ["reduce_scatter"]
    latency = cost(mesh, (4, 4), 0, rows, whole)
    assert cost(mesh, shape, 4, rows, whole) == latency + size * 3 // 4
    assert cost(mesh, shape, 4, rows, columns) == latency + size // 4 * 3 // 4
    assert cost(mesh, shape, 4, terms, whole) == latency + 2 * (size * 3 // 4)


def test_what_does_not_fit():
    mesh = Mesh(("a", "b"), (2, 3))
    with pytest.raises(ValueError, match="dimension 0 has 4 elements, which 3 devices"):
        Sharding((("b",),)).check(mesh, (4,), "x")
    with pytest.raises(ValueError, match="axis 'a' is used twice"):
        Sharding((("a",), ("a",))).check(mesh, (4, 4), "x")
    with pytest.raises(ValueError, match="has no axis 'c'"):
        Sharding((("c",),)).check(mesh, (4,), "x")
    with pytest.raises(ValueError, match="no moves"):
        path(mesh, (4,), 4, Sharding.whole(1), Sharding(((),), (("a", "max"),)))


@pytest.mark.parametrize("mesh", MESHES, ids=str)
def test_terms_of_what_all_have(mesh):
    """The terms of all devices are added up to what there was."""
    shape = (6, 12)
    whole = np.arange(72, dtype=np.float32).reshape(shape)
    for start in layouts(mesh, shape):
        for end in layouts(mesh, shape, partial=True):
            moves = path(mesh, shape, 4, start, end) + path(mesh, shape, 4, end, start)
            values = parts(mesh, whole, start)
            graphs = [program(mesh, r, v.shape, moves) for r, v in enumerate(values)]
            for (value, _), part in zip(lockstep(graphs, [[v] for v in values]), values):
                np.testing.assert_array_equal(value.asnumpy(), part.asnumpy(), f"{start} {end}")

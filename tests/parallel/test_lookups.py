"""Lookups in tables whose rows are divided: what is out of range is the error that it is on one device, on
every rank.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.parallel.plan import graph_of
from minds.sharding.layout import Mesh, Sharding
from minds.sharding.propagate import propagate
from minds.sharding.virtual import run

MESH = Mesh(("a", "b"), (2, 2))
TABLE = Tensor(np.arange(24, dtype=np.float32).reshape(12, 2))
WIDE = Tensor(np.arange(300, dtype=np.float32))


def looked_up(table, positions):
    return ops.gather(table, positions, 0)


def gradient(table, positions):
    return ms.grad(lambda t: (looked_up(t, positions) * looked_up(t, positions)).sum())(table)


def on_all(fn, *args, axes=("a", "b")):
    graph = graph_of(fn, args)
    rank = len(args[0].shape)
    lies = Sharding((axes, *((),) * (rank - 1)))
    shardings = propagate(graph, MESH, {graph.params[0]: lies})
    assert any("gather" in n.fn.name for n in shardings.rules)
    return run(graph, shardings, list(args))[0][0]


@pytest.mark.parametrize("fn", (looked_up, gradient))
def test_what_is_in_range(fn):
    """Negative positions and positions of narrow types too."""
    for table, positions, dtype in (
        (TABLE, [[0, -1], [11, -12]], np.int32),
        (TABLE, [5, 6, 5], np.int64),
        (WIDE, [-1, 127, -128, 0], np.int8),
        (WIDE, [255, 0, 128], np.uint8),
    ):
        positions = Tensor(np.array(positions, dtype))
        expected = fn(table, positions).asnumpy()
        for one in on_all(fn, table, positions):
            np.testing.assert_array_equal(one.asnumpy(), expected)


@pytest.mark.parametrize("fn", (looked_up, gradient))
@pytest.mark.parametrize("wrong", (12, -13, 2_000_000_000))
def test_what_is_out_of_range(fn, wrong):
    positions = Tensor(np.array([3, wrong, 0], np.int32))
    text = rf"index {wrong} at position 1 is out of range for an axis of size 12"
    with pytest.raises(IndexError, match=text):
        fn(TABLE, positions)
    with pytest.raises(IndexError, match=text):
        on_all(fn, TABLE, positions)


def test_processes(launch):
    code, out, err = launch(2, "lookups.py")
    assert code == 0 and out.count("all is well") == 2, out + err


def test_samples_of_one(launch, whole):
    """A rank whose own samples have such a position raises; the other one is told so."""
    if not whole:
        pytest.skip("with --whole")
    code, out, err = launch(2, "lookups.py", "one")
    assert code == 1, out + err
    assert "IndexError: gather" in err or "IndexError: index 99" in err, err
    assert "rank 1 has failed: IndexError" in err, err

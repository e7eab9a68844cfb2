"""True among other indices broadcasts with them, as NumPy has it; ints of the run in a list choose rows."""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn

A = np.arange(60).reshape(3, 4, 5)
INDICES = [
    True,
    (True,),
    (True, 1),
    (True, slice(0, 2)),
    (True, 2, ...),
    (..., True),
    (True, True),
    (True, [1, 2]),
    ([1, 2], True),
    (0, True, [1, 2]),
    ([0, 1], True, [1, 2]),
    (True, [0, 1], slice(None), [1, 2]),
    (None, True, [0, 1]),
    (slice(0, 1), True, [1, 2]),
    (True, slice(None), [1, 2]),
    (True, slice(None), 1, [1, 2]),
    (1, slice(None), True),
    (True, 2, True),
]


class Chosen(nn.Cell):
    def __init__(self, index):
        super().__init__()
        self.index = index

    def construct(self, x):
        kept = x + 0
        kept[self.index] = -1
        return x[self.index], kept


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_as_numpy(mode, index):
    ms.set_context(mode=mode)
    found, kept = Chosen(index)(Tensor(A))
    expected = A.copy()
    expected[index] = -1
    assert found.shape == A[index].shape
    np.testing.assert_array_equal(found.asnumpy(), A[index])
    np.testing.assert_array_equal(kept.asnumpy(), expected)


def test_a_list_of_ints_of_the_run():
    @ms.jit
    def rows(x, i):
        return x[[i, i + 1]]

    np.testing.assert_array_equal(rows(Tensor(A), ms.mutable(1)).asnumpy(), A[[1, 2]])


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("error", [IndexError, TypeError])
def test_floats_are_no_positions(mode, error):
    ms.set_context(mode=mode)
    with pytest.raises(error, match="integer dtype, got float32"):
        Chosen(Tensor([1.0]))(Tensor(A))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("error", [IndexError, ValueError])
def test_a_mask_of_another_shape(mode, error):
    ms.set_context(mode=mode)
    with pytest.raises(error, match=r"mask has shape \(2,\)"):
        Chosen(Tensor([True, False]))(Tensor(A))

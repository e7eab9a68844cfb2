"""Objects of a class of tuples that has no named fields, in compiled code."""

import pytest

import minds as ms
from minds import Tensor, nn

X = Tensor([1.0])


class Row(tuple):
    pass


class Anything:
    """An object that has every attribute, and can be called."""

    def __getattr__(self, name):
        return self

    def __call__(self, *args):
        return self


def test_an_argument_is_what_is_returned():
    same = ms.jit(lambda a: (a, a[1] * 2.0))
    for row in (Row((1, X)), Row((2, X)), Row((2, Tensor([5.0])))):
        found, twice = same(row)
        assert found is row and float(twice) == 2.0 * float(row[1])


class Scaled(nn.Cell):
    def __init__(self, row):
        super().__init__()
        self.row = row

    def construct(self, x):
        return self.row[1] * x


@pytest.mark.parametrize("first", [2.0, X])
def test_another_one_is_seen(first):
    net = Scaled(Row((1, first)))
    call = ms.jit(lambda x: net(x))
    assert float(call(X)) == float(first)
    for k in (3.0, Tensor([4.0]), Tensor([5.0]), 6.0):
        net.row = Row((1, k))
        assert float(call(X)) == float(k)


def test_an_object_that_has_every_attribute():
    thing = Anything()
    assert float(ms.jit(lambda x, a: x * 2.0)(X, thing)) == 2.0

"""What a traceback shows: the user's calls, and of minds what they called."""

import traceback

import pytest

import minds as ms
from minds import Tensor, nn, ops


class Inner(nn.Cell):
    def construct(self, x):
        return ops.matmul(x, x)


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def construct(self, x):
        return self.inner(x) + 1


CALLS = {
    "op": lambda x: ops.matmul(x, x),
    "method": lambda x: x.reshape(7),
    "layer": lambda x: nn.Dense(3, 4)(x),
    "constructor": lambda x: nn.Conv2d(3, 4, "a"),
    "network": lambda x: Outer()(x),
    "gradient": lambda x: ms.grad(Outer())(x),
    "function": lambda x: ms.jit(lambda v: ops.matmul(v, v))(x),
}


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"], autouse=True)
def _mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.GRAPH_MODE)


def frames(name: str) -> list:
    """The files of the traceback of a call, after that of this module's own frames."""
    with pytest.raises((TypeError, ValueError)) as e:
        CALLS[name](Tensor([[1.0, 2.0]]))
    return [f.filename for f in traceback.extract_tb(e.value.__traceback__)]


@pytest.mark.parametrize("name", CALLS)
def test_few_frames_of_minds(name):
    found = frames(name)
    own = sum(f == __file__ for f in found)
    assert len(found) - own <= 6 * (own - 1)  # the first one is the test's


def test_users_frames_stay():
    own = frames("network").count(__file__)
    assert own == (4 if ms.get_context("mode") == ms.PYNATIVE_MODE else 2)


def test_all_of_them(monkeypatch):
    few = len(frames("network"))
    monkeypatch.setenv("MINDS_FULL_TRACEBACK", "1")
    assert len(frames("network")) > few + 5

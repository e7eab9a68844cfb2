"""Wrong inputs of layers, losses and ops end in the same error in both modes: class and first line."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

F = np.ones((4, 3), np.float32)
LABELS = Tensor([0, 1, 2, 1], ms.int32)

CALLS = {
    "Dense": (lambda: nn.Dense(3, 2), []),
    "Conv1d": (lambda: nn.Conv1d(2, 3, 3), []),
    "Conv2d": (lambda: nn.Conv2d(2, 3, 3), []),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(2), []),
    "LayerNorm": (lambda: nn.LayerNorm((3,)), []),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), []),
    "MaxPool2d": (lambda: nn.MaxPool2d(2, 2), []),
    "LSTM": (lambda: nn.LSTM(3, 2), []),
    "GRU": (lambda: nn.GRU(3, 2), []),
    "CrossEntropyLoss": (nn.CrossEntropyLoss, [LABELS]),
    "matmul": (lambda: ops.matmul, [Tensor(np.ones((3, 2), np.float32))]),
    "layer_norm": (lambda: lambda x: ops.layer_norm(x, (3,), Tensor(F[0]), Tensor(F[0])), []),
}

WRONG = [3, 2.5, None, "text", Tensor(1.0), Tensor(F[0]), Tensor(F[:2, :0]), Tensor([[1, 2, 3]])]


def outcome(mode, make, args):
    ms.set_context(mode=mode)
    called = make()
    if mode == ms.GRAPH_MODE and not isinstance(called, nn.Cell):
        called = ms.jit(called)
    try:
        called(*args)
    except Exception as e:
        kind = next(k for k in type(e).__mro__ if k.__module__ == "builtins")
        return kind.__name__, str(e).splitlines()[0]
    return "no error"


@pytest.mark.parametrize("name", CALLS)
def test_wrong_inputs_end_alike_in_both_modes(name):
    make, more = CALLS[name]
    before = ms.get_context("mode")
    try:
        found = [
            [outcome(mode, make, [x, *more]) for x in WRONG]
            for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE)
        ]
    finally:
        ms.set_context(mode=before)
    assert found[0] == found[1]


@pytest.mark.parametrize("call", [ops.log_softmax, ops.square, ops.trace, ops.reduced_shape])
def test_ints_beyond_64_bits_and_wrong_kinds_end_in_one_class(call):
    wrong = Tensor(F) if call is ops.reduced_shape else 2**70

    def f():
        return call(wrong, 0) if call in (ops.log_softmax, ops.reduced_shape) else call(wrong)

    kinds = []
    for run in (f, ms.jit(f)):
        with pytest.raises((TypeError, OverflowError)) as found:
            run()
        kinds.append(found.type.__name__)
    assert kinds[0] == kinds[1]


NO_NUMBERS = Tensor(np.ones((2, 3), np.float32))
ATTRIBUTES = {
    "permute": lambda v: ops.permute(Tensor(F), v),
    "softmax": lambda v: ops.softmax(Tensor(F), v),
    "topk": lambda v: ops.topk(Tensor(F), v),
    "flip": lambda v: ops.flip(Tensor(F), v),
    "matrix_diag": lambda v: ops.matrix_diag(Tensor(F), v),
    "poisson": lambda v: ops.poisson(v, Tensor(F)),
    "slice": lambda v: ops.slice(Tensor(F), (0, 1), v),
    "UnravelIndex": lambda v: ops.UnravelIndex()(Tensor([1]), v),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_a_tensor_of_floats_is_no_axis_and_no_size(name):
    """It is refused by its kind: the class does not depend on whether its values are known."""
    call, kinds = ATTRIBUTES[name], []
    for run in (call, ms.jit(lambda v: call(v)), ms.jit(lambda v: call(NO_NUMBERS))):
        with pytest.raises((TypeError, ValueError)) as found:
            run(NO_NUMBERS)
        kinds.append(TypeError if isinstance(found.value, TypeError) else ValueError)
    assert len(set(kinds)) == 1, kinds


V = Tensor([1.0, 2.0])
ONE = Tensor(1.0)
NONSENSE = [
    lambda: ops.Div()(input=len, other=V, rounding_mode="same"),
    lambda: ops.LinSpace()("float32", 1, len),
    lambda: ops.LogSoftmax()(logits=np.float64(1.0)),
    lambda: ops.HSVToRGB()(np.float64(1.0)),
    lambda: ops.Ones()(np.float32(2), ms.complex64),
    lambda: ops.functional.dict_getitem({}, "a"),
    lambda: {1: 2}[[1]],
    lambda: ops.Meshgrid()(ONE),
    lambda: ops.addn(V),
    lambda: "a" in V,
    lambda: ops.is_nonzero(ONE),
    lambda: ops.argwhere(ONE).shape,
    lambda: ops.angle(-0.5).item(),
    lambda: ms.numpy.array_str(V),
    lambda: ops.lu_solve(Tensor([[2.0]]), Tensor([[4.0]]), Tensor(1)),
    lambda: ms.numpy.digitize(V, ONE),
]


@pytest.mark.parametrize("call", NONSENSE)
def test_nonsense_and_corners_give_the_same(call):
    def outcome(fn):
        try:
            value = fn()
        except Exception as e:
            return next(k.__name__ for k in type(e).__mro__ if k.__module__ == "builtins")
        return value.asnumpy().tolist() if isinstance(value, Tensor) else (type(value), value)

    assert outcome(call) == outcome(ms.jit(call))


def test_what_a_number_of_the_run_decides():
    """A range that leads away from its end, and edges that fall."""
    arange = ms.jit(lambda n: ops.arange(n, 3))
    assert arange(1).asnumpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="step must be towards end"):
        arange(9)
    digitize = ms.jit(ms.numpy.digitize)
    for bins in ([0.0, 1.0, 3.0], [3.0, 1.0, 0.0]):
        for right in (False, True):
            found = digitize(Tensor([0.5, 1.0, 7.0]), Tensor(bins), right).asnumpy()
            assert found.tolist() == np.digitize([0.5, 1.0, 7.0], bins, right).tolist()

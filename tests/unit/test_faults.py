"""A fault of minds is an `InternalError` with the program; what the user's code raises is not."""

from __future__ import annotations

import os

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.base.errors import InternalError, UserError
from minds.frontend.registry import EMITTERS
from minds.jit import find as finder
from minds.jit import pipeline, steps
from minds.lower import program as lowering
from minds.ops.define import P
from minds.transforms import traced

X = Tensor([1.0, 2.0])

FAULTS = [
    AssertionError("planted"),
    KeyError("planted"),
    TypeError("planted"),
    IndexError("planted"),
]


def planted(fault: Exception, statement: str = "raise fault", package: str = "passes"):
    """A function of minds that fails."""
    source = f"def fail(*args, **kwargs):\n    {statement}\n"
    space = {"fault": fault}
    file = os.path.join(os.path.dirname(ms.__file__), package, "planted.py")
    exec(compile(source, file, "exec"), space)
    return space["fail"]


def expect_fault(call, fault: Exception, *words: str) -> InternalError:
    with pytest.raises(InternalError) as e:
        call()
    assert e.value.__cause__ is fault
    assert "please report" in str(e.value) and type(fault).__name__ in str(e.value)
    for word in words:
        assert word in e.value.program
    with open(e.value.file) as file:
        assert file.read() == e.value.program
    os.remove(e.value.file)
    return e.value


def square(x):
    return ops.exp(x) * x


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: type(f).__name__)
def test_in_a_pass(fault, monkeypatch):
    steps = [(n, planted(fault) if n == "cse" else s) for n, s in pipeline.STEPS]
    monkeypatch.setattr(pipeline, "STEPS", steps)
    found = expect_fault(lambda: ms.jit(lambda x: square(x))(X), fault, "exp")
    assert "cse" in found.step


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: type(f).__name__)
def test_in_lowering(fault, monkeypatch):
    monkeypatch.setattr(lowering, "plan", planted(fault))
    expect_fault(lambda: ms.jit(lambda x: square(x))(X), fault, "exp")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: type(f).__name__)
def test_in_an_emitter(fault, monkeypatch):
    def mine(x):
        return x

    monkeypatch.setitem(EMITTERS, mine, planted(fault))
    expect_fault(lambda: ms.jit(lambda x: mine(ops.exp(x)))(X), fault, "exp")


OPERATIONS = [
    "[][1]",
    "{}['k']",
    "1 + 'a'",
    "int('a')",
    "1 // 0",
    "None.shape",
    "unknown",
    "len(1)",
]


@pytest.mark.parametrize("statement", OPERATIONS)
def test_in_a_line_of_the_frontend(statement, monkeypatch):
    """What the program's own operations raise is the program's; what a line of the frontend does is
    not, whatever its class, and no handler of the program takes it.
    """

    def mine(x):
        return x

    def fail(x):
        try:
            return mine(ops.exp(x))
        except Exception:
            return x

    monkeypatch.setitem(EMITTERS, mine, planted(None, statement, "frontend"))
    for fn in (fail, ms.jit(fail, fallback=True)):
        with pytest.raises(InternalError) as e:
            ms.jit(fn)(X) if fn is fail else fn(X)
        os.remove(e.value.file)


def test_in_an_inference_rule(monkeypatch):
    fault = AttributeError("planted")
    monkeypatch.setattr(P.exp, "infer_rule", planted(fault))
    odd = Tensor(np.zeros((3, 1, 5, 7), np.float32))  # what was inferred before is remembered
    expect_fault(lambda: ms.jit(lambda x: ops.exp(ops.sin(x)))(odd), fault, "sin")
    expect_fault(lambda: P.exp(odd), fault, "exp(")


def test_with_open_dimensions(monkeypatch):
    """Not compiled once more for each size."""
    fault = KeyError("planted")
    broken = [(n, planted(fault) if n == "cse" else s) for n, s in pipeline.STEPS]
    monkeypatch.setattr(steps, "STEPS", broken, raising=False)
    wanted = ms.jit(lambda x: square(x), input_signature=Tensor(shape=[None], dtype=ms.float32))
    expect_fault(lambda: wanted(X), fault, "exp")


@pytest.mark.parametrize("options", [{}, {"fallback": True}])
def test_in_the_search_for_a_program(monkeypatch, options):
    """Not run eagerly, and no error of the user's. There is no program yet."""
    fault = KeyError("planted")
    monkeypatch.setattr(finder, "key_of", planted(fault, package="jit"))
    with pytest.raises(InternalError, match="square was compiled") as e:
        ms.jit(square, **options)(X)
    assert e.value.__cause__ is fault


def test_in_a_trace(monkeypatch):
    """Not run eagerly in silence."""
    fault = KeyError("planted")
    monkeypatch.setattr(traced, "TRANSFORM", (planted(fault),))
    expect_fault(lambda: ms.vmap(square)(Tensor([[1.0], [2.0]])), fault, "exp")


# ---- the user's


class Mine(Exception):
    def __init__(self, code: int, where: str):
        super().__init__(code, where)
        self.code = code


def test_what_the_user_raises_is_not_a_fault():
    @ms.jit
    def checked(x, n):
        if n > 1:
            raise ValueError("too many")
        assert x.ndim == 1, "a vector"
        return x

    with pytest.raises(ValueError, match="too many") as e:
        checked(X, 3)
    assert not isinstance(e.value, InternalError)
    with pytest.raises(AssertionError, match="a vector"):
        checked(Tensor([[1.0]]), 1)


def test_what_a_host_function_raises_passes():
    def fails(x):
        raise Mine(7, "here")

    call = ms.host(fails, out=Tensor(shape=[2], dtype=ms.float32))
    with pytest.raises(Mine) as e:
        ms.jit(lambda x: call(x) + 1.0)(X)
    assert e.value.code == 7


def test_arguments_that_do_not_fit_are_not_faults():
    for call in (lambda x: ops.concat((x, x), "no axis"), lambda x: ops.reshape(x, None)):
        with pytest.raises((TypeError, ValueError)) as e:
            ms.jit(call)(X)
        assert isinstance(e.value, UserError)


# ---- calls of public names


@pytest.mark.parametrize("statement", ["unknown", "assert not args", "import os; os.unknown"])
def test_what_no_argument_can_cause(statement, monkeypatch):
    """Not a TypeError of the call; a function of the user's keeps its exception."""
    net = nn.Dense(2, 1)
    data = ms.dataset.NumpySlicesDataset({"x": np.ones((4, 2), "f4"), "y": np.ones((4, 1), "f4")})
    model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    fail = planted(None, statement, "train")

    class Users(ms.train.Callback):
        def on_train_begin(self, run_context):
            eval("unknown")

    with pytest.raises(NameError, match="unknown") as e:
        model.train(1, data.batch(2), Users(), dataset_sink_mode=False)
    assert type(e.value) is NameError
    monkeypatch.setattr(ms.train.Model, "_checked", fail)
    with pytest.raises(InternalError, match="in a call of Model.train: .*\n.*please report"):
        model.train(1, data.batch(2))
    monkeypatch.setattr(P.exp, "infer_rule", fail)
    with pytest.raises(InternalError, match="please report"):
        ops.exp(Tensor(np.ones((1, 1, 5, 9), np.float32)))

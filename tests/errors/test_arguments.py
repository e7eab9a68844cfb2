"""Errors of public names start with the name and say of an argument what was got and expected."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops
from minds.base import described, kinds

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
IMAGE = Tensor(np.ones((1, 1, 2, 3), np.float32))


def both(call, kind, match):
    for run in (call, ms.jit(call)):
        with pytest.raises(kind, match=match) as error:
            run()
        assert "test_arguments.py" in str(error.value)


def test_a_wrong_argument_is_named():
    both(lambda: ops.kron("text", X), TypeError, r"^kron: input is str 'text'\n")
    both(lambda: ops.sinc("text"), TypeError, r"^sinc: input is str 'text'\n")
    both(lambda: ops.cat([X, "a"]), TypeError, r"^cat: tensors is \[Tensor\[.*\], str 'a'\]\n")
    both(lambda: ops.gather(X), TypeError, "^gather: missing a required argument: 'input_indices")
    both(
        lambda: ops.split(X),
        TypeError,
        "^split: split_size_or_sections must be an int or sizes, got None",
    )
    both(lambda: ops.kron(X, X, unknown=2), TypeError, "^kron: got an unexpected keyword argument")
    both(lambda: ms.numpy.polyval("a", X), TypeError, "^polyval: ")
    both(lambda: nn.ReLU()("x"), TypeError, r"^ReLU: input is str 'x'\n")
    both(lambda: ops.ReduceSum(1, 2, 3), TypeError, "^ReduceSum: too many positional arguments")
    both(lambda: X.sum("q"), TypeError, "^sum: axis must be an int, got 'q'")
    both(lambda: ops.sum(X, 0, "no"), TypeError, "^sum: keepdims is str 'no'")


def test_constructors_and_methods():
    with pytest.raises(TypeError, match="^Momentum: missing a required argument: 'momentum'"):
        nn.Momentum([ms.Parameter(X, name="w")], 0.1)
    with pytest.raises(ValueError, match="^SGD: "):
        nn.SGD([], 0.1)
    with pytest.raises(TypeError, match="^ReLU6: got an unexpected keyword argument 'size'"):
        nn.ReLU6(size=3)
    with pytest.raises(TypeError, match="^Tensor.expand_as: |^expand_as: "):
        X.expand_as("x")


def test_what_users_raise_is_theirs():
    class Mine(Exception):
        pass

    def fail(*args):
        raise Mine("own")

    def divide(v):
        return v / {}["nothing"]

    with pytest.raises(Mine, match="^own$"):
        ops.Map()(fail, (X, X))
    with pytest.raises(ms.dataset.DatasetError, match="map: fail raised Mine: own; in row 0") as e:
        ms.dataset.NumpySlicesDataset([1, 2]).map(fail).create_tuple_iterator().__next__()
    assert type(e.value.__cause__) is Mine
    with pytest.raises(KeyError, match="^'nothing'$"):
        ops.while_loop(lambda v: True, divide, X)


TOO_LARGE = {
    "tensor_split": lambda: ops.tensor_split(X, 2**40),
    "mvlgamma": lambda: ops.mvlgamma(X, 10**9),
    "unfold": lambda: ops.unfold(IMAGE, 2**31 - 1),
    "vander": lambda: ops.vander(X[0], 10**9),
    "tril_indices": lambda: ops.tril_indices(10**9, 10**9),
    "triu_indices": lambda: ops.triu_indices(2**40, 2),
    "max_pool2d": lambda: ops.max_pool2d(IMAGE, 10**9),
    "avg_pool2d": lambda: ops.avg_pool2d(IMAGE, 10**9),
    "adaptive_avg_pool2d": lambda: ops.adaptive_avg_pool2d(IMAGE, 10**9),
    "adaptive_max_pool2d": lambda: ops.adaptive_max_pool2d(IMAGE, 10**9),
    "diff": lambda: ops.diff(X, 2**40),
    "zeros": lambda: ops.zeros((2**40,)),
    "tile": lambda: ops.tile(X, (2**40, 1)),
    "broadcast_to": lambda: ops.broadcast_to(X, (2**40, 2, 3)),
    "one_hot": lambda: ops.one_hot(Tensor([1]), 2**40, 1.0, 0.0),
    "linspace": lambda: ops.linspace(0, 1, 2**40),
    "arange": lambda: ops.arange(2**40),
    "repeat_interleave": lambda: ops.repeat_interleave(X, 2**40),
    "GRU": lambda: nn.GRU(3, 4, 10**9),
    "choice_with_mask": lambda: ops.choice_with_mask(Tensor([True, False]), 10**9),
    "polyder": lambda: ms.numpy.polyder(X[0], 10**9),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_too_large_is_refused_at_once(name):
    with pytest.raises((ValueError, MemoryError), match=f"^{name}: "):
        TOO_LARGE[name]()


def test_what_needs_no_loop_has_none():
    x = Tensor([1.5, 2.0])
    assert np.isfinite(ops.polygamma(3, x).asnumpy()).all()
    assert ops.polygamma(10**9, x).shape == (2,)
    for row, col, offset in [(3, 4, 1), (4, 3, -1), (0, 3, 0), (2, 3, -5), (3, 2, 5)]:
        got = ops.tril_indices(row, col, offset).asnumpy()
        np.testing.assert_array_equal(got, np.stack(np.tril_indices(row, offset, col)))
        got = ops.triu_indices(row, col, offset).asnumpy()
        np.testing.assert_array_equal(got, np.stack(np.triu_indices(row, offset, col)))


def test_lack_of_memory_is_a_runtime_error_too():
    with pytest.raises(RuntimeError, match="memory"):
        ops.zeros((2**40,))


def test_kinds():
    assert kinds.fits("int, tuple[int] | None", (1, 2)) and kinds.fits("int | None", None)
    assert not kinds.fits("int", 1.5, loosely=True) and not kinds.fits("int", True)
    assert kinds.fits("int", True, loosely=True) and kinds.fits("float", 3)
    assert kinds.fits("Tensor[(N, C) or (C,), float]", X)
    assert not kinds.fits("Tensor[(N,), float]", X) and not kinds.fits("Tensor[(..., N), int]", X)
    assert not kinds.fits("Tensor", "x", loosely=True) and kinds.fits("Tensor", 3, loosely=True)
    assert kinds.fits("list[Parameter]", [ms.Parameter(X)])
    assert not kinds.fits("list[Parameter]", [3], loosely=True)
    assert kinds.fits("in words that say nothing", object())


def test_types_of_docstrings():
    assert described.types(ops.kron.__doc__)["input"].startswith("Tensor")
    assert described.types(nn.LSTM.__doc__, "Inputs")["x"].startswith("Tensor")


DENSE, NORM, FLAT, LSTM = nn.Dense(3, 2), nn.BatchNorm1d(3), nn.Flatten(), nn.LSTM(3, 4)


@pytest.mark.parametrize("layer", [DENSE, NORM, FLAT, LSTM])
@pytest.mark.parametrize("x, said", [(3, "int 3"), ([X], r"\[Tensor\[.*\]\]"), (None, "None")])
def test_what_a_layer_takes(layer, x, said):
    """Compiled or not, and not what an operation inside says of it."""
    both(lambda: layer(x), TypeError, rf"^{type(layer).__name__}: x is {said}\n")


def test_a_tensor_of_another_rank():
    both(lambda: DENSE(Tensor(1.0)), ValueError, r"^Dense: x is Tensor\[\(\), float32\]\n")


ONE = Tensor([[2.0]])


@pytest.mark.parametrize("compiled", [False, True])
def test_what_a_constructor_kept(compiled):
    run = ms.jit if compiled else lambda f: f
    with pytest.raises(TypeError, match="^Map: "):
        run(lambda: ops.Map(3)([X]))()
    with pytest.raises(TypeError, match="^batch_norm: eps is str 'no'\n"):
        run(
            lambda: ms.mint.nn.functional.batch_norm(ONE, ONE[0], ONE[0], ONE[0], ONE[0], eps="no")
        )()
    with pytest.raises(ValueError, match="^fill: full: value must be a number of int32, got 109"):
        run(lambda: ops.fill(ms.int32, (2,), 2**40))()


def test_an_error_on_a_path_of_the_run_has_the_name():
    search = ms.scipy.optimize.line_search
    with pytest.raises(TypeError, match=r"^line_search: "):
        ms.jit(lambda x: search(X, x, x, ops.sin, x, 1.0, x))(Tensor([1.0]))


def test_a_cell_compiled_in_compiled_code():
    cell = nn.ReLU()
    assert ms.jit(lambda: cell.compile(X))() is None
    np.testing.assert_array_equal(ms.jit(lambda: cell.compile_and_run(X))().asnumpy(), X.asnumpy())


def T(shape, dtype="float32"):
    return Tensor(np.ones(shape, dtype))


INSIDE = {
    "what a class hands on": (
        lambda: ops.SpaceToBatchND((3, 2), [[0, 0], [0, 0]])(),
        r"^SpaceToBatchND: missing 1 required positional argument: 'input_x'",
    ),
    "a value": (
        lambda: ops.batch_dot(T((4, 2)), T((2, 2)), ()),
        r"^batch_dot: axes is \(\) \(.*\n(.*\n)*  expected int, tuple\[int\]",
    ),
    "an operand": (
        lambda: ops.ChannelShuffle(2)([[[]]]),
        r"^ChannelShuffle: x is \[\[\[\]\]\] \(.*\n(.*\n)*  expected ",
    ),
    "two": (
        lambda: ops.narrow(T(()), 0, 0, 1),
        r"^narrow: input is Tensor\[.*\] and axis is int 0 \(tuple index out of range\)",
    ),
}


@pytest.mark.parametrize("case", INSIDE)
def test_an_operation_inside_that_fails_names_what_it_read(case):
    call, match = INSIDE[case]
    both(call, (TypeError, ValueError, IndexError), match)


def test_what_is_kept_for_later_is_checked_at_once():
    with pytest.raises(TypeError, match="^LambdaCallback: on_train_begin is int 3\n"):
        ms.train.LambdaCallback(on_train_begin=3)
    with pytest.raises(TypeError, match="load_state_dict: state_dict is Tensor"):
        nn.Dense(2, 3).load_state_dict(X)
    with pytest.raises(TypeError, match="load_state_dict: weight is str 'text'"):
        nn.Dense(2, 3).load_state_dict({"weight": "text", "bias": "text"})


def test_transforms_say_which_one_failed():
    transforms = ms.dataset.transforms
    for made in (transforms.Compose, transforms.RandomChoice, transforms.RandomOrder):
        with pytest.raises(
            TypeError, match=rf"^{made.__name__}: transforms\[\d\], len, raised Type"
        ):
            made([len, len])(3)
    with pytest.raises(ValueError, match="^TypeCast: .* does not support cast from string"):
        transforms.TypeCast(ms.float16)(np.array(["a", "b"]))
    with pytest.raises(
        TypeError, match=r"^Fill: Argument fill_value with value \(0, 1, 2\) is not"
    ):
        transforms.Fill((0, 1, 2))(np.ones(5))


def test_files_that_are_not_there(tmp_path):
    missing = str(tmp_path / "none" / "a.ckpt")
    with pytest.raises(FileNotFoundError, match="^save_checkpoint: there is no folder") as e:
        ms.save_checkpoint(nn.Dense(2, 3), missing)
    assert isinstance(e.value, RuntimeError) and e.value.filename == str(tmp_path / "none")
    with pytest.raises(ValueError, match="^load_checkpoint: there is no file"):
        ms.load_checkpoint(missing)
    (tmp_path / "file").touch()
    inside = str(tmp_path / "file" / "net")
    with pytest.raises(OSError, match="^export: .*file") as e:
        ms.export(nn.Dense(2, 3), T((1, 2)), file_name=inside, file_format="MINDIR")
    assert isinstance(e.value, RuntimeError) and e.value.errno


def test_what_a_primitive_was_made_of():
    for call in (lambda: ops.Pad((5, 4, -1))(X), lambda: ops.TriuIndices(3, 5, (X, X))()):
        for run in (call, ms.jit(call)):
            with pytest.raises(TypeError, match=r"^(Pad: paddings|TriuIndices: offset) is \("):
                run()

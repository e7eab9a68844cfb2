"""Bad input of every kind gives an exception that names the fault; nothing crashes or hangs."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import minds as ms
from minds import Model, Parameter, Tensor, nn, ops
from minds import dataset as ds

pytestmark = pytest.mark.native
HERE = os.path.dirname(os.path.abspath(__file__))
ALLOWED = (TypeError, ValueError, IndexError, RuntimeError, MemoryError, OverflowError)
X = Tensor(np.ones((2, 3), np.float32))
EMPTY = Tensor(np.zeros((0, 3), np.float32))
IMAGES = Tensor(np.ones((2, 3, 8, 8), np.float32))


@pytest.fixture(params=["graph", "eager"])
def mode(request):
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE if request.param == "graph" else ms.PYNATIVE_MODE)
    yield request.param
    ms.set_context(mode=before)


@pytest.mark.parametrize("mode", ["eager", "graph"])
def test_every_op_refuses_nonsense(mode, tmp_path):
    """Some 15,000 calls; a process of its own, since one of them might end it."""
    journal = tmp_path / "call"
    script = os.path.join(HERE, "nonsense.py")
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", script, mode, str(journal)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, f"died in {journal.read_text().strip()}\n{run.stderr[-2000:]}"
    assert json.loads(run.stdout.splitlines()[-1]) == []


NONSENSE = {
    "None": None,
    "str": "x",
    "objects": [object()],
    "minus": -3,
    "zero": 0,
    "half": 0.5,
    "huge": 2**62,
    "nan": float("nan"),
    "tuple": (1, 2, 3, 4, 5),
    "dict": {},
    "function": len,
}
CELLS = {
    nn.Dense: (3, 4),
    nn.Conv2d: (3, 4, 3),
    nn.Conv1d: (3, 4, 3),
    nn.Conv2dTranspose: (3, 4, 3),
    nn.BatchNorm2d: (3,),
    nn.BatchNorm1d: (3,),
    nn.LayerNorm: ((3,),),
    nn.GroupNorm: (1, 3),
    nn.Dropout: (),
    nn.MaxPool2d: (2, 2),
    nn.AvgPool2d: (2, 2),
    nn.Embedding: (5, 3),
    nn.Flatten: (),
    nn.MSELoss: (),
    nn.L1Loss: (),
    nn.SmoothL1Loss: (),
    nn.SoftmaxCrossEntropyWithLogits: (),
    nn.CrossEntropyLoss: (),
    nn.BCELoss: (),
    nn.SequentialCell: ([nn.ReLU()],),
    nn.CellList: ([nn.ReLU()],),
    nn.LeakyReLU: (),
    nn.Softmax: (),
    nn.ExponentialDecayLR: (0.1, 0.9, 4),
    nn.CosineDecayLR: (0.01, 0.1, 4),
    nn.WarmUpLR: (0.1, 4),
}


@pytest.mark.parametrize("cls", CELLS, ids=lambda c: c.__name__)
def test_cells_refuse_nonsense_when_made(cls):
    """What is accepted must be usable, or refused on the call; nothing else may come out."""
    good = CELLS[cls]
    for value in NONSENSE.values():
        for i in range(max(len(good), 1)):
            args = (*good[:i], value, *good[i + 1 :])
            try:
                cls(*args)
            except ALLOWED as e:
                assert str(e).strip(), args


CALLS = {
    "nothing": (),
    "None": (None,),
    "str": ("x",),
    "list of objects": ([object()],),
    "number": (3,),
    "three": (X, X, X),
    "rank 0": (Tensor(1.0),),
    "empty": (EMPTY,),
    "two empty": (EMPTY, EMPTY),
    "ints": (Tensor([[1, 2, 3]]),),
    "bools": (Tensor([[True, False, True]]),),
    "images": (IMAGES,),
    "wrong channels": (IMAGES[:, :2],),
    "no images": (IMAGES[:0],),
    "no pixels": (Tensor(np.zeros((2, 3, 0, 0), np.float32)),),
    "nan labels": (X, Tensor(np.full((2, 3), np.nan, np.float32))),
    "nan ids": (X, Tensor(np.full(2, np.nan, np.float32))),
    "ids out of range": (X, Tensor([7, -9])),
    "too few ids": (X, Tensor([0])),
    "scalar labels": (X, Tensor(0)),
    "half": (Tensor(np.ones((2, 3), np.float16)), Tensor(np.ones((2, 3), np.float64))),
}


@pytest.mark.parametrize(
    "cls", [c for c in CELLS if c is not nn.CellList], ids=lambda c: c.__name__
)
def test_cells_refuse_wrong_inputs(cls, mode):
    cell = cls(*CELLS[cls])
    for what, args in CALLS.items():
        try:
            cell(*args)
        except ALLOWED as e:
            assert str(e).strip(), what
        except AttributeError as e:
            # Eagerly, construct is Python: CPython itself names an attribute that an argument does
            # not have.
            assert mode == "eager" and not all(isinstance(a, Tensor) for a in args), (what, e)


OPTIMIZERS = [
    nn.SGD,
    nn.Momentum,
    nn.Adam,
    nn.AdamWeightDecay,
    nn.RMSProp,
    nn.Adagrad,
    nn.Lamb,
    nn.Rprop,
    nn.ASGD,
    nn.AdaMax,
]


@pytest.mark.parametrize("cls", OPTIMIZERS, ids=lambda c: c.__name__)
def test_optimizers_refuse_nonsense(cls):
    rest = (0.9,) if cls is nn.Momentum else ()
    for value in NONSENSE.values():
        with pytest.raises((*ALLOWED, KeyError)) as e:
            cls(value, 0.1, *rest)
        assert str(e.value).strip()
        try:
            cls([Parameter(X.copy(), name="w")], value, *rest)
        except ALLOWED as e:
            assert str(e).strip()
        else:
            assert value in (0, 0.5, 2**62, (1, 2, 3, 4, 5)), value


@pytest.mark.parametrize("cls", OPTIMIZERS, ids=lambda c: c.__name__)
def test_optimizers_refuse_wrong_gradients(cls, mode):
    optimizer = cls([Parameter(X.copy(), name="w")], 0.1, *((0.9,) if cls is nn.Momentum else ()))
    for grads in (None, (), (None,), ("x",), (Tensor(np.ones((4, 5), np.float32)),), (X, X)):
        with pytest.raises(ALLOWED):
            optimizer(grads)


def rows(value, names):
    """All rows of a data set."""
    return list(ds.NumpySlicesDataset(value, names).create_dict_iterator())


def test_datasets_refuse_nonsense():
    for value in (None, 3, object(), [], (), {}, (np.ones(3), np.ones(4)), np.float32(1)):
        with pytest.raises(ALLOWED):
            rows(value, ["x"])
    data = ds.NumpySlicesDataset(np.ones((4, 3), np.float32), ["x"])
    for method, args in (
        ("batch", ("x",)),
        ("batch", (-1,)),
        ("repeat", (0,)),
        ("repeat", ("x",)),
        ("shuffle", (0,)),
        ("shuffle", (None,)),
        ("map", (3,)),
        ("map", (lambda v: v, 5)),
        ("take", (-7,)),
        ("skip", (-1,)),
    ):
        with pytest.raises(ALLOWED):
            list(getattr(data, method)(*args).create_dict_iterator())


def test_datasets_of_no_rows_and_of_objects():
    data = ds.GeneratorDataset(lambda: iter(()), ["x"])
    assert list(data.create_dict_iterator()) == []
    for row in (object(), [object()], np.array([object()])):
        with pytest.raises(ALLOWED):
            list(ds.GeneratorDataset(lambda row=row: iter([(row,)]), ["x"]).create_dict_iterator())


@pytest.mark.parametrize("content", [b"", b"x", b"\0" * 100, b"MINDS", os.urandom(1000)], ids=len)
def test_files_that_are_no_checkpoint(tmp_path, content):
    file = tmp_path / "a.ckpt"
    file.write_bytes(content)
    with pytest.raises(ALLOWED, match=r"a\.ckpt"):
        ms.load_checkpoint(str(file))


def test_every_truncation_and_every_flipped_byte_of_a_checkpoint_is_refused(tmp_path):
    file = tmp_path / "a.ckpt"
    ms.save_checkpoint(nn.Dense(3, 2), str(file))
    good = file.read_bytes()
    for n in range(len(good)):
        file.write_bytes(good[:n])
        with pytest.raises(ALLOWED):
            ms.load_checkpoint(str(file))
        file.write_bytes(good[:n] + bytes([good[n] ^ 0x55]) + good[n + 1 :])
        with pytest.raises(ALLOWED):
            ms.load_checkpoint(str(file))


def test_checkpoint_functions_refuse_nonsense(tmp_path):
    for value in NONSENSE.values():
        with pytest.raises((*ALLOWED, OSError)):
            ms.load_checkpoint(value)
        with pytest.raises(ALLOWED):
            ms.save_checkpoint(value or 3, str(tmp_path / "a.ckpt"))
        with pytest.raises(ALLOWED):
            ms.load_param_into_net(value, {})


def test_model_refuses_nonsense(mode):
    net = nn.Dense(3, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    columns = np.ones((4, 3), np.float32), np.ones((4, 5), np.float32)
    data = ds.NumpySlicesDataset(columns, ["x", "y"]).batch(2)
    for value in NONSENSE.values():
        with pytest.raises(ALLOWED):
            Model(value, nn.MSELoss(), optimizer).train(1, data)
        with pytest.raises(ALLOWED):
            Model(net, nn.MSELoss(), optimizer).train(1, value)
    with pytest.raises(ValueError, match="broadcast"):
        Model(net, nn.MSELoss(), optimizer).train(1, data, dataset_sink_mode=False)


def test_batches_of_no_rows_train_nothing(mode):
    net = nn.SequentialCell(
        nn.Conv2d(3, 2, 3),
        nn.BatchNorm2d(2),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(32, 4),
    )
    out = net(IMAGES[:0])
    assert out.shape == (0, 4)
    g = ms.grad(lambda x: net(x).sum())(IMAGES[:0])
    assert g.shape == (0, 3, 8, 8)


def test_nan_passes_through(mode):
    x = Tensor(np.array([[np.nan, 1.0]], np.float32))
    assert np.isnan(nn.MSELoss()(x, ops.zeros_like(x)).asnumpy())
    assert np.isnan(ops.cross_entropy(x, Tensor([1])).asnumpy())


@pytest.mark.parametrize("shape", [(2**62,), (2**31,) * 3, (2**42,), (2**20, 2**22)], ids=str)
def test_sizes_that_no_memory_holds(shape, mode):
    for make in (
        lambda: ops.zeros(shape),
        lambda: ops.broadcast_to(Tensor(1.0), shape),
        lambda: ops.standard_normal(shape),
    ):
        with pytest.raises((MemoryError, OverflowError)):
            (ms.jit(make) if mode == "graph" else make)()


@pytest.mark.parametrize("window", [0, -1, (0, 2), (2,), (1, 2, 3), "2", None, 2.5, 2**62, 2**70])
def test_windows_and_strides(window, mode):
    weight = ops.ones((4, 3, 3, 3))
    for call in (
        lambda: ops.max_pool2d(IMAGES, window),
        lambda: ops.avg_pool2d(IMAGES, window),
        lambda: ops.conv2d(IMAGES, weight, stride=window),
        lambda: ops.conv2d(IMAGES, weight, dilation=window),
    ):
        with pytest.raises(ALLOWED):
            result = (ms.jit(call) if mode == "graph" else call)()
            # A stride longer than the image is legal: one window is left.
            if window == 2**62 and result.shape[2:] == (1, 1):
                raise ValueError


def test_a_folder_is_no_file(tmp_path):
    for load in (ms.load, ms.load_checkpoint):
        with pytest.raises(ValueError, match=rf"{load.__name__}: .*{tmp_path.name}' is a folder"):
            load(str(tmp_path))


def test_a_tensor_of_another_library_is_named():
    foreign = type("Tensor", (), {"__module__": "torch", "detach": None})()
    with pytest.raises(TypeError, match=r"input_data has type torch\.Tensor\n(.|\n)*detach\(\)"):
        ms.Tensor(foreign)
    with pytest.raises(TypeError, match=r"add: input has type torch\.Tensor"):
        ms.ops.add(foreign, 1)


# ---- training


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_optimizers_take_no_dtype_that_loses_the_step(mode):
    ms.set_context(mode=mode)
    for parameter, gradient in (("int32", "int32"), ("bool", "float32"), ("float32", "complex64")):
        for cls in (nn.SGD, nn.Adam, nn.Rprop):
            held = ms.Parameter(Tensor(np.ones(2).astype(parameter)), name="held")
            optimizer = cls([held], learning_rate=0.1)
            with pytest.raises(
                TypeError, match=f"^{cls.__name__}: parameter held has dtype {parameter}"
            ):
                optimizer((Tensor(np.ones(2).astype(gradient)),))
            assert (held.asnumpy() == 1).all()


def test_metrics_are_named_as_they_were_made():
    prediction, label = Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((3, 2), np.float32))
    for name in ("F1", "Precision", "MAE", "MSE"):
        with pytest.raises(ValueError, match=f"^{name}.update: the prediction has shape"):
            getattr(ms.train, name)().update(prediction, label)


def test_a_list_that_holds_itself_is_no_batch():
    cycle = []
    cycle.append(cycle)
    with pytest.raises(RecursionError, match="^vmap of .*: a list or dict among the arguments"):
        ms.vmap(lambda a: a)(cycle)


@pytest.mark.parametrize("run", [lambda f: f, ms.jit], ids=["pynative", "graph"])
def test_numbers_that_no_element_holds(run):
    with pytest.raises(ValueError, match="value must be a number of int32, got inf"):
        run(lambda: ops.fill(ms.int32, (2,), float("inf")))()
    with pytest.raises(ValueError, match="value must be a number of int16"):
        run(lambda x: x.fill(2**63))(Tensor([1], ms.int16))
    with pytest.raises(ValueError, match="value must be within the range of float64"):
        run(lambda: ops.full((2,), -(10**400), dtype=ms.float32))()
    assert run(lambda: ops.full((), 10**30, dtype=ms.float32))() == np.float32(1e30)
    with pytest.raises(ValueError, match="N is 18446744073709551615"):
        run(lambda: ops.vander(Tensor([1, 2]), np.uint64(2**64 - 1)))()
    assert run(lambda: ops.eye(2**31, 0))().shape == (2**31, 0)


def test_an_int_that_a_run_cannot_hold():
    for late in (lambda x: ops.switch(x > 0, 10**400, 1), lambda x: ms.mutable(10**400) * x):
        with pytest.raises(OverflowError, match="an int of 1329 bits becomes a number of the run"):
            ms.jit(late)(Tensor(1.0))


@pytest.mark.parametrize(
    "call",
    [
        lambda n: ms.profile().save_memory_chart(n),
        lambda n: ms.profile().save_flame_graph(n),
        lambda n: ds.deserialize(json_filepath=n),
        lambda n: ms.load(n),
        lambda n: ms.load_checkpoint(n),
        lambda n: ms.train.load_state(n),
    ],
)
def test_a_number_is_no_file(call):
    """`open` would take it for an open file, and close that."""
    read, write = os.pipe()
    try:
        with pytest.raises(TypeError):
            call(write)
        os.fstat(write)
    finally:
        os.close(read)
        os.close(write)

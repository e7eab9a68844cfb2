"""Programs in files for batches of any size: every layer of `nn` and `mint.nn`."""

import numpy as np
import pytest
from export_rows import MINT, NN, NO_LAYERS, OTHER_INPUTS, value

import minds as ms
from minds import Tensor, mint, nn, ops

ROWS = [(m, *row) for m, rows in ((nn, NN), (mint.nn, MINT)) for row in rows]


def same(a, b):
    if isinstance(b, (tuple, list)):
        assert type(a) is type(b) and len(a) == len(b)
        for v, w in zip(a, b):
            same(v, w)
        return
    assert a.dtype == b.dtype
    np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=2e-5, atol=2e-6)


def through_a_file(folder, net, *inputs):
    path = str(folder / "net.mindir")
    ms.export(net, *inputs, file_name=path, file_format="MINDIR")
    return nn.GraphCell(ms.load(path))


@pytest.mark.parametrize(
    "module, name, args, inputs",
    [(m, name, args, inputs) for m, name, args, *inputs in ROWS],
    ids=[f"{m.__name__}.{name}-{i}" for i, (m, name, *_) in enumerate(ROWS)],
)
def test_one_file_for_all_batches(tmp_path, module, name, args, inputs):
    net = getattr(module, name)(*args)
    net.set_train(False)
    read = through_a_file(tmp_path, net, *[value(s, None) for s in inputs])
    for n in (1, 3, 5):
        given = [value(s, n) for s in inputs]
        same(read(*given), net(*given))


def test_elements_of_a_sparse_matrix(tmp_path):
    layer = nn.SparseTensorDenseMatmul()

    def product(places, values, dense):
        return layer(places, values, (4, 5), dense)

    specs = "4:n 2", "n", "5 t"
    read = through_a_file(tmp_path, product, *[value(s, None) for s in specs])
    for n in (1, 3, 5):
        given = [value(s, n) for s in specs]
        same(read(*given), product(*given))


def test_what_is_drawn_is_drawn_at_each_call(tmp_path):
    net = nn.FractionalMaxPool2d(2, output_size=(3, 4))
    read = through_a_file(tmp_path, net, value("n 3 20 30", None))
    for n in (2, 5):
        x = value("n 3 20 30", n)
        a, b = read(x).asnumpy(), read(x).asnumpy()
        assert a.shape == (n, 3, 3, 4) and not np.array_equal(a, b)


def test_every_layer_has_a_row():
    for module, rows in ((nn, NN), (mint.nn, MINT)):
        cells = {
            n
            for n, c in vars(module).items()
            if isinstance(c, type) and issubclass(c, nn.Cell) and n[0] != "_"
        }
        named = {name for name, *_ in rows}
        assert cells - named - set(NO_LAYERS) - set(OTHER_INPUTS) == set()


class Net(nn.Cell):
    """A network with a condition on a size, and a result whose size depends on it."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(4, 4)

    def construct(self, x, y):
        x = self.layer(x)
        if x.shape[0] > 4:
            x = x * 2.0
        return ops.concat((x, y)), x.shape[0], x.reshape(-1, 2).mean(1)


def test_two_sizes(tmp_path):
    net = Net()
    opened = Tensor(shape=[None, 4], dtype=ms.float32)
    read = through_a_file(tmp_path, net, opened, opened)
    for n, m in ((2, 3), (5, 5), (7, 1)):
        x, y = value(f"{n} 4", 1), value(f"{m} 4", 1)
        for a, b in zip(read(x, y), net(x, y)):
            same(a, b) if isinstance(b, Tensor) else None
            assert not isinstance(b, int) or a == b == n


def test_derivatives_for_any_size(tmp_path):
    net = nn.Dense(4, 3)
    read = through_a_file(tmp_path, net, Tensor(shape=[None, 4], dtype=ms.float32))
    for n in (2, 5):
        x = value(f"{n} 4", 1)
        expected = ms.grad(lambda v: (net(v) ** 2).sum())(x)
        same(ms.grad(lambda v: (read(v) ** 2).sum())(x), expected)
        same(ms.jit(lambda v: ms.grad(lambda w: (read(w) ** 2).sum())(v))(x), expected)


def test_inside_of_a_program_for_any_size(tmp_path):
    net = nn.Dense(4, 3)
    read = through_a_file(tmp_path, net, Tensor(shape=[None, 4], dtype=ms.float32))
    opened = (Tensor(shape=[None, 4], dtype=ms.float32),)
    outer = ms.jit(lambda x: read(x) + 1.0, input_signature=opened)
    for n in (2, 3, 9):
        x = value(f"{n} 4", 1)
        same(outer(x), net(x) + 1.0)
    assert len(ms.recompiles(outer)) == 1


def test_sizes_that_the_run_finds(tmp_path):
    def positive(x):
        y = x[x > 0]
        return y * 2.0, ops.nonzero(x)

    for declared in (value("n", 7), value("n", None)):
        read = through_a_file(tmp_path, positive, declared)
        x = value("n", 7)
        for a, b in zip(read(x), positive(x)):
            same(a, b)


@pytest.mark.parametrize(
    "shape, error",
    [((3, 5), "exported for"), ((3,), "exported for"), ((3, 4, 4), "exported for")],
)
def test_other_sizes_are_refused(tmp_path, shape, error):
    read = through_a_file(tmp_path, nn.Dense(4, 3), Tensor(shape=[None, 4], dtype=ms.float32))
    with pytest.raises(TypeError, match=error):
        read(Tensor(np.ones(shape, np.float32)))


def test_sizes_that_break_what_was_assumed_are_refused(tmp_path):
    def f(x):
        return x.reshape(x.shape[0] * x.shape[1])[3:]

    read = through_a_file(tmp_path, f, Tensor(shape=[None, None], dtype=ms.float32))
    x = value("4 2", 1)
    same(read(x), f(x))
    with pytest.raises(TypeError, match=r"where x.shape\[0\]\*x.shape\[1\] >= 3"):
        read(value("1 2", 1))


def test_height_and_width(tmp_path):
    net = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    read = through_a_file(tmp_path, net, Tensor(shape=[None, 3, None, None], dtype=ms.float32))
    for shape in ("1 3 5 5", "2 3 8 6", "1 3 4 9"):
        x = value(shape, 1)
        same(read(x), net(x))


def test_a_size_that_must_be_known_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not for all sizes that are declared open"):
        through_a_file(tmp_path, nn.Dense(4, 3), Tensor(shape=[2, None], dtype=ms.float32))


def test_numbers_that_must_be_known(tmp_path):
    def split(x, axis):
        return ops.split(x, 1, axis)

    x = value("2 4", 1)
    read = through_a_file(tmp_path, split, x, 1)
    same(read(x, 1), split(x, 1))
    with pytest.raises(TypeError, match="exported for"):
        read(x, 0)

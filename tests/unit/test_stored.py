"""Programs as files: what is read runs like what was written, and has its derivatives."""

import zipfile

import numpy as np
import pytest

import minds as ms
from minds import Parameter, ParameterTuple, Tensor, nn, ops

X = Tensor(np.random.default_rng(1).standard_normal((2, 3)).astype(np.float32))


class Repeated(nn.Cell):
    """A layer, again and again; with a big constant, and a parameter of bfloat16."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(3, 4)
        self.back = Tensor(np.linspace(-1.0, 1.0, 12).reshape(4, 3).astype(np.float32))
        self.half = Parameter(Tensor([1.5, -2.0], ms.bfloat16), name="half", requires_grad=False)

    def construct(self, x, n):
        i = 0
        while i < n:
            x = ops.tanh(self.layer(x)) @ self.back
            i = i + 1
        return x, {"count": [i, None, "text", 7], "half": self.half}


class Factorial(nn.Cell):
    def construct(self, n, x):
        return self.of(n) * x

    def of(self, n):
        return 1 if n < 1 else n * self.of(n - 1)


class Step(nn.Cell):
    """A step of training: the program changes its parameters."""

    def __init__(self):
        super().__init__()
        self.net = nn.WithLossCell(nn.Dense(3, 2), nn.SoftmaxCrossEntropyWithLogits())
        self.weights = ParameterTuple(self.net.trainable_params())
        self.optimizer = nn.Momentum(self.weights, 0.1, 0.9)
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, label):
        return self.optimizer(self.grad(self.net, self.weights)(x, label))


def through_a_file(folder, net, *inputs):
    ms.export(net, *inputs, file_name=str(folder / "made" / "program"), file_format="MINDIR")
    return nn.GraphCell(ms.load(str(folder / "made" / "program.mindir")))


def same(a, b):
    np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    assert a.dtype == b.dtype


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_what_is_read_runs_like_what_was_written(tmp_path, mode):
    net = Repeated()
    read = through_a_file(tmp_path, net, X, 2)
    ms.set_context(mode=mode)
    try:
        for n in (0, 2, 5):
            (a, held), (b, expected) = read(X, n), net(X, n)
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)
            assert held["count"] == expected["count"] == [n, None, "text", 7]
            same(held["half"], net.half)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    held = {p.name: p.requires_grad for p in net.get_parameters()}
    assert {p.name: p.requires_grad for p in read.get_parameters()} == held


def test_derivatives_of_what_is_read(tmp_path):
    net = Repeated()
    read = through_a_file(tmp_path, net, X, 2)

    def loss(f):
        return lambda x: (f(x, 3)[0] * x).sum()

    expected, by_weight = ms.value_and_grad(loss(net), 0, net.trainable_params())(X)[1]
    for found, of_weights in (
        ms.value_and_grad(loss(read), 0, read.trainable_params())(X)[1],
        ms.jit(lambda x: ms.grad(loss(read), 0, read.trainable_params())(x))(X),
    ):
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=2e-5)
        found = dict(zip([p.name for p in read.trainable_params()], of_weights, strict=True))
        for p, b in zip(net.trainable_params(), by_weight, strict=True):
            a = found[p.name]
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=2e-5, atol=1e-6)


def test_recursion(tmp_path):
    read = through_a_file(tmp_path, Factorial(), 3, X)
    np.testing.assert_allclose(read(6, X).asnumpy(), X.asnumpy() * 720.0, rtol=1e-6)


def test_a_step_of_training(tmp_path):
    step, label = Step(), Tensor(np.eye(2, dtype=np.float32))
    read = through_a_file(tmp_path, step, X, label)
    before = {p.name: p.asnumpy().copy() for p in step.get_parameters()}
    for net in (step, read):
        for _ in range(3):
            net(X, label)
    after = {p.name: p for p in read.get_parameters()}
    assert after.keys() == before.keys()
    for p in step.get_parameters():
        np.testing.assert_allclose(after[p.name].asnumpy(), p.asnumpy(), rtol=1e-5, atol=1e-7)
    assert any((after[n].asnumpy() != v).any() for n, v in before.items())


def test_parameters_of_another_value(tmp_path):
    through_a_file(tmp_path, lambda x, net=Repeated(): net.layer(x), X)
    program = ms.load(str(tmp_path / "made" / "program.mindir"))
    zero = {p.name: Tensor(np.zeros(p.shape, np.float32)) for p in program.parameters}
    assert not nn.GraphCell(program, zero)(X).asnumpy().any()
    with pytest.raises(
        ValueError, match="Parameter with same shape and dtype as it, but got 'other'"
    ):
        nn.GraphCell(program, {"other": X})


def test_the_program_can_be_read_as_text(tmp_path):
    through_a_file(tmp_path, lambda x: ops.sin(x) + 1.0, X)
    with zipfile.ZipFile(tmp_path / "made" / "program.mindir") as file:
        assert "sin(%x0) : Tensor[(2, 3), float32]" in file.read("program.txt").decode()


@ms.host
def hosted(x):
    return x.asnumpy() ** 2


def raises(x, n):
    print("given", n, [x.shape, n])
    if n > 5:
        raise ValueError(f"{n:>4} is too large")
    if n > 4:
        raise KeyError("five", 5)
    return [ops.sin, ops.cos][n](x)


def test_what_a_program_says(tmp_path, capfd):
    read = through_a_file(tmp_path, raises, X, 1)
    np.testing.assert_allclose(read(X, 1).asnumpy(), np.cos(X.asnumpy()), rtol=1e-6)
    assert "given 1 [(2, 3), 1]" in capfd.readouterr().out
    for n, error, match in (
        (9, ValueError, "   9 is too large"),
        (5, KeyError, "five"),
        (3, IndexError, "Given index 3 out of range for 2 functions"),
    ):
        with pytest.raises(error, match=match):
            read(X, n)


def test_a_parameter_as_an_argument(tmp_path):
    given, path = ms.Parameter(X * 2), str(tmp_path / "net.mindir")
    ms.export(ops.sin, given, file_name=path, file_format="MINDIR")
    for v in (given, X * 2):
        assert (ms.load(path)(v).asnumpy() == ops.sin(X * 2).asnumpy()).all()


def sets(x):
    x[0] = 1.0
    return x


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda f: ms.export(3, X, file_name=f, file_format="MINDIR"), TypeError, "net is int"),
        (
            lambda f: ms.export(ops.sin, X, file_name=f, file_format="ONNX"),
            ValueError,
            "file_format is 'ONNX'",
        ),
        (
            lambda f: ms.export(ops.sin, X, file_name=f, file_format="MINDIR", enc_key=b"k"),
            ValueError,
            "enc_key has 1 bytes",
        ),
        (
            lambda f: ms.export(hosted, X, file_name=f, file_format="MINDIR"),
            ValueError,
            "a file cannot hold",
        ),
        (
            lambda f: ms.export(sets, X * 1, file_name=f, file_format="MINDIR"),
            ValueError,
            "changes its argum",
        ),
        (lambda f: ms.load(f), ValueError, "ends with"),
        (lambda f: ms.load(f + ".mindir"), ValueError, "there is no file"),
        (lambda f: nn.GraphCell(f), TypeError, "graph is str"),
    ],
)
def test_what_is_refused(tmp_path, call, error, match):
    with pytest.raises(error, match=match):
        call(str(tmp_path / "program"))


def test_other_inputs_and_other_files_are_refused(tmp_path):
    read = through_a_file(tmp_path, lambda x: x + 1.0, X)
    for wrong in (Tensor([1.0]), X.astype(ms.float64), 2.0):
        with pytest.raises(TypeError, match=r"exported for Tensor\[\(2, 3\), float32\]"):
            read(wrong)
        with pytest.raises(TypeError, match=r"exported for Tensor\[\(2, 3\), float32\]"):
            ms.jit(lambda x, w=wrong: read(w) + x)(X)
    (tmp_path / "text.mindir").write_text("no archive")
    with pytest.raises(ValueError, match="holds no exported program"):
        ms.load(str(tmp_path / "text.mindir"))

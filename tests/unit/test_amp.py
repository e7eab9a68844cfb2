"""Mixed precision: levels and lists against NumPy's float16, both modes, loss scaling."""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, amp, nn, ops

HALVES = {ms.float16: 2e-3, ms.bfloat16: 2e-2}  # the spacing of numbers near 1, doubled
RNG = np.random.default_rng(0)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, has_bias=True)
        self.norm = nn.BatchNorm2d(4)
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(4 * 36, 5)
        self.scale = ms.Parameter(Tensor(np.full((5, 5), 0.25, "float32")), name="scale")

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x)))
        x = self.dense(self.flatten(x))
        return ops.softmax(ops.matmul(x, self.scale), -1)


X = RNG.standard_normal((2, 3, 6, 6)).astype("float32")


def made():
    net = Net()
    for i, p in enumerate(net.get_parameters()):
        if p.requires_grad:
            values = np.random.default_rng(i).standard_normal(p.shape) * 0.3
            p.set_data(Tensor(values.astype("float32")))
    return net


def loss_and_gradients(net, mode):
    ms.set_context(mode=mode)
    try:
        weight = Tensor(np.arange(10, dtype="float32").reshape(2, 5))
        return ms.value_and_grad(lambda x: (net(x) * weight).sum(), None, net.trainable_params())(
            Tensor(X)
        )
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


@pytest.mark.parametrize("dtype", HALVES, ids=repr)
@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "auto"])
def test_levels(level, dtype):
    wanted, gradients = loss_and_gradients(made(), ms.PYNATIVE_MODE)
    results = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        net = amp.auto_mixed_precision(made(), level, dtype)
        loss, found = loss_and_gradients(net, mode)
        assert loss.dtype == ms.float32
        assert [g.dtype for g in found] == [p.dtype for p in net.trainable_params()]
        tolerance = 0 if level == "O0" else 20 * HALVES[dtype]
        np.testing.assert_allclose(loss.asnumpy(), wanted.asnumpy(), rtol=max(tolerance, 1e-6))
        assert level == "O0" or loss.asnumpy() != wanted.asnumpy()
        for g, w in zip(found, gradients):
            scale = np.abs(w.asnumpy()).max()
            np.testing.assert_allclose(
                g.asnumpy(), w.asnumpy(), atol=max(tolerance, 1e-5) * max(scale, 1)
            )
        results.append((loss, *found))
    assert results[0][0].asnumpy() == results[1][0].asnumpy()


def as_float16(*arrays):
    return [np.asarray(a).astype("float16") for a in arrays]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_dense_in_float16_is_numpys(mode):
    ms.set_context(mode=mode)
    x = RNG.standard_normal((4, 8)).astype("float32")
    for level in ("O1", "O2", "O3"):
        net = nn.Dense(8, 3)
        a, w, b = as_float16(x, net.weight.asnumpy(), net.bias.asnumpy())
        wanted = (a.astype("float32") @ w.T.astype("float32")).astype("float16") + b
        found = amp.auto_mixed_precision(net, level)(Tensor(x))
        assert found.dtype == ms.float32
        np.testing.assert_allclose(found.asnumpy(), wanted.astype("float32"), atol=2e-3)
        np.testing.assert_array_equal(found.asnumpy(), found.asnumpy().astype("float16"))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_where_each_level_casts(mode):
    ms.set_context(mode=mode)
    seen = {}

    class Seen(nn.Cell):
        def __init__(self, inner, name):
            super().__init__()
            self.inner, self.name = inner, name

        def construct(self, x):
            y = self.inner(x)
            seen[self.name] = (x.dtype, y.dtype)
            return y

    def run(level):
        net = nn.SequentialCell(
            Seen(nn.Dense(4, 4), "dense"), Seen(nn.LayerNorm((4,)), "norm"), Seen(nn.ReLU(), "relu")
        )
        amp.auto_mixed_precision(net, level)(ops.ones((2, 4)))
        return dict(seen)

    half, full = ms.float16, ms.float32
    assert run("O0") == {"dense": (full, full), "norm": (full, full), "relu": (full, full)}
    assert run("O1") == {"dense": (full, full), "norm": (full, full), "relu": (full, full)}
    assert run("O2") == {"dense": (half, half), "norm": (half, half), "relu": (half, half)}
    assert run("O3")["norm"] == (half, half)


@pytest.mark.parametrize("compiled", [False, True])
def test_auto_on_functions(compiled):
    def dtypes(a, b, z):
        return ops.matmul(a, b), ops.exp(a), a + 1, ops.concat((ops.matmul(a, b), a)), z @ z

    fn = amp.auto_mixed_precision(dtypes, "auto", ms.bfloat16)
    a, z = ops.ones((2, 2)), ops.ones((2, 2), ms.float64)
    found = (ms.jit(fn) if compiled else fn)(a, a, z)
    half, full = ms.bfloat16, ms.float32
    assert [v.dtype for v in found] == [half, full, full, full, ms.float64]
    assert ops.matmul(a, a).dtype == full  # the region has ended
    low = amp.auto_mixed_precision(lambda a: (ops.exp(a), a * 2), "auto")
    found = (ms.jit(low) if compiled else low)(a.astype(ms.float16))
    assert [v.dtype for v in found] == [full, ms.float16]


def test_what_is_called_in_a_region_compiles_for_it():
    ms.set_context(mode=ms.GRAPH_MODE)
    product, cell = ms.jit(lambda a: a @ a), nn.Dense(2, 2)
    a = ops.ones((2, 2))
    assert product(a).dtype == ms.float32
    low = amp.auto_mixed_precision(lambda a: (product(a), cell(a)), "auto")
    assert low(a)[0].dtype == ms.float16
    assert product(a).dtype == ms.float32


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_lists_of_ones_own(mode):
    ms.set_context(mode=mode)
    x = RNG.standard_normal((2, 4)).astype("float32")

    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense, self.tanh = nn.Dense(4, 4), ops.Tanh()

        def construct(self, x):
            return self.dense(x), self.tanh(x), ops.tanh(x)

    def rounded(v):
        return np.array_equal(v.asnumpy(), v.asnumpy().astype("float16"))

    white = amp.get_white_list()
    white.remove(nn.Dense)
    white.remove(ops.MatMul)
    found = amp.custom_mixed_precision(Two(), white_list=[*white, ops.Tanh])(Tensor(x))
    assert [v.dtype for v in found] == [ms.float32] * 3
    assert [rounded(v) for v in found] == [False, True, False]
    found = amp.custom_mixed_precision(Two(), black_list=[nn.Dense])(Tensor(x))
    assert [v.dtype for v in found] == [ms.float32] * 3
    assert all(map(rounded, found))
    assert nn.Dense in amp.get_white_list()


def test_precision_and_own_gradients_agree_between_modes():
    class Doubled(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 3,)

    x = Tensor(np.array([0.1, 0.7], "float32"))
    found = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        net = Doubled().to_float(ms.float16)
        found.append((net(x), ms.grad(lambda x: net(x).sum())(x)))
    for a, b in zip(*found):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())
    np.testing.assert_array_equal(found[0][0].asnumpy(), (x.asnumpy().astype("float16") * 2))
    np.testing.assert_array_equal(found[0][1].asnumpy(), [3, 3])


def test_refused():
    net = nn.Dense(2, 2)
    for call, message in (
        (lambda: amp.auto_mixed_precision(net, "O4"), "amp_level is 'O4'"),
        (lambda: amp.auto_mixed_precision(net, "O1", ms.float32), "dtype is Float32"),
        (lambda: amp.custom_mixed_precision(net), "white_list or black_list"),
        (
            lambda: amp.custom_mixed_precision(net, white_list=[], black_list=[]),
            "white_list or black_list",
        ),
        (lambda: amp.build_train_network(net, None, level="O5"), "level is 'O5'"),
        (lambda: amp.build_train_network(net, None, speed=1), "no argument speed"),
        (lambda: amp.StaticLossScaler(0.5), "scale_value is 0.5"),
        (lambda: amp.DynamicLossScaler(2.0, 0, 1), "scale_factor is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    for call, message in (
        (lambda: amp.auto_mixed_precision(lambda x: x, "O1"), "network has type function"),
        (lambda: amp.custom_mixed_precision(net, white_list=(nn.Dense,)), "white_list has type"),
        (lambda: amp.custom_mixed_precision(net, white_list=[ops.relu]), "white_list holds"),
        (lambda: amp.custom_mixed_precision(net, black_list=[ops.MatMul]), "black_list holds"),
        (lambda: amp.build_train_network(net, None, loss_scale_manager=3), "loss_scale_manager"),
        (lambda: amp.StaticLossScaler("2"), "scale_value has type str"),
    ):
        with pytest.raises(TypeError, match=message):
            call()


def scale_by_definition(scale, counter, finite, factor=2, window=3):
    """MindSpore's rule: after ``window`` finite steps more, after overflow less."""
    if not finite:
        return max(scale / factor, 1), 0
    return (scale * factor if counter == window - 1 else scale), (counter + 1) % window


@pytest.mark.parametrize("compiled", [False, True])
def test_dynamic_loss_scaler(compiled):
    scaler = amp.DynamicLossScaler(4.0, 2, 3)

    def step(g):
        finite = amp.all_finite((g, (g * 2,)))
        scaler.adjust(finite)
        return scaler.scale(g), scaler.unscale((g.astype(ms.float16),)), finite

    run = ms.jit(step) if compiled else step
    scale, counter = 4.0, 0
    for finite in (1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1):
        scale, counter = scale_by_definition(scale, counter, finite)
        scaled, (unscaled,), seen = run(Tensor(np.array([1.5 if finite else np.inf], "float32")))
        assert (float(scaler.scale_value), int(scaler.counter)) == (scale, counter)
        assert bool(seen) == bool(finite)
        if finite:
            assert scaled.asnumpy() == 1.5 * scale and unscaled.asnumpy() == 1.5 / scale
            assert unscaled.dtype == ms.float16


def trained(level, **kwargs):
    rng = np.random.default_rng(3)
    x = rng.standard_normal((64, 8)).astype("float32")
    y = (x @ rng.standard_normal((8, 4))).argmax(-1).astype("int32")
    data = ms.dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)
    net = nn.SequentialCell(nn.Dense(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dense(16, 4))
    for i, p in enumerate(net.trainable_params()):
        p.set_data(Tensor(np.random.default_rng(i).standard_normal(p.shape).astype("float32") / 4))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    scale = kwargs.get("loss_scale_manager")
    optimizer = nn.Momentum(
        net.trainable_params(),
        0.1,
        0.9,
        loss_scale=scale.get_loss_scale() if isinstance(scale, ms.FixedLossScaleManager) else 1.0,
    )
    model = ms.Model(net, loss, optimizer, metrics={"loss"}, amp_level=level, **kwargs)
    seen = []

    class Note(ms.Callback):
        def on_train_step_end(self, run_context):
            out = run_context.original_args().net_outputs
            seen.append(float(out[0] if isinstance(out, tuple) else out))

    model.train(6, data, callbacks=Note(), dataset_sink_mode=False)
    return np.array([*seen, model.eval(data, dataset_sink_mode=False)["loss"]])


@pytest.mark.parametrize(
    "level, kwargs",
    [
        ("O1", {}),
        ("O2", {"loss_scale_manager": None}),
        ("O2", {"loss_scale_manager": None, "keep_batchnorm_fp32": False}),
        ("O3", {}),
        ("O3", {"keep_batchnorm_fp32": True}),
        ("auto", {}),
        ("O3", {"loss_scale_manager": ms.FixedLossScaleManager(128.0, False)}),
        ("O1", {"loss_scale_manager": ms.DynamicLossScaleManager(256.0, 2, 100)}),
    ],
)
def test_models_loss_follows_float32(level, kwargs):
    wanted, found = trained("O0"), trained(level, **kwargs)
    assert wanted[-5:-1].mean() < 0.7 * wanted[:4].mean()
    assert not np.array_equal(found, wanted)
    np.testing.assert_allclose(found, wanted, rtol=0.02)


def test_level_o2_finds_a_loss_scale():
    found = trained("O2")
    scale_is_too_large = found[:4]  # 2**24 at first: steps are skipped while it falls
    np.testing.assert_array_equal(found[4:7], scale_is_too_large[:3])
    assert found[-5:-1].mean() < 0.9 * scale_is_too_large.mean()


class _Kept(nn.Cell):
    """Weights in a list and in a tuple; the dtypes are 2.10's under `to_float` in graph mode."""

    def __init__(self):
        super().__init__()
        self.listed = [Parameter(Tensor([[2.0]]), name="a")]
        self.tied = ms.ParameterTuple([Parameter(Tensor([[3.0]]), name="b")])
        self.matmul = ops.MatMul()

    def construct(self, x):
        for w in self.tied:
            x = self.matmul(x, w + w.transpose())
        return self.matmul(x, self.listed[0])


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_weights_in_lists_are_cast(mode):
    ms.set_context(mode=mode)
    net, x = _Kept().to_float(ms.float16), Tensor([[1.0], [0.5]])
    out = net(x)
    assert out.dtype == ms.float16 and out.asnumpy().tolist() == [[12.0], [6.0]]
    weights = ms.ParameterTuple([net.listed[0], net.tied[0]])
    grads = ms.grad(lambda x: net(x).sum(), None, weights)(x)
    assert [(g.dtype, g.asnumpy().item()) for g in grads] == [(ms.float32, 9.0), (ms.float32, 6.0)]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_list_of_a_childs_weights_stays(mode):
    ms.set_context(mode=mode)
    net = nn.WithLossCell(nn.Dense(1, 1, "ones", has_bias=False), nn.MSELoss())
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5)).to_float(ms.float16)
    step(Tensor([[1.0]]), Tensor([[0.0]]))
    assert net.backbone_network.weight.asnumpy().tolist() == [[0.0]]


class _Remembers(nn.Cell):
    """What `construct` writes to a weight while it is cast."""

    def __init__(self, write):
        super().__init__()
        self.write, self.held = write, Parameter(Tensor([1.0]), name="held")
        self.tied = ms.ParameterTuple([Parameter(Tensor([1.0]), name="tied")])

    def construct(self, x):
        if self.write == "assign":
            ops.assign(self.held, x)
        elif self.write == "attribute":
            self.held = x
        elif self.write == "add":
            ops.assign_add(self.held, x)
        elif self.write == "branch" and x.sum() > 2:
            ops.assign(self.held, x)
        elif self.write == "tuple":
            ops.assign_add(self.tied[0], x)
        return self.held + x


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize(
    "write, out, held, tied",
    [
        ("assign", 6, 3, 1),
        ("attribute", 6, 3, 1),
        ("add", 7, 4, 1),
        ("branch", 6, 3, 1),
        ("tuple", 4, 1, 4),
    ],
)
def test_what_is_written_while_weights_are_cast_is_kept(mode, write, out, held, tied):
    """The numbers are 2.10's."""
    ms.set_context(mode=mode)
    net = _Remembers(write).to_float(ms.float16)
    found = net(Tensor([3.0]))
    assert found.dtype == ms.float16 and found.asnumpy().tolist() == [out]
    assert [p.asnumpy().item() for p in (net.held, net.tied[0])] == [held, tied]
    assert net.held.dtype == ms.float32

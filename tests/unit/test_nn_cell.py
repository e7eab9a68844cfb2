"""`Cell` and the containers: attributes, names, settings, hooks, printing."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops


def param(*shape, name=None, **kwargs):
    return ms.Parameter(ms.Tensor(np.ones(shape, np.float32)), name=name, **kwargs)


class Leaf(nn.Cell):
    """Parameters of every kind of attribute."""

    def __init__(self):
        super().__init__()
        self.w = param(2)
        self.b = param(2, name="named", requires_grad=False)
        self.pair = ms.ParameterTuple([param(1, name="t1"), param(1, name="t2")])
        self.listed = [param(1, name="l1")]

    def construct(self, x):
        return x * self.w + self.b


class Tree(nn.Cell):
    def __init__(self):
        super().__init__()
        self.left = Leaf()
        self.items = nn.CellList([Leaf()])

    def construct(self, x):
        return self.left(x) + self.items[0](x)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_names():
    assert [(k, p.name) for k, p in Leaf().parameters_and_names()] == [
        ("w", "w"),
        ("b", "named"),
        ("t1", "t1"),
        ("t2", "t2"),
    ]
    tree = Tree()
    names = [
        "left.w",
        "left.b",
        "left.t1",
        "left.t2",
        "items.0.w",
        "items.0.b",
        "items.0.t1",
        "items.0.t2",
    ]
    assert [p.name for p in tree.get_parameters()] == names
    assert list(tree.parameters_dict()) == names
    assert [p.name for p in tree.untrainable_params()] == ["left.b", "items.0.b"]
    assert len(tree.trainable_params()) == 6 and list(tree.get_parameters(expand=False)) == []
    assert [n for n, _ in tree.cells_and_names()] == ["", "left", "items", "items.0"]
    tree.update_parameters_name("pre.")
    assert tree.left.w.name == "pre.left.w"


def test_shared_parameters_and_cells_are_listed_once():
    dense = nn.Dense(2, 2)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a, self.b = dense, dense
            self.again = dense.weight

    net = Net()
    assert len(list(net.get_parameters())) == 2
    assert [n for n, _ in net.cells_and_names()] == ["", "a"] and len(net.cells()) == 1
    net.check_names()
    net.other = param(1, name="b.bias")
    with pytest.raises(ValueError, match="two parameters are named 'b.bias'"):
        net.check_names()
    with pytest.raises(ValueError, match="two parameters"):
        net.compile(ms.Tensor([[1.0, 1.0]]))


def test_without_prefix():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.d = nn.Dense(2, 2)

    assert [(k, p.name) for k, p in Net().parameters_and_names()] == [
        ("d.weight", "weight"),
        ("d.bias", "bias"),
    ]


def test_assigning_to_attributes():
    net = nn.Dense(2, 2)
    before = net.weight
    net.weight = ms.Tensor(np.zeros((2, 2), np.float32))
    assert net.weight is before and (net.weight.asnumpy() == 0).all()
    net.weight = param(2, 2, name="weight")
    assert net.weight is not before and net._params["weight"] is net.weight
    with pytest.raises(TypeError, match="parameter 'weight' cannot become a int"):
        net.weight = 3
    net.bias = None
    assert [p.name for p in net.get_parameters()] == ["weight"] and net.bias is None
    with pytest.raises(KeyError, match="parameter 'bias' cannot become a Cell"):
        net.bias = nn.ReLU()
    net.bias = param(2)
    assert [p.name for p in net.get_parameters()] == ["weight", "bias"]
    tree = Tree()
    with pytest.raises(TypeError, match="sub-cell 'left' cannot become a int"):
        tree.left = 3
    tree.left = None
    assert tree.left is None and [n for n in tree.name_cells()] == ["items"]
    with pytest.raises(TypeError, match="sub-cell 'left' cannot become a Tensor"):
        tree.left = ms.Tensor(1.0)
    del tree.items
    assert not hasattr(tree, "items") and list(tree.get_parameters()) == []
    with pytest.raises(AttributeError, match="The 'Tree' object has no attribute 'nope'"):
        tree.nope


def test_init_must_have_run():
    class Bad(nn.Cell):
        def __init__(self):
            self.w = param(1)

    with pytest.raises(AttributeError, match="Cell.__init__ has not run"):
        Bad()


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda c: c.insert_child_to_cell("a.b", nn.ReLU()), KeyError),
        (lambda c: c.insert_child_to_cell("w", nn.ReLU()), KeyError),
        (lambda c: c.insert_child_to_cell("z", 3), TypeError),
        (lambda c: c.insert_param_to_cell("z", 3), TypeError),
        (lambda c: c.insert_param_to_cell("", param(1)), KeyError),
        (lambda c: c.insert_param_to_cell("a.b", param(1)), KeyError),
        (lambda c: c.insert_param_to_cell("construct", param(1)), KeyError),
        (lambda c: c.set_train(3), TypeError),
        (lambda c: c.to_float(ms.int32), ValueError),
        (lambda c: c.get_sub_cell("x"), AttributeError),
        (lambda c: c.register_forward_hook(3), TypeError),
    ],
)
def test_refused(call, kind):
    with pytest.raises(kind):
        call(Leaf())


def test_inserting():
    leaf = Leaf()
    leaf.insert_param_to_cell("extra", param(3))
    leaf.insert_child_to_cell("child", nn.Dense(1, 1))
    assert [p.name for p in leaf.get_parameters()][-3:] == ["extra", "child.weight", "child.bias"]
    assert leaf.get_sub_cell("child") is leaf.child and leaf.get_sub_cell("") is leaf


def test_settings_reach_all_cells():
    tree = Tree()
    assert tree.set_train() is tree and all(c.training for _, c in tree.cells_and_names())
    tree.set_train(False)
    assert not any(c.training for _, c in tree.cells_and_names())
    assert tree.set_grad().requires_grad
    tree.add_flags_recursive(mine=3)
    assert tree.left.mine == 3 and tree.left.get_flags() == {"mine": 3}
    seen = []
    tree.apply(lambda c: seen.append(c.cls_name))
    assert seen == ["Leaf", "Leaf", "CellList", "Tree"]


def test_deepcopy_is_independent():
    tree = Tree()
    other = copy.deepcopy(tree)
    assert [p.name for p in other.get_parameters()] == [p.name for p in tree.get_parameters()]
    other.left.w.set_data(ms.Tensor([5.0, 5.0]))
    assert tree.left.w.asnumpy().tolist() == [1, 1]
    assert other.left._params["w"] is other.left.w and other._cells["left"] is other.left
    assert other(ms.Tensor([1.0, 1.0])).asnumpy().tolist() == [8, 8]


def test_attribute_changes_are_seen(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.factor = 2.0
            self.act = nn.ReLU()
            self.seq = nn.SequentialCell(nn.Identity())

        def construct(self, x):
            return self.seq(self.act(x)) * self.factor

    net, x = Net(), ms.Tensor([-1.0, 3.0])
    assert net(x).asnumpy().tolist() == [0, 6]
    net.factor = 3.0
    assert net(x).asnumpy().tolist() == [0, 9]
    net.act = nn.Identity()
    assert net(x).asnumpy().tolist() == [-3, 9]
    net.seq.append(nn.ReLU())
    assert net(x).asnumpy().tolist() == [0, 9]
    net.seq[1] = nn.Identity()
    assert net(x).asnumpy().tolist() == [-3, 9]


def test_training_changes_are_seen(mode):
    net = nn.SequentialCell(nn.BatchNorm2d(2), nn.Dropout(p=0.5))
    x = ms.Tensor(np.random.RandomState(0).randn(4, 2, 3, 3).astype(np.float32))
    evaluated = net(x).asnumpy()
    np.testing.assert_allclose(evaluated, x.asnumpy() / np.sqrt(1 + 1e-5), rtol=1e-5)
    net.set_train()
    assert (net(x).asnumpy() == 0).mean() > 0.2
    net.set_train(False)
    assert not np.array_equal(net(x).asnumpy(), evaluated)  # the statistics have moved
    assert (net(x).asnumpy() == 0).sum() == 0


def test_custom_gradient(mode):
    class Scaled(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return dout * 100, dout + out

    x, y = ms.Tensor([3.0, 3.0]), ms.Tensor([4.0, 5.0])
    cell = Scaled()
    dx, dy = ms.grad(lambda a, b: cell(a, b) * 2, (0, 1))(x, y)
    assert dx.asnumpy().tolist() == [200, 200] and dy.asnumpy().tolist() == [14, 17]


def test_keyword_arguments(mode):
    class Net(nn.Cell):
        def construct(self, x, k=2, *, double=False):
            return x * k * 2 if double else x * k

    net, x = Net(), ms.Tensor([1.0])
    assert [float(net(x)), float(net(x, 3)), float(net(x, k=3, double=True))] == [2, 3, 6]
    with pytest.raises(TypeError):
        net(x, 1, 2)


def test_construct_is_needed():
    with pytest.raises(AttributeError, match="construct is not defined"):
        nn.Cell()(1)


def test_hooks():
    net, x, seen = nn.Dense(2, 2, "ones", has_bias=False), ms.Tensor([[1.0, 2.0]]), []
    handles = [
        net.register_forward_pre_hook(lambda c, i: seen.append(("pre", len(i)))),
        net.register_forward_hook(lambda c, i, o: seen.append(("forward", o.shape))),
        net.register_backward_pre_hook(
            lambda c, go: seen.append(("backward_pre", go[0].asnumpy().tolist()))
        ),
        net.register_backward_hook(
            lambda c, gi, go: seen.append(("backward", gi[0].asnumpy().tolist(), len(go)))
        ),
    ]
    g = ms.grad(lambda x: net(x).sum())(x)
    assert g.asnumpy().tolist() == [[2, 2]]
    assert seen == [
        ("pre", 1),
        ("forward", (1, 2)),
        ("backward_pre", [[1, 1]]),
        ("backward", [[2, 2]], 1),
    ]
    for h in handles:
        h.remove()
        h.remove()
    seen.clear()
    ms.grad(lambda x: net(x).sum())(x)
    assert seen == []
    net.register_forward_pre_hook(lambda c, i: (i[0] * 2,))
    net.register_forward_hook(lambda c, i, o: o + 1)
    assert net(x).asnumpy().tolist() == [[7, 7]]
    net.register_backward_pre_hook(lambda c, go: (go[0] * 10,))
    net.register_backward_hook(lambda c, gi, go: (gi[0] + go[0].sum(),))
    assert ms.grad(lambda x: net(x).sum())(x).asnumpy().tolist() == [
        [80, 80]
    ]  # (20 + 20) for the doubled input


def test_to_float(mode):
    net = nn.SequentialCell(
        nn.Dense(2, 3, "ones", "ones"), nn.SequentialCell(nn.Dense(3, 1, "ones"))
    )
    x = ms.Tensor([[1.0, 2.0**-12]])
    assert net.to_float(ms.float16) is net and net[1][0].get_flags()["fp16"]
    out = net(x)
    assert out.dtype is ms.float16 and net[0].weight.dtype is ms.float32 and net.fp16
    # The small summand is below half's precision.
    assert float(ops.cast(net[0](x), ms.float32)[0, 0]) == 2.0
    g = ms.grad(lambda x: ops.cast(net(x), ms.float32), None, net.trainable_params())(x)
    assert [t.dtype for t in g] == [ms.float32] * 4
    np.testing.assert_allclose(g[2].asnumpy(), [[2, 2, 2]])


def test_repr():
    net = nn.SequentialCell(nn.Dense(3, 4, activation="relu"), nn.CellList([nn.ReLU()]))
    assert repr(net) == (
        "SequentialCell(\n  (0): Dense(\n"
        "    input_channels=3, output_channels=4, has_bias=True, activation=ReLU()\n"
        "    (activation): ReLU()\n  )\n  (1): CellList(\n    (0): ReLU()\n  )\n)"
    )
    assert repr(nn.Dense(2, 3, has_bias=False)) == "Dense(input_channels=2, output_channels=3)"
    assert repr(nn.MaxPool2d(2, 2)) == "MaxPool2d(kernel_size=2, stride=2, pad_mode=VALID)"
    assert repr(nn.SequentialCell()) == "SequentialCell()"


# ---- containers


def test_sequential():
    a, b, c = nn.Dense(2, 2), nn.ReLU(), nn.Tanh()
    seq = nn.SequentialCell([a, b])
    assert len(seq) == 2 and seq[-1] is b and list(seq) == [a, b]
    assert seq.append(c) is seq and seq[2] is c
    part = seq[0:2]
    assert (
        isinstance(part, nn.SequentialCell) and list(part) == [a, b] and a.weight.name == "0.weight"
    )
    seq[1] = c
    assert seq.cell_list == (a, c, c)
    del seq[0]
    assert list(seq) == [c, c] and [p.name for p in seq.get_parameters()] == []
    named = nn.SequentialCell({"first": a, "second": b})
    assert named.first is a and [p.name for p in named.get_parameters()] == [
        "first.weight",
        "first.bias",
    ]
    del named[0]
    assert list(named.name_cells()) == ["second"]
    for bad in ([3], [nn.ReLU(), 3]):
        with pytest.raises(TypeError, match="an element has type int"):
            nn.SequentialCell(bad)


def test_cell_list():
    first = nn.Dense(1, 1)
    cells = nn.CellList([first])
    cells.append(nn.ReLU())
    cells.insert(0, nn.Tanh())
    assert cells[1] is first and first.weight.name == "1.weight"
    cells += [nn.Sigmoid()]
    assert [c.cls_name for c in cells] == ["Tanh", "Dense", "ReLU", "Sigmoid"]
    assert [c.cls_name for c in cells[1:3]] == ["Dense", "ReLU"] and isinstance(
        cells[1:3], nn.CellList
    )
    del cells[0:1]
    assert list(cells._cells) == ["0", "1", "2"] and first.weight.name == "0.weight"
    with pytest.raises(IndexError, match=r"index is 5"):
        cells[5]
    with pytest.raises(TypeError, match="index has type str"):
        cells["a"]
    with pytest.raises(NotImplementedError):
        cells(ms.Tensor(1.0))
    with pytest.raises(TypeError):
        cells.extend(3)


def test_cell_dict():
    cells = nn.CellDict([["x", nn.ReLU()], ["y", nn.Dense(1, 1)]])
    assert list(cells) == ["x", "y"] and "x" in cells and len(cells) == 2
    assert [p.name for p in cells.get_parameters()] == ["y.weight", "y.bias"]
    relu = cells["x"]
    assert cells.pop("x") is relu and list(cells.keys()) == ["y"]
    cells.update({"q": nn.Tanh()})
    cells["r"] = nn.ReLU()
    del cells["q"]
    assert [n for n, _ in cells.items()] == ["y", "r"]
    for key, value, kind in (
        (3, nn.ReLU(), TypeError),
        ("z", 3, TypeError),
        ("a.b", nn.ReLU(), KeyError),
        ("pop", nn.ReLU(), KeyError),
    ):
        with pytest.raises(kind):
            cells[key] = value
    with pytest.raises(KeyError):
        cells["none"]
    cells.clear()
    assert len(cells) == 0


def test_containers_in_construct(mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([nn.Dense(2, 2, "ones", "ones") for _ in range(3)])
            self.heads = nn.CellDict({"a": nn.ReLU()})

        def construct(self, x):
            for layer in self.layers:
                x = layer(x)
            for i in range(len(self.layers)):
                x = x + self.layers[i].bias
            return self.heads["a"](x)

    assert Net()(ms.Tensor([[1.0, 1.0]])).asnumpy().tolist() == [[18, 18]]


# ---- checks of layers' arguments


@pytest.mark.parametrize(
    "make, kind, text",
    [
        (lambda: nn.Dense(2.0, 3), TypeError, "Dense: in_channels has type float"),
        (lambda: nn.Dense(0, 3), ValueError, "Dense: in_channels is 0"),
        (lambda: nn.Dense(3, 2, has_bias=1), TypeError, "Dense: has_bias has type int"),
        (
            lambda: nn.Dense(3, 2, ms.Tensor(np.zeros((3, 3), np.float32))),
            ValueError,
            r"Dense: weight_init has shape \(3, 3\)",
        ),
        (lambda: nn.Dense(3, 2, activation=3), TypeError, "Dense: activation has type int"),
        (lambda: nn.Dense(3, 2, activation="nope"), KeyError, "Dense: 'nope' names no activation"),
        (lambda: nn.Conv2d(3, 4, 3, pad_mode="foo"), ValueError, "Conv2d: pad_mode is 'foo'"),
        (lambda: nn.Conv2d(3, 4, 3, stride=0), ValueError, "Conv2d: stride is 0"),
        (
            lambda: nn.Conv2d(3, 4, 3, padding=1),
            ValueError,
            "Conv2d: padding is 1 with pad_mode 'same'",
        ),
        (lambda: nn.Conv2d(3, 4, 3, group=2), ValueError, "Conv2d: group is 2"),
        (lambda: nn.Conv2d(3, 4, (1, 2, 3)), ValueError, "Conv2d: kernel_size has 3 elements"),
        (lambda: nn.BatchNorm2d(0), ValueError, "BatchNorm2d: num_features is 0"),
        (lambda: nn.BatchNorm2d(3, momentum=1.5), ValueError, "BatchNorm2d: momentum is 1.5"),
        (lambda: nn.LayerNorm(3), TypeError, "LayerNorm: normalized_shape has type int"),
        (lambda: nn.GroupNorm(2, 3), ValueError, "GroupNorm: num_channels is 3"),
        (lambda: nn.Dropout(1.5), ValueError, "Dropout: keep_prob is 1.5"),
        (lambda: nn.Dropout(p=1.0), ValueError, "Dropout: p is 1.0"),
        (lambda: nn.MaxPool2d(0), ValueError, "MaxPool2d: kernel_size is 0"),
        (lambda: nn.MaxPool2d(2, 1, "foo"), ValueError, "MaxPool2d: pad_mode is 'foo'"),
        (lambda: nn.Embedding(0, 3), ValueError, "Embedding: vocab_size is 0"),
        (lambda: nn.SoftmaxCrossEntropyWithLogits(True, "foo"), ValueError, "reduction is 'foo'"),
        (lambda: nn.Softmax(1.5), TypeError, "Softmax: axis has type float"),
        (lambda: nn.Pad((1, 2)), TypeError, "Pad: paddings"),
        (lambda: nn.get_activation("zzz"), KeyError, "'zzz' names no"),
    ],
)
def test_wrong_arguments(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (
            lambda: nn.BatchNorm2d(3)(ms.Tensor(np.ones((2, 3), np.float32))),
            ValueError,
            "BatchNorm2d: the input has 2 dim",
        ),
        (
            lambda: nn.Dense(3, 2)(ms.Tensor(np.ones((2, 4), np.float32))),
            ValueError,
            "inner dimensions|4 and 3",
        ),
        (lambda: nn.CrossEntropyLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([2])), ValueError, "2"),
        (
            lambda: nn.MSELoss()(ms.Tensor([0.0, 0.0]), ms.Tensor([2.0, 1.0, 2.0])),
            ValueError,
            "broadcast",
        ),
        (lambda: nn.Embedding(3, 2)(ms.Tensor([3])), IndexError, "3"),
    ],
)
def test_wrong_inputs(call, kind, text, mode):
    with pytest.raises(kind, match=text):
        call()


def test_parameters_of_a_tuple_have_names_of_their_own():
    def named(name):
        return Parameter(Tensor([1.0]), name=name)

    w = named("w")
    assert ms.ParameterTuple([w, w]) == (w, w)
    ms.ParameterTuple([Parameter(Tensor([1.0])), Parameter(Tensor([2.0]))])  # of the default name
    with pytest.raises(ValueError, match="its name 'w' already exists"):
        ms.ParameterTuple([w, named("w")])
    cell = nn.Cell()
    cell.pair, cell.numbers = (w, named("b")), [1, 2]
    cell.pair = (named("w"), named("b"))
    with pytest.raises(ValueError, match="its name 'b' already exists"):
        cell.more = [named("a"), named("b")]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_cell_whose_init_has_not_run_cannot_be_called(mode):
    class Bare(nn.Cell):
        def __init__(self):
            self.a = 1

        def construct(self):
            return self.a

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) first"):
            Bare()()
    finally:
        ms.set_context(mode=before)

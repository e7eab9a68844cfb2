"""What a gradient function is taken by: which inputs, by name, and where the cotangent comes
from.
"""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, ParameterTuple, Tensor, nn, ops

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


@pytest.fixture(params=MODES, ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def named(x, y, *rest, scale, **more):
    return x * y * rest[0] * scale + more["bias"]


def scaled(x, times, pair, label):
    return x * times + pair[0] * pair[1] if label == "on" else x


@pytest.mark.parametrize("kind", [tuple, list, lambda v: dict(enumerate(v))])
def test_all_inputs_are_tensors_and_what_is_mutable(mode, kind):
    """Containers of the caller's are constants to MindSpore; in PyNative mode all of them."""
    x, a, b = Tensor([2.0]), Tensor([3.0]), Tensor([5.0])
    by_all = ops.GradOperation(get_all=True)(scaled)
    assert list(map(float, by_all(x, 4, kind((a, b)), "on"))) == [4.0]
    dx, *inner = by_all(x, 4, ms.mutable(kind((a, b))), "on")
    assert float(dx) == 4.0
    if mode == ms.PYNATIVE_MODE:
        assert not inner
    else:
        assert (float(inner[0][0]), float(inner[0][1])) == (5.0, 3.0)


def test_the_first_input_is_a_container(mode):
    def f(pair, x):
        return pair[0] * pair[1] * x

    pair, x = (Tensor([3.0]), Tensor([5.0])), Tensor([2.0])
    assert ops.GradOperation()(f)(pair, x) == ()
    found = ops.GradOperation()(f)(ms.mutable(pair), x)
    assert [float(g) for g in found] == ([] if mode == ms.PYNATIVE_MODE else [10.0, 6.0])
    assert [float(g) for g in ms.grad(f)(pair, x)] == [10.0, 6.0]


def test_containers_inside_of_a_cell(mode):
    """Those that compiled code makes of its inputs count, those that are parts of a plain argument do
    not.
    """

    def f(x, pair):
        return x * pair[0] + pair[1] * 4

    class Inner(nn.Cell):
        def construct(self, x, y, pair):
            g = ops.GradOperation(get_all=True)(f)
            return g(x, (x, y)), g(x, [y, x]), g(x, pair), g(x, (pair[1], pair[0]))

    x, y = Tensor([2.0]), Tensor([3.0])
    made, listed, given, parts = Inner()(x, y, (Tensor([5.0]), Tensor([7.0])))
    assert (float(made[0]), float(listed[0])) == (2.0, 3.0)
    if mode == ms.GRAPH_MODE:
        assert [float(g) for g in (*made[1], *listed[1])] == [2.0, 4.0, 2.0, 4.0]
    assert (len(made), len(given), len(parts)) == (2 if mode == ms.GRAPH_MODE else 1, 1, 1)


def test_captured_mutable_containers_are_read_anew():
    pair, named = ms.mutable([Tensor([2.0]), 3]), ms.mutable({"a": Tensor([5.0])})

    def f(x):
        return x * pair[0] * pair[1] + named["a"]

    f = ms.jit(f)
    assert float(f(Tensor([1.0]))) == 11.0
    pair[1], named["a"] = 4, Tensor([6.0])
    assert float(f(Tensor([1.0]))) == 14.0


def test_weights_that_require_no_gradient(mode):
    """In PyNative mode zeros, in compiled code what the derivative is, as in MindSpore."""
    w, v = (
        Parameter(Tensor([3.0]), name="w"),
        Parameter(Tensor([2.0]), name="v", requires_grad=False),
    )
    for made in (
        ops.GradOperation(get_by_list=True)(lambda x: x * w * v, ParameterTuple([w, v])),
        ms.grad(lambda x: x * w * v, None, [w, v]),
    ):
        of_w, of_v = made(Tensor([5.0]))
        assert float(of_w) == 10.0
        assert float(of_v) == (0.0 if mode == ms.PYNATIVE_MODE else 15.0)


def test_bools_have_the_gradient_of_their_numbers():
    x, b = Tensor([1.0, 2.0, -3.0]), Tensor([True, False, True])
    sens = Tensor([1.0, 0.0, 0.5])
    by_all = ops.GradOperation(get_all=True, sens_param=True)
    for f, want in (
        (lambda x, b: x + b, [True, False, True]),
        (lambda x, b: x * b.astype(ms.float32), [True, False, True]),
        (lambda x, b: ops.where(b, x, x * 2), [False, False, False]),
        (lambda x, b: x * ops.logical_not(b), [False, False, False]),
    ):
        _, of_b = by_all(f)(x, b, sens)
        assert of_b.dtype is ms.bool_
        np.testing.assert_array_equal(of_b.asnumpy(), want)
    for i in (x, b):
        dx, db = ops.GradOperation(get_all=True)(lambda x, b: x * 2)(x, i)
        np.testing.assert_array_equal(dx.asnumpy(), [2.0, 2.0, 2.0])
        assert not db.asnumpy().any() and db.dtype is i.dtype


def test_no_input_with_a_tensor():
    assert ops.GradOperation(get_all=True)(lambda x, y: x * y)(2, 3) == ()


def test_no_input():
    w = Parameter(Tensor([2.0]), name="w")
    assert ops.GradOperation()(lambda: w * w)() == ()
    first, by_list = ops.GradOperation(get_all=True, get_by_list=True)(
        lambda: w * w, ParameterTuple([w])
    )()
    assert first == () and float(by_list[0]) == 4.0


def test_the_value_of_a_parameter_has_its_gradient():
    w = Parameter(Tensor([2.0, 3.0]), name="w")
    grad = ops.GradOperation(get_by_list=True)(lambda x: w.value() * x * w, ParameterTuple([w]))
    found = grad(Tensor([5.0, 7.0]))
    np.testing.assert_array_equal(found[0].asnumpy(), [20.0, 42.0])


@pytest.mark.parametrize("sens", ["last", "named"])
def test_named_inputs_and_cotangent(sens):
    x, y, z, s, b, d = (Tensor([v]) for v in (2.0, 3.0, 5.0, 7.0, 11.0, 0.5))
    grads = ops.GradOperation(get_all=True, sens_param=True)(named)
    found = (
        grads(x, y, z, d, scale=s, bias=b)
        if sens == "last"
        else grads(x, y, z, scale=s, bias=b, sens=d)
    )
    assert [float(g) for g in found] == [105 * 0.5, 70 * 0.5, 42 * 0.5, 30 * 0.5, 0.5]


class ByWeights(nn.Cell):
    """The gradient by weights, with a parameter as the cotangent."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.weights = ParameterTuple(net.trainable_params())
        self.cotangent = Parameter(
            Tensor(np.full((1, 2), 3.0, np.float32)), name="cotangent", requires_grad=False
        )
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x):
        return self.grad(self.net, self.weights)(x, self.cotangent)


def test_parameter_as_cotangent():
    net = nn.Dense(3, 2)
    x = np.array([[1.0, 2.0, 4.0]], np.float32)
    dw, db = ByWeights(net)(Tensor(x))
    np.testing.assert_array_equal(dw.asnumpy(), 3 * np.concatenate([x, x]))
    np.testing.assert_array_equal(db.asnumpy(), [3, 3])


def test_by_python_floats():
    """A float has a derivative in both modes, also in loops, beside tensors, and twice."""

    def grown(a, n):
        s = a
        while s < 50.0:
            s = s * a + n
        return s

    x = Tensor([1.0, 2.0])
    assert ms.grad(lambda a: a * a)(3.0) == 6.0
    assert ms.grad(ms.grad(lambda a: a * a * a))(3.0) == 18.0
    dx, da = ms.grad(lambda x, a: x * a, (0, 1))(x, 3.0)
    assert dx.asnumpy().tolist() == [3.0, 3.0] and da == 3.0 and type(da) is float
    step = 1e-6
    difference = (grown(1.7 + step, 2) - grown(1.7 - step, 2)) / (2 * step)
    assert abs(ms.grad(grown)(1.7, 2) - difference) < 1e-4
    assert ms.grad(lambda a, k=1.0: a * a * k)(2.0, k=5.0) == 20.0
    inner = ms.grad(lambda v: ms.grad(lambda a: (a * a * v).sum())(3.0) * v.sum())
    assert inner(x).asnumpy().tolist() == [36.0, 36.0]
    assert float(ms.hessian(lambda a: a * a * a)(2.0)) == 12.0
    assert [float(v) for v in ms.jvp(lambda a: a * a * a, 2.0, 0.5)] == [8.0, 6.0]


def test_what_has_no_derivative():
    x = Tensor([1.0, 2.0])
    for value, name in ((3, "int"), (True, "bool"), ("s", "str")):
        with pytest.raises(TypeError, match=f"is {name}.*, which has no gradient"):
            ms.grad(lambda a: a)(value)
    for whole in (Tensor([True, False]), Tensor([1, 2]), (Tensor([1, 2]), 3)):
        for derivative in (ms.grad, ms.value_and_grad, ms.jacrev, ms.jacfwd):
            with pytest.raises(TypeError, match="holds (bool|int64), which has no gradient"):
                derivative(lambda a: (a[0] if isinstance(a, tuple) else a) * 2.0)(whole)
        old = ops.GradOperation()(lambda a: (a[0] if isinstance(a, tuple) else a) * 2)(whole)
        assert isinstance(old, tuple) or old.dtype is whole.dtype
    for nothing in (None, "s", 3, ()):
        with pytest.raises(TypeError, match="grad: the function gives .*, which has no gradient"):
            ms.grad(lambda a, nothing=nothing: nothing)(x)
    for whole in (lambda a: a > 1.5, ops.argmax, lambda a: (a.astype(ms.int32), ops.isnan(a))):
        assert ms.grad(whole)(x).tolist() == ms.jit(ms.grad(whole))(x).tolist() == [0.0, 0.0]
    assert ms.grad(lambda a: (3.0, "s"))(x).tolist() == [0.0, 0.0]
    by_pair, number = ms.grad(lambda p: p[0] * p[1])((x, 2))
    assert by_pair.asnumpy().tolist() == [2.0, 2.0] and number == 2
    with pytest.raises(TypeError, match="is int.*, which has no gradient"):
        ms.jacrev(lambda a: a)(3)


def test_positions():
    x, y = Tensor([1.0]), Tensor([3.0])
    assert [float(g) for g in ms.grad(lambda a, b: a * b, [1, 0])(x, y)] == [1.0, 3.0]
    assert float(ms.grad(lambda a, b: a * b, -1)(x, y)) == 1.0
    for wrong, words in (((), "empty"), ((0, 0), "twice"), (2, "out of range")):
        with pytest.raises(ValueError, match=words):
            ms.grad(lambda a, b: a * b, wrong)(x, y)


FLAGS = [(a, b, s) for a in (False, True) for b in (False, True) for s in (False, True)]


@pytest.mark.parametrize("get_all, get_by_list, sens", FLAGS)
@pytest.mark.parametrize("made", ["cell", "function"])
def test_all_flags_of_grad_operation(get_all, get_by_list, sens, made):
    net = nn.Dense(2, 2, weight_init=Tensor([[1.0, 2.0], [3.0, 4.0]]), bias_init="zeros")
    x, dout = Tensor([[5.0, 6.0]]), Tensor([[2.0, 0.5]]) if sens else Tensor([[1.0, 1.0]])
    fn = net if made == "cell" else lambda x: net(x)
    gradient = ops.GradOperation(get_all=get_all, get_by_list=get_by_list, sens_param=sens)
    gradient = gradient(fn, ParameterTuple(net.trainable_params())) if get_by_list else gradient(fn)
    found = gradient(x, dout) if sens else gradient(x)
    dx = dout.asnumpy() @ np.array([[1.0, 2.0], [3.0, 4.0]])
    weights = dout.asnumpy().T @ x.asnumpy(), dout.asnumpy()[0]
    by_input = (dx,) if get_all else dx
    wanted = (
        weights if get_by_list and not get_all else (by_input, weights) if get_by_list else by_input
    )
    assert structure(found) == structure(wanted)


def structure(v):
    return (
        tuple(map(structure, v))
        if isinstance(v, tuple)
        else np.asarray(v.asnumpy() if isinstance(v, Tensor) else v).tolist()
    )


def test_nested_grad_operation():
    first = ops.GradOperation()
    second = ops.GradOperation(get_all=True, sens_param=True)(first(lambda x, y: x * x * y))
    dx, dy = second(Tensor([2.0]), Tensor([3.0]), Tensor([10.0]))
    assert (float(dx), float(dy)) == (2 * 3 * 10, 2 * 2 * 10)


@pytest.mark.parametrize("given, wanted", [((), (1,)), ((1,), ()), ((1, 1), (1,))], ids=str)
def test_a_cotangent_of_one_element_has_any_rank(given, wanted):
    class Net(nn.Cell):
        def construct(self, x):
            return ops.reshape((x * x).sum(), wanted)

    class Grad(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net, self.grad = Net(), ops.GradOperation(sens_param=True)

        def construct(self, x, sens):
            return self.grad(self.net)(x, sens)

    got = Grad()(Tensor([1.0, 2.0]), Tensor(np.full(given, 3.0, np.float32)))
    np.testing.assert_array_equal(got.asnumpy(), [6.0, 12.0])


def test_positions_go_on_through_named_inputs():
    """In the order of the call; the derivative of a * b**2 by each."""

    def product(*, a, b):
        return a * b**2

    def one_named(a, b):
        return a * b**2

    a, b = Tensor([2.0, 3.0]), Tensor([5.0, 7.0])
    by_a, by_b = [25.0, 49.0], [20.0, 42.0]
    assert ops.GradOperation()(product)(a=a, b=b).tolist() == by_a
    assert ops.GradOperation()(product)(b=b, a=a).tolist() == by_b
    assert ms.grad(product)(a=a, b=b).tolist() == by_a
    assert [g.tolist() for g in ms.grad(product, (1, 0))(a=a, b=b)] == [by_b, by_a]
    assert ms.grad(one_named, 1)(a, b=b).tolist() == by_b
    with pytest.raises(ValueError, match="out of range for 2 arguments"):
        ms.grad(one_named, 2)(a, b=b)

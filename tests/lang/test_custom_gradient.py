"""A cell's own gradient: what it may return, in both modes."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops

X, Y = Tensor([3.0, 3.0, 3.0]), Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE, check_bprop=False)


class Sum(nn.Cell):
    """Adds, and gives what it is told as gradients."""

    def __init__(self, *grads):
        super().__init__()
        self.grads = grads

    def construct(self, x, y):
        return x + y

    def bprop(self, *args):
        return self.grads


def gradients(*grads):
    return ops.GradOperation(get_all=True)(Sum(*grads))(X, Y)


def test_gradients_are_summed_and_cast_to_the_inputs():
    dx, dy = gradients(
        Tensor([[1, 2, 3], [10, 20, 30]], ms.int64), Tensor(np.full((2, 3), 0.5), ms.float64)
    )
    assert dx.dtype == ms.float32 and dx.asnumpy().tolist() == [11.0, 22.0, 33.0]
    assert dy.dtype == ms.float32 and dy.asnumpy().tolist() == [[0.5] * 3] * 2


class Through(nn.Cell):
    """Hands its parameter and its input to a cell or function with a gradient of its own."""

    def __init__(self, fn):
        super().__init__()
        self.fn, self.w = fn, ms.Parameter(Tensor([[2.0, 5.0]]), name="w")

    def construct(self, x):
        return self.fn(self.w, x) * 3.0


class Product(nn.Cell):
    def construct(self, w, x):
        return w * x

    def bprop(self, w, x, out, dout):
        return dout * x * 10.0, dout * w


@pytest.mark.parametrize(
    "fn",
    [Product(), ops.custom_bprop(lambda w, x: w * x, Product().bprop)],
    ids=["cell", "function"],
)
def test_a_parameter_among_the_inputs(fn):
    net = Through(fn)
    x = Tensor([3.0, 7.0])
    (of_x,), (of_w,) = ops.GradOperation(get_all=True, get_by_list=True)(
        net, net.trainable_params()
    )(x)
    np.testing.assert_array_equal(of_x.asnumpy(), [6.0, 15.0])
    np.testing.assert_array_equal(of_w.asnumpy(), [[90.0, 210.0]])


def test_none_is_no_gradient():
    dx, dy = gradients(None, Y)
    assert dx.asnumpy().tolist() == [0.0] * 3 and (dy == Y).all()


def test_shape_that_does_not_fit():
    with pytest.raises(RuntimeError, match="grad tensor should be broadcast to"):
        gradients(Tensor(np.ones((2, 4), np.float32)), Y)


def test_too_few():
    with pytest.raises(
        TypeError, match="the gradients number: 1 is not equal to the args number: 2."
    ):
        gradients(X)


@pytest.mark.parametrize(
    "grad, error",
    [
        (Tensor(np.ones((2, 3), np.float32)), ValueError),
        (Tensor(np.ones(3), ms.float16), TypeError),
        (2, TypeError),
    ],
)
def test_check_bprop_wants_the_very_type(grad, error):
    ms.set_context(check_bprop=True)
    says = "have the same .* as the 0th arg|of the 0th arg should be a Tensor, but is 2"
    with pytest.raises(error, match=says):
        gradients(grad, Y)


class Several(nn.Cell):
    """Three outputs, one of them without cotangent."""

    def construct(self, x, y):
        return x * y, x + y, x > y

    def bprop(self, x, y, out, dout):
        assert dout[2].dtype == ms.bool_
        return dout[0] * y + dout[1], dout[0] * x + dout[1] * out[0]


def test_several_outputs():
    net = Several()

    def f(x, y):
        product, total, above = net(x, y)
        return product * 3.0 + ops.select(above, total * 2.0, total)

    dx, dy = ms.grad(f, (0, 1))(Tensor([5.0, 2.0]), Tensor([3.0, 7.0]))
    assert dx.asnumpy().tolist() == [3 * 3 + 2, 3 * 7 + 1]
    assert dy.asnumpy().tolist() == [3 * 5 + 2 * 15, 3 * 2 + 14]


def test_a_number_stands_for_a_tensor_full_of_it():
    dx, dy = gradients(2, 0.5)
    assert dx.asnumpy().tolist() == [2.0] * 3 and dy.asnumpy().tolist() == [[0.5] * 3] * 2


def test_other_values_are_refused():
    with pytest.raises(TypeError, match="gradient 0"):
        gradients("text", Y)


class Cubed(nn.Cell):
    """x³w with the gradient 10x²w, which is told from the real one."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(Tensor(np.array([2.0, 3.0])), name="w")

    def construct(self, x):
        return x * x * x * self.w

    def bprop(self, x, out, dout):
        return (dout * 10.0 * x * x * self.w,)


CUBED = Cubed()


def straight(x):
    return CUBED(x).sum()


def looped(x):
    while x.sum() < 50.0:
        x = CUBED(x) * 0.5 + x
    return x.sum()


def recursive(x, n=2):
    if n < 1:
        return x.sum()
    return recursive(CUBED(x) * 0.1 + x, n - 1)


@pytest.mark.parametrize("fn", [straight, looped, recursive])
def test_own_gradients_in_loops_and_their_gradients(fn, mode):
    """Of first and second order, by the input and by the parameter that the gradient reads; the
    same in both modes.
    """
    point = Tensor(np.array([1.1, 0.7]))

    def first(x):
        return ms.grad(fn)(x)

    def both():
        once = ms.grad(fn, 0, [CUBED.w])(point)
        twice = ms.grad(lambda x: first(x).sum(), 0, [CUBED.w])(point)
        return [t.asnumpy() for dx, (dw,) in (once, twice) for t in (dx, dw)]

    found = both()
    ms.set_context(mode=ms.GRAPH_MODE if mode == ms.PYNATIVE_MODE else ms.PYNATIVE_MODE)
    for a, b in zip(found, both()):
        np.testing.assert_array_equal(a, b)
    assert (found[1] == 0).all(), "a parameter gets no gradient from a custom rule"
    if fn is not straight:
        return  # values on the way have the custom gradient too: no differences say what is right
    step, x = 1e-6, point.asnumpy()
    for i, e in enumerate(np.eye(2)):
        high, low = (first(Tensor(x + s * step * e)).asnumpy().sum() for s in (1, -1))
        np.testing.assert_allclose(found[2][i], (high - low) / (2 * step), rtol=1e-6)


class Nested(nn.Cell):
    """Takes a tuple, and gives a dict with a tuple and a list."""

    def construct(self, pair, k):
        a, b = pair
        return {"product": a * b, "rest": (a, [b * k])}

    def bprop(self, pair, k, out, dout):
        assert set(out) == {"product", "rest"}
        return (dout["product"] * 10.0 + dout["rest"][0], dout["rest"][1][0] * 100.0), 0


def test_own_gradients_of_nested_arguments_and_results(mode):
    nested = Nested()

    def f(a, b):
        out = nested((a, b), 2)
        return out["product"] + 3.0 * out["rest"][0] + out["rest"][1][0]

    value, grads = ms.value_and_grad(f, (0, 1))(Tensor(2.0), Tensor(5.0))
    assert float(value) == 26.0 and [float(g) for g in grads] == [13.0, 100.0]
    unused = ms.grad(lambda a, b: nested((a, b), 2)["rest"][0] * 1.0, (0, 1))
    assert [float(g) for g in unused(Tensor(2.0), Tensor(5.0))] == [1.0, 0.0]


def test_own_gradients_of_a_wrong_structure(mode):
    class Wrong(Nested):
        def bprop(self, pair, k, out, dout):
            return (dout["product"],), 0

    wrong = Wrong()
    with pytest.raises(TypeError, match="does not have the structure of input 0"):
        ms.grad(lambda a: wrong((a, a), 2)["product"])(Tensor(2.0))


def test_a_gradient_for_parameters_too():
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor([2.0]), name="w")
            self.internal_params = [self.w]

        def construct(self, x):
            return self.w * x

        def bprop(self, x, out, dout):
            return (self.w * dout * 10.0,), {self.w: x * dout}

    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = Scaled()
    value, (dx, (dw,)) = ms.value_and_grad(net, 0, [net.w])(Tensor([3.0]))
    assert float(value[0]) == 6.0 and float(dx[0]) == 20.0 and float(dw[0]) == 3.0


def test_what_a_gradient_does_not_use_is_not_passed():
    seen = []

    class Product(nn.Cell):
        used_bprop_inputs = (0,)

        def construct(self, x, y):
            return x * y

        def bprop(self, *given):
            seen.append([v is None for v in given])
            return given[0] * given[-1], given[0]

    ms.set_context(mode=ms.PYNATIVE_MODE)
    grads = ms.grad(Product(), (0, 1))(Tensor([2.0]), Tensor([3.0]))
    assert seen == [[False, True, True, False]] and [float(g[0]) for g in grads] == [2.0, 2.0]


def test_a_hook_gives_one_gradient(mode):
    hook = ops.HookBackward(lambda grads: grads * 2)
    with pytest.raises(TypeError, match="hook returned 2 values"):
        ms.grad(lambda x: hook(x * 3.0))(Tensor(1.0))


@pytest.mark.parametrize(
    "bprop, compiled, eager",
    [
        (lambda self, out: out, "at least 2 params 'out' and 'dout', but got only 1", "bprop"),
        (
            lambda self, x, y, out: x,
            "the forward inputs as well as the 'out' and 'dout'",
            "takes 4",
        ),
        (lambda self, x, y, out, dout, more: x, "of 2 inputs, out and dout, but it", "more"),
        (lambda self, x, y, out, dout, *, more: x, "the forward inputs as well", "more"),
    ],
)
def test_bprop_of_other_parameters(mode, bprop, compiled, eager):
    wrong = type("Wrong", (Sum,), {"bprop": bprop})()
    with pytest.raises(TypeError, match=compiled if mode == ms.GRAPH_MODE else eager):
        ops.GradOperation(get_all=True)(wrong)(X, Y)


def test_bprop_with_more_parameters_that_need_nothing(mode):
    fine = type("Fine", (Sum,), {"bprop": lambda self, x, y, out, dout, k=3.0: (x * k, y)})()
    dx, dy = ops.GradOperation(get_all=True)(fine)(X, Y)
    assert dx.asnumpy().tolist() == [9.0] * 3 and (dy == Y).all()


@pytest.mark.parametrize("name", ["get_all", "get_by_list", "sens_param"])
def test_flags_of_the_operation(name):
    with pytest.raises(TypeError, match=f"'{name}' should be bool, but got int 2"):
        ops.GradOperation(**{name: 2})


def test_the_gradient_of_nothing(mode):
    f = ms.jit(lambda x: ops.GradOperation()(None)(x)) if mode == ms.GRAPH_MODE else None
    with pytest.raises(TypeError, match="must be a 'Function' or 'Cell', but got None"):
        f(X) if f else ops.GradOperation()(None)

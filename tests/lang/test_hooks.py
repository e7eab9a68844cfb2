"""Hooks on tensors: on the tape and in compiled code they give the same gradients."""

import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def quadruple(grad):
    return grad * 4


def only_look(grad):
    print(grad)


def inside(x, y):
    z = x * y
    z.register_hook(quadruple)
    z.register_hook(only_look)
    other = z
    return other * y + x


def test_hook_on_a_result():
    dx, dy = ms.grad(inside, (0, 1))(Tensor([2.0]), Tensor([3.0]))
    # z = 6: dz is 3, four times that flows on.
    assert float(dx) == 4 * 3 * 3 + 1 and float(dy) == 4 * 3 * 2 + 6


def test_hook_on_one_of_several_results():
    def f(x):
        a, b = ops.split(x, 1)
        b.register_hook(quadruple)
        return a * 2 + b

    assert ms.grad(f)(Tensor([1.0, 1.0])).asnumpy().tolist() == [2.0, 4.0]


def test_hooks_on_an_argument_come_and_go():
    x, y = Tensor([2.0]), Tensor([3.0])
    first, second = x.register_hook(quadruple), x.register_hook(lambda g: g + 1)
    gradient = ms.grad(lambda a, b: a * a * b, (0, 1))
    assert [float(g) for g in gradient(x, y)] == [4 * 12 + 1, 4]
    assert x.hooks()[0] is quadruple and len(x.hooks()) == 2
    first.remove()
    assert [float(g) for g in gradient(x, y)] == [13, 4]
    first.remove()
    second.remove()
    assert [float(g) for g in gradient(x, y)] == [12, 4] and x.hooks() == []
    assert [float(g) for g in gradient(Tensor([1.0]), y)] == [6, 1]


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0]), name="w")

    def construct(self, x):
        return x * self.w * self.w


class Gradients(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.weights = net, net.trainable_params()
        self.grad = ops.GradOperation(get_all=True, get_by_list=True)

    def construct(self, x):
        return self.grad(self.net, self.weights)(x)


def test_hook_on_a_parameter_and_through_a_cell():
    net = Scaled()
    gradients = Gradients(net)
    x = Tensor([2.0])

    def found():
        (dx,), (dw,) = gradients(x)
        return float(dx), float(dw)

    assert found() == (25.0, 20.0)
    handle = net.w.register_hook(quadruple)
    assert found() == (25.0, 80.0)
    x.register_hook(lambda g: g * 0)
    assert found() == (0.0, 80.0)
    handle.remove()
    assert found() == (0.0, 20.0)


def test_wrong_hooks(mode):
    with pytest.raises(TypeError, match="hook has type int"):
        Tensor([1.0]).register_hook(3)
    if mode == ms.PYNATIVE_MODE:
        x = Tensor([1.0])
        x.register_hook(lambda g: "no")
        with pytest.raises(TypeError, match="the hook returned str"):
            ms.grad(lambda v: v * 2)(x)

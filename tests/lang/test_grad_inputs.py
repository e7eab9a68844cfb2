"""What a gradient function is taken by: which inputs, by name, and where the cotangent comes from."""
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


def test_all_inputs_are_those_with_tensors():
    def f(x, times, pair, label):
        return x * times + pair[0] * pair[1] if label == "on" else x
    x, a, b = Tensor([2.0]), Tensor([3.0]), Tensor([5.0])
    dx, (da, db) = ops.GradOperation(get_all=True)(f)(x, 4, (a, b), "on")
    assert (float(dx), float(da), float(db)) == (4.0, 5.0, 3.0)


def test_no_input_with_a_tensor():
    assert ops.GradOperation(get_all=True)(lambda x, y: x * y)(2, 3) == ()


@pytest.mark.parametrize("sens", ["last", "named"])
def test_named_inputs_and_cotangent(sens):
    x, y, z, s, b, d = (Tensor([v]) for v in (2.0, 3.0, 5.0, 7.0, 11.0, 0.5))
    grads = ops.GradOperation(get_all=True, sens_param=True)(named)
    found = grads(x, y, z, d, scale=s, bias=b) if sens == "last" else grads(x, y, z, scale=s, bias=b, sens=d)
    assert [float(g) for g in found] == [105 * 0.5, 70 * 0.5, 42 * 0.5, 30 * 0.5, 0.5]


class ByWeights(nn.Cell):
    """The gradient by weights, with a parameter as the cotangent."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.weights = ParameterTuple(net.trainable_params())
        self.cotangent = Parameter(Tensor(np.full((1, 2), 3.0, np.float32)), name="cotangent", requires_grad=False)
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x):
        return self.grad(self.net, self.weights)(x, self.cotangent)


def test_parameter_as_cotangent():
    net = nn.Dense(3, 2)
    x = np.array([[1.0, 2.0, 4.0]], np.float32)
    dw, db = ByWeights(net)(Tensor(x))
    np.testing.assert_array_equal(dw.asnumpy(), 3 * np.concatenate([x, x]))
    np.testing.assert_array_equal(db.asnumpy(), [3, 3])

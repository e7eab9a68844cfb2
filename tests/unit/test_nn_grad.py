"""`nn.Jvp` and `nn.Vjp`, and the types of tensors without values."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn

A = np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)
X, Y, V = Tensor(A), Tensor(A + 1), Tensor(2 * A)


class Cube(nn.Cell):
    def construct(self, x):
        return x**3


class Two(nn.Cell):
    def construct(self, x, y):
        return 2 * x, x * y**2


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("cell", [nn.Vjp, nn.Jvp])
def test_one_input(cell):
    value, found = cell(Cube())(X, V)
    np.testing.assert_allclose(value.asnumpy(), A**3, rtol=1e-6)
    np.testing.assert_allclose(found.asnumpy(), 3 * A**2 * 2 * A, rtol=1e-6)


def test_vjp_of_several():
    value, (dx, dy) = nn.Vjp(Two())(X, Y, (V, X))
    np.testing.assert_allclose(value[1].asnumpy(), A * (A + 1) ** 2, rtol=1e-6)
    np.testing.assert_allclose(dx.asnumpy(), 2 * 2 * A + A * (A + 1) ** 2, rtol=1e-6)
    np.testing.assert_allclose(dy.asnumpy(), A * 2 * A * (A + 1), rtol=1e-6)


def test_jvp_of_several():
    _, (first, second) = nn.Jvp(Two())(X, Y, (V, X))
    np.testing.assert_allclose(first.asnumpy(), 2 * 2 * A, rtol=1e-6)
    np.testing.assert_allclose(
        second.asnumpy(), 2 * A * (A + 1) ** 2 + A * 2 * A * (A + 1), rtol=1e-6
    )


def test_v_is_missing():
    with pytest.raises(TypeError, match="got 1 arguments"):
        nn.Vjp(Cube())(X)


def test_tensor_type_for_set_inputs():
    declared = Tensor(shape=[None, 2], dtype=ms.float32)
    assert (
        declared.shape == (-1, 2) and declared.dtype is ms.float32 and "Float32" in repr(declared)
    )
    net = Cube()
    net.set_inputs(declared)
    assert net.get_inputs() == (declared,) and net(X).shape == (2, 2)
    with pytest.raises(TypeError, match="neither input_data nor init"):
        Tensor(shape=(2,))


def test_data_of_a_tensor():
    assert X.data is X


@pytest.mark.parametrize("compiled", [False, True])
def test_the_cotangent_may_be_the_last_argument(compiled):
    x, y, dout = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([10.0, 1.0])
    run = ms.jit if compiled else lambda f: f
    dx, dy = run(ms.grad(lambda x, y: x * y, (0, 1), sens_param=True))(x, y, dout)
    assert dx.asnumpy().tolist() == [30.0, 4.0] and dy.asnumpy().tolist() == [10.0, 2.0]
    value, dy = run(ms.value_and_grad(lambda x, y: x * y, 1, sens_param=True))(x, y, dout)
    assert value.asnumpy().tolist() == [3.0, 8.0] and dy.asnumpy().tolist() == [10.0, 2.0]
    with pytest.raises(TypeError, match="grad: sens_param=True needs the cotangent"):
        ms.grad(lambda: x, sens_param=True)()

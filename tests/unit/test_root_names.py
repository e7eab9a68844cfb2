"""Names of MindSpore's root and of its inside that name devices, exchange tensors and note quantisers."""

import pytest

import minds as ms
from minds import nn, ops
from minds.ops.operations._quant_ops import FakeQuantParam


def test_devices():
    """The device of a context, and afterwards the one before."""
    assert ms.get_current_device() == ("CPU", 0)
    assert ms.get_current_device().device_target == "CPU"
    with ms.DeviceCtx("CPU") as outer, outer:
        assert ops.ones((2,)).device == "CPU"
    assert ms.get_current_device().device_id == 0
    for name, number in (("meta", None), ("CPU", -1)):
        with pytest.raises(ValueError, match="^DeviceCtx: "), ms.DeviceCtx(name, number):
            pass


def test_swap():
    """Two tensors or two parameters, of any shape and dtype."""
    x, y = ms.Tensor([[1.0]]), ms.Tensor([2, 3])
    ms.swap_tensors(x, y)
    assert x.tolist() == [2, 3] and x.dtype is ms.int64 and y.tolist() == [[1.0]]
    v, w = ms.Parameter(x, name="v"), ms.Parameter(y, name="w")
    ms.swap_tensors(v, w)
    assert v.tolist() == [[1.0]] and w.tolist() == [2, 3] and v.name == "v"
    with pytest.raises(RuntimeError, match="^swap_tensors: t1 is a Tensor, t2 a Parameter"):
        ms.swap_tensors(x, v)
    with pytest.raises(TypeError, match="^swap_tensors: t2 has type int"):
        ms.swap_tensors(x, 1)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_quantisers(mode):
    """The identity with attributes, as golden-stick converts quantisers to."""
    ms.set_context(mode=mode)
    op = FakeQuantParam.linear_quant_param(ms.QuantDtype.INT8, 0.5, 1, num_bits=8)
    assert op.attrs["quant_algo_name"] == "linear_quant_algo" and op.attrs["num_bits"] == 8
    assert op.attrs["quant_dtype"] == ms.QuantDtype.INT8.value()

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.op = op

        def construct(self, x):
            return self.op(x) * 2

    assert Net()(ms.Tensor([1.5])).tolist() == [3.0]
    for scale, zp, error in (
        (1, 1, TypeError),
        (0.5, 0.5, TypeError),
        ((0.5, 1.0), (1, 2), ValueError),
    ):
        with pytest.raises(error, match="^FakeQuantParam: "):
            FakeQuantParam.linear_quant_param(ms.QuantDtype.INT8, scale, zp)


def test_names_of_networks_as_nodes():
    """`rewrite`'s classes are names of the root too."""
    from minds import rewrite

    for name in ("SymbolTree", "Node", "NodeType", "ScopedValue"):
        assert getattr(ms, name) is getattr(rewrite, name)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_morph(mode):
    """A function as a primitive, with the gradient of its code or one of its own; moved tensors stay."""
    ms.set_context(mode=mode)

    def scaled(x, w):
        return x * w * 100

    def backward(x, w, out, dout):
        return dout * w, dout * 7

    plain = ops.Morph(scaled, lambda *s: s[0], lambda *d: d[0])
    own = ops.Morph(scaled, lambda *s: s[0], lambda *d: d[0], backward)
    x, w = ms.Tensor([2.0]), ms.Tensor([3.0])
    for op, want in ((plain, [[300.0], [200.0]]), (own, [[3.0], [7.0]])):
        got = ms.grad(lambda x, w, op=op: op(x, w), (0, 1))
        got = ms.jit(got) if mode == ms.GRAPH_MODE else got
        assert [g.tolist() for g in got(x, w)] == want and op(x, w).tolist() == [600.0]
    with pytest.raises(TypeError, match="^Morph: bprop_fn is int"):
        ops.Morph(scaled, None, None, 3)
    assert ops.MoveTo()(x, "CPU").tolist() == ops.move_to(x).tolist() == [2.0]
    assert ops.move_to([1, 2]).tolist() == [1, 2]


def test_types_of_other_devices():
    """Eight bits of floating point have names, and no tensors."""
    x = ms.Tensor([1.0])
    for name in ("float8_e4m3fn", "float8_e5m2", "hifloat8", "qint4x2"):
        dtype = getattr(ms, name)
        assert dtype.name == name and dtype is getattr(ms.dtype, name) and dtype.itemsize == 1
        for make in (
            lambda t: ms.Tensor([1.0], t),
            lambda t: x.astype(t),
            lambda t: ops.zeros(2, t),
        ):
            with pytest.raises(TypeError, match=f"{name}: there are no tensors of this type here"):
                make(dtype)
    assert repr(ms.float8_e4m3fn) == "Float8E4M3FN"

"""Helpers of MindSpore's inside that its public tests import, by the paths that they have there."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor
from minds.common import _decorator, _utils
from minds.common._register_for_tensor import tensor_operator_registry
from minds.nn.probability.distribution._utils import custom_ops
from minds.nn.probability.distribution._utils.utils import CheckTensor, CheckTuple
from minds.numpy import utils as numpy_utils
from minds.ops.composite.base import GradOperation, _Vmap
from minds.scipy import utils as scipy_utils


def test_functions_of_tensors_by_name():
    assert tensor_operator_registry.get("all") is ms.ops.all
    tensor_operator_registry.register("twice_for_a_test", lambda x: 2 * x)
    assert float(tensor_operator_registry.get("twice_for_a_test")(Tensor(3.0))) == 6.0
    with pytest.raises(AttributeError):
        tensor_operator_registry.get("no such function")
    with pytest.raises(TypeError):
        tensor_operator_registry.get(3)


def test_a_deprecated_function_still_answers_and_says_so_once(monkeypatch):
    said = []
    monkeypatch.setattr(_decorator.home.log, "warning", said.append)

    @_decorator.deprecated("9.9", "other", module_prefix="mindspore.")
    def old(x):
        return x + 1

    assert [old(1), old(2)] == [2, 3]
    assert len(said) == 1 and "'other'" in said[0] and "9.9" in said[0]


def test_shapes_that_are_not_known():
    assert _utils.is_shape_unknown((-1, 2)) and _utils.is_shape_unknown((-2,))
    assert not _utils.is_shape_unknown((1, 2)) and not _utils.is_dim_unknown((-1,))
    for shape in ((-3,), (-2, 1)):
        with pytest.raises(ValueError):
            _utils.is_shape_unknown(shape)


@pytest.mark.parametrize("home", [numpy_utils, scipy_utils], ids=["numpy", "scipy"])
def test_operands_as_tensors(home):
    x = Tensor([1.0])
    a, b, c = home._to_tensor(1, [1.5], x)
    assert a.dtype == ms.int32 and b.dtype == ms.float32 and c is x
    assert home._convert_64_to_32(Tensor([1], ms.int64)).dtype == ms.int32
    with pytest.raises(TypeError):
        home._to_tensor({1})


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["pynative", "graph"])
def test_a_mapped_function(run):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    got = run(_Vmap()(lambda r: r * r.sum(), 1, 1))(Tensor(x))
    np.testing.assert_allclose(got.asnumpy(), x * x.sum(0))
    assert GradOperation is ms.ops.GradOperation


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["pynative", "graph"])
def test_functions_of_distributions(run):
    x = np.array([1, 2, 4], np.int32)
    got = run(lambda v: (custom_ops.exp_generic(v), custom_ops.log_generic(v)))(Tensor(x))
    np.testing.assert_allclose(got[0].asnumpy(), np.exp(x), rtol=1e-6)
    np.testing.assert_allclose(got[1].asnumpy(), np.log(x), rtol=1e-6)
    edge = custom_ops.log_generic(Tensor([-1.0, 0.0])).asnumpy()
    assert np.isnan(edge[0]) and edge[1] == -np.inf
    t = Tensor([1.0])
    assert CheckTensor()(t, "t") is t and CheckTensor()(None, "t") is None
    assert CheckTuple()((1,), "t") == (1,)
    for check, wrong in ((CheckTensor(), (1,)), (CheckTuple(), t)):
        with pytest.raises(TypeError):
            check(wrong, "t")

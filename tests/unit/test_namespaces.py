"""`minds.numpy` against NumPy, `minds.mint` against `minds.ops`, and names at the top of the
package.
"""

import numpy as onp
import pytest

import minds as ms
import minds.numpy as np
from minds import Tensor, mint, ops

X = onp.random.default_rng(3).standard_normal((3, 4)).astype(onp.float32)

# Calls on the matrix X; O makes an array.
CALLS = [
    "sum(X,1)",
    "mean(X,0)",
    "prod(X)",
    "amax(X,1)",
    "argmax(X,1)",
    "cumsum(X,1)",
    "std(X)",
    "var(X,1)",
    "sin(X)",
    "add(X,1)",
    "divide(X,2)",
    "maximum(X,0)",
    "clip(X,-1,1)",
    "where(X>0,X,0)",
    "roll(X,1)",
    "roll(X,1,axis=1)",
    "rot90(X)",
    "flip(X,0)",
    "tile(X,2)",
    "repeat(X,2,axis=1)",
    "concatenate((X,X),1)",
    "stack((X,X),0)",
    "split(X,3)",
    "array_split(X,2)",
    "hsplit(X,2)",
    "expand_dims(X,0)",
    "swapaxes(X,0,1)",
    "moveaxis(X,0,1)",
    "rollaxis(X,1)",
    "reshape(X,(4,3))",
    "ravel(X)",
    "transpose(X)",
    "tril(X)",
    "triu(X,1)",
    "diag(X)",
    "trace(X)",
    "diagonal(X)",
    "average(X,weights=X)",
    "cov(X)",
    "corrcoef(X)",
    "ptp(X,0)",
    "nansum(X)",
    "nanmean(X)",
    "nanstd(X)",
    "cross(X[:,:3],X[:,1:4])",
    "dot(X,X.T)",
    "kron(X,X)",
    "outer(X,X)",
    "inner(X,X)",
    "tensordot(X,X,((1,),(1,)))",
    "matmul(X,X.T)",
    "convolve(X[0],X[1])",
    "convolve(X[0],X[1,:2],'same')",
    "correlate(X[0],X[1,:2],'full')",
    "correlate(X[0],X[1,:2],'same')",
    "histogram(X,5)",
    "interp(X[0],O([0.,1,2,3]),X[1])",
    "gradient(X)",
    "polyadd(X[0],X[1])",
    "polymul(X[0],X[1,:2])",
    "polyval(X[0],X[1])",
    "polyder(X[0])",
    "polyint(X[0])",
    "diff(X)",
    "ediff1d(X)",
    "count_nonzero(X)",
    "unwrap(X[0]*5)",
    "geomspace(1,8,4)",
    "linspace(0,1,5)",
    "logspace(0,2,3)",
    "eye(3)",
    "arange(5)",
    "arange(1,4,0.5)",
    "full((2,2),3)",
    "meshgrid(X[0],X[1])",
    "(*indices((2,3)),)",
    "vander(X[0])",
    "pad(X,1)",
    "pad(X,((1,2),(0,1)),'edge')",
    "isin(O([1,2,3]),O([2]))",
    "digitize(X[0],O([-1.,0,1]))",
    "digitize(O([-1.,0,.5,1,2,3]),O([2.,1,1,0]))",
    "digitize(O([-1.,0,.5,1,2,3]),O([2.,1,1,0]),True)",
    "pad(X,((1,2),(0,3)),'edge')",
    "pad(X,2,'wrap')",
    "pad(X,((4,5),(1,0)),'reflect')",
    "pad(X,((4,5),(1,0)),'symmetric')",
    "searchsorted(O([-1.,0,1]),X[0])",
    "broadcast_to(X,(2,3,4))",
    "select([X>0,X<-1],[X,-X],9)",
    "apply_along_axis(lambda v:v.sum(),1,X)",
    "hstack((X,X))",
    "dstack((X,X))",
    "column_stack((X[0],X[1]))",
    "atleast_3d(X)",
    "nancumsum(X)",
    "cbrt(X)",
    "float_power(X,2)",
    "heaviside(X,0.5)",
    "unique(O([1,2,2]))",
    "bartlett(5)",
    "array([[1,2]])",
    "histogram2d(X[0],X[1])",
    "bincount(O([0,1,1]))",
    "tri(3)",
    "ix_(O([0,1]),O([1]))",
    "piecewise(X,[X>0,X<=0],[lambda v:v,lambda v:-v])",
    "choose(O([0,1]),[O([5,6]),O([7,8])])",
    "unravel_index(O([3]),(2,2))",
    "mod(X,2)",
    "isclose(X,X)",
    "square(X)",
    "signbit(X)",
    "nanmax(X)",
    "array_equal(X,X)",
    "setdiff1d(O([1,2]),O([2]))",
    "rint(X)",
    "append(X,X)",
    "ones((2,2))",
    "full_like(X,3)",
    "tril_indices(3)",
    "diag_indices(3)",
    "matmul(X,X.T)",
    "logaddexp(X,X)",
    "hypot(X,X)",
    "gcd(O([4]),O([6]))",
    "lcm(O([4]),O([6]))",
    "copysign(X,-1.0)",
    "exp2(X)",
    "deg2rad(X)",
    "any(X)",
    "all(X)",
    "argmin(X)",
    "min(X)",
    "max(X,0)",
]


def _values(out):
    out = out if isinstance(out, (tuple, list)) else (out,)
    return [v.asnumpy() if isinstance(v, Tensor) else v for v in out]


def _call(text, module, make):
    return eval(text, {**vars(module), "X": make(X), "O": lambda v: make(onp.array(v))})


@pytest.mark.parametrize("text", CALLS)
def test_numpy_is_numpy(text):
    found, expected = _values(_call(text, np, Tensor)), _values(_call(text, onp, onp.asarray))
    assert len(found) == len(expected)
    for f, e in zip(found, expected, strict=True):
        assert onp.shape(f) == onp.shape(e)
        onp.testing.assert_allclose(f, e, rtol=1e-4, atol=1e-5)


def test_grids():
    onp.testing.assert_array_equal(np.mgrid[0:2, 0:3].asnumpy(), onp.mgrid[0:2, 0:3])
    assert [g.shape for g in np.ogrid[0:2, 0:3]] == [(2, 1), (1, 3)]


def test_numpy_dtypes_where_none_is_given():
    assert [
        v.dtype
        for v in (np.array([1]), np.array([1.0]), np.arange(3), np.ones(2), np.full((1,), 2))
    ] == [ms.int32, ms.float32, ms.int32, ms.float32, ms.int32]
    assert np.sin(Tensor([1])).dtype is ms.float32 and np.add(Tensor([1]), 2).dtype is ms.int64


def _compiled(v):
    return (
        np.sum(v, 1),
        np.where(v > 0, v, 0),
        np.concatenate((v, v)),
        np.mean(v),
        mint.sum(v, dim=0),
        mint.max(v, 1),
    )


def test_both_namespaces_compile():
    eager, compiled = _compiled(Tensor(X)), ms.jit(_compiled)(Tensor(X))
    for e, c in zip(eager, compiled, strict=True):
        for f, g in zip(_values(e), _values(c), strict=True):
            onp.testing.assert_array_equal(f, g)


MINT = {
    "max along": (lambda x: mint.max(x, 1)[1], lambda x: x.argmax(1)),
    "max of two": (lambda x: mint.max(x, Tensor(1 - X)), lambda x: onp.maximum(x, 1 - x)),
    "median": (mint.median, lambda x: onp.sort(x.ravel())[5]),
    "take": (lambda x: mint.take(x, Tensor([0, 7])), lambda x: x.ravel()[[0, 7]]),
    "std": (mint.std, lambda x: x.std(ddof=1)),
    "transpose": (lambda x: mint.transpose(x, 0, 1), onp.transpose),
    "select": (lambda x: mint.select(x, 1, 2), lambda x: x[:, 2]),
    "diag": (lambda x: mint.diag(x, 1), lambda x: onp.diag(x, 1)),
    "squeeze of what is larger": (lambda x: mint.squeeze(x, 0), lambda x: x),
    "index_add": (
        lambda x: mint.index_add(x, 1, Tensor([0]), Tensor(X[:, :1]), alpha=2),
        lambda x: onp.concatenate([x[:, :1] * 3, x[:, 1:]], 1),
    ),
    "vector_norm": (mint.linalg.vector_norm, onp.linalg.norm),
    "softmax": (mint.nn.Softmax(1), lambda x: onp.exp(x) / onp.exp(x).sum(1, keepdims=True)),
    "flatten": (mint.nn.Flatten(0), onp.ravel),
    "leaky_relu": (mint.nn.functional.leaky_relu, lambda x: onp.where(x > 0, x, 0.01 * x)),
    "kl_div": (
        lambda x: mint.nn.KLDivLoss("sum", True)(x, Tensor(X * 2)),
        lambda x: (onp.exp(2 * x) * x).sum(),
    ),
    "normalize": (
        mint.nn.functional.normalize,
        lambda x: x / onp.linalg.norm(x, axis=1, keepdims=True),
    ),
}


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("name", MINT)
def test_mint(name, mode):
    ms.set_context(mode=mode)
    ours, reference = MINT[name]
    onp.testing.assert_allclose(ours(Tensor(X)).asnumpy(), reference(X), rtol=1e-5, atol=1e-6)


def test_mint_layers_with_weights():
    x = ops.ones((2, 3, 5, 5))
    assert mint.nn.Conv2d(3, 4, 3, padding=1)(x).shape == (2, 4, 5, 5)
    assert mint.nn.BatchNorm2d(3)(x).shape == mint.nn.GroupNorm(1, 3)(x).shape == x.shape
    assert mint.nn.Linear(5, 2)(x).shape == (2, 3, 5, 2)
    net = mint.nn.Linear(2, 1)
    for optim in (mint.optim.Adam, mint.optim.AdamW, mint.optim.SGD):
        assert optim(net.trainable_params(), lr=0.1) is not None


def test_names_at_the_top():
    assert ms.dtype_to_nptype(ms.int8) is onp.int8 and ms.dtype_to_pytype(ms.tuple_) is tuple
    assert ms.get_py_obj_dtype(1.5) is ms.float64 and ms.get_py_obj_dtype([1]) is ms.list_
    with pytest.raises(NotImplementedError):
        ms.get_py_obj_dtype(type)
    assert ms.is_tensor(Tensor([1])) and not ms.is_tensor(1)
    assert ms.from_numpy(X).shape == X.shape
    assert ms.JitConfig(jit_level="O1").jit_config_dict["jit_level"] == "O1"


def test_log_levels(capsys):
    assert ms.log.get_level() in "01234"
    ms.log.debug("not shown")
    assert "not shown" not in capsys.readouterr().err


def test_generated_spellings():
    from minds.ops import auto_generate
    from minds.ops.auto_generate import copy, gen_ops_def, gen_ops_prim
    from minds.ops.function.array_func import arg_max_with_value_

    x = ms.Tensor([[3.0, -1.0], [2.0, 5.0]])
    onp.testing.assert_array_equal(copy(x).asnumpy(), x.asnumpy())
    onp.testing.assert_array_equal(gen_ops_def.abs_op(x).asnumpy(), onp.abs(x.asnumpy()))
    onp.testing.assert_array_equal(gen_ops_def.transpose_view(x, (1, 0)).asnumpy(), x.asnumpy().T)
    onp.testing.assert_array_equal(gen_ops_prim.Abs()(x).asnumpy(), onp.abs(x.asnumpy()))
    onp.testing.assert_array_equal(
        ms.ops.operations.TransposeView()(x, (1, 0)).asnumpy(), x.asnumpy().T
    )
    sliced = gen_ops_def.slice_ext_view_op
    onp.testing.assert_array_equal(sliced(x, 0, 1, 2, 1).asnumpy(), x.asnumpy()[1:2])
    onp.testing.assert_array_equal(
        ms.grad(lambda v: sliced(v, 1, 0, 1, 1).sum())(x).asnumpy(), [[1, 0], [1, 0]]
    )
    index, value = arg_max_with_value_(ms.Tensor([0.0, 7.0, 1.0]))
    assert index == 1 and value == 7.0
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        auto_generate.nothing


def test_switches_of_the_compiler():
    from minds._extends.parse import compile_config

    compile_config.CHECK_BPROP = 1
    assert ms.get_context("check_bprop")
    compile_config.CHECK_BPROP = ""
    assert not ms.get_context("check_bprop")
    compile_config.FOR_HALF_UNROLL = 1
    assert compile_config.FOR_HALF_UNROLL == 1 and compile_config.RECURSIVE_EVAL == ""


def test_derivatives_have_one_home_and_several_names():
    from minds.ops.function.grad import grad_func

    for name in (
        "grad",
        "value_and_grad",
        "vjp",
        "jvp",
        "linearize",
        "jacrev",
        "jacfwd",
        "vmap",
        "get_grad",
    ):
        assert getattr(ops.functional, name) is getattr(ops, name) is getattr(grad_func, name)

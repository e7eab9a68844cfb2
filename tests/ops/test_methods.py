"""Operators, methods and indexing of tensors: as NumPy has them, in eager and compiled code
alike.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ops import methods
from minds.transforms.check_grad import check_grad

A = np.arange(24.0).reshape(2, 3, 4)
K, J = np.array([1, 0, -1]), np.array([[2], [0]])
MASK = A % 5 > 2

INDICES = {
    "int": 1,
    "negative": -1,
    "slice": slice(1, None),
    "step": (slice(None), slice(None, None, 2)),
    "reverse": (slice(None), slice(None, None, -1)),
    "backwards": (0, slice(2, 0, -2)),
    "none": None,
    "ellipsis": (Ellipsis, 1),
    "ellipsis middle": (1, Ellipsis, slice(1, 3)),
    "mixed": (slice(None), None, 2, slice(1, 2)),
    "empty": slice(5, 9),
    "full": (1, 2, 3),
    "all": (slice(None),) * 3,
    "empty tuple": (),
    "tensor": K[:2],
    "tensor later": (slice(None), K),
    "tensor last": (Ellipsis, J),
    "two tensors": (K[:2], K[:2]),
    "two later": (slice(None), K, J),
    "apart": (K[:2], slice(None), K[:2]),
    "int and tensor": (1, slice(None), K),
    "tensor and int": (slice(None), K, 2),
    "tensor and none": (None, K[:2], Ellipsis),
    "list": [1, 0],
    "scalar tensor": np.array(1),
    "slice and tensor": (slice(0, 1), slice(1, None), K),
}


def _minds(index):
    """The index with tensors for arrays."""
    if isinstance(index, tuple):
        return tuple(_minds(i) for i in index)
    return Tensor(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize("name", INDICES)
def test_reading(name):
    index = INDICES[name]
    expected = A[index]
    x, i = Tensor(A), _minds(index)
    for found in (x[i], ms.jit(lambda x: x[i])(x)):
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.asnumpy(), expected)
    if expected.size:
        check_grad(lambda x: x[i] * x[i], [A])


@pytest.mark.parametrize("name", [n for n in INDICES if n != "empty"])
def test_writing_gives_a_new_tensor(name):
    index = INDICES[name]
    expected = A.copy()
    value = np.arange(expected[index].size, dtype=float).reshape(expected[index].shape) + 100
    expected[index] = value
    x = Tensor(A)
    found = methods.setitem(x, _minds(index), Tensor(value))
    np.testing.assert_array_equal(found.asnumpy(), expected)
    np.testing.assert_array_equal(x.asnumpy(), A)


def test_bool_masks():
    x = Tensor(A)
    np.testing.assert_array_equal(x[Tensor(MASK)].asnumpy(), A[MASK])
    np.testing.assert_array_equal(x[Tensor(MASK[:, :, 0])].asnumpy(), A[MASK[:, :, 0]])
    np.testing.assert_array_equal(
        methods.setitem(x, Tensor(MASK), -1).asnumpy(), np.where(MASK, -1, A)
    )
    assert ops.nonzero(Tensor(MASK)).asnumpy().tolist() == np.argwhere(MASK).tolist()
    np.testing.assert_array_equal(ms.jit(lambda x: x[x > 2])(x).asnumpy(), A[A > 2])


X, Y = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]]), np.array([2.0, -1.5, 0.5])
OPERATORS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "**": lambda x, y: abs(x) ** y,
    "@": lambda x, y: x @ y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "unary": lambda x, y: -x + +y,
    "number right": lambda x, y: (x + 2) * 3 - 1.5 / y,
    "number left": lambda x, y: 2 - x + 3 * y + 2**y,
    "truth": lambda x, y: (x > 0) & (y > 0) | ~(x < 1) ^ (y < 1),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    fn = OPERATORS[name]
    expected = fn(X, Y)
    for found in (fn(Tensor(X), Tensor(Y)), ms.jit(lambda x, y: fn(x, y))(Tensor(X), Tensor(Y))):
        assert found.dtype.np == expected.dtype
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-15)


@pytest.mark.parametrize("name", ["&", "|", "^", "<<", ">>"])
def test_operators_on_integers(name):
    x, y = np.array([6, 12, -5]), np.array([3, 1, 2])
    run = {
        "&": lambda a, b: a & b,
        "|": lambda a, b: a | b,
        "^": lambda a, b: a ^ b,
        "<<": lambda a, b: a << b,
        ">>": lambda a, b: a >> b,
    }[name]
    assert run(Tensor(x), Tensor(y)).asnumpy().tolist() == run(x, y).tolist()


@pytest.mark.parametrize("dtype", [ms.bool_, ms.int32, ms.uint8, ms.float32])
def test_tilde_is_logical_not(dtype):
    """Of tensors, as MindSpore defines it; of ints and arrays of NumPy it is Python's."""
    x = Tensor([1, 0, 2], dtype)
    for fn in (lambda a: ~a, ms.jit(lambda a: ~a)):
        assert fn(x).dtype is ms.bool_ and fn(x).asnumpy().tolist() == [False, True, False]

    @ms.jit
    def of_others(x):
        return ~int(x), ms.Tensor(~x.asnumpy())

    inverted, array = of_others(Tensor([5]))
    assert inverted == -6 and array.asnumpy().tolist() == [-6]


def test_numbers_do_not_widen():
    for dtype in (ms.float16, ms.bfloat16, ms.float32, ms.float64):
        assert (Tensor([1.0], dtype) * 2.5 + 1).dtype is dtype
    assert (Tensor([1], ms.int8) + 3).dtype is ms.int8 and (
        Tensor([1], ms.int8) * 0.5
    ).dtype is ms.float32
    assert (Tensor([1], ms.int32) / 2).dtype is ms.float32 and (
        Tensor([True]) + 1
    ).dtype is ms.int64
    assert (Tensor([1.0], ms.float16) + Tensor([1.0], ms.float32)).dtype is ms.float32
    assert (Tensor([1], ms.int64) * Tensor([1.0], ms.float16)).dtype is ms.float16


def test_equality_with_what_is_no_number():
    x = Tensor([1.0])
    assert (x == None) is False and (x != None) is True and (x == "a") is False
    assert len({x, x}) == 1


METHODS = {
    "sum": (lambda x: x.sum(), lambda x: x.sum()),
    "sum axis": (lambda x: x.sum(axis=1, keepdims=True), lambda x: x.sum(1, keepdims=True)),
    "sum dim": (lambda x: x.sum(dim=0, keepdim=True), lambda x: x.sum(0, keepdims=True)),
    "mean": (lambda x: x.mean((0, 1)), lambda x: x.mean((0, 1))),
    "mean kept": (lambda x: x.mean(0, keep_dims=True), lambda x: x.mean(0, keepdims=True)),
    "max": (lambda x: x.max(), lambda x: x.max()),
    "max axis": (lambda x: x.max(axis=1), lambda x: x.max(1)),
    "max indices": (lambda x: x.max(0, return_indices=True)[1], lambda x: x.argmax(0)),
    "min": (lambda x: x.min(axis=-1), lambda x: x.min(-1)),
    "min along": (lambda x: x.min(-1)[0], lambda x: x.min(-1)),
    "max along": (lambda x: x.max(dim=0, keepdim=True)[1], lambda x: x.argmax(0)[None]),
    "max of all": (lambda x: x.max((0, 1)), lambda x: x.max((0, 1))),
    "argmin": (lambda x: x.argmin(axis=0), lambda x: x.argmin(0).astype(np.int32)),
    "std": (lambda x: x.std(ddof=1), lambda x: x.std(ddof=1)),
    "var": (lambda x: x.var(0), lambda x: x.var(0)),
    "prod": (lambda x: (x + 1).prod(2), lambda x: (x + 1).prod(2)),
    "all": (lambda x: (x > 3).all(2), lambda x: (x > 3).all(2)),
    "any": (lambda x: (x > 30).any(), lambda x: (x > 30).any()),
    "cumsum": (lambda x: x.cumsum(1), lambda x: x.cumsum(1)),
    "reshape": (lambda x: x.reshape(4, -1), lambda x: x.reshape(4, -1)),
    "reshape tuple": (lambda x: x.reshape((6, 4)), lambda x: x.reshape(6, 4)),
    "view": (lambda x: x.view(24), lambda x: x.reshape(24)),
    "transpose": (lambda x: x.transpose(), lambda x: x.transpose()),
    "transpose axes": (lambda x: x.transpose(1, 0, 2), lambda x: x.transpose(1, 0, 2)),
    "transpose tuple": (lambda x: x.transpose((2, 0, 1)), lambda x: x.transpose(2, 0, 1)),
    "T": (lambda x: x.T, lambda x: x.T),
    "swapaxes": (lambda x: x.swapaxes(0, 2), lambda x: x.swapaxes(0, 2)),
    "flatten": (lambda x: x.flatten(), lambda x: x.flatten()),
    "squeeze": (lambda x: x[:1].squeeze(0), lambda x: x[0]),
    "expand_dims": (lambda x: x.expand_dims(1), lambda x: x[:, None]),
    "repeat": (lambda x: x.repeat(2, 0), lambda x: x.repeat(2, 0)),
    "tile": (lambda x: x.tile((2, 1, 1)), lambda x: np.tile(x, (2, 1, 1))),
    "broadcast_to": (
        lambda x: x[0, 0].broadcast_to((2, 4)),
        lambda x: np.broadcast_to(x[0, 0], (2, 4)),
    ),
    "split": (lambda x: x.split(2, axis=1)[1], lambda x: x[:, 2:]),
    "astype": (lambda x: x.astype(ms.int32), lambda x: x.astype(np.int32)),
    "float": (lambda x: x.float(), lambda x: x.astype(np.float32)),
    "clip": (lambda x: x.clip(3, 9), lambda x: x.clip(3, 9)),
    "take": (lambda x: x.take(Tensor([1, 0]), axis=1), lambda x: x.take([1, 0], 1)),
    "abs": (lambda x: (-x).abs(), np.abs),
    "exp": (lambda x: (x * 0.1).exp(), lambda x: np.exp(x * 0.1)),
    "pow": (lambda x: x.pow(2), np.square),
    "matmul": (lambda x: x.matmul(x.swapaxes(1, 2)), lambda x: x @ x.swapaxes(1, 2)),
    "where": (lambda x: x.where(x > 3, 0), lambda x: np.where(x > 3, x, 0)),
    "masked_fill": (lambda x: x.masked_fill(x > 3, 1), lambda x: np.where(x > 3, 1, x)),
    "topk": (lambda x: x.topk(2)[0], lambda x: x[..., :1:-1]),
    "sort": (lambda x: (-x).sort()[0], lambda x: np.sort(-x)),
    "isclose": (lambda x: x.isclose(x + 1), lambda x: np.isclose(x, x + 1)),
    "new_ones": (lambda x: x.new_ones((2,)), lambda x: np.ones(2)),
    "equal": (lambda x: x.equal(3), lambda x: x == 3),
    "softmax": (lambda x: x.softmax(), lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
    "norm": (lambda x: x.norm(), lambda x: np.sqrt((x * x).sum())),
    "gather": (lambda x: x.gather(Tensor([1, 1]), 0), lambda x: x[[1, 1]]),
    "permute": (lambda x: x.permute(2, 1, 0), lambda x: x.T),
    "select": (lambda x: x.select(x > 3, x * 2), lambda x: np.where(x > 3, x, 2 * x)),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    fn, reference = METHODS[name]
    expected = np.asarray(reference(A))
    for found in (fn(Tensor(A)), ms.jit(lambda x: fn(x))(Tensor(A))):
        assert found.shape == expected.shape and found.dtype.np == expected.dtype
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-14)


def test_every_method_is_documented():
    for name, fn in methods.table().items():
        assert fn.__doc__, name


CLASSES = {
    "MatMul": (lambda: ops.MatMul(transpose_b=True), [A[0], A[1]], A[0] @ A[1].T),
    "BatchMatMul": (lambda: ops.BatchMatMul(True), [A, A], A.swapaxes(1, 2) @ A),
    "Add": (ops.Add, [X, Y], X + Y),
    "TensorAdd": (lambda: ops.TensorAdd(), [X, Y], X + Y),
    "RealDiv": (lambda: ops.RealDiv(), [X, Y], X / Y),
    "ReduceSum": (lambda: ops.ReduceSum(keep_dims=True), [X, 0], X.sum(0, keepdims=True)),
    "ReduceMean": (lambda: ops.ReduceMean(), [X], X.mean()),
    "ReduceMax": (lambda: ops.ReduceMax(), [X, 1], X.max(1)),
    "Reshape": (lambda: ops.Reshape(), [X, (3, 2)], X.reshape(3, 2)),
    "Cast": (lambda: ops.Cast(), [X, ms.float32], X.astype(np.float32)),
    "Concat": (lambda: ops.Concat(axis=1), [(X, X)], np.concatenate((X, X), 1)),
    "Stack": (lambda: ops.Stack(), [(X, X)], np.stack((X, X))),
    "Transpose": (lambda: ops.Transpose(), [X, (1, 0)], X.T),
    "ExpandDims": (lambda: ops.ExpandDims(), [X, 0], X[None]),
    "Squeeze": (lambda: ops.Squeeze(0), [X[:1]], X[0]),
    "OneHot": (lambda: ops.OneHot(), [K[:2], 3, 1.0, 0.0], np.eye(3, dtype=np.float32)[[1, 0]]),
    "Softmax": (lambda: ops.Softmax(axis=0), [X], np.exp(X) / np.exp(X).sum(0)),
    "Gather": (lambda: ops.Gather(), [X, K[:2], 1], X[:, [1, 0]]),
    "Argmax": (lambda: ops.Argmax(axis=1), [X], X.argmax(1).astype(np.int32)),
    "ArgMaxWithValue": (lambda: ops.ArgMaxWithValue(1), [X], (X.argmax(1), X.max(1))),
    "AddN": (lambda: ops.AddN(), [(X, X, X)], 3 * X),
    "Tile": (lambda: ops.Tile(), [Y, (2,)], np.tile(Y, 2)),
    "Fill": (lambda: ops.Fill(), [ms.float64, (2,), 3], np.full(2, 3.0)),
    "ZerosLike": (lambda: ops.ZerosLike(), [X], 0 * X),
    "Split": (lambda: ops.Split(1, 3), [X], tuple(np.split(X, 3, 1))),
    "Square": (lambda: ops.Square(), [X], X * X),
    "BiasAdd": (lambda: ops.BiasAdd(), [X, Y], X + Y),
    "CumSum": (lambda: ops.CumSum(exclusive=True), [Y, 0], np.array([0, 2.0, 0.5])),
    "MaxPool": (
        lambda: ops.MaxPool(2, 2, "same"),
        [A[None]],
        A.reshape(1, 2, 3, 2, 2).max(4)[:, :, [1, 2]],
    ),
    "StridedSlice": (
        lambda: ops.StridedSlice(begin_mask=1),
        [X, (1, 0), (2, 3), (1, 2)],
        X[:2, ::2],
    ),
    "LayerNorm": (lambda: ops.LayerNorm(1, 1, 0.0), [X, np.ones(3), np.zeros(3)], None),
    "L2Loss": (lambda: ops.L2Loss(), [X], (X * X).sum() / 2),
    "UnsortedSegmentSum": (
        lambda: ops.UnsortedSegmentSum(),
        [Y, np.array([0, 0, 1]), 2],
        np.array([0.5, 0.5]),
    ),
}


def _operand(v):
    if isinstance(v, np.ndarray):
        return Tensor(v)
    return (
        tuple(_operand(e) for e in v)
        if isinstance(v, tuple) and any(isinstance(e, np.ndarray) for e in v)
        else v
    )


@pytest.mark.parametrize("name", CLASSES)
def test_class_spellings(name):
    make, operands, expected = CLASSES[name]
    prim = make()
    assert isinstance(prim, ops.Primitive) and type(prim).__name__ == name
    found = prim(*map(_operand, operands))
    if expected is None:
        return
    for f, e in zip(
        found if isinstance(found, tuple) else (found,),
        expected if isinstance(expected, tuple) else (expected,),
        strict=False,
    ):
        assert f.dtype.np == np.asarray(e).dtype and f.shape == np.shape(e)
        np.testing.assert_allclose(f.asnumpy(), e, rtol=1e-12)


def test_classes_in_compiled_code():
    total = ops.ReduceSum(keep_dims=True)

    @ms.jit
    def f(x):
        return total(ops.MatMul(transpose_b=True)(x, x), 1)

    np.testing.assert_allclose(f(Tensor(X)).asnumpy(), (X @ X.T).sum(1, keepdims=True))


def test_every_class_can_be_made():
    from minds.ops import operations
    from minds.ops.faces import offered

    for name in offered("cls"):
        assert issubclass(getattr(operations, name), ops.Primitive)
        assert getattr(operations, name).__doc__


def test_parameters_are_written_by_classes():
    p = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="p")
    ops.AssignAdd()(p, Tensor([1.0, 1.0, 1.0]))
    ops.ScatterUpdate()(p, Tensor([0]), Tensor([9.0]))
    ops.ScatterAdd()(p, Tensor([2, 2]), Tensor([1.0, 1.0]))
    assert p.value().asnumpy().tolist() == [9, 3, 6]


def test_functions_of_functions():
    double = ops.MultitypeFuncGraph("double")

    @double.register("Number", "Tensor")
    def _(k, x):
        return x * k

    @double.register("Number", "Tuple")
    def _(k, xs):
        return ops.HyperMap()(ops.partial(double, k), xs)

    found = ops.HyperMap()(ops.partial(double, 2), (Tensor([1.0]), (Tensor([2.0]), Tensor([3.0]))))
    assert [float(found[0]), float(found[1][1])] == [2, 6]
    compiled = ms.jit(lambda a, b: ops.HyperMap()(ops.partial(double, 2), (a, b)))(
        Tensor([1.0]), Tensor([4.0])
    )
    assert [float(v) for v in compiled] == [2, 8]
    with pytest.raises(ValueError, match="double: no implementation for"):
        double("a", "b")


def test_elements_of_a_parameter_change_with_it_but_its_value_does_not():
    p = ms.Parameter(Tensor([1.0, 2.0]), name="p")
    value, views = p.value(), [p[:], p[0], p.reshape(2, 1)]
    ops.assign(p, Tensor([5.0, 6.0]))
    assert [t.tolist() for t in views] == [[5, 6], 5, [[5], [6]]]
    assert value.tolist() == [1, 2]
    p.set_data(Tensor([7.0, 8.0]))  # of its own: what shared the old value still does
    assert [t.tolist() for t in views] == [[5, 6], 5, [[5], [6]]]
    views[0][0] = 9
    assert [t.tolist() for t in views] == [[9, 6], 9, [[9], [6]]] and p.tolist() == [7, 8]

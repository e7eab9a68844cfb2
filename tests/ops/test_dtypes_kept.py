"""Dtypes that MindSpore's docstrings say, and overloads of Tensor's methods that it lists."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, ops

X = np.arange(-6, 7)


@pytest.mark.parametrize("dtype", [ms.int8, ms.int32, ms.int64])
@pytest.mark.parametrize(
    "name, formula",
    [
        ("hardswish", lambda x: x * np.clip((x + 3) / 6, 0, 1)),
        ("hardsigmoid", lambda x: np.clip((x + 3) / 6, 0, 1)),
        ("leaky_relu", lambda x: np.where(x > 0, x, 0.2 * x)),
        ("selu", lambda x: 1.0507009 * np.where(x > 0, x, 1.6732632 * np.expm1(x))),
    ],
)
def test_activations_of_integers_are_whole_numbers(name, formula, dtype):
    found = getattr(ops, name)(Tensor(X, dtype))
    assert found.dtype is dtype
    np.testing.assert_array_equal(found.asnumpy(), np.trunc(formula(X.astype(np.float64))))


def test_clipping_keeps_the_dtype():
    low, high = Tensor(-1.5, ms.float32), Tensor(2.5, ms.float32)
    found = ops.clip_by_value([Tensor(X, ms.int32), Tensor(X, ms.float16)], low, high)
    assert isinstance(found, tuple) and [x.dtype for x in found] == [ms.int32, ms.float16]
    np.testing.assert_array_equal(found[0].asnumpy(), np.trunc(np.clip(X, -1.5, 2.5)))
    np.testing.assert_array_equal(found[1].asnumpy(), np.clip(X, -1.5, 2.5).astype(np.float16))


def test_clamp_of_bools_with_limits_of_wider_kinds():
    found = mint.clamp(Tensor([True, False]), Tensor(0.5), Tensor(3))
    np.testing.assert_array_equal(found.asnumpy(), [1.0, 0.5])
    assert ops.clamp(Tensor([True, False]), Tensor(2), Tensor(3)).tolist() == [2, 2]


def test_covariance_of_half_floats_is_float32():
    x = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 0.5]], np.float16)
    found = ops.cov(Tensor(x))
    assert found.dtype is ms.float32
    np.testing.assert_allclose(found.asnumpy(), np.cov(x.astype(np.float64)), rtol=1e-5)
    assert not np.isfinite(ops.cov(Tensor(x), correction=9).asnumpy()).all()


def test_sums_and_powers_of_small_integers_do_not_wrap():
    x = np.array([100, 100], np.int8)
    assert ops.vecdot(Tensor(x), Tensor(x.astype(np.int64))).item() == 20_000
    assert ops.vander(Tensor(x), 3).tolist() == [[10_000, 100, 1]] * 2


def test_diagonals_widen_the_matrix():
    found = ops.matrix_set_diag(Tensor(np.zeros((2, 2)), ms.int32), Tensor([0.5, 1.5]))
    assert found.dtype is ms.float32 and found.tolist() == [[0.5, 0.0], [0.0, 1.5]]


def test_extremes_leave_nan_out():
    x = Tensor([[1.0, np.nan], [3.0, np.nan]])
    assert [v.item() for v in ops.aminmax(x, axis=None)] == [1.0, 3.0]
    low, high = ops.aminmax(x)
    np.testing.assert_array_equal(low.asnumpy(), [1.0, np.nan])
    np.testing.assert_array_equal(high.asnumpy(), [3.0, np.nan])


def test_a_nan_goes_through_thresholds():
    x = Tensor([np.nan, 0.2, 2.0])
    np.testing.assert_array_equal(ops.softshrink(x).asnumpy(), [np.nan, 0.0, 1.5])
    np.testing.assert_array_equal(ops.threshold(x, 1, 7).asnumpy(), [np.nan, 7.0, 2.0])


def test_a_deviation_of_0_has_a_gradient():
    grad = ms.grad(lambda x: ops.std(x, 0).sum())(Tensor(np.ones((3, 2), np.float32)))
    np.testing.assert_array_equal(grad.asnumpy(), np.zeros((3, 2)))


def test_cross_products_broadcast_over_ranks():
    a, b = np.random.default_rng(1).standard_normal((2, 4, 3, 3))
    found = ops.cross(Tensor(a), Tensor(b[0]), 1)
    np.testing.assert_allclose(found.asnumpy(), np.cross(a, b[:1], axis=1), rtol=1e-6)


def test_fractions_of_integers_beside_half_floats():
    x = Tensor([1.0, 2.0], ms.float16)
    for found in (mint.sub(x, Tensor(1), alpha=0.5), x.sub(Tensor(1), alpha=0.5)):
        assert found.dtype is ms.float16 and found.tolist() == [0.5, 1.5]


def test_numpy_as_mindspore_documents_it():
    mnp = ms.numpy
    assert mnp.bitwise_and(13, 17).dtype is ms.int32
    assert mnp.float_power([2, 3], 2).dtype is ms.float32
    assert mnp.reciprocal([1, 2, -1]).tolist() == [1, 0, -1]
    assert mnp.digitize([0.5], [0.0, 1.0]).dtype is ms.int32
    assert isinstance(mnp.array_equal([1], [1, 2]), Tensor)
    det = ms.scipy.linalg.det(Tensor([[1, 2], [3, 4]], ms.int32))
    assert det.dtype is ms.float64 and abs(det.item() + 2) < 1e-12


@pytest.mark.parametrize("source", ["int64", "int32", "int16", "uint8", "float32", "float64"])
@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "float16", "float64", "complex64"])
def test_a_view_of_another_dtype_has_the_same_bits(source, dtype):
    x = np.arange(-8, 8).astype(source).reshape(2, 8)
    call = [lambda t: t.view(getattr(ms, dtype)), lambda t: t.view(dtype=getattr(ms, dtype))]
    for view in (*call, ms.jit(call[0])):
        found = view(Tensor(x))
        assert found.dtype is getattr(ms, dtype)
        assert found.asnumpy().tobytes() == x.tobytes() and found.shape[0] == 2


def test_views_of_bfloat16_and_what_is_refused():
    assert Tensor([1.0], ms.bfloat16).view(ms.uint16).tolist() == [0x3F80]
    assert Tensor([0x3F80], ms.int16).view(ms.bfloat16).tolist() == [1.0]
    for x, dtype, error in (
        (Tensor(1), ms.int8, ValueError),
        (Tensor([1], ms.int8), ms.int32, ValueError),
        (Tensor([1], ms.int8), ms.bool_, TypeError),
    ):
        with pytest.raises(error, match="^view: "):
            x.view(dtype)


def test_overloads_by_name():
    x = Tensor([[3, 1], [2, 4]])
    assert x.tile(dims=(2, 1)).shape == x.tile(reps=(2, 1)).shape == (4, 2)
    assert x.repeat(repeats=(1, 2)).shape == (2, 4)
    assert x.argsort(dim=0, descending=True, stable=True).tolist() == [[0, 1], [1, 0]]
    assert x.diag(diagonal=1).tolist() == [1]
    assert x.transpose(dim0=0, dim1=1).tolist() == [[3, 2], [1, 4]]
    assert x.to(other=Tensor(1.0)).dtype is ms.float32
    assert len(Tensor(np.zeros((0, 2))).split(3)) == 1
    assert x.take(index=Tensor([3])).tolist() == ops.take(x, index=Tensor([3])).tolist() == [4]
    assert x.select(dim=0, index=1).tolist() == ms.jit(lambda x: x.select(0, index=1))(x).tolist()
    assert x.isclose(x2=x).all() and x.sub(y=x).tolist() == [[0, 0], [0, 0]]
    assert x.astype(ms.float32).matmul(tensor2=Tensor([[1.0], [0.0]])).tolist() == [[3.0], [2.0]]
    assert x.masked_scatter(mask=x > 2, source=Tensor([7, 8])).tolist() == [[7, 1], [2, 8]]


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_a_nan_has_no_sign(dtype):
    x = Tensor([np.nan, -0.0, 2.0, -np.inf] * 9, dtype)
    for sign in (ops.sign, ms.jit(lambda t: ops.sign(ops.neg(ops.neg(t))))):
        assert sign(x).asnumpy().tolist() == [0.0, 0.0, 1.0, -1.0] * 9


def test_the_nearest_element_is_chosen_alone():
    x = np.arange(16.0).reshape(1, 1, 4, 4)
    x[0, 0, 0, 0] = np.nan
    found = ops.interpolate(Tensor(x), size=(8, 2)).asnumpy()
    np.testing.assert_array_equal(found, x.repeat(2, 2)[..., ::2])
    whole = ops.ResizeNearestNeighbor((2, 2))(Tensor(np.arange(16).reshape(1, 1, 4, 4), ms.int64))
    assert whole.tolist() == [[[[0, 2], [8, 10]]]]


def test_the_mean_of_no_losses_is_nan():
    none = Tensor(np.zeros((0, 2), np.float32))
    assert np.isnan(ops.l1_loss(none, none).item()) and ops.l1_loss(none, none, "sum").item() == 0


def test_a_transform_of_half_floats_is_scaled_in_float32():
    x = np.arange(4)
    found = ops.irfft(Tensor(x, ms.float16))
    np.testing.assert_allclose(found.asnumpy(), np.fft.irfft(x), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("take", [lambda x: x.item(), lambda x: x.tolist(), float, int])
def test_compiled_code_does_not_cut_complex_numbers(take):
    x = Tensor(np.array(1.5 + 2j, np.complex64))
    with pytest.raises(TypeError, match="real number"):
        ms.jit(lambda x: take(x))(x)
    assert ms.jit(bool)(x) is True


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ops.masked_select(x, Tensor([0, 1, 1])),
        lambda x: mint.scatter(x, 0, Tensor([0.0, 1.0]), x),
        lambda x: ops.tensor_scatter_elements(x, Tensor([0.0, 1.0]), x[:2]),
        lambda x: ops.scatter_add(ms.Parameter(x), Tensor([0.0, 1.0]), x[:2]),
        lambda x: x.copy().index_copy_(0, Tensor([0.0, 1.0]), x[:2]),
        lambda x: x.index_put((Tensor([0.0, 1.0]),), x[:2]),
        lambda x: x.index_put((Tensor([True, False]),), x[:2]),
        lambda x: ops.unsorted_segment_max(x, Tensor([0.0, 1.0, 1.0]), 2),
        lambda x: ops.reverse_sequence(x.reshape(1, 3), Tensor([2.0]), 1),
        lambda x: ops.sequence_mask(x),
        lambda x: ops.sequence_mask(x, 4),
        lambda x: ops.intopk(x.reshape(1, 3), Tensor([2.0]), 1),
        lambda x: ops.multilabel_margin_loss(x, Tensor([1.0, -1.0, 0.0])),
        lambda x: ops.max_unpool1d(x.reshape(1, 1, 3), Tensor([[[0.0, 2.0, 4.0]]]), 2),
        lambda x: ops.ctc_loss(ops.ones((3, 1, 2)), Tensor([[1.0]]), Tensor([3]), Tensor([1])),
    ],
)
def test_a_mask_is_of_bools_and_positions_are_integers(call):
    with pytest.raises(TypeError, match="of (dtype bool|an integer dtype)"):
        call(Tensor([1.0, 2.0, 3.0]))


def test_running_sums_of_mint_are_int64():
    for dtype in (ms.int8, ms.bool_, ms.uint8):
        found = mint.cumsum(Tensor(np.ones(300), dtype), 0)
        assert found.dtype is ms.int64 and found[-1].item() == 300


def test_names_of_parameters():
    x = Tensor([1.0, -2.0])
    assert ops.i0(input=x).shape == mint.nn.functional.selu(input=x).shape == (2,)
    assert ms.numpy.empty_like(prototype=x, shape=(3,)).shape == (3,)
    assert ms.numpy.round([1.26, -0.5], 1).asnumpy().round(4).tolist() == pytest.approx([1.3, -0.5])

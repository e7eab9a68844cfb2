"""What a dtype says of its numbers, and errors of layers, metrics and tensors in MindSpore's words."""

import numpy as np
import pytest

import minds as ms
from minds import nn, train
from minds.common import dtype as mstype
from minds.nn.probability.distribution._utils.utils import set_param_type


@pytest.mark.parametrize("dtype", mstype.all_types, ids=str)
def test_kinds_of_a_type(dtype):
    bfloat16 = dtype is ms.bfloat16
    like = np.dtype(np.float32 if bfloat16 else dtype.name)
    assert dtype.is_floating_point == np.issubdtype(like, np.floating)
    assert dtype.is_complex == np.issubdtype(like, np.complexfloating)
    assert dtype.is_signed == (like.kind in "ifc") == (dtype in mstype.signed_type)
    parts = {ms.complex64: ms.float32, ms.complex128: ms.float64}
    assert dtype.to_real() is parts.get(dtype, dtype)
    if dtype.is_complex:
        assert dtype.to_complex() is dtype
    elif dtype in (ms.float32, ms.bfloat16, ms.float64):
        whole = ms.complex128 if dtype is ms.float64 else ms.complex64
        assert dtype.to_complex() is whole
    else:
        with pytest.raises(TypeError, match="to_complex"):
            dtype.to_complex()


@pytest.mark.parametrize(
    ("place", "wrong"), [(0, ms.int16), (1, ms.float16), (2, ms.int16)], ids=str
)
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_types_of_weighted_rows(place, wrong, mode):
    ms.set_context(mode=mode)
    given = [ms.Tensor(np.ones((2, 3)), t) for t in (ms.int32, ms.float32, ms.int32)]
    net = nn.MultiFieldEmbeddingLookup(4, 2, 3)
    assert net(*given).shape == (2, 3, 2)
    given[place] = given[place].astype(wrong)
    with pytest.raises(TypeError, match="MultiFieldEmbeddingLookup: .* expected"):
        net(*given)


def test_images_of_different_shapes_are_refused_before_their_type():
    one, two = (ms.Tensor(np.ones((1, 1, n, n))) for n in (16, 8))
    with pytest.raises(ValueError, match="expected one shape"):
        nn.SSIM()(one, two)
    with pytest.raises(TypeError, match="Float64"):
        nn.SSIM()(one, one)


@pytest.mark.parametrize("indexes", [0, [0.0], ["1"]])
def test_indexes_of_a_metric(indexes):
    said = (
        "For 'set_indexes', the argument 'indexes' must be a list and all its elements must be int"
    )
    with pytest.raises(ValueError, match=said):
        train.Accuracy().set_indexes(indexes)


@pytest.mark.parametrize("data", [[[3], [4, 5]], [[], [4]], [None, []]], ids=str)
def test_a_ragged_sequence_is_shown(data):
    with pytest.raises(TypeError) as e:
        ms.Tensor(data)
    assert f"the input_data is {data} that contain unsupported element" in str(e.value)


def test_a_long_ragged_sequence_is_cut():
    with pytest.raises(TypeError) as e:
        ms.Tensor([[1] * 10**5, [2]])
    assert len(str(e.value)) < 2000


def test_the_type_of_a_distribution():
    half, single, double = (ms.Tensor(0.5, t) for t in (ms.float16, ms.float32, ms.float64))
    assert set_param_type({"a": half, "b": 1.0}, ms.float32) is ms.float16
    assert set_param_type({"a": double}, ms.float64) is ms.float32
    assert set_param_type({"a": np.array(1, np.int32)}, ms.float16) is ms.float32
    assert set_param_type({"a": 1.0}, ms.float16) is ms.float16
    with pytest.raises(TypeError, match="expected one dtype"):
        set_param_type({"a": single, "b": double}, ms.float32)


def test_a_choice_that_fails_while_a_checkpoint_is_read(tmp_path):
    path = str(tmp_path / "a.ckpt")
    ms.save_checkpoint(nn.Dense(1, 1), path)
    with pytest.raises(ValueError, match="choice_func.*TypeError"):
        ms.load_checkpoint(path, choice_func=lambda name: name.startswith(1))


@pytest.mark.parametrize("kind", [int, float])
def test_several_elements_are_no_number_in_either_mode(kind):
    x = ms.Tensor([1, 2, 3], ms.bfloat16)
    for run in (kind, ms.jit(lambda x: kind(x))):
        with pytest.raises(ValueError, match="Only one element tensors can be converted"):
            run(x)


def test_arrays_of_bfloat16_tensors():
    from minds.common import np_dtype

    assert ms.Tensor([1.5], ms.bfloat16).asnumpy().dtype == np_dtype.bfloat16
    assert np_dtype.np_dtype_valid()

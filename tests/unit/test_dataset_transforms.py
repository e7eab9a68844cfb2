"""Transforms of columns and images, against NumPy, Pillow and formulas."""

import io
import math

import numpy as np
import pytest
from PIL import Image

import minds as ms
import minds.dataset as ds
from minds.dataset import transforms as T
from minds.dataset import vision as V

IMAGE = (np.arange(4 * 6 * 3) * 7 % 256).astype(np.uint8).reshape(4, 6, 3)


def same(got, expected, dtype=None):
    assert isinstance(got, np.ndarray)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == (dtype or np.asarray(expected).dtype)


def test_compose_and_random_groups():
    plus, double = (lambda x: x + 1), (lambda x: x * 2)
    assert T.Compose([plus, double])(3) == 8
    assert T.Compose([T.Duplicate(), lambda a, b: a + b])(np.array(2)) == 4
    d = ds.NumpySlicesDataset(np.arange(1000), shuffle=False)

    def mean(op):
        ds.config.set_seed(1)
        return np.mean(
            [
                int(x)
                for (x,) in d.map(lambda x: np.array(0))
                .map(op)
                .create_tuple_iterator(num_epochs=1, output_numpy=True)
            ]
        )

    assert mean(T.RandomApply([plus], 0.25)) == pytest.approx(0.25, abs=0.05)
    assert mean(T.RandomChoice([plus, lambda x: x + 3])) == pytest.approx(2, abs=0.1)
    assert mean(T.RandomOrder([plus, double])) == pytest.approx(1.5, abs=0.05)


def test_column_transforms():
    same(T.TypeCast(ms.float16)(np.array([1, 2])), [1, 2], np.float16)
    same(T.OneHot(3)(np.array([2, 0], np.int32)), [[0, 0, 1], [1, 0, 0]], np.int32)
    np.testing.assert_allclose(T.OneHot(4, 0.2)(1), [0.05, 0.85, 0.05, 0.05])
    same(T.Fill(3)(np.zeros(2, np.int8)), [3, 3], np.int8)
    same(T.PadEnd([None, 3], 9)(np.array([[1], [2]])), [[1, 9, 9], [2, 9, 9]])
    same(T.Mask(T.Relational.GE, 2)(np.array([1, 2, 3])), [False, True, True])
    same(T.Mask(T.Relational.LT, 2, ms.float32)(np.array([1, 2])), [1, 0], np.float32)
    same(T.Concatenate(0, np.array([9]), np.array([8]))(np.array([1, 2])), [9, 1, 2, 8])
    found, where, counts = T.Unique()(np.array([[5, 3], [5, 2]]))  # as they are first met
    assert (found.tolist(), where.tolist()) == ([5, 3, 2], [0, 1, 0, 2])
    assert counts.tolist() == [2, 1, 1]


def test_column_transforms_at_the_edges_as_mindspore():
    for one in (np.array(1), np.array([1]), np.array([[1]])):
        same(T.OneHot(3)(one), [0, 1, 0])
    same(T.OneHot(3)(np.array([[1], [2]])), [[0, 1, 0], [0, 0, 1]])
    same(T.PadEnd([3, 2], 9)(np.array([[1, 2, 3], [4, 5, 6]])), [[1, 2], [4, 5], [9, 9]])
    assert T.PadEnd([2])(np.array(1)) == 1
    same(T.Mask(T.Relational.LT, 1.5)(np.array([1, 2])), [False, False])
    same(T.Mask(T.Relational.EQ, "a")(np.array([b"a", b"b"])), [True, False])
    same(T.Fill("abc")(np.array(["x", "yyyy"])), ["abc", "abc"])
    same(T.Slice(True)(np.array([1, 2])), [1, 2])
    made = T.Compose([V.ToPIL(), V.Resize(2), V.ToTensor()])(IMAGE)
    assert isinstance(made, tuple) and made[0].shape == (3, 2, 3)
    assert T.Compose([V.ToTensor()])(IMAGE).shape == (3, 4, 6)
    for op in (T.Fill(1), T.Compose([abs]), T.Duplicate(), T.Unique(), V.Resize(2)):
        with pytest.raises(RuntimeError, match="Input Tensor is not valid"):
            op()


@pytest.mark.parametrize(
    "slices, expected",
    [
        ((2,), [[6, 7, 8]]),
        (([0, 2], slice(1, None)), [[1, 2], [7, 8]]),
        ((..., 1), [[1], [4], [7]]),
        ((None, slice(None, None, -1)), [[2, 1, 0], [5, 4, 3], [8, 7, 6]]),
    ],
)
def test_slice(slices, expected):
    same(T.Slice(*slices)(np.arange(9).reshape(3, 3)), expected)


def test_arithmetic_of_images():
    same(V.Rescale(0.5, 1.0)(IMAGE), IMAGE.astype(np.float32) * 0.5 + 1, np.float32)
    same(V.HWC2CHW()(IMAGE), IMAGE.transpose(2, 0, 1))
    same(V.HWC2CHW()(IMAGE[..., 0]), IMAGE[..., 0])
    np.testing.assert_allclose(
        V.Normalize([1, 2, 3], [2, 4, 8])(IMAGE), (IMAGE - [1.0, 2, 3]) / [2, 4, 8], rtol=1e-6
    )
    np.testing.assert_allclose(
        V.Normalize([1, 2, 3], [2, 4, 8], is_hwc=False)(IMAGE.transpose(2, 0, 1)),
        ((IMAGE - [1.0, 2, 3]) / [2, 4, 8]).transpose(2, 0, 1),
        rtol=1e-6,
    )
    np.testing.assert_allclose(V.ToTensor()(IMAGE), IMAGE.transpose(2, 0, 1) / 255, rtol=1e-6)
    assert V.ToTensor(np.float16)(IMAGE[..., 0]).shape == (1, 4, 6)
    grey = IMAGE @ [0.299, 0.587, 0.114]
    assert np.abs(V.Grayscale()(IMAGE).astype(float) - grey).max() <= 0.5 and V.Grayscale(3)(
        IMAGE
    ).shape == (
        4,
        6,
        3,
    )


def test_geometry():
    same(V.HorizontalFlip()(IMAGE), IMAGE[:, ::-1])
    same(V.VerticalFlip()(IMAGE), IMAGE[::-1])
    same(V.Crop((1, 2), (2, 3))(IMAGE), IMAGE[1:3, 2:5])
    same(V.CenterCrop(2)(IMAGE), IMAGE[1:3, 2:4])
    same(V.CenterCrop((6, 6))(IMAGE), np.pad(IMAGE, ((1, 1), (0, 0), (0, 0))))
    same(V.Pad((1, 2, 3, 4), 7)(IMAGE), np.pad(IMAGE, ((2, 4), (1, 3), (0, 0)), constant_values=7))
    same(V.Pad((1, 0), (1, 2, 3))(IMAGE)[:, 0], np.tile(np.uint8([1, 2, 3]), (4, 1)))
    for mode in (V.Border.EDGE, V.Border.REFLECT, V.Border.SYMMETRIC):
        same(
            V.Pad(2, padding_mode=mode)(IMAGE), np.pad(IMAGE, ((2, 2), (2, 2), (0, 0)), mode.value)
        )


def bilinear(a, height, width):
    """The definition, pixel by pixel."""
    out = np.empty((height, width))
    for i in range(height):
        for j in range(width):
            y = min(max((i + 0.5) * a.shape[0] / height - 0.5, 0), a.shape[0] - 1)
            x = min(max((j + 0.5) * a.shape[1] / width - 0.5, 0), a.shape[1] - 1)
            top, left = math.floor(y), math.floor(x)
            down, right = min(top + 1, a.shape[0] - 1), min(left + 1, a.shape[1] - 1)
            fy, fx = y - top, x - left
            out[i, j] = (
                a[top, left] * (1 - fy) * (1 - fx)
                + a[top, right] * (1 - fy) * fx
                + a[down, left] * fy * (1 - fx)
                + a[down, right] * fy * fx
            )
    return out


@pytest.mark.parametrize("size", [(3, 9), (8, 3), (4, 6), (1, 1), (16, 24)])
def test_resize(size):
    a = np.random.default_rng(0).random((4, 6))
    np.testing.assert_allclose(V.Resize(size)(a), bilinear(a, *size), rtol=1e-12)
    grey = IMAGE[..., 0]
    # Bytes by OpenCV's weights of 11 bits: test_vision.py holds them to MindSpore's numbers.
    assert np.abs(V.Resize(size)(grey) - bilinear(grey.astype(float), *size)).max() < 1
    near = V.Resize(size, V.Inter.NEAREST)(IMAGE)
    same(near, IMAGE[np.arange(size[0]) * 4 // size[0]][:, np.arange(size[1]) * 6 // size[1]])
    for kind in (V.Inter.CUBIC, V.Inter.AREA):
        flat = V.Resize(size, kind)(np.full((4, 6, 2), 0.75))
        np.testing.assert_allclose(flat, 0.75, rtol=1e-12)
    assert V.Resize(size)(IMAGE).dtype == np.uint8


def test_area_is_a_mean_and_the_short_side_keeps_proportions():
    a = np.arange(16.0).reshape(4, 4)
    same(V.Resize((2, 2), V.Inter.AREA)(a), a.reshape(2, 2, 2, 2).mean((1, 3)))
    assert V.Resize(8)(IMAGE).shape == (8, 12, 3) and V.Resize(2)(
        IMAGE.transpose(1, 0, 2)
    ).shape == (3, 2, 3)


def test_random_transforms_cover_their_choices():
    d = ds.NumpySlicesDataset(
        np.tile(np.arange(9, dtype=np.uint8).reshape(1, 3, 3), (300, 1, 1)), shuffle=False
    )

    def corners(op):
        ds.config.set_seed(5)
        return [
            int(x[0, 0])
            for (x,) in d.map(op).create_tuple_iterator(num_epochs=1, output_numpy=True)
        ]

    assert set(corners(V.RandomCrop(2))) == {0, 1, 3, 4}
    assert set(corners(V.RandomCrop(3, padding=1))) == {0, 1, 3, 4}
    assert np.mean(np.array(corners(V.RandomHorizontalFlip(0.3))) == 2) == pytest.approx(
        0.3, abs=0.1
    )
    assert np.mean(np.array(corners(V.RandomVerticalFlip())) == 6) == pytest.approx(0.5, abs=0.1)
    assert V.RandomCrop(5, pad_if_needed=True)(np.ones((3, 3))).shape == (5, 5)


def test_pillow():
    data = io.BytesIO()
    Image.fromarray(IMAGE).save(data, "PNG")
    same(V.Decode()(np.frombuffer(data.getvalue(), np.uint8)), IMAGE)
    picture = V.Decode(to_pil=True)(data.getvalue())
    assert V.Resize((2, 3), V.Inter.ANTIALIAS)(picture).size == (3, 2)
    same(np.array(V.HorizontalFlip()(picture)), IMAGE[:, ::-1])
    same(V.ToNumpy()(V.ToPIL()(IMAGE)), IMAGE)
    assert V.ToTensor()(picture).shape == (3, 4, 6)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: T.OneHot(4)(np.array(4)), ValueError),
        (lambda: T.OneHot(4)(np.array(1.5)), RuntimeError),
        (lambda: T.OneHot(4)(np.zeros((2, 2), int)), RuntimeError),
        (lambda: T.Mask(T.Relational.EQ, 1)(np.array(["a"])), RuntimeError),
        (lambda: T.Concatenate(0, np.array([1.5]))(np.array([1])), RuntimeError),
        (lambda: T.Slice(3)(np.arange(3)), RuntimeError),
        (lambda: T.TypeCast(ms.int32)(np.array("a")), RuntimeError),
        (lambda: T.OneHot(0), ValueError),
        (lambda: T.Compose([]), ValueError),
        (lambda: T.Compose(3), TypeError),
        (lambda: T.Compose([3]), TypeError),
        (lambda: T.RandomApply([abs], 2), ValueError),
        (lambda: T.PadEnd([1, 1])(np.arange(2)), ValueError),
        (lambda: T.TypeCast("int5"), TypeError),
        (lambda: T.TypeCast(ms.bfloat16), TypeError),
        (lambda: T.Slice(0, 0)(np.arange(3)), ValueError),
        (lambda: V.Resize(0), ValueError),
        (lambda: V.Resize((1, 2, 3)), TypeError),
        (lambda: V.Resize("a"), TypeError),
        (lambda: V.Resize(2, 3), TypeError),
        (lambda: V.Resize(2, V.Inter.ANTIALIAS)(IMAGE), TypeError),
        (lambda: V.Resize(2)(np.zeros(3)), ValueError),
        (lambda: V.Resize(2)(np.array(3)), ValueError),
        (lambda: V.RandomColor()(np.array(3)), ValueError),
        (lambda: V.Normalize([1, 2], [1]), ValueError),
        (lambda: V.Normalize([1, 2], [1, 0]), ValueError),
        (lambda: V.Normalize([1, 2], [1, 2])(IMAGE), ValueError),
        (lambda: V.RandomCrop(9)(IMAGE), ValueError),
        (lambda: V.Crop((3, 0), 2)(IMAGE), ValueError),
        (lambda: V.Pad(-1), ValueError),
        (lambda: V.Decode()(b"no image"), RuntimeError),
        (lambda: V.RandomHorizontalFlip("a"), TypeError),
        (lambda: V.ToTensor()(np.zeros(3)), ValueError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: V.Rescale(1.0, 0.0)(np.array(["a"])), "Rescale: an array of <U1"),
        (lambda: V.Rescale("x", 0.0), "Argument rescale with value x is not of type"),
        (lambda: V.Normalize([0.0], [1.0])(np.full((2, 2), "a")), "Normalize: the data type"),
        (lambda: V.Crop((0, 0, 1), 2), "Coordinates should be a list/tuple"),
        (lambda: T.Slice([None]), r"Argument slice\[0\] with value None is not of type"),
        (lambda: T.Concatenate((1, 2)), r"Argument axis with value \(1, 2\) is not of"),
        (lambda: ds.Dataset(3), "Dataset: node has type int"),
    ],
)
def test_what_no_transform_takes(call, said):
    with pytest.raises(TypeError, match=said):
        call()

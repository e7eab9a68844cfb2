"""Class spellings against numbers recorded from MindSpore 2.10 on the CPU, eagerly and compiled."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, nn, ops


class Maker:
    """Makes the operands of a case: ``f(shape)`` random in (0.1, 0.9), ``i(...)`` int32, ``a(...)``
    float32.
    """

    def __init__(self):
        rng = np.random.RandomState(1)
        self.names = {
            "f": lambda *s: (rng.rand(*s) * 0.8 + 0.1).astype("f"),
            "i": lambda *v: np.array(
                v[0] if len(v) == 1 and isinstance(v[0], list) else v, np.int32
            ),
            "i0": lambda v: np.array(v, np.int32),
            "i64": lambda *v: np.array(v, np.int64),
            "a": lambda v: np.array(v, "f"),
            "s": lambda v: np.array(v, np.int32 if isinstance(v, int) else np.float32),
        }

    def __call__(self, text: str) -> list:
        return [
            Tensor(v) if isinstance(v, np.ndarray) else v for v in eval(f"[{text}]", self.names)
        ]


CASES = [
    (
        "ResizeBilinearV2(False, True)",
        "f(1, 1, 2, 3), (3, 4)",
        [
            0.43362,
            0.58527,
            0.4602,
            0.10009,
            0.38774,
            0.42467,
            0.33064,
            0.13698,
            0.34187,
            0.26408,
            0.20108,
            0.17387,
        ],
    ),
    (
        "ResizeNearestNeighborV2(False, True)",
        "f(1, 1, 2, 3), i(3, 4)",
        [
            0.43362,
            0.67626,
            0.67626,
            0.10009,
            0.34187,
            0.2174,
            0.2174,
            0.17387,
            0.34187,
            0.2174,
            0.2174,
            0.17387,
        ],
    ),
    (
        "ResizeBicubic(True, False)",
        "f(1, 1, 3, 3), i(2, 4)",
        [0.43362, 0.66398, 0.52204, 0.10009, 0.24901, 0.33182, 0.40349, 0.41741],
    ),
    (
        "ROIAlign(2, 2, 0.5, 2)",
        "f(1, 1, 6, 6), a([[0, 1, 2, 8, 9]])",
        [0.45522, 0.54152, 0.53371, 0.39245],
    ),
    (
        "ROIAlign(2, 2, 0.5, 2, 0)",
        "f(1, 1, 6, 6), a([[0, 0, 0, 1, 1]])",
        [0.44093, 0.54785, 0.33422, 0.41234],
    ),
    (
        "IOU('iof')",
        "a([[0, 0, 3, 3], [1, 1, 5, 4]]), a([[0, 1, 3, 5], [2, 2, 3, 3]])",
        [0.6, 0.6, 1.0, 1.0],
    ),
    (
        "BoundingBoxDecode((768, 1280))",
        "a([[4, 1, 2, 1]]), a([[3, 1, 2, 2]])",
        [4.1945, 0.0, 0.0, 5.1945],
    ),
    (  # of MindSpore 2.10 on a CPU: the last row and column are the image's sizes
        "BoundingBoxDecode((16, 20))",
        "a([[0, 0, 10, 10], [2, 3, 30, 40]]), a([[0, 0, 5, 5], [0.1, -0.2, -9, 0.4]])",
        [0.0, 0.0, 20.0, 16.0, 19.168, 0.0, 18.632, 16.0],
    ),
    ("BoundingBoxEncode()", "a([[2, 2, 2, 3]]), a([[1, 2, 1, 4]])", [-1.0, 0.25, 0.0, 0.40547]),
    (
        "CropAndResize('bilinear', 0.5)",
        "f(1, 4, 5, 1), a([[0.2, -0.1, 1.2, 0.7]]), i(0), (2, 3)",
        [0.5, 0.38911, 0.36294, 0.5, 0.5, 0.5],
    ),
    (
        "CropAndResize('nearest', 0.5)",
        "f(1, 4, 5, 1), a([[0, 0, 0.8, 0.9]]), i(0), (2, 3)",
        [0.43362, 0.10009, 0.2174, 0.43536, 0.26356, 0.12191],
    ),
    (
        "GridSampler2D('bilinear', 'reflection', False)",
        "f(1, 1, 3, 4), 4 * f(1, 2, 2, 2) - 2",
        [0.41741, 0.4257, 0.27447, 0.43362],
    ),
    (
        "GridSampler3D('nearest', 'border', True)",
        "f(1, 1, 2, 3, 4), 4 * f(1, 1, 2, 2, 3) - 2",
        [0.64818, 0.26356, 0.43384, 0.43536],
    ),
    (
        "AffineGrid(False)",
        "f(1, 2, 3), (1, 1, 2, 2)",
        [-0.45485, -0.10576, -0.021229, 0.2361, 0.22141, 0.11164, 0.65503, 0.45351],
    ),
    (
        "MatrixDiagV3('LEFT_RIGHT')",
        "f(2, 3), i(-1, 0), s(4), s(3), s(9.0)",
        [0.43362, 9.0, 9.0, 0.34187, 0.67626, 9.0, 9.0, 0.2174, 0.10009, 9.0, 9.0, 0.17387],
    ),
    (
        "MatrixDiagPartV3('RIGHT_RIGHT')",
        "f(3, 4), i(-1, 1), s(9.0)",
        [0.67626, 0.24901, 0.64818, 0.43362, 0.17387, 0.43536, 9.0, 0.2174, 0.53105],
    ),
    (
        "MatrixSetDiagV3('LEFT_LEFT')",
        "f(3, 4), f(2, 3), i(-1, 0)",
        [
            0.26356,
            0.67626,
            0.10009,
            0.34187,
            0.63637,
            0.80249,
            0.24901,
            0.37645,
            0.41741,
            0.43384,
            0.12191,
            0.64818,
        ],
    ),
    (
        "SpaceToBatchND([2, 2], [[0, 0], [1, 1]])",
        "f(1, 1, 2, 2)",
        [0.0, 0.67626, 0.43362, 0.0, 0.0, 0.34187, 0.10009, 0.0],
    ),
    (
        "BatchToSpaceND([2, 2], [[0, 1], [0, 0]])",
        "f(4, 1, 2, 2)",
        [
            0.43362,
            0.2174,
            0.67626,
            0.17387,
            0.41741,
            0.26356,
            0.53105,
            0.80249,
            0.10009,
            0.24901,
            0.34187,
            0.37645,
        ],
    ),
    (
        "Col2Im((2, 2))",
        "f(1, 1, 4, 4), i(3, 3)",
        [0.43362, 0.89366, 0.17387, 0.51751, 1.3855, 1.1789, 0.43536, 0.77009, 0.63637],
    ),
    (
        "Im2Col(2)",
        "f(1, 1, 3, 3)",
        [
            0.43362,
            0.67626,
            0.34187,
            0.2174,
            0.67626,
            0.10009,
            0.2174,
            0.17387,
            0.34187,
            0.2174,
            0.24901,
            0.37645,
            0.2174,
            0.17387,
            0.37645,
            0.41741,
        ],
    ),
    (
        "UpsampleTrilinear3D(True)",
        "f(1, 1, 2, 2, 2), (1, 3, 3), None",
        [0.43362, 0.55494, 0.67626, 0.26685, 0.38796, 0.50906, 0.10009, 0.22098, 0.34187],
    ),
    (
        "AvgPool3D(3, 2, 'same')",
        "f(1, 1, 4, 4, 4)",
        [0.50629, 0.25193, 0.33168, 0.18423, 0.31721, 0.20379, 0.22217, 0.16799],
    ),
    (
        "MaxPool3D(3, 2, 'same')",
        "f(1, 1, 4, 4, 4)",
        [0.89109, 0.73142, 0.89109, 0.82688, 0.89109, 0.73142, 0.89109, 0.82688],
    ),
    (
        "Conv3DTranspose(1, 1, 2, 1, 'valid', 0, 2)",
        "f(1, 1, 1, 2, 2), f(1, 1, 2, 2, 2)",
        [
            0.094271,
            0.075393,
            0.14702,
            0.11758,
            0.10797,
            0.16323,
            0.16839,
            0.25458,
            0.02176,
            0.017403,
            0.074323,
            0.059441,
            0.024924,
            0.037679,
            0.085127,
            0.12869,
            0.181,
            0.23027,
            0.28228,
            0.35913,
            0.18878,
            0.28106,
            0.29441,
            0.43833,
            0.04178,
            0.053154,
            0.1427,
            0.18155,
            0.043575,
            0.064877,
            0.14883,
            0.22159,
        ],
    ),
    (
        "LRN(2, 1.0, 0.3, 0.7)",
        "f(1, 6, 1, 2)",
        [
            0.41259,
            0.6018,
            0.0941,
            0.29679,
            0.19781,
            0.14404,
            0.2265,
            0.31375,
            0.38039,
            0.45117,
            0.40022,
            0.55346,
        ],
    ),
    ("Renorm(2, 1, 0.5)", "f(2, 3)", [0.39265, 0.47601, 0.10009, 0.30956, 0.15303, 0.17387]),
    ("LpNorm((0, 1), 2)", "f(3, 4)", [1.4558]),
    ("Pdist(3.0)", "f(3, 3)", [0.46071, 0.40247, 0.26809]),
    (
        "NMSWithMask(0.3)",
        "a([[1, 1, 4, 4, 0.5], [1, 1, 4, 5, 0.9], [6, 6, 8, 8, 0.3]])",
        [
            1.0,
            1.0,
            4.0,
            5.0,
            0.9,
            1.0,
            1.0,
            4.0,
            4.0,
            0.5,
            6.0,
            6.0,
            8.0,
            8.0,
            0.3,
            0.0,
            1.0,
            2.0,
            1.0,
            0.0,
            1.0,
        ],
    ),
    (
        "NoRepeatNGram(3)",
        "i([[1, 2, 1, 2, 5, 1, 2]]), f(1, 1, 6)",
        [0.43362, -3.4028e38, 0.10009, 0.34187, 0.2174, -3.4028e38],
    ),
    ("Bincount()", "i(1, 2, 2, 5), i0(4), f(4)", [0.0, 0.43362, 0.77635, 0.0]),
    ("Betainc()", "f(3), f(3), f(3)", [0.29844, 0.1682, 0.61944]),
    ("DivNoNan()", "f(3), a([0, 1, 2])", [0.0, 0.67626, 0.050046]),
    ("Mod()", "a([-4, 5, 6]), a([3, 2, 3])", [-1.0, 1.0, 0.0]),
    ("DataFormatDimMap()", "i(0, 1, 2, 3, -1)", [0.0, 3.0, 1.0, 2.0, 2.0]),
    ("FFTWithSize(1, False, True)", "f(1, 4)", [1.5518, 0.0, 0.33353, -0.33439, -0.48442, 0.0]),
    ("CheckValid()", "a([[0, 0, 3, 3], [1, 1, 5, 4]]), a([4, 4, 1])", [1.0, 0.0]),
    ("MultiMarginLoss()", "f(2, 4), i64(1, 3)", [0.54472]),
    (
        "LuUnpack()",
        "f(3, 3), i(2, 3, 3)",
        [
            0.0,
            0.0,
            1.0,
            1.0,
            0.0,
            0.0,
            0.0,
            1.0,
            0.0,
            1.0,
            0.0,
            0.0,
            0.34187,
            1.0,
            0.0,
            0.24901,
            0.37645,
            1.0,
            0.43362,
            0.67626,
            0.10009,
            0.0,
            0.2174,
            0.17387,
            0.0,
            0.0,
            0.41741,
        ],
    ),
]
"""The primitive, its operands, and all elements of its results."""


class Net(nn.Cell):
    """A primitive as a cell."""

    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, *args):
        return self.op(*args)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0].partition("(")[0])
def test_recorded(case, mode):
    """The same numbers."""
    spelling, operands, want = case
    op, args = eval(f"ops.{spelling}", {"ops": ops}), Maker()(operands)
    if spelling.startswith("NoRepeatNGram"):
        args[0] = ops.reshape(args[0], (1, 1, -1))
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        out = Net(op)(*args)
    finally:
        ms.set_context(mode=before)
    found = [t.asnumpy().ravel() for t in (out if isinstance(out, tuple) else (out,))]
    found = np.concatenate([v.view(np.float32) if v.dtype == np.complex64 else v for v in found])
    np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-4)

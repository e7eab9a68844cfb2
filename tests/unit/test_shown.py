"""Tensors as text: what MindSpore 2.10 prints (recorded)."""

import numpy as np
import pytest

import minds as ms
from minds import Tensor

CASES = {
    "rows of six": (
        np.arange(12).reshape(2, 6),
        "[2, 6], dtype=Int64, value=\n[[ 0,  1,  2,  3,  4,  5],\n [ 6,  7,  8,  9, 10, 11]]",
    ),
    "rows of seven": (
        np.arange(14).reshape(2, 7),
        "[2, 7], dtype=Int64, value=\n[[ 0,  1,  2 ...  4,  5,  6],\n [ 7,  8,  9 ... 11, 12, 13]]",
    ),
    "seven rows": (
        np.arange(14).reshape(7, 2),
        "[7, 2], dtype=Int64, value=\n[[ 0,  1],\n [ 2,  3],\n [ 4,  5],\n ...\n [ 8,  9],\n "
        "[10, 11],\n [12, 13]]",
    ),
    "blocks": (
        np.ones((2, 1, 2, 2), bool),
        "[2, 1, 2, 2], dtype=Bool, value=\n[[[[ True,  True],\n   [ True,  True]]],\n [[[ True,  "
        "True],\n   [ True,  True]]]]",
    ),
    "half": (
        np.array([np.inf, -np.inf, np.nan, 1.0], np.float16),
        "[4], dtype=Float16, value= [        inf,        -inf,         nan,  1.0000e+00]",
    ),
    "infinite": (
        np.array([np.inf, 1, -2.5], np.float32),
        "[3], dtype=Float32, value= [            inf,  1.00000000e+00, -2.50000000e+00]",
    ),
    "complex": (
        np.array([1 + 2j, 3.5 - 1e-9j, np.nan], np.complex64),
        "[3], dtype=Complex64, value= [1+2j, 3.5-1e-09j, nan+0j]",
    ),
    "a complex number": (np.complex64(1 + 2j), "[], dtype=Complex64, value= 1+2j"),
    "a number": (np.array(123456789.0, np.float32), "[], dtype=Float32, value= 1.23457e+08"),
    "no rows": (np.ones((0, 2), np.int32), "[0, 2], dtype=Int32, value=\n"),
    "many": (
        np.arange(1001),
        "[1001], dtype=Int64, value= [   0,    1,    2 ...  998,  999, 1000]",
    ),
    "lines": (
        np.arange(25, dtype=np.uint8),
        "[25], dtype=UInt8, value= [ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, "
        "16, 17, 18, 19, 20, 21, 22, 23, \n 24]",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_texts(case):
    array, text = CASES[case]
    assert repr(Tensor(array)) == f"Tensor(shape={text})"


def test_brain_floats():
    text = "Tensor(shape=[3], dtype=BFloat16, value= [        1.5, 9.99922e+09,          -3])"
    assert repr(Tensor([1.5, 1e10, -3], ms.bfloat16)) == text

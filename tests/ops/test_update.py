"""Optimisers' steps as primitives: the parameters after one step, against numbers recorded from
MindSpore 2.10.
"""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn, ops

CASES = [
    (
        "Adam",
        (),
        3,
        ".9,.99,.01,.9,.99,1e-6,g",
        [1.54306, 1.69857, 1.28373, 1.50034, 1.8838, 1.88602],
        [1.63323, 1.26577, 1.65996, 1.57533, 1.01378, 1.54444],
    ),
    (
        "Adam",
        (
            False,
            True,
        ),
        3,
        ".9,.99,.01,.9,.99,1e-6,g",
        [1.54402, 1.6996, 1.28461, 1.50124, 1.88477, 1.88732],
        [1.63323, 1.26577, 1.65996, 1.57533, 1.01378, 1.54444],
    ),
    (
        "AdamNoUpdateParam",
        (),
        2,
        ".9,.99,.01,.9,.99,1e-6,g",
        [-0.01336, -0.01386, -0.01156, -0.01146, -0.01638, -0.01426],
        [1.11455, 1.19566, 1.04126, 1.42648, 1.02184, 1.4423],
    ),
    (
        "AdamWeightDecay",
        (),
        3,
        ".01,.9,.99,1e-6,.1,g",
        [1.54151, 1.69686, 1.28244, 1.49883, 1.88191, 1.88412],
        [1.63323, 1.26577, 1.65996, 1.57533, 1.01378, 1.54444],
    ),
    (
        "ApplyAdaMax",
        (),
        3,
        ".9,.01,.9,.99,1e-6,g",
        [1.49022, 1.62298, 1.23518, 1.42727, 1.8021, 1.81356],
        [1.63265, 1.2657, 1.65949, 1.57495, 1.01374, 1.54327],
    ),
    (
        "ApplyAdadelta",
        (),
        3,
        ".01,.9,1e-6,g",
        [1.55386, 1.70907, 1.29378, 1.50869, 1.89357, 1.90002],
        [1.49361, 1.15149, 1.51689, 1.43634, 0.92198, 1.41684],
    ),
    (
        "ApplyAdagrad",
        (),
        2,
        ".01,g",
        [1.54941, 1.71012, 1.28921, 1.51007, 1.89719, 1.89581],
        [1.14783, 1.25631, 1.08253, 1.44907, 1.25647, 1.4603],
    ),
    (
        "ApplyAdagradV2",
        (1e-6,),
        2,
        ".01,g",
        [1.54941, 1.71012, 1.28921, 1.51007, 1.89719, 1.89581],
        [1.14783, 1.25631, 1.08253, 1.44907, 1.25647, 1.4603],
    ),
    (
        "ApplyAdagradDA",
        (),
        3,
        "g,.01,.1,.2,2i",
        [-0.00523, -0.00811, -0.00482, -0.0112, -0.00757, -0.00703],
        [1.7071, 1.2857, 1.72312, 1.62817, 1.02753, 1.67659],
    ),
    (
        "ApplyAdamWithAmsgrad",
        (),
        4,
        ".9,.99,.01,g",
        [1.54287, 1.69878, 1.28374, 1.50108, 1.88532, 1.88544],
        [1.6475, 1.4151, 1.67462, 1.69314, 1.44045, 1.55749],
    ),
    (
        "ApplyAdamWithAmsgradV2",
        (),
        4,
        ".9,.99,.01,.9,.99,1e-6,g",
        [1.54283, 1.69878, 1.28371, 1.50108, 1.88532, 1.88539],
        [1.63267, 1.4151, 1.65987, 1.69314, 1.44045, 1.54517],
    ),
    (
        "ApplyAddSign",
        (),
        2,
        ".01,.9,.8,.9,g",
        [1.54826, 1.70837, 1.28791, 1.50928, 1.89342, 1.89529],
        [1.02794, 1.06437, 0.96395, 1.30582, 0.87929, 1.31704],
    ),
    (
        "ApplyPowerSign",
        (),
        2,
        ".01,.9,.8,.9,g",
        [1.54773, 1.70923, 1.28728, 1.50896, 1.89526, 1.89508],
        [1.02794, 1.06437, 0.96395, 1.30582, 0.87929, 1.31704],
    ),
    (
        "ApplyCenteredRMSProp",
        (),
        4,
        "g,.01,.9,.8,.05",
        [0.54276, 1.70815, 0.26639, 1.51083, 0.74364, 1.89629],
        [1.00803, 1.4151, 1.02451, 1.69314, 1.14931, 1.15687],
    ),
    (
        "ApplyRMSProp",
        (),
        3,
        ".01,g,.9,.8,.05",
        [0.23381, 0.68615, -0.04794, 0.23648, 1.07436, 0.65214],
        [1.31699, 1.02199, 1.33884, 1.27435, 0.81858, 1.24415],
    ),
    (
        "ApplyGradientDescent",
        (),
        1,
        ".01,g",
        [1.55454, 1.71108, 1.29539, 1.51142, 1.89765, 1.89672],
        [1.55454, 1.71108, 1.29539, 1.51142, 1.89765, 1.89672],
    ),
    (
        "ApplyProximalGradientDescent",
        (),
        1,
        ".01,.1,.2,g",
        [1.55044, 1.70666, 1.29181, 1.5074, 1.89286, 1.89194],
        [1.55044, 1.70666, 1.29181, 1.5074, 1.89286, 1.89194],
    ),
    (
        "ApplyProximalAdagrad",
        (),
        2,
        ".01,.1,.2,g",
        [1.54559, 1.70619, 1.28578, 1.50674, 1.89292, 1.89185],
        [1.14783, 1.25631, 1.08253, 1.44907, 1.25647, 1.4603],
    ),
    (
        "FusedSparseAdam",
        (),
        3,
        ".9,.99,.01,.9,.99,1e-6,s,x",
        [1.54302, 1.69874, 1.28356, 1.50049, 1.8837, 1.88552],
        [1.63303, 1.26648, 1.65949, 1.57495, 1.01376, 1.54405],
    ),
    (
        "FusedSparseLazyAdam",
        (),
        3,
        ".9,.99,.01,.9,.99,1e-6,s,x",
        [1.54302, 1.69874, 1.2909, 1.51083, 1.8837, 1.88552],
        [1.63303, 1.26648, 1.67625, 1.59086, 1.01376, 1.54405],
    ),
    (
        "FusedSparseFtrl",
        (
            0.01,
            0.1,
            0.2,
            -0.5,
        ),
        3,
        "s,x",
        [0.01074, 0.04234, 1.2909, 1.51083, -0.00768, 0.0334],
        [-1.26243, -4.91555, 1.67625, 1.59086, 0.8828, -4.25229],
    ),
    (
        "FusedSparseProximalAdagrad",
        (),
        2,
        ".01,.1,.2,s,x",
        [1.54901, 1.70247, 1.2909, 1.51083, 1.89067, 1.89304],
        [1.17245, 1.24455, 1.05147, 1.44081, 1.08784, 1.46404],
    ),
    (
        "SparseApplyAdagrad",
        (0.01,),
        2,
        "s,x",
        [1.5528, 1.70642, 1.2909, 1.51083, 1.89526, 1.89699],
        [1.17245, 1.24455, 1.05147, 1.44081, 1.08784, 1.46404],
    ),
    (
        "SparseApplyAdagradV2",
        (
            0.01,
            1e-6,
        ),
        2,
        "s,x",
        [1.5528, 1.70642, 1.2909, 1.51083, 1.89526, 1.89699],
        [1.17245, 1.24455, 1.05147, 1.44081, 1.08784, 1.46404],
    ),
    (
        "SparseApplyFtrl",
        (
            0.01,
            0.1,
            0.2,
            -0.5,
        ),
        3,
        "s,x",
        [0.01074, 0.04234, 1.2909, 1.51083, -0.00768, 0.0334],
        [-1.26243, -4.91555, 1.67625, 1.59086, 0.8828, -4.25229],
    ),
]
"""Class, arguments, number of states, operands after them (``g`` the gradient, ``s`` of two rows,
``x`` these rows,
``2i`` a whole number), the first state afterwards (of ``AdamNoUpdateParam`` the result) and the
last.
"""


def _operands(spec: str, rng) -> list:
    tensors = {
        "g": Tensor((rng.rand(3, 2) - 0.5).astype(np.float32)),
        "s": Tensor((rng.rand(2, 2) - 0.5).astype(np.float32)),
        "x": Tensor(np.array([2, 0], np.int32)),
    }
    return [
        tensors[t]
        if t in tensors
        else Tensor(int(t[:-1]), ms.int32)
        if t[-1] == "i"
        else Tensor(float(t), ms.float32)
        for t in spec.split(",")
    ]


class Step(nn.Cell):
    """A primitive on parameters."""

    def __init__(self, op, states):
        super().__init__()
        self.op, self.states = op, ms.ParameterTuple(states)

    def construct(self, *rest):
        return self.op(*self.states, *rest)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0])
def test_step(case, mode):
    """One step changes the parameters as MindSpore's does."""
    name, args, count, spec, first, last = case
    rng = np.random.RandomState(3)
    states = [
        Parameter(Tensor((rng.rand(3, 2) + 1).astype(np.float32)), name=f"p{i}")
        for i in range(count)
    ]
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        out = Step(getattr(ops, name)(*args), states)(*_operands(spec, rng))
    finally:
        ms.set_context(mode=before)
    changed = out if name == "AdamNoUpdateParam" else states[0]
    np.testing.assert_allclose(changed.asnumpy().ravel(), first, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(states[-1].asnumpy().ravel(), last, rtol=1e-4, atol=1e-5)

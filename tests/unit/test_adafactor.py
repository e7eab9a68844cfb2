"""`nn.AdaFactor` against the paper's formulas in NumPy, in both modes."""

import numpy as np
import pytest

import minds as ms
from minds import Parameter, Tensor, nn

SHAPES = {"w": (3, 4), "b": (5,), "c": (2, 3, 2)}
MODES = pytest.mark.parametrize(
    "mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "compiled"]
)


def rms(x):
    return np.sqrt(np.mean(x * x))


def expected(values, steps, decay, beta1, weight_decay, clip, rate, scaled, warmup):
    """The parameters after steps with gradients."""
    values = {n: v.astype(np.float64) for n, v in values.items()}
    means = {n: [0.0, 0.0, 0.0, 0.0] for n in values}
    for t, gradients in enumerate(steps, 1):
        keep = 1 - t**-decay
        for n, g in gradients.items():
            p, (rows, columns, each, first) = values[n], means[n]
            squares = g * g + 1e-30
            if g.ndim > 1:
                rows = keep * rows + (1 - keep) * squares.mean(-1)
                columns = keep * columns + (1 - keep) * squares.mean(-2)
                mean = rows[..., None] * columns[..., None, :] / rows.mean(-1)[..., None, None]
            else:
                mean = each = keep * each + (1 - keep) * squares
            lr = min(1e-6 * t if warmup else 1e-2, t**-0.5) if rate is None else rate
            lr *= max(1e-3, rms(p)) if scaled else 1
            step = g / np.sqrt(mean)
            step *= lr / max(1, rms(step) / clip)
            step = first = beta1 * first + (1 - beta1) * step
            values[n] = p * (1 - weight_decay * lr) - step
            means[n] = [rows, columns, each, first]
    return values


CASES = [
    {},
    {"beta1": 0.0},
    {"warmup_init": True},
    {"learning_rate": 0.1, "relative_step": False, "scale_parameter": False},
    {"learning_rate": 0.1, "relative_step": False, "weight_decay": 0.1},
    {"clip_threshold": 0.5, "decay_rate": 0.5},
]


@MODES
@pytest.mark.parametrize("options", CASES, ids=str)
def test_steps(options, mode):
    ms.set_context(mode=mode)
    rng = np.random.default_rng(3)
    values = {n: rng.standard_normal(s).astype(np.float32) for n, s in SHAPES.items()}
    steps = [{n: rng.standard_normal(s) for n, s in SHAPES.items()} for _ in range(3)]
    parameters = [Parameter(Tensor(v), name=n) for n, v in values.items()]
    optimizer = nn.AdaFactor(parameters, **options)
    for gradients in steps:
        optimizer(tuple(Tensor(g.astype(np.float32)) for g in gradients.values()))
    want = expected(
        values,
        steps,
        options.get("decay_rate", 0.8),
        options.get("beta1", 0.9),
        options.get("weight_decay", 0),
        options.get("clip_threshold", 1),
        options.get("learning_rate"),
        options.get("scale_parameter", True),
        "warmup_init" in options,
    )
    for p in parameters:
        np.testing.assert_allclose(p.asnumpy(), want[p.name], rtol=2e-5, atol=1e-6)


def test_names_and_refusals():
    w = Parameter(Tensor(np.ones((2, 3), np.float32)), name="w")
    names = [p.name for p in nn.AdaFactor([w]).get_parameters()]
    assert names == [
        *("global_step", "learning_rate", "w", "exp_avg.w", "exp_avg_sq_row_w"),
        *("exp_avg_sq_col_w", "exp_avg_sq_w", "afactor_step"),
    ]
    assert nn.AdaFactor([w], compression=True).exp_avg_sq_row[0].shape == (2,)
    for options in (
        {"learning_rate": 0.1},
        {"relative_step": False},
        {"learning_rate": 0.1, "relative_step": False, "warmup_init": True},
    ):
        with pytest.raises(ValueError, match="AdaFactor"):
            nn.AdaFactor([w], **options)

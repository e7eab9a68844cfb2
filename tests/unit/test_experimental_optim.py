"""Optimizers with groups and schedulers, against the recorded numbers of torch's
(record_optim.py), in both modes.
"""

import json
import pathlib

import numpy as np
import optim_cases as cases
import pytest

import minds as ms
from minds import Tensor, mint, nn
from minds.experimental import optim
from minds.experimental.optim import lr_scheduler

WANT = json.loads((pathlib.Path(__file__).parent / "optim_reference.json").read_text())
MODES = pytest.mark.parametrize(
    "mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"]
)
ROWS = [(name, i) for name, rows in cases.OPTIMIZERS.items() for i in range(len(rows))]


def parameters():
    return [ms.Parameter(Tensor(v, ms.float32), name=f"p{i}") for i, v in enumerate(cases.BEGIN)]


def after_steps(make, options):
    ps = parameters()
    optimizer = make(ps, **options)
    for step in range(cases.STEPS):
        gradients = cases.gradient(step, [p.asnumpy().tolist() for p in ps])
        optimizer(tuple(Tensor(g, ms.float32) for g in gradients))
    return ps


@MODES
@pytest.mark.parametrize("name, row", ROWS)
def test_optimizer(name, row, mode):
    ms.set_context(mode=mode)
    options, want = cases.OPTIMIZERS[name][row], WANT["optimizers"][name][row]
    for p, w in zip(after_steps(getattr(optim, name), options), want):
        np.testing.assert_allclose(p.asnumpy(), w, rtol=2e-4, atol=2e-5)
    if hasattr(mint.optim, name):
        for p, w in zip(after_steps(getattr(mint.optim, name), options), want):
            np.testing.assert_allclose(p.asnumpy(), w, rtol=2e-4, atol=2e-5)


def two_groups():
    a, b = parameters()
    return optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.02}], lr=0.4, momentum=0.9)


def rates(optimizer):
    return [group["lr"].item() for group in optimizer.param_groups]


@pytest.mark.parametrize(
    "name, row", [(name, i) for name, rows in cases.SCHEDULERS.items() for i in range(len(rows))]
)
def test_scheduler(name, row):
    options, want = cases.SCHEDULERS[name][row], WANT["schedulers"][name][row]
    optimizer = two_groups()
    scheduler = getattr(lr_scheduler, name)(optimizer, **options)
    found = [rates(optimizer)]
    for _ in range(cases.EPOCHS):
        scheduler.step()
        found.append(rates(optimizer))
        assert [v.item() for v in scheduler.get_last_lr()] == pytest.approx(found[-1])
    np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-6)
    # An epoch may be named.
    optimizer = two_groups()
    scheduler = getattr(lr_scheduler, name)(optimizer, **options)
    if name not in ("PolynomialLR", "LinearLR", "ConstantLR"):
        scheduler.step(7)
        np.testing.assert_allclose(rates(optimizer), want[7], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("row", range(len(cases.PLATEAUS)))
def test_plateau(row):
    optimizer = two_groups()
    scheduler, found = lr_scheduler.ReduceLROnPlateau(optimizer, **cases.PLATEAUS[row]), []
    for value in cases.VALUES:
        scheduler.step(Tensor(value))
        found.append(rates(optimizer))
    np.testing.assert_allclose(found, WANT["plateaus"][row], rtol=1e-5)


@MODES
def test_rates_change_without_a_new_program(mode):
    """A compiled step reads the rates that a scheduler sets."""
    ms.set_context(mode=mode)
    net = nn.Dense(2, 1)
    optimizer = optim.SGD(net.trainable_params(), lr=0.5)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.1)
    backward = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)

    @ms.jit
    def step(x):
        loss, gradients = backward(x)
        optimizer(gradients)
        return loss

    x = Tensor([[1.0, 2.0]])
    for rate in (0.5, 0.05, 0.005):
        before = net.weight.asnumpy().copy()
        step(x)
        np.testing.assert_allclose(before - net.weight.asnumpy(), rate * x.asnumpy(), rtol=1e-3)
        scheduler.step()


def test_groups():
    a, b = parameters()
    optimizer = optim.Adam([a], 0.1)
    optimizer.add_param_group({"params": b, "lr": 0.2, "betas": (0.5, 0.9)})
    optimizer((Tensor(cases.BEGIN[0]), Tensor(cases.BEGIN[1])))
    moved = [np.abs(p.asnumpy() - v) for p, v in zip((a, b), cases.BEGIN)]
    np.testing.assert_allclose(np.concatenate(moved), [0.1] * 3 + [0.2] * 2, rtol=1e-4)
    names = [p.name for p in optimizer.get_parameters()]
    assert {"exp_avg.p0", "exp_avg.p1", "state_step"} <= set(names)
    assert repr(optimizer).startswith("Adam (\nParameter Group 0\n    amsgrad: False\n")


def test_functions_of_the_epoch():
    for make, want in (
        (lr_scheduler.LambdaLR, [[0.4, 0.02], [0.2, 0.02], [0.1333333, 0.02]]),
        (lr_scheduler.MultiplicativeLR, [[0.4, 0.02], [0.2, 0.02], [0.0666667, 0.02]]),
    ):
        optimizer = two_groups()
        scheduler = make(optimizer, [lambda e: 1 / (1 + e), lambda e: 1.0])
        found = [rates(optimizer)]
        for _ in range(2):
            scheduler.step()
            found.append(rates(optimizer))
        np.testing.assert_allclose(found, want, rtol=1e-5)


def test_refusals():
    a, b = parameters()
    sgd = optim.SGD([a], 0.1)
    for call, error, text in (
        (lambda: optim.SGD([], 0.1), ValueError, "params is empty"),
        (lambda: optim.SGD(a, 0.1), TypeError, "expected a list of Parameters"),
        (lambda: optim.SGD([3], 0.1), TypeError, "a parameter has type int"),
        (lambda: optim.SGD([a, a], 0.1), ValueError, "a parameter is in two groups"),
        (lambda: optim.SGD([a], -0.1), ValueError, "SGD: lr is -0.1"),
        (lambda: optim.SGD([a], "x"), TypeError, "SGD: lr has type str"),
        (lambda: optim.SGD([a], 0.1, nesterov=True), ValueError, "nesterov needs a momentum"),
        (lambda: optim.SGD([{"params": [a], "beta": 1}], 0.1), ValueError, "no option 'beta'"),
        (lambda: optim.Adam([a], betas=(1.0, 0.9)), ValueError, r"betas\[0\] is 1.0"),
        (lambda: optim.Adam([a], eps=-1.0), ValueError, "Adam: eps is -1.0"),
        (lambda: optim.Rprop([a], etas=(2.0, 1.0)), ValueError, "Rprop: etas"),
        (lambda: sgd((Tensor([1.0]),)), ValueError, "parameter p0 has shape"),
        (lambda: sgd((b, b)), ValueError, "got 2 gradients for 1 parameters"),
        (lambda: lr_scheduler.StepLR(3, 2), TypeError, "expected an optimizer"),
        (lambda: lr_scheduler.StepLR(sgd, 0), ValueError, "step_size is 0"),
        (lambda: lr_scheduler.StepLR(sgd, 2, last_epoch=3), KeyError, "no 'initial_lr'"),
        (lambda: lr_scheduler.LambdaLR(sgd, 3), TypeError, "expected a function"),
        (lambda: lr_scheduler.LambdaLR(sgd, [min, max]), ValueError, "2 elements for 1 groups"),
        (lambda: lr_scheduler.SequentialLR(sgd, [3], []), ValueError, "another optimizer"),
        (lambda: lr_scheduler.ReduceLROnPlateau(sgd, "up"), ValueError, "mode is 'up'"),
    ):
        with pytest.raises(error, match=text):
            call()


def test_a_class_of_users_reads_the_last_rates():
    """Torch's rule of halving for three epochs, in MindSpore's spelling."""

    class Halved(optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            factor = {0: 0.5, 3: 2.0}.get(self.last_epoch, 1.0)
            return [rate * factor for rate in self._last_lr]

    rates = Halved(optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], 0.5))
    seen = [rates.get_last_lr()[0].item()]
    for _ in range(4):
        rates.step()
        seen.append(rates.get_last_lr()[0].item())
    assert seen == [0.25, 0.25, 0.25, 0.5, 0.5]

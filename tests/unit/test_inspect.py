"""Looking inside: every stage as text that parses back, as Python that gives the same numbers, as a
drawing.
"""

from __future__ import annotations

import xml.etree.ElementTree as xml

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops
from minds.ir import equal, text
from minds.jit.inspection import inspect
from minds.ops.define import P


def polynomial(x):
    return ops.sin(x) * x + 2.0


def branches(x):
    if x > 0.5:
        return ops.sin(x) * 1.3
    return x + 0.1


def loop(x, n):
    i = 0
    while i < n:
        if x > 0.5:
            x = ops.sin(x) * 1.3
        else:
            x = x + 0.1
        i = i + 1
    return x


def recursion(x, n):
    if n < 2:
        return x
    return recursion(x, n - 1) * recursion(x, n - 2)


X = Tensor(0.7)
CASES = {
    "straight": (polynomial, (X,)),
    "branches": (branches, (X,)),
    "loop": (loop, (X, 5)),
    "gradient": (ms.grad(polynomial), (X,)),
    "gradient of branches": (ms.grad(branches), (X,)),
    "gradient of a loop": (ms.grad(loop), (X, 5)),
    "second gradient of a loop": (ms.grad(ms.grad(loop)), (X, 4)),
    "recursion": (recursion, (X, 6)),
    "gradient of recursion": (ms.grad(recursion), (X, 6)),
}


def _numbers(v) -> list:
    return [n for e in v for n in _numbers(e)] if isinstance(v, tuple) else [v.asnumpy()]


@pytest.mark.parametrize("name", CASES)
def test_every_stage_means_the_same_in_python(name):
    fn, args = CASES[name]
    expected = [a.tobytes() for a in _numbers((fn(*args),))]
    stages = inspect(fn, *args)
    assert list(stages)[0] == "parse" and list(stages)[-1] == "lower"
    for stage in stages.values():
        if stage.graph is not None:
            found = stage.function()(*args)
            assert [a.tobytes() for a in _numbers(found)] == expected, stage.python()


@pytest.mark.parametrize("name", CASES)
def test_every_stage_prints_parses_and_draws(name):
    fn, args = CASES[name]
    for stage in inspect(fn, *args).values():
        written = stage.text()
        if stage.graph is None:
            assert written
            continue
        assert equal.equal(stage.graph, text.parse(written, P, Tensor, stage.table))
        drawing = xml.fromstring(stage.svg())
        boxes = [e for e in drawing.iter() if e.tag.endswith("rect")]
        nodes = sum(len(g.params) + len(list(g)) + 1 for g in text.Names(stage.graph).graphs)
        assert len(boxes) == nodes + 1


def test_boxes_of_a_layer_do_not_overlap():
    rows: dict = {}
    for e in xml.fromstring(inspect(ms.grad(loop), X, 5)["tidy"].svg()).iter():
        if e.tag.endswith("}g") and "transform" in e.attrib:
            panel = e.attrib["transform"]
        if e.tag.endswith("rect") and "rx" in e.attrib:
            rows.setdefault((panel, e.attrib["y"]), []).append(
                (float(e.attrib["x"]), float(e.attrib["width"]))
            )
    for row in rows.values():
        row.sort()
        assert all(x + w <= y for (x, w), (y, _) in zip(row, row[1:]))


def test_python_of_a_gradient_reads_like_this():
    assert (
        inspect(ms.grad(polynomial), X)["tidy"].python()
        == """\
def grad_of_polynomial(x0):
    '(x0: Tensor[(), float32]) -> (Tensor[(), float32],)'
    t0 = P.sin(x0)
    t1 = P.cos(x0)
    t2 = P.mul(x0, t1)
    t3 = P.add(t0, t2)
    t4 = (t3,)
    return t4
"""
    )


def test_python_of_a_loop_is_a_while():
    source = inspect(loop, X, 5)["tidy"].python()
    assert source.count("while True:") == 1 and source.count("if ") == 2 and "continue" in source


def test_long_loops_run_in_python():
    found = inspect(loop, X, 5)["parse"].function()(X, 2000)
    assert _numbers(found)[0].tobytes() == loop(X, 2000).asnumpy().tobytes()


def test_big_constants_are_in_the_dict():
    weight = Tensor(np.arange(20, dtype=np.float32))
    stage = inspect(lambda x: x * weight, Tensor(np.ones(20, np.float32)))["tidy"]
    (constant,) = stage.constants.values()
    np.testing.assert_array_equal(constant.asnumpy(), np.arange(20))
    np.testing.assert_array_equal(
        stage.function()(Tensor(np.full(20, 2, np.float32)))[0].asnumpy(), 2 * np.arange(20)
    )


def test_parameters_are_bound():
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor([2.0, 3.0]), name="w")

        def construct(self, x):
            return x * self.w

    net = Net()
    stage = inspect(net, Tensor([1.0, 1.0]))["tidy"]
    np.testing.assert_array_equal(stage.function()(Tensor([1.0, 5.0]))[0].asnumpy(), [2, 15])
    net.w.set_data(Tensor([7.0, 7.0]))
    np.testing.assert_array_equal(stage.function()(Tensor([1.0, 1.0]))[0].asnumpy(), [7, 7])


class Small(ms.nn.Cell):
    """A network with everything that is awkward: batch statistics, random numbers, optimiser
    state.
    """

    def __init__(self):
        super().__init__()
        self.conv, self.norm = ms.nn.Conv2d(1, 4, 3), ms.nn.BatchNorm2d(4)
        self.drop, self.dense, self.flat = (
            ms.nn.Dropout(p=0.3),
            ms.nn.Dense(4 * 6 * 6, 5),
            ms.nn.Flatten(),
        )

    def construct(self, x):
        return self.dense(self.drop(self.flat(ops.relu(self.norm(self.conv(x))))))


def _training_step():
    ms.set_seed(3)
    net = Small()
    net.set_train()
    loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return ms.nn.TrainOneStepCell(
        ms.nn.WithLossCell(net, loss), ms.nn.Adam(net.trainable_params(), 0.01)
    )


@pytest.mark.parametrize("stage", ["parse", "close", "j", "tidy"])
def test_python_of_a_training_step_trains_the_same(stage):
    rng = np.random.default_rng(0)
    x, y = (
        Tensor(rng.standard_normal((4, 1, 6, 6)).astype(np.float32)),
        Tensor(np.array([0, 4, 2, 1], np.int32)),
    )
    results = []
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for source in (False, True):
            step = _training_step()
            run = (
                inspect(step, x, y)[stage].function()
                if source
                else lambda x, y, step=step: (step(x, y),)
            )
            ms.set_seed(5)
            losses = [run(x, y)[0].asnumpy().tobytes() for _ in range(3)]
            results.append((losses, [p.asnumpy().tobytes() for p in step.get_parameters()]))
    finally:
        ms.set_context(mode=mode)
    assert results[0] == results[1]


def test_the_last_stage_has_no_python():
    last = inspect(polynomial, X)["lower"]
    for ask in (last.python, last.svg, last.function):
        with pytest.raises(ValueError, match="bytes"):
            ask()

"""GradBench's objectives: values and derivatives against independent references, and its
protocol.
"""

import json
import subprocess
import sys
from pathlib import Path

import gradbench_reference as reference
import numpy as np
import pytest
from record_torch import SIZES, elements

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from benchmarks.gradbench import inputs, run

TOLERANCE = 1e-4


def close(found, expected, tolerance=TOLERANCE):
    """GradBench's measure of agreement; ours is much closer for what is not differenced."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    assert (
        np.abs(found - expected) <= tolerance * np.maximum(1, np.abs(found) + np.abs(expected))
    ).all()


def outputs(name, data):
    """The outputs of all functions of an objective."""
    return {f: run.evaluate(e, data)["output"] for f, e in run.functions(name).items()}


def test_hello():
    assert outputs("hello", 3.0) == {"square": 9.0, "double": 6.0}


def test_llsq():
    data = inputs.draw("llsq", n=12, m=5)
    found = outputs("llsq", data)
    close(found["primal"], reference.llsq(data["x"], data), 1e-12)
    close(found["gradient"], reference.slopes(lambda x: reference.llsq(x, data), data["x"]))


def test_lse():
    from scipy import special

    data = inputs.draw("lse", n=20)
    data["x"][3] = 1000.0
    found = outputs("lse", data)
    close(found["primal"], special.logsumexp(data["x"]), 1e-12)
    close(found["gradient"], special.softmax(data["x"]), 1e-12)


@pytest.mark.parametrize("n, s", [(5, 1), (5, 30)])
def test_ode(n, s):
    data = inputs.draw("ode", n=n, s=s)
    found = outputs("ode", data)
    x = np.array(data["x"])
    close(found["primal"], reference.ode(x, data), 1e-12)
    close(found["gradient"], reference.slopes(lambda x: reference.ode(x, data)[-1], x))


@pytest.mark.parametrize("ell", (1, 2, 5))
def test_det(ell):
    data = inputs.draw("det", ell=ell)
    a = np.array(data["A"]).reshape(ell, ell)
    found = outputs("det", data)
    close(found["primal"], np.linalg.det(a), 1e-10)
    close(found["gradient"], (np.linalg.det(a) * np.linalg.inv(a).T).ravel(), 1e-10)


def test_kmeans():
    data = inputs.draw("kmeans", n=40, k=4, d=3)
    found = outputs("kmeans", data)
    centroids = np.array(data["centroids"])
    close(found["cost"], reference.kmeans(centroids, data), 1e-12)
    gradient = reference.slopes(lambda c: reference.kmeans(c, data), centroids)
    points = np.array(data["points"])
    nearest = ((points[:, None] - centroids) ** 2).sum(-1).argmin(-1)
    close(found["dir"], gradient / (2 * np.bincount(nearest, minlength=4))[:, None])


@pytest.mark.parametrize("d, m, gamma", [(1, 0, 1.0), (3, 2, 1.5)])
def test_gmm(d, m, gamma):
    data = inputs.draw("gmm", d=d, k=4, n=15, m=m, gamma=gamma)
    found = outputs("gmm", data)
    parameters = [np.array(data[name]) for name in ("alpha", "mu", "q", "l")]
    close(found["objective"], reference.gmm(parameters, data), 1e-10)
    for i, name in enumerate(("alpha", "mu", "q", "l")):

        def moved(v, i=i):
            return reference.gmm([*parameters[:i], v, *parameters[i + 1 :]], data)

        if parameters[i].size:
            close(found["jacobian"][name], reference.slopes(moved, parameters[i]))


@pytest.mark.parametrize("turned", (True, False))
def test_ba(turned):
    data = inputs.draw("ba", n=3, m=5, p=17)
    if not turned:
        data["cam"][:3] = [0.0, 0.0, 0.0]
    found = outputs("ba", data)
    camera, x, feature = (np.array(data[k]) for k in ("cam", "x", "feat"))
    expected = reference.ba(camera, x, data["w"], feature)
    close(found["objective"]["reproj_error"]["elements"], expected, 1e-12)
    assert (
        found["objective"]["reproj_error"]["repeated"]
        == found["objective"]["w_err"]["repeated"]
        == 17
    )
    close(found["objective"]["w_err"]["element"], 1 - data["w"] ** 2, 1e-12)

    def errors(v):
        return reference.ba(v[:11], v[11:14], v[14], feature)

    blocks = reference.slopes(errors, np.concatenate([camera, x, [data["w"]]]), 1e-6)
    jacobian = found["jacobian"]
    close(jacobian["vals"], [*blocks.ravel(), -2 * data["w"]])
    assert jacobian["rows"][:3] == [0, 15, 30] and jacobian["rows"][-1] == 31 * 17
    assert jacobian["cols"] == [
        *range(11),
        33,
        34,
        35,
        48,
        *range(11),
        33,
        34,
        35,
        48,
        33 + 15 + 16,
    ]


def test_lstm():
    data = inputs.draw("lstm", layers=2, c=12, b=3)
    found = outputs("lstm", data)
    main, extra = np.array(data["main_params"]), np.array(data["extra_params"])
    close(found["objective"], reference.lstm(main, extra, data), 1e-12)
    close(
        found["jacobian"],
        np.concatenate(
            [
                reference.slopes(lambda v: reference.lstm(v, extra, data), main).ravel(),
                reference.slopes(lambda v: reference.lstm(main, v, data), extra).ravel(),
            ]
        ),
    )


@pytest.mark.parametrize("complicated, mirrored", [(False, False), (True, True)])
def test_ht(complicated, mirrored):
    data = inputs.draw(
        "ht", vertices=12, correspondences=5, complicated=complicated, mirrored=mirrored
    )
    found = outputs("ht", data)
    theta, us = np.array(data["theta"]), np.array(data["us"])
    close(found["objective"], reference.ht(theta, us, data), 1e-12)
    jacobian = np.array(found["jacobian"])
    close(jacobian[:, -26:], reference.slopes(lambda v: reference.ht(v, us, data), theta))
    if complicated:
        by_us = reference.slopes(lambda v: reference.ht(theta, v, data), us)
        close(jacobian[:, :2], by_us.sum(1))


@pytest.mark.parametrize("modes", ("ff", "fr", "rf", "rr"))
def test_nested_descents(modes):
    """The expected numbers are those that GradBench itself checks."""
    for name, expected in (
        ("saddle", [8.246324826140356e-06] * 4),
        ("particle", 0.2071918746486116),
    ):
        evaluation = run.functions(name)[modes]
        result = evaluation.compute(*evaluation.prepare(inputs.draw(name)))
        close(evaluation.finish(result), expected, 1e-12)


RECORDED = json.loads((Path(__file__).parent / "gradbench_torch.json").read_text())


@pytest.mark.parametrize("case", RECORDED)
def test_torch_gives_the_same(case):
    name, function = case.split(".")
    evaluation = run.functions(name)[function]
    result = evaluation.compute(*evaluation.prepare(inputs.draw(name, **SIZES[name])))
    tensors = [r for r in result if not isinstance(r, int)] if isinstance(result, tuple) else result
    close(elements(tensors, lambda t: t.asnumpy()), RECORDED[case], 1e-10)


EXCHANGE = [
    ({"id": 0, "kind": "start", "eval": "hello"}, {"id": 0, "tool": "minds"}),
    ({"id": 1, "kind": "define", "module": "hello"}, {"id": 1, "success": True}),
    (
        {"id": 2, "kind": "evaluate", "module": "hello", "function": "square", "input": 4.0},
        {"id": 2, "success": True, "output": 16.0},
    ),
    ({"id": 3, "kind": "analysis", "of": 2, "valid": True}, {"id": 3}),
    (
        {
            "id": 4,
            "kind": "evaluate",
            "module": "lse",
            "function": "gradient",
            "description": "three runs",
            "input": {"x": [1.0, 1.0], "min_runs": 3, "min_seconds": 0},
        },
        {"id": 4, "success": True, "output": [0.5, 0.5]},
    ),
    ({"id": 5, "kind": "define", "module": "nothing"}, {"id": 5, "success": False}),
    (
        {"id": 6, "kind": "evaluate", "module": "lse", "function": "gradient", "input": {}},
        {"id": 6, "success": False},
    ),
    ({"id": 7, "kind": "end"}, {"id": 7}),
]
"""Messages and what the responses have at least."""


def test_protocol():
    lines = "".join(json.dumps(m) + "\n" for m, _ in EXCHANGE)
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/gradbench/run.py")],
        input=lines,
        text=True,
        capture_output=True,
        cwd=ROOT / "tests",
        check=True,
    )
    responses = list(map(json.loads, done.stdout.splitlines()))
    assert len(responses) == len(EXCHANGE)
    for found, (_, expected) in zip(responses, EXCHANGE):
        assert {k: found.get(k) for k in expected} == expected
    names = [t["name"] for t in responses[4]["timings"]]
    assert names == ["compile", "evaluate", "evaluate", "evaluate"]
    assert all(
        isinstance(t["nanoseconds"], int) and t["nanoseconds"] > 0 for t in responses[4]["timings"]
    )
    assert "no objective 'nothing'" in responses[5]["error"] and "KeyError" in responses[6]["error"]

"""Training on parts of the rows gives what one process gets from all of them."""

import numpy as np
import pytest


def trained(folder):
    return {f.name: dict(np.load(f)) for f in sorted(folder.iterdir())}


def expect_close(a: dict, b: dict):
    assert len(a) == 6 and a.keys() == b.keys()
    for name in a:
        assert len(a[name]) == 12 and a[name].keys() == b[name].keys()
        for key, v in a[name].items():
            # Sums of the same terms in another order, through 20 steps.
            assert np.abs(v - b[name][key]).max() <= 1e-5 * np.abs(v).max() + 1e-7, (name, key)


def test_lenet_of_two_processes_equals_one(launch, tmp_path):
    results = []
    for n in (1, 2):
        folder = tmp_path / str(n)
        folder.mkdir()
        code, _, err = launch(n, "data_parallel.py", str(folder))
        assert code == 0, err
        results.append(trained(folder))
    expect_close(*results)


def test_of_four(launch, tmp_path, whole):
    if not whole:
        pytest.skip("four processes: with --whole")
    results = []
    for n in (1, 4):
        folder = tmp_path / str(n)
        folder.mkdir()
        code, _, err = launch(n, "data_parallel.py", str(folder))
        assert code == 0, err
        results.append(trained(folder))
    expect_close(*results)


def test_gradients_travel_while_others_are_computed(launch, tmp_path):
    code, out, err = launch(2, "overlap.py", str(tmp_path))
    assert code == 0 and out.count("all is well") == 2, out + err

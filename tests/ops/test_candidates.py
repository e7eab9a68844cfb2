"""Classes drawn as candidates: their probabilities, and that many classes take no more memory."""

import math

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops

TRUE = Tensor([[0], [3]])


def share(k, range_max):
    return math.log((k + 2) / (k + 1)) / math.log(range_max + 1)


@pytest.mark.parametrize("range_max", [10, 70_000, 10**12])
@pytest.mark.parametrize("compiled", [False, True])
def test_expected_counts(range_max, compiled):
    def draw(true):
        uniform = ops.uniform_candidate_sampler(true, 1, 4, True, range_max)
        return uniform, ops.log_uniform_candidate_sampler(true, 1, 4, True, range_max)

    uniform, log = (ms.jit(draw) if compiled else draw)(TRUE)
    for (drawn, true, sampled), p in (
        (uniform, lambda k: 1 / range_max),
        (log, lambda k: share(k, range_max)),
    ):
        classes = drawn.asnumpy()
        assert len(set(classes.tolist())) == 4 and 0 <= classes.min() <= classes.max() < range_max
        for k, got in zip((0, 3, *classes.tolist()), (*true.asnumpy()[:, 0], *sampled.asnumpy())):
            np.testing.assert_allclose(got, 1 - (1 - p(k)) ** 4, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("unique", [False, True])
def test_log_uniform_classes_of_many(unique):
    """One at a time, class 0 comes as often as its share says: 0.0621 of 70,000."""
    n, range_max = 4000, 70_000
    draws = [
        ops.log_uniform_candidate_sampler(TRUE, 1, 1 + unique, unique, range_max)[0].asnumpy()
        for _ in range(n)
    ]
    p = share(0, range_max)
    first = np.mean([d[0] == 0 for d in draws])
    assert abs(first - p) < 5 * math.sqrt(p / n)
    if unique:  # the second is drawn among the others
        q = sum(share(k, range_max) * p / (1 - share(k, range_max)) for k in range(1, range_max))
        assert abs(np.mean([d[1] == 0 for d in draws]) - q) < 5 * math.sqrt(q / n)


def test_sizes_are_bounded():
    with pytest.raises(ValueError, match="^log_uniform_candidate_sampler: .*num_sampled"):
        ops.log_uniform_candidate_sampler(TRUE, 1, 10**9, False, 10**12)
    with pytest.raises(ValueError, match="^uniform_candidate_sampler: .*range_max"):
        ops.uniform_candidate_sampler(TRUE, 1, 1, False, 2**70)
    with pytest.raises(ValueError, match="^choice_with_mask: count"):
        ops.choice_with_mask(Tensor([True, False]), -1)

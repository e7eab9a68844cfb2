"""What an evaluation of GradBench is here: JSON to tensors, the function that is timed, its result
to JSON.

Every objective module has a table ``FUNCTIONS`` of these by the name that the protocol gives them.
All numbers are float64, as the protocol's are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from minds import Tensor


def tensor(values, dtype=np.float64) -> Tensor:
    """A tensor of numbers from JSON."""
    return Tensor(np.array(values, dtype))


def plain(value):
    """Tensors, in any nesting of tuples, as lists and numbers."""
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return value.asnumpy().tolist() if isinstance(value, Tensor) else value


def flat(value) -> list:
    """All elements of tensors, in any nesting, in one list."""
    if isinstance(value, (tuple, list)):
        return [x for v in value for x in flat(v)]
    return value.asnumpy().ravel().tolist()


@dataclass(frozen=True)
class Evaluation:
    """One function of an objective.

    Attributes:
        prepare: the input of the message to the arguments of `compute`.
        compute: what is timed.
        finish: its result to the output of the response.
    """

    prepare: Callable[[dict], tuple]
    compute: Callable
    finish: Callable = plain

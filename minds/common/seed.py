"""The global seed: one number from which every source of randomness starts.

`set_seed` restarts NumPy's legacy generator, the generator of the initialisers and the native
counter of random ops, so that a script repeats itself. Until it is called the initialisers and
random ops start from the system's entropy.
"""

from __future__ import annotations

import numpy as np

from .. import _core
from ..base.boundary import guard as _guard
from ..base.errors import complain
from ..base.late import late
from ..base.options import AMBIENT

_seed: int | None = None
_generator = np.random.default_rng()
AMBIENT.append(lambda: _seed)


def set_seed(seed: int) -> None:
    """Make the random numbers that follow reproducible.

    Args:
        seed (int): in ``[0, 2**32)``.
    Raises:
        TypeError: ``seed`` is no int.
        ValueError: ``seed`` is out of range.

    Examples:
        >>> import minds as ms
        >>> from minds.common.initializer import initializer
        >>> ms.set_seed(1)
        >>> a = initializer("normal", [2])
        >>> ms.set_seed(1)
        >>> (a.asnumpy() == initializer("normal", [2]).asnumpy()).all().item()
        True
    """
    global _seed, _generator
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise complain(
            TypeError, f"set_seed: seed has type {type(seed).__name__}", expected="an int"
        )
    if not 0 <= seed < 2**32:
        raise complain(ValueError, f"set_seed: seed is {seed}", expected="0 <= seed < 2**32")
    _seed = int(seed)
    _generator = np.random.default_rng(_seed)
    np.random.seed(_seed)
    _core.seed(_seed)


def get_seed() -> int | None:
    """The seed that `set_seed` was given last, or None.

    Returns:
        int: the seed, or None.

    Examples:
        >>> import minds as ms
        >>> ms.set_seed(7)
        >>> ms.get_seed()
        7
    """
    return _seed


def generator() -> np.random.Generator:
    """The generator that initialisers draw from.

    Returns:
        numpy.random.Generator: restarted by `set_seed`.

    Examples:
        >>> from minds import common
        >>> common.seed.generator().random(3).shape
        (3,)
    """
    return _generator


def state() -> dict:
    """What `restore` takes: the seed, and where the generator of the initialisers is.

    Returns:
        dict: of numbers and texts.

    Examples:
        >>> from minds import common
        >>> common.seed.restore(common.seed.state())
    """
    return {"seed": _seed, "initialisers": _generator.bit_generator.state}


def restore(found: dict) -> None:
    """Go on from what `state` gave.

    Args:
        found (dict): what `state` gave.

    Raises:
        KeyError: something is missing.
        TypeError, ValueError: something has a wrong type or value.

    Examples:
        >>> from minds import common
        >>> common.seed.restore(common.seed.state())
    """
    global _seed, _generator
    made, seed = np.random.default_rng(0), found["seed"]
    made.bit_generator.state = found["initialisers"]
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**32):
        raise ValueError(f"the seed is {seed!r}")
    _seed, _generator = seed, made


__all__ = ["generator", "get_seed", "restore", "set_seed", "state"]
__getattr__, __dir__ = late(__name__, {"compat.initializers": "_get_graph_seed"})
_guard(__name__)

"""What all transforms of columns share: which values they take."""

from __future__ import annotations

import enum
from collections.abc import Callable

import numpy as np

from ...base.errors import complain
from ..pipeline import DatasetError
from ..recorded import Recorded


class PyTensorOperation:
    """Base of a user's transform in Python; a subclass defines ``_execute_py``, or ``__call__`` itself."""

    def __call__(self, img):
        return self._execute_py(img)


class Implementation(enum.IntEnum):
    """In what a transform is written, as MindSpore's transforms say it of themselves."""

    C = 0
    PY = 1


class TensorOperation:
    """Base of a user's transform that says in what it is written. In Python: ``implementation`` is
    ``Implementation.PY``, or there is an ``_execute_py``, which is called.
    """

    def __init__(self):
        self.implementation = None

    def __call__(self, *values):
        run = getattr(self, "_execute_py", None)
        if run is None:
            name = type(self).__name__
            what = (
                f"{name}: there is no _execute_py, and MindSpore's native operations are not here"
            )
            raise complain(NotImplementedError, what)
        return run(*values)


class RowTransform(Recorded):
    """Base of all transforms: called with a row's values.

    Examples:
        >>> from minds.dataset import transforms
        >>> class Twice(transforms.RowTransform):
        ...     def transform(self, a):
        ...         return a * 2
        >>> Twice()([1, 2]).tolist()
        [2, 4]
    """

    def __call__(self, *values):
        made = tuple([self.transform(self.accept(v)) for v in given(values)])
        return made[0] if len(made) == 1 else made

    def accept(self, value):
        """``value`` in the form that `transform` works on.

        Args:
            value (Any): what a row holds.

        Returns:
            numpy.ndarray: the value as an array.

        Raises:
            TypeError: it is neither of numbers nor of text.

        Examples:
            >>> from minds.dataset import transforms
            >>> transforms.Fill(0).accept([1, 2]).shape
            (2,)
        """
        return as_array(value)

    def transform(self, a):
        """What a value becomes; a subclass defines it.

        Args:
            a (numpy.ndarray): the value.

        Returns:
            numpy.ndarray: the new value.

        Raises:
            NotImplementedError: the subclass does not define it.

        Examples:
            >>> import numpy as np
            >>> from minds.dataset import transforms
            >>> transforms.Fill(7).transform(np.array([1, 2])).tolist()
            [7, 7]
        """
        what = f"{type(self).__name__}: there is no transform of {type(a).__name__}"
        raise complain(NotImplementedError, what, cure="define transform(self, a)")


def as_array(value) -> np.ndarray:
    """``value`` as an array of numbers or of text.

    Raises:
        TypeError: it is of neither.
    """
    a = np.asarray(value)
    if a.dtype.kind == "O":
        said = f"Invalid user input. Got {type(value)}: {value}, cannot be converted into tensor."
        raise complain(TypeError, said)
    return a


def given(values: tuple) -> tuple:
    """The values that a transform is called with.

    Raises:
        DatasetError: there are none.
    """
    if not values:
        raise DatasetError("Input Tensor is not valid.")
    return values


def one_by_one(transforms, values: tuple, called: list | None = None):
    """What transforms give for values, each called with what the one before it gave; ``called`` gets
    those that were, also where the last one fails.
    """
    for transform in transforms:
        if called is not None:
            called.append(transform)
        made = transform(*values)
        values = made if isinstance(made, tuple) else (made,)
    return values[0] if len(values) == 1 else values


def is_text(dtype) -> bool:
    return dtype.kind in "US"


def stands_for_text(dtype) -> bool:
    """Whether ``dtype`` is the mark of texts, ``minds.string``."""
    return getattr(dtype, "python", None) is str


def type_name(dtype) -> str:
    """A dtype as messages call it."""
    return {"U": "string", "S": "bytes"}.get(dtype.kind) or str(dtype)


def not_random(function: Callable) -> Callable:
    """A decorator of functions of the user's: marks that they give the same for the same.

    Args:
        function (Callable): the function.

    Returns:
        Callable: the same.

    Examples:
        >>> from minds.dataset import transforms
        >>> @transforms.not_random
        ... def twice(x):
        ...     return x * 2
        >>> twice.random
        False
    """
    function.random = False
    return function

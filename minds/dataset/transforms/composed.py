"""Several transforms as one: all, some, one of them, or in an order drawn for each row."""

from __future__ import annotations

from ...base.errors import complain
from .. import rowrng
from ..arguments import Number, check_type, takes
from ..recorded import Recorded
from .base import given


def _callables(name, transforms) -> None:
    check_type("transforms list", transforms, (list,))
    if not transforms:
        raise complain(ValueError, "transforms list can not be empty.")
    for i, t in enumerate(transforms):
        if isinstance(t, type) and issubclass(t, Recorded):
            said = (
                f"transforms[{i}] should be a dataset processing operation instance, but got: {t}."
            )
            raise complain(ValueError, f"{said} It may be missing parentheses for instantiation.")
        if not callable(t):
            said = f"transforms[{i}] is neither a transforms op (TensorOperation) nor a callable pyfunc."
            raise complain(TypeError, said)


class Compose(Recorded):
    """Several transforms as one.

    Args:
        transforms (list[Callable]): applied one after the other; a tuple becomes several arguments
            of the next.

    A call gives a tuple, of one value too, where one of the transforms is one that MindSpore runs in
    Python: those of Pillow images, and a few of arrays.

    Raises:
        TypeError: ``transforms`` is no list, or an element cannot be called.
        ValueError: the list is empty.

    Examples:
        >>> from minds.dataset import transforms
        >>> int(transforms.Compose([lambda x: x + 1, lambda x: x * 2])(3))
        8
    """

    @takes(transforms=_callables)
    def __init__(self, transforms):
        self.transforms = list(transforms)

    def __call__(self, *values):
        made = self._apply(range(len(self.transforms)), given(values))
        return made if any(map(_in_python, self.transforms)) else _one_or_all(made)

    def _apply(self, order, values: tuple) -> tuple:
        """These of the transforms, one after the other."""
        for i in order:
            made = self._one(int(i), values)
            values = made if isinstance(made, tuple) else (made,)
        return values

    def _one(self, i: int, values: tuple):
        """What transform ``i`` makes. What has no line of Python's to show is shown with its place."""
        try:
            return self.transforms[i](*values)
        except Exception as e:
            if e.__traceback__.tb_next is not None or not e.args:
                raise
            t = self.transforms[i]
            what = f"transforms[{i}], {getattr(t, '__name__', type(t).__name__)}"
            said = f"{type(self).__name__}: {what}, raised {type(e).__name__}: {e}"
            raise complain(type(e), said) from e


def _in_python(transform) -> bool:
    return getattr(transform, "in_python", False) is True


def _one_or_all(values: tuple):
    return values[0] if len(values) == 1 else values


class RandomApply(Compose):
    """All of ``transforms`` with probability ``prob``, else none.

    Args:
        transforms (list[Callable]): applied one after the other.
        prob (float): in ``[0, 1]``. Default: 0.5.

    Raises:
        TypeError: ``transforms`` is no list of what can be called, or ``prob`` no number.
        ValueError: the list is empty, or ``prob`` is out of range.

    Examples:
        >>> from minds.dataset import transforms
        >>> int(transforms.RandomApply([lambda x: x + 1], prob=1.0)(3))
        4
    """

    @takes(transforms=_callables, prob=Number((float, int), 0, 1))
    def __init__(self, transforms, prob: float = 0.5):
        super().__init__(transforms)

    def __call__(self, *values):
        if rowrng.current().random() < self.prob:
            return _one_or_all(self._apply(range(len(self.transforms)), given(values)))
        return _one_or_all(given(values))


class RandomChoice(Compose):
    """One of ``transforms``, drawn for each row.

    Args:
        transforms (list[Callable]): one of these is applied.

    Raises:
        TypeError: ``transforms`` is no list of what can be called.
        ValueError: the list is empty.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.RandomChoice([lambda x: x + 1, lambda x: x - 1])(3) in (2, 4)
        True
    """

    def __call__(self, *values):
        return self._one(int(rowrng.current().integers(len(self.transforms))), given(values))


class RandomOrder(Compose):
    """All of ``transforms``, in an order drawn for each row.

    Args:
        transforms (list[Callable]): all of these are applied.

    Raises:
        TypeError: ``transforms`` is no list of what can be called.
        ValueError: the list is empty.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.RandomOrder([lambda x: x + 1, lambda x: x * 2])(3) in (7, 8)
        True
    """

    in_python = True

    def __call__(self, *values):
        order = rowrng.current().permutation(len(self.transforms))
        return _one_or_all(self._apply(order, given(values)))

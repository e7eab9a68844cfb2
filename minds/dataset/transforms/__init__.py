"""Transforms of any column: functions on NumPy arrays, as small classes that compose."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

import numpy as np

from ...base import dtype as dt
from ...base.boundary import guard as _guard
from ...base.errors import complain
from .. import rowrng
from ..pipeline import filler
from ..recorded import Recorded


class Relational(IntEnum):
    """The comparisons of `Mask`.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.Relational.GT.name
        'GT'
    """

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


_COMPARE = {
    Relational.EQ: np.equal,
    Relational.NE: np.not_equal,
    Relational.GT: np.greater,
    Relational.GE: np.greater_equal,
    Relational.LT: np.less,
    Relational.LE: np.less_equal,
}


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
        made = tuple([self.transform(self.accept(v)) for v in values])
        return made[0] if len(made) == 1 else made

    def accept(self, value):
        """``value`` in the form that `transform` works on.

        Args:
            value (Any): what a row holds.

        Returns:
            numpy.ndarray: the value as an array.

        Examples:
            >>> from minds.dataset import transforms
            >>> transforms.Fill(0).accept([1, 2]).shape
            (2,)
        """
        return np.asarray(value)

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
        raise NotImplementedError


def _each(transforms, name: str) -> list:
    if not isinstance(transforms, (list, tuple)) or not transforms:
        raise complain(
            ValueError if isinstance(transforms, (list, tuple)) else TypeError,
            f"{name}: transforms must be a non-empty list, got {transforms!r}",
        )
    for t in transforms:
        if not callable(t):
            raise complain(TypeError, f"{name}: {t!r} cannot be called")
    return list(transforms)


class Compose(Recorded):
    """Several transforms as one.

    Args:
        transforms (list[Callable]): applied one after the other; a tuple becomes several arguments
            of the next.

    Raises:
        TypeError: ``transforms`` is no list, or an element cannot be called.
        ValueError: the list is empty.

    Examples:
        >>> from minds.dataset import transforms
        >>> int(transforms.Compose([lambda x: x + 1, lambda x: x * 2])(3))
        8
    """

    def __init__(self, transforms):
        self.transforms = _each(transforms, type(self).__name__)

    def __call__(self, *values):
        return self._apply(range(len(self.transforms)), values)

    def _apply(self, order, values: tuple):
        """These of the transforms, one after the other."""
        for i in order:
            made = self._one(int(i), values)
            values = made if isinstance(made, tuple) else (made,)
        return values[0] if len(values) == 1 else values

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

    def __init__(self, transforms, prob: float = 0.5):
        super().__init__(transforms)
        self.prob = check_probability(prob)

    def __call__(self, *values):
        if rowrng.current().random() < self.prob:
            return super().__call__(*values)
        return values[0] if len(values) == 1 else values


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
        return self._one(int(rowrng.current().integers(len(self.transforms))), values)


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

    def __call__(self, *values):
        return self._apply(rowrng.current().permutation(len(self.transforms)), values)


def check_probability(prob) -> float:
    """``prob`` as a float in ``[0, 1]``.

    Args:
        prob (float): the number.

    Returns:
        float: the same.

    Raises:
        TypeError: it is no number.
        ValueError: it is out of range.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.check_probability(1)
        1.0
    """
    if isinstance(prob, bool) or not isinstance(prob, (int, float)):
        raise complain(TypeError, f"prob must be a number, got {type(prob).__name__}")
    if not 0 <= prob <= 1:
        raise complain(ValueError, f"prob must be in [0, 1], got {prob}")
    return float(prob)


class TypeCast(RowTransform):
    """Values in another dtype.

    Args:
        data_type (dtype): a dtype of minds or of NumPy.

    Raises:
        TypeError: ``data_type`` is none, or is bfloat16, which NumPy lacks.

    Examples:
        >>> import minds as ms
        >>> from minds.dataset import transforms
        >>> transforms.TypeCast(ms.int32)(2.7).item()
        2
    """

    def __init__(self, data_type):
        self.dtype = dt.of(data_type)
        if self.dtype is dt.bfloat16:
            raise complain(
                TypeError, "TypeCast: NumPy has no bfloat16", cure="cast the Tensor in the network"
            )

    def transform(self, a):
        return a.astype(self.dtype.np)


class OneHot(RowTransform):
    """Class ids as vectors.

    Args:
        num_classes (int): the length of the vectors.
        smoothing_rate (float): how much of the weight is spread evenly over all classes. Default:
            0.0.

    Raises:
        TypeError: an argument has a wrong type, or the ids are no integers.
        ValueError: an id is out of range.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.OneHot(3)(1).tolist()
        [0, 1, 0]
    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0):
        if isinstance(num_classes, bool) or not isinstance(num_classes, int):
            raise complain(
                TypeError, f"num_classes must be an int, got {type(num_classes).__name__}"
            )
        if num_classes < 1:
            raise complain(ValueError, f"num_classes must be positive, got {num_classes}")
        self.num_classes, self.smoothing = num_classes, check_probability(smoothing_rate)

    def transform(self, a):
        if a.dtype.kind not in "iu":
            raise complain(TypeError, f"OneHot: class ids must be integers, got {a.dtype}")
        if a.size and (a.min() < 0 or a.max() >= self.num_classes):
            bad = a.min() if a.min() < 0 else a.max()
            raise complain(
                ValueError, f"OneHot: class id {bad} is out of range [0, {self.num_classes})"
            )
        eye = np.eye(self.num_classes, dtype=a.dtype)[a.astype(np.int64)]
        if not self.smoothing:
            return eye
        return eye * (1 - self.smoothing) + self.smoothing / self.num_classes


class Fill(RowTransform):
    """Every element replaced by one value, cast to the array's dtype; text gets the length it needs.

    Args:
        fill_value (number, str): the value.

    Raises:
        DatasetError: text is to replace numbers, or a number text.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.Fill(7)([1, 2]).tolist()
        [7, 7]
    """

    def __init__(self, fill_value):
        self.fill_value = fill_value

    def transform(self, a):
        return np.full(a.shape, filler("Fill", a.dtype, self.fill_value))


class PadEnd(RowTransform):
    """Padding at the end of each dimension.

    Args:
        pad_shape (list[int]): the shape to reach; None keeps a dimension.
        pad_value (number, str, optional): the padding. Default: 0 or "".

    Raises:
        TypeError: ``pad_shape`` is no list or tuple.
        ValueError: the array has another rank or is larger.
        DatasetError: text is padded by a number, or numbers by text.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import transforms
        >>> transforms.PadEnd([3], 9)(np.array([1])).tolist()
        [1, 9, 9]
    """

    def __init__(self, pad_shape, pad_value=None):
        if not isinstance(pad_shape, (list, tuple)):
            raise complain(
                TypeError,
                f"PadEnd: pad_shape is a {type(pad_shape).__name__}",
                expected="a list of ints",
            )
        self.shape, self.value = tuple(pad_shape), pad_value

    def transform(self, a):
        shape = tuple(n if s is None else s for n, s in zip(a.shape, self.shape))
        if len(self.shape) != a.ndim or any(n > s for n, s in zip(a.shape, shape)):
            raise complain(
                ValueError, f"PadEnd: an array of shape {a.shape} does not fit {self.shape}"
            )
        value = self.value if self.value is not None else "" if a.dtype.kind in "US" else 0
        out = np.full(shape, filler("PadEnd", a.dtype, value))
        out[tuple(map(slice, a.shape))] = a
        return out


class Mask(RowTransform):
    """Where the elements compare to a constant, as booleans or ones.

    Args:
        operator (Relational): the comparison.
        constant (number, str): the right side.
        dtype (dtype): the result's. Default: bool.

    Raises:
        ValueError: ``operator`` is no Relational.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.Mask(transforms.Relational.GT, 1)([1, 2]).tolist()
        [False, True]
    """

    def __init__(self, operator, constant, dtype=dt.bool_):
        self.compare, self.constant, self.dtype = (
            _COMPARE[Relational(operator)],
            constant,
            dt.of(dtype),
        )

    def transform(self, a):
        return self.compare(a, self.constant).astype(self.dtype.np)


class Slice(RowTransform):
    """Part of an array.

    Args:
        slices (int, list[int], slice, None, Ellipsis): one per dimension; an int or list picks rows
            and keeps the dimension, None and Ellipsis take all.

    Raises:
        TypeError: one chooses no elements.
        ValueError: there are more than the array has dimensions.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.Slice(None, slice(0, 1))([[1, 2], [3, 4]]).tolist()
        [[1], [3]]
    """

    def __init__(self, *slices):
        for s in slices:
            items = s if isinstance(s, (list, tuple)) else [s]
            whole = s is None or s is Ellipsis or isinstance(s, slice)
            if not whole and any(not isinstance(i, (int, np.integer)) for i in items):
                what = f"Slice: {s!r} chooses no elements"
                raise complain(TypeError, what, expected="an int, a list of ints, a slice or None")
        self.slices = slices

    def transform(self, a):
        if len(self.slices) > a.ndim:
            raise complain(
                ValueError, f"Slice: {len(self.slices)} slices for an array of shape {a.shape}"
            )
        for axis, s in enumerate(self.slices):
            if isinstance(s, slice):
                a = a[(slice(None),) * axis + (s,)]
            elif s is not None and s is not Ellipsis:
                a = np.take(a, [s] if isinstance(s, (int, np.integer)) else list(s), axis)
        return a


class Concatenate(RowTransform):
    """Arrays before and after the array, joined along an axis.

    Args:
        axis (int): the dimension. Default: 0.
        prepend (numpy.ndarray, optional): before.
        append (numpy.ndarray, optional): after.

    Raises:
        TypeError: ``axis`` is no int.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.Concatenate(append=[9])([1, 2]).tolist()
        [1, 2, 9]
    """

    def __init__(self, axis: int = 0, prepend=None, append=None):
        if not isinstance(axis, (int, np.integer)):
            raise complain(TypeError, f"Concatenate: axis is {axis!r}", expected="an int")
        self.axis, self.prepend, self.append = axis, prepend, append

    def __call__(self, *values):
        parts = [self.prepend, *values, self.append]
        return np.concatenate([np.asarray(p) for p in parts if p is not None], self.axis)


class Duplicate(RowTransform):
    """The value twice: one column becomes two.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import transforms
        >>> [v.tolist() for v in transforms.Duplicate()(np.array([1, 2]))]
        [[1, 2], [1, 2]]
    """

    def __call__(self, value):
        return value, np.array(value)


class Plugin(RowTransform):
    """A function of a library for MindSpore's data engine: not supported, as such a library is linked with
    MindSpore's own core.

    Args:
        lib_path (str): the library.
        func_name (str): the function.
        user_args (str, optional): what it gets beside the row.

    Raises:
        NotImplementedError: always.

    Examples:
        >>> from minds.dataset import transforms
        >>> try:
        ...     transforms.Plugin("lib.so", "twice")
        ... except NotImplementedError as e:
        ...     print(str(e).splitlines()[0])
        Plugin: 'lib.so' is made for MindSpore's data engine
    """

    def __init__(self, lib_path: str, func_name: str, user_args: str | None = None):
        raise complain(
            NotImplementedError,
            f"Plugin: {lib_path!r} is made for MindSpore's data engine",
            cure="call the library by ctypes in a function, and give that to map",
        )


class Unique(RowTransform):
    """The different elements, the place of each element among them, and how often each comes.

    Examples:
        >>> from minds.dataset import transforms
        >>> [v.tolist() for v in transforms.Unique()([3, 1, 3])]
        [[1, 3], [1, 0, 1], [1, 2]]
    """

    def __call__(self, value):
        found, where, counts = np.unique(
            np.asarray(value).ravel(), return_inverse=True, return_counts=True
        )
        return found, where.astype(np.int32), counts.astype(np.int32)


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


__all__ = [
    "Plugin",
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TypeCast",
    "Unique",
    "not_random",
]
_guard(__name__)

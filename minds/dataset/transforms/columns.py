"""Transforms of one column: its dtype, its elements, its shape."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ...base import dtype as dt
from ...base.errors import complain
from ..arguments import Number, Optional, Typed, check_type, real, takes
from ..pipeline import DatasetError, filler
from .base import RowTransform, as_array, given, is_text, stands_for_text, type_name

_CONSTANTS = (str, float, bool, int, bytes)
_constant = Typed(*_CONSTANTS)


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


def _mask_dtype(name, value) -> None:
    if not stands_for_text(value):  # which is refused when the mask is made
        _a_dtype(name, value)


def _a_dtype(name, value) -> None:
    """A dtype, or what NumPy knows as one."""
    try:
        if value is None:
            raise TypeError
        dt.of(value)
    except TypeError:
        check_type(name, value, (dt.DType, np.dtype))


class TypeCast(RowTransform):
    """Values in another dtype.

    Args:
        data_type (dtype): a dtype of minds or of NumPy.

    Raises:
        TypeError: ``data_type`` is none, or is bfloat16, which NumPy lacks.
        DatasetError: a text is no number.

    Examples:
        >>> import minds as ms
        >>> from minds.dataset import transforms
        >>> transforms.TypeCast(ms.int32)(2.7).item()
        2
    """

    @takes(data_type=_a_dtype)
    def __init__(self, data_type):
        self.dtype = dt.of(data_type)
        if self.dtype is dt.bfloat16:
            raise complain(
                TypeError, "TypeCast: NumPy has no bfloat16", cure="cast the Tensor in the network"
            )

    def transform(self, a):
        try:
            return a.astype(self.dtype.np)
        except ValueError as e:
            raise DatasetError(
                f"TypeCast: TypeCast does not support cast from {type_name(a.dtype)} to "
                f"{self.dtype.np}: {e}"
            ) from e


def _classes(name, value) -> None:
    check_type(name, value, (int,))
    if value <= 0:
        raise complain(ValueError, "Input must be greater than 0.")


class OneHot(RowTransform):
    """Class ids as vectors: one id, however many dimensions of length 1 it has, becomes a vector, several
    become rows.

    Args:
        num_classes (int): the length of the vectors.
        smoothing_rate (float): how much of the weight is spread evenly over all classes. Default:
            0.0.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: an argument is out of range.
        DatasetError: the ids are no integers, have several dimensions or are out of range.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.OneHot(3)(1).tolist()
        [0, 1, 0]
    """

    @takes(smoothing_rate=Number(real, 0.0, 1.0), num_classes=_classes)
    def __init__(self, num_classes: int, smoothing_rate: float = 0.0):
        pass

    def transform(self, a):
        if a.dtype.kind not in "iu":
            said = f"OneHot: Only support input of int type, but got: {type_name(a.dtype)}"
            raise DatasetError(said)
        ids = a.squeeze() if a.size else a.reshape(-1)
        if ids.ndim > 1:
            raise DatasetError(f"OneHot: Only support scalar or 1D input, got rank: {ids.ndim}")
        if ids.size and ids.max() >= self.num_classes:
            raise DatasetError(
                f"OneHot: index values should not bigger than num classes: {self.num_classes}, but "
                f"got: {ids.max()}"
            )
        if ids.size and ids.min() < 0:
            raise DatasetError(f"OneHot: index values should not be negative, but got: {ids.min()}")
        eye = np.eye(self.num_classes, dtype=a.dtype)[ids.astype(np.int64)]
        if not self.smoothing_rate:
            return eye
        return eye * (1 - self.smoothing_rate) + self.smoothing_rate / self.num_classes


class Fill(RowTransform):
    """Every element replaced by one value, cast to the array's dtype; text gets the length it needs.

    Args:
        fill_value (number, str, bytes): the value.

    Raises:
        TypeError: ``fill_value`` is neither number nor text.
        DatasetError: text is to replace numbers, or a number text.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.Fill(7)([1, 2]).tolist()
        [7, 7]
    """

    @takes(fill_value=_constant)
    def __init__(self, fill_value):
        self.value = np.asarray(fill_value)

    def transform(self, a):
        kinds = {self.value.dtype.kind, a.dtype.kind}
        if kinds & {"U", "S"} and len(kinds) > 1:
            raise DatasetError(
                "Fill: fill_value and the input tensor must be of the same data type when involving "
                f"strings or bytes, but got fill_value data type {type_name(self.value.dtype)} and "
                f"input tensor data type {type_name(a.dtype)}"
            )
        return np.full(a.shape, self.value if is_text(a.dtype) else self.value.astype(a.dtype))


def _lengths(name, value) -> None:
    check_type(name, value, (list, tuple))
    for length in value:
        if length is not None and not isinstance(length, int):
            raise complain(TypeError, "a value in the list is not an integer.")
        if length is not None:
            Number((int,), 1, 2**63 - 1)("", length)


class PadEnd(RowTransform):
    """Each dimension padded at its end, or cut there. A scalar stays as it is.

    Args:
        pad_shape (list[int]): the shape to reach; None keeps a dimension.
        pad_value (number, str, bytes, optional): the padding. Default: 0 or "".

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a length is not positive.
        DatasetError: the array has another number of dimensions, text is padded by a number, or
            numbers by text.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import transforms
        >>> transforms.PadEnd([3], 9)(np.array([1])).tolist()
        [1, 9, 9]
    """

    @takes(pad_value=Optional(_constant), pad_shape=_lengths)
    def __init__(self, pad_shape, pad_value=None):
        pass

    def transform(self, a):
        if a.ndim == 0:
            return a
        if len(self.pad_shape) != a.ndim:
            raise DatasetError(
                f"PadEnd: invalid pad shape, as rank of input is: {a.ndim}, and rank of pad value: "
                f"{len(self.pad_shape)}"
            )
        shape = tuple(n if s is None else s for n, s in zip(a.shape, self.pad_shape))
        out = np.full(shape, self._padding(a.dtype))
        kept = tuple(slice(min(n, s)) for n, s in zip(a.shape, shape))
        out[kept] = a[kept]
        return out

    def _padding(self, dtype) -> np.ndarray:
        """The padding, in a dtype that holds it and elements of ``dtype``."""
        value = self.pad_value
        if value is None:
            value = "" if is_text(dtype) else 0
        given = np.asarray(value).dtype
        if is_text(given) != is_text(dtype):
            raise DatasetError(
                "PadEnd: can not pad numeric and string tensors together, but got: "
                f"{type_name(given)} and {type_name(dtype)}."
            )
        return filler("PadEnd", dtype, value)


class Mask(RowTransform):
    """Where the elements compare to a constant, as booleans or ones.

    Args:
        operator (Relational): the comparison.
        constant (number, str, bytes): the right side, cast to the elements' dtype.
        dtype (dtype): the result's. Default: bool.

    Raises:
        TypeError: an argument has a wrong type.
        DatasetError: text is compared to a number.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.Mask(transforms.Relational.GT, 1)([1, 2]).tolist()
        [False, True]
    """

    @takes(operator=Typed(Relational), constant=_constant, dtype=_mask_dtype)
    def __init__(self, operator, constant, dtype=dt.bool_):
        self.compare = _COMPARE[operator]

    def transform(self, a):
        constant = np.asarray(self.constant)
        if is_text(constant.dtype) != is_text(a.dtype):
            raise DatasetError(
                "Mask: input datatype does not match the value datatype, both should be numeric or "
                "non-numerical in the same time."
            )
        if stands_for_text(self.dtype):
            raise DatasetError(
                "Mask: Only supports bool or numeric datatype for generated mask type, but got string"
            )
        made = self.compare(a, filler("Mask", a.dtype, self.constant))
        return np.asarray(made, dt.of(self.dtype).np)


_CHOICES = (int, list, slice, bool, type(Ellipsis))


class Slice(RowTransform):
    """Part of an array.

    Args:
        slices (int, list[int], slice, bool, None, Ellipsis): one per dimension; an int or list picks
            rows and keeps the dimension, None, True and Ellipsis take all.

    Raises:
        TypeError: one chooses no elements.
        DatasetError: there are more than the array has dimensions, or an element is not there.

    Examples:
        >>> from minds.dataset import transforms
        >>> transforms.Slice(None, slice(0, 1))([[1, 2], [3, 4]]).tolist()
        [[1], [3]]
    """

    def __init__(self, *slices):
        for s in slices:
            if s is not None:
                check_type("slice", s, _CHOICES)
            for i, element in enumerate(s if isinstance(s, list) else ()):
                check_type(f"slice[{i}]", element, (int,))
        self.slices = slices

    def transform(self, a):
        if len(self.slices) > a.ndim:
            raise DatasetError("Invalid shape, should be greater than slices index.")
        for axis, s in enumerate(self.slices):
            if isinstance(s, slice):
                a = a[(slice(None),) * axis + (s,)]
            elif s is False:
                raise DatasetError("Both indices and slices can not be empty.")
            elif isinstance(s, (int, list)) and s is not True:
                a = _picked(a, s if isinstance(s, list) else [s], axis)
        return a


def _picked(a, places: list, axis: int):
    length = a.shape[axis]
    for place in places:
        if not -length <= place < length:
            shown = place if place >= 0 else place + length
            raise DatasetError(f"Index {shown} is out of bounds.")
    return np.take(a, places, axis)


def _one_axis(name, value) -> None:
    if value is not None:
        check_type(name, value, (int,))
        if value not in (0, -1):
            raise complain(ValueError, "only 1D concatenation supported.")


def _one_dimension(name, value) -> None:
    check_type(name, value, (np.ndarray,))
    if value.ndim != 1:
        raise complain(ValueError, f"can only {name} 1D arrays.")


class Concatenate(RowTransform):
    """Arrays of one dimension before and after the arrays of one dimension, joined.

    Args:
        axis (int): 0 or -1. Default: 0.
        prepend (numpy.ndarray, optional): before.
        append (numpy.ndarray, optional): after.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``axis`` is another one, or an array has more dimensions.
        DatasetError: a value has another number of dimensions, or another dtype.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import transforms
        >>> transforms.Concatenate(append=np.array([9]))([1, 2]).tolist()
        [1, 2, 9]
    """

    @takes(
        axis=_one_axis,
        prepend=Optional(_one_dimension),
        append=Optional(_one_dimension),
    )
    def __init__(self, axis: int = 0, prepend=None, append=None):
        pass

    def __call__(self, *values):
        parts = [as_array(v) for v in given(values)]
        for part in parts:
            if part.ndim != 1:
                said = f"Concatenate: only 1D input supported, got rank of input: {part.ndim}"
                raise DatasetError(said)
        names = {type_name(part.dtype) for part in parts}
        if len(names) > 1:
            raise DatasetError("Concatenate: inconsistent datatype of input.")
        for where in ("prepend", "append"):
            self._same_type(where, names)
        around = [self.prepend, *parts, self.append]
        return np.concatenate([p for p in around if p is not None], self.axis or 0)

    def _same_type(self, where: str, names: set) -> None:
        added = getattr(self, where)
        if added is not None and type_name(added.dtype) not in names:
            raise DatasetError(
                f"Concatenate: input datatype does not match the {where} datatype, got input "
                f"datatype: {min(names)}, {where} datatype:{type_name(added.dtype)}"
            )


class Duplicate(RowTransform):
    """The value twice: one column becomes two.

    Raises:
        DatasetError: there are several values.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset import transforms
        >>> [v.tolist() for v in transforms.Duplicate()(np.array([1, 2]))]
        [[1, 2], [1, 2]]
    """

    def __call__(self, *values):
        if len(given(values)) > 1:
            raise DatasetError(
                "Duplicate: only supports transform one column each time, got column num: "
                f"{len(values)}, check 'input_columns' when call this operator."
            )
        value = as_array(values[0])
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
    """The different elements as they are first met, the place of each element among them, and how often
    each comes.

    Examples:
        >>> from minds.dataset import transforms
        >>> [v.tolist() for v in transforms.Unique()([3, 1, 3])]
        [[3, 1], [0, 1, 0], [2, 1]]
    """

    def __call__(self, *values):
        made = [part for v in given(values) for part in self.transform(self.accept(v))]
        return tuple(made)

    def transform(self, a):
        found, first, where, counts = np.unique(
            a.ravel(), return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return found[order], rank[where].astype(np.int32), counts[order].astype(np.int32)

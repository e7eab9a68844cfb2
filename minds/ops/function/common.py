"""What composites share."""

from __future__ import annotations

from ...base import dtype as dt
from ...base.errors import CompileTimeError, complain, expect
from ...base.limits import times
from ...ir import build
from ...ir.abstract import AbstractScalar
from ...ir.dim import Dim
from ...ir.node import Node
from ...tensor import Parameter, Tensor
from ..conv import pads_of
from ..define import P, library_op, stacked
from ..generator import Generator
from ..rules import integral, known, part_of
from ..sequences import holds_tensors


def is_tensor(x) -> bool:
    """Whether ``x`` is a tensor, known now or when the program runs (and not a number)."""
    return (
        isinstance(x, Tensor) or isinstance(x, Node) and not isinstance(x.abstract, AbstractScalar)
    )


def as_tensor(x, dtype: dt.DType | None = None):
    """``x`` if it is a tensor, else a Tensor of the number or the sequence ``x``."""
    if is_tensor(x):
        return x
    if isinstance(x, (tuple, list)) and holds_tensors(x):
        return stacked(x, dtype)
    if isinstance(x, Node):
        return P.scalar_to_tensor(x, dtype or (dt.float32 if x.abstract.kind is float else x.dtype))
    return Tensor(x, dtype)


def wide(x):
    """``x`` for arithmetic that needs range and precision: half floats as float32, integers and
    bools as float32.
    """
    if x.dtype.is_inexact and x.dtype.itemsize > 2:
        return x
    return P.cast(x, dt.float32)


def is_inexact(x) -> bool:
    """Whether a tensor or a number is floating point or complex."""
    return x.dtype.is_inexact if hasattr(x, "dtype") else isinstance(x, (float, complex))


def inexact(x):
    """``x``, integers and bools as float32."""
    return x if x.dtype.is_inexact else P.cast(x, dt.float32)


def widened(x, dtype=None):
    """``x`` in ``dtype``, or as int64 where it is a narrower integer or bool."""
    if dtype is not None:
        return P.cast(x, dt.of(dtype))
    return x if x.dtype.is_inexact or x.dtype.itemsize == 8 else P.cast(x, dt.int64)


def like(result, x):
    """``result`` in the floating point dtype of ``x``; what is real stays real."""
    if not x.dtype.is_inexact:
        return result
    dtype = x.dtype if result.dtype.is_complex else part_of(x)
    return result if result.dtype is dtype else P.cast(result, dtype)


def as_int64(x, name: str = "indices"):
    """``x`` as int64.

    Raises:
        TypeError: it holds no integers.
    """
    integral(x, name)
    return P.cast(x, dt.int64)


def squared_size(x):
    """The square of the absolute value."""
    if x.dtype.is_complex:
        return P.square(P.real(x)) + P.square(P.imag(x))
    return P.square(x)


def dims_from(args: tuple) -> tuple:
    """A shape or permutation given as one sequence or as separate ints."""
    if len(args) == 1 and (isinstance(args[0], (tuple, list))):
        return tuple(args[0])
    return tuple(args)


def only(name: str, value, *known) -> None:
    """Raise unless an argument that other devices know more of is one that this one knows.

    Raises:
        ValueError: it is another.
    """
    expect(value in known, name, " or ".join(map(repr, known)), got=repr(value))


def count(shape: tuple, axis: tuple) -> int:
    """How many elements a reduction over ``axis`` combines."""
    n = 1
    for a in axis:
        n *= shape[a]
    return n


def operands(tensors) -> list:
    """The operands of a join: those of a sequence, or the rows of a tensor."""
    if not is_tensor(tensors):
        return list(tensors)
    expect(len(tensors.shape) > 0, "tensors", "tensors", TypeError, got="a tensor of rank 0")
    count, shape = times(tensors.shape[0], "the number of tensors"), tensors.shape[1:]
    rows = P.split(tensors, (1,) * len(count), 0)
    return [P.reshape(rows[i], shape) for i in count]


def is_open(n) -> bool:
    """Whether a size is not known when compiling."""
    return type(n) is Dim


def real(n):
    """A size as a float; a `Dim` as it is, since a tensor divided by it is the same."""
    return n if type(n) is Dim else float(n)


def singular_values(x):
    """Those of matrices, in descending order, real also where the matrices are complex."""
    found = P.svd(x)[0]
    return P.real(found) if found.dtype.is_complex else found


def expect_reduction(reduction: str) -> None:
    """Raise ValueError if the name of a reduction is another word than those that there are."""
    known = reduction in ("mean", "sum", "none")
    expect(known, "reduction", "'mean', 'sum' or 'none'", got=repr(reduction))


def expect_flag(name: str, value) -> None:
    """Raise TypeError unless a flag is a bool."""
    if not isinstance(value, bool):
        said = f"the type of '{name}' should be 'bool'"
        raise complain(TypeError, f"{name}: {said}, got {value!r}")


def expect_tolerance(tolerance) -> None:
    """Raise TypeError unless ``tolerance`` is a float."""
    if not isinstance(tolerance, float):
        what = "approximate_equal: the type of 'tolerance' should be 'float'"
        raise complain(TypeError, f"{what}, got {tolerance!r}")


def reduce_loss(loss, reduction: str):
    """The mean or the sum of ``loss``, or ``loss``.

    Raises:
        ValueError: ``reduction`` is another word.
    """
    expect_reduction(reduction)
    if reduction == "none":
        return loss
    total = P.sum(loss)
    return total if reduction == "sum" else total / real(loss.size)  # of nothing: NaN


def safe_sqrt(x):
    """The square root of a number that is not negative, with gradient 0 at 0."""
    zero = P.equal(x, 0)
    return P.select(zero, 0, P.sqrt(P.select(zero, 1, x)))


def window_pad(
    pad_mode: str, padding, size: tuple, kernel: tuple, stride: tuple, dilation: tuple
) -> tuple:
    """(top, bottom, left, right) for a padding mode.

    Args:
        pad_mode (str): ``"valid"`` none; ``"same"`` so that the result has size ceil(size /
            stride), the odd one at the bottom and on the right; ``"pad"`` as ``padding`` says.
        padding: an int, two or four of them.
        size, kernel, stride, dilation (tuple[int]): of height and width.

    Raises:
        ValueError: ``pad_mode`` is another word, or ``padding`` is given in another mode than
            ``"pad"``.
    """
    mode = pad_mode.lower()
    expect(
        mode in ("valid", "same", "pad"), "pad_mode", "'valid', 'same' or 'pad'", got=repr(pad_mode)
    )
    if mode == "pad":
        return pads_of(padding)
    given = padding if isinstance(padding, (tuple, list)) else (padding,)
    expect(
        not any(given),
        "padding",
        f"0 with pad_mode {pad_mode!r}",
        got=padding,
        cure="use pad_mode='pad'",
    )
    if mode == "valid":
        return (0, 0, 0, 0)
    pads = []
    for n, k, s, d in zip(size, kernel, stride, dilation, strict=False):
        total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        pads += [total // 2, total - total // 2]
    return tuple(pads)


def known_values(name: str, *tensors) -> list:
    """The values of tensors whose contents decide a shape.

    Raises:
        TypeError: they are no whole numbers.
        CompileTimeError: they are not known while compiling; small tensors of whole numbers that
            are arguments are then compiled as constants.
    """
    for t in tensors:
        if is_tensor(t) and not (t.dtype.is_int or t.dtype.is_bool):
            what = f"{name}: {t.abstract!r} decides the size of the result"
            raise complain(TypeError, what, expected="whole numbers")
    if build.current() is not None and any(isinstance(t, (Node, Parameter)) for t in tensors):
        raise complain(
            CompileTimeError,
            f"{name}: the size of its result is known only at run time",
            cure="call it in PyNative mode, outside of jit",
        )
    return [None if t is None else as_tensor(t).asnumpy() for t in tensors]


def axes_given(name: str, axis):
    """The dimensions that a reduction of MindSpore 1.x is given: () stands for all; a tensor, whose
    values are then known, for those that it holds.
    """
    if hasattr(axis, "dtype") and axis.dtype.is_int:
        values = known_values(name, axis)[0]
        axis = tuple([int(v) for v in values]) if values.ndim else int(values)
    return None if isinstance(axis, (tuple, list)) and len(axis) == 0 else axis


def sizes_of(size, name: str = "size") -> tuple:
    """A size given as an int, several, or a tensor whose values are known."""
    known(size, name)
    if isinstance(size, (int, tuple, list)):
        return (size,) if isinstance(size, int) else tuple(size)
    if is_tensor(size):
        expect(size.ndim < 2, name, "an int, or ints", TypeError, got=repr(size.abstract))
    return tuple(int(n) for n in known_values(name, size)[0])


def own_stream(generator):
    """An argument named ``generator``, which stands in the place of a seed."""
    expect(
        generator is None or isinstance(generator, Generator),
        "generator",
        "a Generator or None",
        TypeError,
        got=generator,
    )
    return generator


def key_of(seed):
    """A fresh key; with ``seed``, one of its own stream; of a Generator, its next one."""
    if isinstance(seed, Generator):
        return seed.next_key()
    key = P.random_key()
    return key if not seed else key + as_tensor([seed, 0], dt.int64)


def number_of(x):
    """The element of a tensor of one as a number, at once or in a program."""
    if isinstance(x, Tensor):
        return x.item()
    return P.item(x, "bool" if x.dtype.is_bool else "float" if x.dtype.is_float else "int")


def scan_length(xs, length) -> int:
    """How many elements `scan` visits."""
    if xs is None:
        if type(length) is not int or length < 0:
            raise complain(
                ValueError, f"scan: length is {length!r}", expected="an int, since xs is None"
            )
        return length
    if not isinstance(xs, (tuple, list)) and not (is_tensor(xs) and xs.ndim > 0):
        raise complain(
            TypeError,
            f"scan: xs has type {type(xs).__name__}",
            expected="a tuple, a list, a tensor of one dimension or more, or None",
        )
    count = xs.shape[0] if is_tensor(xs) else len(xs)
    if length is not None and length != count:
        raise complain(ValueError, f"scan: length is {length!r}, but xs has {count} elements")
    return count


def scan_pair(value):
    """What a function of `scan` gives: the next carry and a result."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise complain(TypeError, "scan: loop_func gives no pair", expected="(next carry, result)")
    return value


def hosted(host, **options):
    """A decorator: the op whose inference is the function and whose kernel is ``host`` on NumPy
    arrays. It has no gradient, which is an error, unless a rule follows or it is ``nondiff``.
    """

    def make(rule):
        rule.__name__ = rule.__name__.lstrip("_")
        return library_op(rule, host=host, **options)

    return make


def cut(x, axis: int, start, stop, step=1):
    """``x[start:stop:step]`` along a dimension."""
    n = x.shape[axis]
    start, stop, step = slice(start, stop, step).indices(n)
    begin, end, strides = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
    begin[axis], end[axis], strides[axis] = start, max(stop, start), step
    return P.strided_slice(x, tuple(begin), tuple(end), tuple(strides))

"""Functions of functions: mapping over tuples, and choosing an implementation by the operands'
types.
"""

from __future__ import annotations

import functools
import operator
import sys

from ..base.errors import complain
from ..base.late import late
from . import functional
from .above import HOMES
from .faces import face
from .function.clip_func import clip_by_global_norm, clip_by_value
from .functional import add as hyper_add
from .functional import (
    batch_dot,
    count_nonzero,
    cummin,
    dot,
    gamma,
    laplace,
    matmul,
    mm,
    multinomial,
    normal,
    poisson,
    repeat_elements,
    repeat_interleave,
    sequence_mask,
    tensor_dot,
    uniform,
    vecdot,
)
from .multitype import MultitypeFuncGraph
from .primitive import Primitive

__path__: list = []  # there are paths below this module (`compat.paths`)


class HyperMap(Primitive):
    """Apply a function to corresponding elements of nested tuples and lists.

    Args:
        ops (Callable): the function; a `MultitypeFuncGraph` chooses by the elements' types.
            Default: None, then it is the first argument of the call.
        reverse (bool): start from the last elements; the results keep their order. Default: False.

    Raises:
        TypeError: there is no function, or a sequence stands beside what is none.
        ValueError: the sequences have different lengths.

    Examples:
        >>> [float(v) for v in ops.HyperMap()(ops.square, (Tensor(2.0), Tensor(3.0)))]
        [4.0, 9.0]
        >>> ops.HyperMap(lambda a, b: a + b)((1, [2, 3]), (10, [20, 30]))
        (11, [22, 33])
    """

    depth = 99

    def __init__(self, ops=None, reverse=False):
        super().__init__()
        self.ops, self.reverse = ops, reverse

    def __call__(self, *args):
        return self._mapped_with(lambda fn, parts: fn(*parts), args)

    def _emit(self, ip, args, kwargs):
        """In compiled code the function is compiled too."""

        def mapped():
            return self._mapped_with(lambda fn, parts: ip.call(fn, list(parts), {}), tuple(args))

        return ip.call_public(mapped, self, args, kwargs, type(self), "Inputs")

    def _mapped_with(self, call, args: tuple):
        fn, args = (self.ops, args) if self.ops is not None else (args[:1], args[1:])
        if fn == () or not args:
            what = "a function" if fn == () else "a sequence"
            raise complain(
                TypeError,
                f"{self.name}: {what} is missing",
                expected=f"{self.name}()(function, *sequences)",
            )
        if self.ops is None:
            (fn,) = fn
        if self.depth == 1 and not isinstance(args[0], (tuple, list)):
            raise complain(
                TypeError,
                f"{self.name}: the operand is no tuple and no list",
                cure="call the function itself",
            )
        return self._mapped(lambda parts: call(fn, parts), args, self.depth)

    def _mapped(self, fn, args: tuple, depth: int):
        first = args[0]
        if not depth or not isinstance(first, (tuple, list)):
            return fn(args)
        if not all(isinstance(a, (tuple, list)) for a in args):
            raise complain(
                TypeError,
                f"{self.name}: a sequence stands beside what is none",
                expected="sequences only",
            )
        kind = "list" if isinstance(first, list) else "tuple"
        if len({isinstance(a, list) for a in args}) != 1:
            raise complain(
                TypeError,
                f"{self.name}: a tuple stands beside a list; the types of arguments in "
                f"{self.name} must be consistent",
            )
        lengths = [len(a) for a in args]
        if len(set(lengths)) != 1:
            raise complain(
                ValueError,
                f"{self.name}: the sequences have lengths {lengths}. The {kind}s in {self.name} "
                "should have the same length.",
            )
        order = -1 if self.reverse else 1
        rows = list(zip(*args, strict=True))[::order]
        items = [self._mapped(fn, parts, depth - 1) for parts in rows][::order]
        return type(first)(items) if isinstance(first, list) else tuple(items)


class Map(HyperMap):
    """Apply a function to corresponding elements of tuples and lists, one level deep.

    Args:
        ops (Callable): the function. Default: None, then it is the first argument of the call.
        reverse (bool): start from the last elements; the results keep their order. Default: False.

    Raises:
        TypeError: there is no function, or an operand is no sequence.
        ValueError: the sequences have different lengths.

    Examples:
        >>> [float(v) for v in ops.Map()(ops.add, (Tensor(2.0),), (Tensor(3.0),))]
        [5.0]
    """

    depth = 1


def zeros_like(x):
    """Zeros of the structure, shapes and dtypes of ``x``.

    Args:
        x (Tensor | number | tuple | list): tensors and numbers, nested at will.

    Examples:
        >>> print(ops.composite.zeros_like((Tensor([1.0, 2.0]), 3)))
        (Tensor(shape=[2], dtype=Float32, value= [ 0.00000000e+00,  0.00000000e+00]), 0)
    """
    return _filled(x, functional.zeros_like, 0)


def ones_like(x):
    """Ones of the structure, shapes and dtypes of ``x``; see `zeros_like`.

    Examples:
        >>> ops.composite.ones_like((2.5, 3))
        (1.0, 1)
    """
    return _filled(x, functional.ones_like, 1)


def _filled(x, like, number: int):
    if isinstance(x, (tuple, list)):
        return type(x)([_filled(v, like, number) for v in x])
    return type(x)(number) if isinstance(x, (bool, int, float)) else like(x)


class Applied:
    """A function with some of its arguments given: what `partial` and ``functools.partial`` are in
    programs."""

    __slots__ = ("func", "args", "keywords")

    def __init__(self, func, args, keywords):
        self.func, self.args, self.keywords = func, args, keywords

    def __call__(self, *args, **kwargs):
        return self.func(*self.args, *args, **{**self.keywords, **kwargs})

    def _emit(self, ip, args, kwargs):
        """In compiled code the function is compiled too."""
        return ip.call(self.func, [*self.args, *args], {**self.keywords, **kwargs})

    def _parts(self):
        """What it is, the values that it holds, and how to make one like it."""
        count, keys = len(self.args), tuple(self.keywords)

        def remake(items):
            keywords = dict(zip(keys, items[count + 1 :], strict=True))
            return Applied(items[0], tuple(items[1 : count + 1]), keywords)

        return (count, keys), [self.func, *self.args, *self.keywords.values()], remake


@face(cls=True)
def partial(func, *args):
    """``func`` with its first arguments given.

    Args:
        func (callable): a function, an op or a cell.
        args: its first arguments.
    Returns:
        Callable: takes the other arguments.

    Examples:
        >>> print(ops.partial(ops.add, Tensor([1.0]))(2))
        [3.]
    """
    return Applied(func, args, {})


def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True):
    """Decorator: a function of values known when the program is compiled.

    Examples:
        >>> @ops.constexpr
        ... def last(shape):
        ...     return shape[-1]
        >>> last((2, 3))
        3
    """

    def made(f):
        @functools.wraps(f)
        def run(*args, **kwargs):
            return f(*args, **kwargs)

        run.__module__ = __name__
        return run

    return made if fn is None else made(fn)


def add_flags(fn=None, **flags):
    """Decorator: as in MindSpore; flags have no meaning here.

    Args:
        fn (Cell, Callable): what gets the flags.
        flags (dict): name to value.

    Returns:
        the same.

    Examples:
        >>> ops.add_flags(len, skip=True) is len
        True
    """
    return (lambda f: f) if fn is None else fn


def tail(x):
    """A tuple or list without its first element.

    Examples:
        >>> ops.composite.tail((1, 2, 3))
        (2, 3)
    """
    return x[1:]


def zip_operation(*sequences):
    """The elements of sequences at equal places, as far as the shortest one.

    Examples:
        >>> ops.composite.zip_operation((1, 2), (3, 4))
        ((1, 3), (2, 4))
    """
    return tuple(zip(*sequences, strict=False))


def _augmented(name: str, sign: str):
    """What ``a op= b`` does to numbers, tensors, strings and sequences."""
    fn = MultitypeFuncGraph(f"augassign_{name}")
    fn.__doc__ = f"What ``x {sign}= y`` makes of ``x`` and ``y``."
    fn.register_default(getattr(operator, {"div": "truediv"}.get(name, name)))
    return fn


augassign_add, augassign_sub = _augmented("add", "+"), _augmented("sub", "-")
augassign_mul, augassign_div = _augmented("mul", "*"), _augmented("div", "/")
augassign_floordiv, augassign_mod = _augmented("floordiv", "//"), _augmented("mod", "%")
core = add_flags
_primexpr = constexpr
base = sys.modules[__name__]
__getattr__, __dir__ = late(__name__, HOMES)
__all__ = [
    *"GradOperation".split(),  # which is above
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "add_flags",
    "augassign_add",
    "augassign_div",
    "augassign_floordiv",
    "augassign_mod",
    "augassign_mul",
    "augassign_sub",
    "batch_dot",
    "clip_by_global_norm",
    "clip_by_value",
    "constexpr",
    "core",
    "count_nonzero",
    "cummin",
    "dot",
    "gamma",
    "hyper_add",
    "laplace",
    "matmul",
    "mm",
    "multinomial",
    "normal",
    "ones_like",
    "partial",
    "poisson",
    "repeat_elements",
    "repeat_interleave",
    "sequence_mask",
    "tail",
    "tensor_dot",
    "uniform",
    "vecdot",
    "zeros_like",
    "zip_operation",
]

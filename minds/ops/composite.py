"""Functions of functions: mapping over tuples, and choosing an implementation by the operands' types."""
from __future__ import annotations

import functools

from ..base.errors import complain
from . import functional
from .function.clip_func import clip_by_global_norm, clip_by_value
from .function.common import is_tensor
from .functional import add as hyper_add
from .primitive import Primitive


class HyperMap(Primitive):
    """Apply a function to corresponding elements of nested tuples and lists.

    Args:
        ops (callable): the function. Default: None, then it is the first argument of the call.
        reverse (bool): in which order; has no effect on results.

    Examples:
        >>> [float(v) for v in ops.HyperMap()(ops.square, (Tensor(2.0), Tensor(3.0)))]
        [4.0, 9.0]
    """

    depth = 99

    def __init__(self, ops=None, reverse=False):
        super().__init__()
        self.ops, self.reverse = ops, reverse

    def __call__(self, *args):
        fn, args = (self.ops, args) if self.ops is not None else (args[0], args[1:])
        return _mapped(fn, args, self.depth)

    def _emit(self, ip, args, kwargs):
        """In compiled code the function is compiled too."""
        fn, args = (self.ops, args) if self.ops is not None else (args[0], args[1:])
        return _mapped(lambda *parts: ip.call(fn, list(parts), {}), tuple(args), self.depth)


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


class Map(HyperMap):
    """Apply a function to corresponding elements of tuples and lists, one level deep.

    Examples:
        >>> [float(v) for v in ops.Map()(ops.add, (Tensor(2.0),), (Tensor(3.0),))]
        [5.0]
    """

    depth = 1


def _mapped(fn, args, depth: int):
    first = args[0]
    if not depth or not isinstance(first, (tuple, list)):
        return fn(*args)
    lengths = [len(a) for a in args]
    if len(set(lengths)) != 1:
        raise complain(ValueError, f"HyperMap: the sequences have lengths {lengths}",
                       expected="equal lengths")
    items = [_mapped(fn, parts, depth - 1) for parts in zip(*args, strict=False)]
    return items if isinstance(first, list) else tuple(items)


class MultitypeFuncGraph(Primitive):
    """A function with one implementation per combination of operand types.

    Args:
        name (str): its name, for messages.
        read_value (bool): as in MindSpore.

    Examples:
        >>> scaled = ops.MultitypeFuncGraph("scaled")
        >>> @scaled.register("Number", "Tensor")
        ... def scaled_tensor(factor, x):
        ...     return x * factor
        >>> print(scaled(2, Tensor([1.0])))
        [2.]
    """

    def __init__(self, name: str, read_value: bool = False, doc_url: str = ""):
        super().__init__(name)
        self.entries: list = []

    def register(self, *type_names):
        """Decorator: the implementation for operands of these types (``"Tensor"``, ``"Number"``, ``"Tuple"``,
        ``"List"``, ...).
        """
        def enter(fn):
            self.entries.append((tuple(t if isinstance(t, str) else getattr(t, "__name__", str(t))
                                       for t in type_names), fn))
            return fn
        return enter

    def __call__(self, *args):
        return self._chosen(args)(*args)

    def _emit(self, ip, args, kwargs):
        """In compiled code the implementation is compiled too."""
        return ip.call(self._chosen(args), list(args), {})

    def _chosen(self, args):
        for names, fn in self.entries:
            if len(names) == len(args) and all(_is(a, n) for a, n in zip(args, names, strict=False)):
                return fn
        got = ", ".join(type(a).__name__ for a in args)
        known = " or ".join(f"({', '.join(names)})" for names, _ in self.entries)
        raise complain(ValueError, f"{self.name}: no implementation for ({got})",
                       expected=known or "a registered one")


_TYPES = {"tuple": (tuple,), "list": (list,), "string": (str,), "bool": (bool,), "int": (int,),
          "float": (float,), "number": (bool, int, float), "none": (type(None),), "type_none": (type(None),),
          "dictionary": (dict,)}


def _is(value, name: str) -> bool:
    """Whether ``value`` has the type that MindSpore calls ``name``."""
    name = name.lower()
    if name in ("any", "anything"):
        return True
    if name in ("tensor", "parameter", "ref"):
        return is_tensor(value)
    if name in ("function", "func"):
        return callable(value)
    if name not in _TYPES:
        raise complain(ValueError, f"{name!r} is not a type that implementations are registered for",
                       expected=f"Tensor, {', '.join(sorted(_TYPES))}")
    number = getattr(getattr(value, "abstract", None), "kind", None)
    return isinstance(value, _TYPES[name]) or number in _TYPES[name]


class Applied:
    """A function with some of its arguments given: what `partial` and ``functools.partial`` are in programs."""

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
            return Applied(items[0], tuple(items[1:count + 1]), dict(zip(keys, items[count + 1:], strict=True)))
        return (count, keys), [self.func, *self.args, *self.keywords.values()], remake


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


core = add_flags
__all__ = ["HyperMap", "Map", "MultitypeFuncGraph", "add_flags", "clip_by_global_norm",
           "clip_by_value", "constexpr", "core", "hyper_add", "ones_like", "partial", "tail", "zeros_like"]

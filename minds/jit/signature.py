"""Declared types of arguments: shapes in which dimensions are left open, and the check of a call
against them.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from ..base.errors import complain, user_loc
from ..frontend.open_lists import OPEN_KINDS, columns_of
from ..frontend.value_types import MutableDict
from ..ir.abstract import AbstractTensor
from ..ir.dim import Dim, Var, evaluate, variables
from ..ir.sizes import sizes_of
from ..tensor import Parameter, Tensor, TensorType
from .arguments import FIXED, Numbers, decides, names_of

_serial = count()


class Symbol:
    """MindSpore's description of a dimension that varies; `Dim` is the same with a name.

    Args:
        max (int): the largest size; it counts if it is greater than ``min``. Default: 0.
        min (int): the least size. Default: 1.
        divisor (int): sizes are ``divisor * N + remainder``. Default: 1.
        remainder (int): see ``divisor``. Default: 0.
        unique (bool): all dimensions given by this object have one size. Default: False.

    Raises:
        TypeError: a number is no int, or ``unique`` no bool.
        ValueError: ``min`` or ``divisor`` is not positive, or ``remainder`` is not below
            ``divisor``.

    Examples:
        >>> import minds as ms
        >>> s = ms.Symbol(divisor=8)
        >>> net = ms.nn.ReLU()
        >>> net.set_inputs(ms.Tensor(shape=[s, 4], dtype=ms.float32))
    """

    __slots__ = ("bounds", "unique")

    def __init__(self, max=0, min=1, divisor=1, remainder=0, unique=False):
        for name, v in (("max", max), ("min", min), ("divisor", divisor), ("remainder", remainder)):
            if type(v) is not int:
                raise complain(
                    TypeError, f"Symbol: {name} has type {type(v).__name__}", expected="an int"
                )
        if not isinstance(unique, bool):
            raise complain(
                TypeError, f"Symbol: unique has type {type(unique).__name__}", expected="a bool"
            )
        if min < 1 or divisor < 1 or not 0 <= remainder < divisor:
            raise complain(
                ValueError,
                f"Symbol: got min={min}, divisor={divisor}, remainder={remainder}",
                expected="min and divisor at least 1, and remainder in [0, divisor)",
            )
        self.bounds = (min, max if max > min else None, divisor, remainder)
        self.unique = Dim(f"s{next(_serial)}", *self.bounds) if unique else None

    def dim(self, name: str):
        """The dimension at one place, which `name` tells."""
        return Dim(name, *self.bounds) if self.unique is None else self.unique


class Signature:
    """What was declared of the arguments of a function.

    Args:
        positional (tuple): per argument a declaration: a `Tensor` without values, a container of
            declarations, or anything else for an argument of which nothing is declared.
        named (dict): the same by name.
        said (str): where it was declared, for messages.
    """

    __slots__ = ("named", "positional", "said")

    def __init__(self, positional: tuple, named: dict, said: str):
        self.positional, self.named, self.said = positional, named, said

    def leaf_types(self, fn, args: tuple, kwargs: dict, numbers: Numbers | None = None) -> list:
        """(name, declared type or None) of each leaf of the arguments, in order.

        Raises:
            TypeError: more is declared than is given, or a container has another structure.
        """
        names = names_of(fn)
        if names[:1] == ["self"] and args and hasattr(type(args[0]), "construct"):
            positional = (None, *self.positional)
        else:
            positional = self.positional
        if len(positional) > len(args) + len(kwargs):
            raise complain(
                TypeError,
                f"{len(args)} arguments are given",
                loc=user_loc(),
                expected=f"{len(self.positional)}, as declared by {self.said}",
            )
        out: list = []
        walk = numbers and numbers.fresh()
        for i, v in enumerate(args):
            name = names[i] if i < len(names) else f"args[{i}]"
            self._walk(
                v, positional[i] if i < len(positional) else self.named.get(name), name, walk, out
            )
        for k, v in kwargs.items():
            at = names.index(k) if k in names else len(positional)
            self._walk(
                v, positional[at] if at < len(positional) else self.named.get(k), k, walk, out
            )
        return out

    def _walk(self, v, declared, name: str, walk, out: list) -> None:
        if isinstance(declared, Tensor) and not isinstance(declared, TensorType):
            declared = TensorType(shape=declared.shape, dtype=declared.dtype)
        if type(v) in OPEN_KINDS and walk is not None and walk.counts and decides(v):
            return
        if type(v) in OPEN_KINDS and (rows := columns_of(v)) is not None:
            out += [(name, None) for _ in rows[1]]
        elif isinstance(v, (tuple, list)) or type(v) in (dict, MutableDict):
            keys = range(len(v)) if not isinstance(v, dict) else list(v)
            if isinstance(declared, (tuple, list)) and len(declared) != len(v):
                raise complain(
                    TypeError,
                    f"argument `{name}` has {len(v)} elements",
                    loc=user_loc(),
                    expected=f"{len(declared)}, as declared by {self.said}",
                )
            for k in keys:
                inner = (
                    declared[k]
                    if isinstance(declared, (tuple, list))
                    else (declared.get(k) if isinstance(declared, dict) else None)
                )
                self._walk(v[k], inner, f"{name}[{k!r}]", walk, out)
        elif isinstance(v, Tensor) and not isinstance(v, Parameter) or type(v) in (int, float):
            fixed = walk is not None and (
                walk.counts and decides(v) if isinstance(v, Tensor) else walk.next(type(v)) is FIXED
            )
            if isinstance(declared, TensorType) and not isinstance(v, Tensor):
                raise complain(
                    TypeError,
                    f"argument `{name}` is a {type(v).__name__}",
                    loc=user_loc(),
                    expected=f"{_told(declared)}, as declared by {self.said}",
                )
            if not fixed:
                out.append((name, declared if isinstance(declared, TensorType) else None))

    def open_types(
        self, fn, args: tuple, kwargs: dict, leaves: list, numbers: Numbers | None = None
    ) -> list:
        """The abstract value of each leaf, with a `Dim` where the declaration leaves a dimension
        open, else None.

        Raises:
            ValueError: the rank, a fixed size, or a named size is another than declared.
            TypeError: the dtype is.
        """
        found, pairs, places = [], [], []
        for v, (name, declared) in zip(
            leaves, self.leaf_types(fn, args, kwargs, numbers), strict=True
        ):
            if declared is None:
                found.append(None)
                continue
            if declared.dtype is not v.dtype:
                raise self._unfit(TypeError, name, v, declared, f"has dtype {v.dtype.name}")
            given = declared.dims if declared.dims is not None else (None,) * v.ndim
            if len(given) != v.ndim:
                raise self._unfit(ValueError, name, v, declared, f"has rank {v.ndim}")
            dims = [_dim(d, f"{name}.shape[{i}]") for i, d in enumerate(given)]
            pairs += zip(dims, v.shape)
            places += [(name, i, v, declared) for i in range(v.ndim)]
            found.append(AbstractTensor(dims, v.dtype))
        known: dict[str, Var] = {}
        for x in [x for d, _ in pairs for x in variables(d)]:
            if known.setdefault(x.name, x) is not x:
                raise complain(
                    ValueError,
                    f"two declarations of `{x.name}` by {self.said} have different bounds",
                    loc=user_loc(),
                    cure="make one Dim and use it in both places",
                )
        env, wrong = sizes_of(pairs)
        if wrong is not None:
            name, i, v, declared = places[wrong]
            why = f"has size {v.shape[i]} in dimension {i}"
            said = pairs[wrong][0]
            if type(said) is Dim and all(x in env for x in variables(said)):
                why += f", where `{said!r}` is {evaluate(said, env)}"
            raise self._unfit(ValueError, name, v, declared, why)
        return found

    def _unfit(self, kind: type, name: str, v, declared, why: str) -> Exception:
        return complain(
            kind,
            f"argument `{name}` {why}",
            loc=user_loc(),
            operands=[(name, repr(v.abstract))],
            expected=f"{_told(declared)}, as declared by {self.said}",
            cure="pass such a tensor, or declare the dimension None",
        )


def _dim(d, name: str):
    return Dim(name) if d is None else d.dim(name) if isinstance(d, Symbol) else d


def examples(declared: tuple) -> list:
    """Arguments for declarations: zeros where a Tensor without values stands, of small sizes where
    they are open.

    Raises:
        TypeError: the rank is open.
    """
    found = []
    for v in declared:
        if isinstance(v, TensorType):
            if v.dims is None:
                raise complain(
                    TypeError,
                    f"{v!r} has no rank",
                    cure="compile it by calling it, or declare the shape",
                )
            dims = [_dim(d, "size") for d in v.dims]
            env = {x: min(x.low + 2, x.high) for d in dims for x in variables(d)}
            v = Tensor(np.zeros([evaluate(d, env) for d in dims], v.dtype.np), v.dtype)
        found.append(v)
    return found


def declared_by(owner) -> Signature | None:
    """What `set_inputs` of a cell declared, or None."""
    given = getattr(owner, "_inputs", None)
    if not given:
        return None
    by_name = isinstance(given, dict)
    return Signature(() if by_name else tuple(given), given if by_name else {}, "set_inputs")


def enable_dynamic(**kwargs):
    """Decorator: leaves dimensions of arguments of a compiled function open; it stands above or
    below `jit`.

    Args:
        **kwargs: by the argument's name a Tensor without values, with None for each dimension that
            varies (or for the whole shape), or a tuple or list of such.

    Returns:
        Callable: the decorator.

    Raises:
        TypeError: a declaration is no Tensor without values.
        ValueError: nothing is declared, or the function has no such argument.

    Examples:
        >>> import minds as ms
        >>> @ms.enable_dynamic(x=ms.Tensor(shape=[None, 2], dtype=ms.float32))
        ... @ms.jit
        ... def double(x):
        ...     return x * 2
        >>> double(ms.ops.ones((1, 2))).shape, double(ms.ops.ones((3, 2))).shape
        ((1, 2), (3, 2))
    """
    if not kwargs:
        raise complain(
            ValueError,
            "enable_dynamic: nothing is declared",
            expected="x=Tensor(shape=[None], dtype=…)",
        )
    for name, v in kwargs.items():
        if not all(
            isinstance(t, TensorType) for t in (v if isinstance(v, (tuple, list)) else (v,))
        ):
            raise complain(
                TypeError,
                f"enable_dynamic: {name} has type {type(v).__name__}",
                expected="a Tensor of shape and dtype alone, or a tuple or list of them",
            )

    def declare(fn):
        missing = [n for n in kwargs if n not in names_of(getattr(fn, "_compiled_from", fn))]
        if missing:
            raise complain(
                ValueError, f"enable_dynamic: {fn.__name__} has no argument {missing[0]!r}"
            )
        getattr(fn, "_compiled_from", fn)._signature = Signature((), kwargs, "enable_dynamic")
        return fn

    return declare


def _told(declared) -> str:
    """A declaration in one line."""
    return " ".join(repr(declared).split())


__all__ = ["Signature", "Symbol", "declared_by", "enable_dynamic", "examples"]

"""`host`: the explicit way to call CPython from a compiled program.

A call is the op ``host`` on its run-time leaves; what it is besides them, a `_HostCall`, is the
op's attribute. Its results have the types that ``out`` promises, so that the program around it is
typed without running it. At once or in a program, the same checks hold: the function gets copies,
and gives what was promised.
"""

from __future__ import annotations

import itertools

import numpy as np

from ..ad import tape
from ..base import dtype as dt
from ..base.dtype import DType
from ..base.dtype import of as dtype_of
from ..base.errors import complain
from ..frontend import conditions, raises
from ..frontend.describe import describe
from ..frontend.function_types import Bound, Closure, UnionValue
from ..frontend.registry import EMITTERS
from ..frontend.text import HostRaised
from ..frontend.value_types import Leaf
from ..frontend.values import flatten, leaf_abstracts, unflatten
from ..ir import build
from ..ir.abstract import NONE, AbstractScalar, AbstractTensor, AbstractTuple
from ..jit.results import loaded
from ..ops.define import P
from ..tensor import Parameter, Tensor, TensorType
from .custom import CustomBprop

_FORMS = (
    "a Tensor(shape=..., dtype=...), a pair (shape, dtype), float, int, bool, None, or a tuple of "
    "such, or a "
    "function of the inputs that gives one"
)


class HostFunction:
    """A function that CPython runs wherever it is called. See `host`."""

    def __init__(self, fn, out):
        self.fn, self.out = fn, out
        self.__name__, self.__doc__ = _name(fn), getattr(fn, "__doc__", None)

    def __call__(self, *args, **kwargs):
        if build.current() is not None:
            raise complain(TypeError, f"host: {self.__name__} is called by library code")
        return self._called((args, kwargs), lambda v: v)

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return self._called(loaded(ip, (tuple(args), kwargs)), ip.node, ip)

    def _called(self, given, operand, ip=None):
        leaves: list = []
        skeleton = flatten(given, leaves)
        operands = tuple(map(operand, leaves))
        if ip is not None and raises.is_caught_here(ip):
            call = _CaughtHostCall(self, skeleton, raises.outer_kinds(ip))
            number, *found = ip.native(P.host, operands, call)
            call.check(ip, number)
            return unflatten(call.results, iter(found))
        call = _HostCall(self, skeleton)
        found = P.host(operands, call) if ip is None else ip.native(P.host, operands, call)
        count = len(call.abstracts)
        results = iter(() if count == 0 else (found,) if count == 1 else found)
        if ip is None:
            results = iter(
                [
                    r.item() if isinstance(a, AbstractScalar) else r
                    for r, a in zip(results, call.abstracts)
                ]
            )
        return unflatten(call.results, results)


class _HostCall:
    """A call of a `HostFunction` with arguments of certain types."""

    __hash__ = None  # no key has it: a cache of calls would keep the function

    def __init__(self, function: HostFunction, arguments):
        self.fn, self.name, self.arguments = function.fn, function.__name__, arguments
        out = function.out
        if callable(out) and not isinstance(out, (type, Tensor)):
            args, kwargs = unflatten(arguments, iter(leaf_abstracts(arguments, [])))
            out = out(*args, **kwargs)
        self.results = _promised(out, self.name)
        self.abstracts = leaf_abstracts(self.results, [])

    def infer(self, abstracts):
        """The abstract value of the op's result."""
        if not self.abstracts:
            return NONE
        return self.abstracts[0] if len(self.abstracts) == 1 else AbstractTuple(self.abstracts)

    def no_gradient(self) -> Exception:
        """The error where a derivative passes."""
        return complain(
            TypeError,
            f"host: {self.name} has no gradient",
            expected="grad=, a function (*inputs, out, dout) to one gradient per input",
            cure="or wrap the inputs in ops.stop_gradient",
        )

    def run(self, values):
        """The results for values: nothing, one, or a tuple.

        Raises:
            TypeError, ValueError: the function does not give what was promised.
        """
        kinds = leaf_abstracts(self.arguments, [])
        args, kwargs = unflatten(
            self.arguments, iter([_given(v, a) for v, a in zip(values, kinds, strict=True)])
        )
        with tape.suspended(), build.building(None):
            value = self.fn(*args, **kwargs)
        found: list = []
        self._match(self.results, value, found)
        return tuple(found) if len(found) != 1 else found[0]

    def _match(self, promised, value, found: list) -> None:
        """Append to ``found`` what stands in ``value`` at the leaves of ``promised``."""
        if isinstance(promised, Leaf):
            found.append(self._fitting(value, promised.abstract))
        elif isinstance(promised, (tuple, list)):
            if not isinstance(value, (tuple, list)) or len(value) != len(promised):
                got = (
                    f"{len(value)} values" if isinstance(value, (tuple, list)) else describe(value)
                )
                raise complain(
                    TypeError,
                    f"host: {self.name} returned {got}",
                    expected=f"{len(promised)}, as out says",
                )
            for p, v in zip(promised, value):
                self._match(p, v, found)
        elif isinstance(promised, dict):
            if not isinstance(value, dict) or set(value) != set(promised):
                got = f"the keys {list(value)}" if isinstance(value, dict) else describe(value)
                raise complain(
                    TypeError,
                    f"host: {self.name} returned {got}",
                    expected=f"{list(promised)}, as out says",
                )
            for k, p in promised.items():
                self._match(p, value[k], found)
        elif value is not None:
            raise complain(
                TypeError,
                f"host: {self.name} returned {describe(value)}",
                expected="None, as out says",
                cure=f"give out=: {_FORMS}",
            )

    def _fitting(self, value, a) -> Tensor:
        """``value`` as a tensor of the promised type; a Python number has the dtype that is asked
        of it.
        """
        array = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
        dtype = None if type(value) in (bool, int, float, list) else _dtype(value, array)
        number = isinstance(a, AbstractScalar)
        fits = (
            _rank(array.dtype.kind) <= _rank(a.dtype.kind)
            if number or dtype is None
            else dtype is a.dtype
        )
        if array.shape != a.shape or not fits:
            got = (
                f"{type(value).__name__} {value!r}"
                if not isinstance(value, (Tensor, np.ndarray))
                else (f"Tensor[{array.shape}, {array.dtype if dtype is None else dtype.name}]")
            )
            raise complain(
                ValueError if fits else TypeError,
                f"host: {self.name} returned {got}",
                expected=f"{a!r}, as out says",
                cure="convert the result in the function",
            )
        return (
            value
            if isinstance(value, Tensor) and value.dtype is a.dtype
            else Tensor(array, a.dtype)
        )


class _CaughtHostCall(_HostCall):
    """A call where handlers wait for exceptions of ``kinds``. Its first result is 0, or tells what
    the function has raised: the number of the exception, times as many kinds as there are, and that of
    its kind.
    """

    def __init__(self, function: HostFunction, arguments, kinds: tuple):
        super().__init__(function, arguments)
        self.kinds, self.raised, self.count = kinds, {}, itertools.count(1)

    def infer(self, abstracts):
        return AbstractTuple((AbstractScalar(int), *self.abstracts))

    def run(self, values):
        try:
            found = super().run(values)
        except self.kinds as e:
            fitting = [i for i, kind in enumerate(self.kinds) if isinstance(e, kind)]
            kind = max(fitting, key=lambda i: len(self.kinds[i].__mro__))
            number = next(self.count)
            self.raised[number] = e.with_traceback(None)
            self.raised.pop(number - KEPT, None)
            return (_tensor_of(number * len(self.kinds) + kind), *map(_zeros, self.abstracts))
        found = found if isinstance(found, tuple) else (found,)
        return (_tensor_of(0), *found)

    def error(self, number: int) -> Exception:
        """What the run knows by ``number``."""
        return self.raised.get(int(number) // len(self.kinds), Exception())

    def check(self, ip, number) -> None:
        """Let the program raise what the function has raised."""

        def of_kind(i: int):
            kind = self.kinds[i]
            error = kind.__new__(kind, HostRaised(self, number))
            raises.throw(ip, error)

        def failed():
            kind = ip.native(P.mod, number, len(self.kinds))
            conditions.of_choice(ip, UnionValue(tuple(range(len(self.kinds))), kind), of_kind)

        conditions.runtime_if(ip, ip.native(P.equal, number, 0), lambda: None, failed, "host")


KEPT = 64
"""So many exceptions of a call are kept, for handlers of programs that still run."""


def _tensor_of(number: int) -> Tensor:
    return Tensor(number, dt.int64)


def _zeros(a) -> Tensor:
    shape, dtype = ((), a.dtype) if isinstance(a, AbstractScalar) else (a.shape, a.dtype)
    return P.full(shape, 0, dtype)


def _rank(kind: str) -> int:
    """The place of a dtype's kind in bool, integers, floats, complex numbers."""
    return "buifc".find(kind) if kind in "buifc" else 9


def _dtype(value, array) -> DType | None:
    if isinstance(value, Tensor):
        return value.dtype
    try:
        return dtype_of(array.dtype)
    except TypeError:
        return None


def _given(value, a):
    """A run-time leaf as the function gets it: a tensor of its own, or a Python number."""
    if isinstance(a, AbstractScalar):
        return a.kind(value.item())
    return value if isinstance(value, Tensor) else Tensor(value, a.dtype)


def _promised(out, name: str):
    """The skeleton of the results that ``out`` promises."""
    if isinstance(out, (Tensor, AbstractTensor)) and not isinstance(out, (Parameter, TensorType)):
        return Leaf(out.abstract if isinstance(out, Tensor) else out)
    if isinstance(out, (TensorType, Parameter)):
        return _tensor(out.shape, out.dtype, name)
    if isinstance(out, AbstractScalar):
        return Leaf(out)
    if isinstance(out, type) and out in (bool, int, float):
        return Leaf(AbstractScalar(out))
    if out is None:
        return None
    if isinstance(out, (tuple, list)):
        if len(out) == 2 and isinstance(out[0], (tuple, list)) and isinstance(out[1], DType):
            return _tensor(out[0], out[1], name)
        items = [_promised(v, name) for v in out]
        return (
            type(out)(*items)
            if hasattr(out, "_fields")
            else tuple(items)
            if isinstance(out, tuple)
            else items
        )
    if isinstance(out, dict):
        return {k: _promised(v, name) for k, v in out.items()}
    raise complain(TypeError, f"host: out of {name} is {out!r}", expected=_FORMS)


def _tensor(shape, dtype, name: str) -> Leaf:
    dims = tuple(shape)
    if not all(type(d) is int and d >= 0 for d in dims):
        raise complain(
            ValueError,
            f"host: out of {name} has shape {dims}",
            expected="dimensions that are known",
            cure="make out a function of the inputs: out=lambda x: (x.shape, x.dtype)",
        )
    return Leaf(AbstractTensor(dims, dtype))


def _name(fn) -> str:
    return getattr(fn, "__name__", None) or type(fn).__name__


def host(fn=None, out=None, grad=None):
    """A function that CPython runs, also when a compiled program calls it.

    Compiled code never calls the interpreter by itself; a function made by ``host`` is called when
    the program gets there, in program order with everything else that has an effect, once per call.
    It gets tensors of its own (copies) and Python numbers, and what is known when the program is
    compiled as it is.

    Args:
        fn (Callable): any Python function; None makes a decorator.
        out: what it returns: a ``Tensor(shape=..., dtype=...)``, a pair ``(shape, dtype)``,
            ``float``, ``int``, ``bool``, None, a tuple, list or dict of such; or a function that
            gives this for the inputs, of which it sees ``shape`` and ``dtype``.
        grad (Callable): ``(*inputs, out, dout)`` to one gradient per input, compiled code like any
            other: it may call another host function. None: there is no gradient, and taking one is an
            error.
    Returns:
        Callable: takes tensors, numbers and containers of them.
    Raises:
        TypeError, ValueError: when called, if the result is not what ``out`` promises. What ``fn``
            raises is raised by the call of the program, with the place that called ``fn`` as a
            note.

    Examples:
        >>> import numpy as np
        >>> import minds as ms
        >>> from minds import Tensor
        >>> median = ms.host(lambda x: float(np.median(x.asnumpy())), out=float)
        >>> @ms.jit
        ... def centred(x):
        ...     return x - median(x)
        >>> print(centred(Tensor([1.0, 2.0, 6.0])))
        [-1.  0.  4.]
        >>> @ms.host(out=lambda x: (x.shape, x.dtype), grad=lambda x, out, dout: dout * 2.0 * x)
        ... def square(x):
        ...     return x.asnumpy() ** 2
        >>> print(ms.grad(square)(Tensor([1.0, 3.0])))
        [2. 6.]
    """
    if fn is None:
        return lambda f: host(f, out, grad)
    for name, value in (("fn", fn), ("grad", grad)):
        if isinstance(value, (Closure, Bound, UnionValue)) and name == "fn":
            raise complain(
                TypeError,
                f"host: {value.name if not isinstance(value, UnionValue) else name} is a function of "
                "compiled code",
                cure="define it outside of the compiled function",
            )
        if (
            not callable(value)
            and not isinstance(value, (Closure, Bound, UnionValue))
            and (name == "fn" or value is not None)
        ):
            raise complain(TypeError, f"host: {name} is {describe(value)}", expected="a function")
    if not callable(out) and not isinstance(out, Closure):
        _promised(out, _name(fn))
    made = HostFunction(fn, out)
    return made if grad is None else CustomBprop(made, grad)


EMITTERS[host] = lambda ip, *args, **kwargs: host(*args, **kwargs)

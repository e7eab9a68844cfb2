"""`@op`: one Python definition of a primitive, and the call in all its readings.

The decorated function's body is the inference rule: it gets an abstract value for each Tensor
parameter and the Python value of every other parameter (an attribute), and returns the abstract
value of the result. A parameter's annotation says what it is: ``Tensor``, ``Tensor | None``
(optional), ``tuple[Tensor, ...]`` (variadic), anything else is an attribute.

A call with a current builder emits a typed node; without one it runs eagerly through the hook that
`eager.py` installs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

import numpy as np

from .. import _core
from ..base import dtype as dt
from ..base.boundary import called_by_user, plain_numbers, refuse, without_numpy
from ..base.errors import InternalError, NoGradient, class_of, complain, locate
from ..ir import build
from ..ir.abstract import NONE, Abstract, AbstractScalar, AbstractTensor
from ..ir.dim import Dim, current
from ..ir.node import Apply, Constant, Node
from ..ir.sizes import is_unbacked
from ..tensor import Tensor
from . import autocast, sequences
from .faces import KINDS, offer
from .fitting import (
    ATTR,
    CHECKED,
    NO_NODE,
    OPTIONAL,
    PLAIN,
    SETTLED,
    TENSOR,
    TENSORS,
    attributes_of,
    check_attributes,
    check_size,
    known_attribute,
    unfit,
    without_tensors,
)
from .inferred import inferred
from .promotion import ALONE, KIND_OF, NUMBERS, is_uniform, promote

NO_KERNEL = "none"
"""The kernel of an op that is never run: it stands in programs until a step takes it away."""

_KINDS = {"Tensor": TENSOR, "Tensor | None": OPTIONAL, "tuple[Tensor, ...]": TENSORS}


class Op(_core.Op):
    """A primitive. See `op` for the fields.

    A call that runs at once on operands like those of an earlier one is the core's alone
    (`csrc/python/op.cc`); all others are `called`.
    """

    views = False
    """Whether results are views of the first operand, or may be (`ops.views`)."""

    def __init__(
        self,
        fn: Callable,
        *,
        effect=False,
        nondiff=False,
        promote=(),
        floating=False,
        tensor=False,
        kernel=None,
        host=None,
        finds=False,
        inplace=None,
        elementwise=False,
        draws=False,
        batch=None,
    ):
        self.name = fn.__name__.rstrip("_") if fn.__name__ not in P.__dict__ else fn.__name__
        self.infer_rule, self.__doc__, self.__wrapped__ = fn, fn.__doc__, fn
        self.has_effect, self.nondiff, self.draws = effect, nondiff, draws
        self.promote = tuple(promote.split()) if isinstance(promote, str) else promote
        self.floating, self.tensor, self.host, self.finds = floating, tensor, host, finds
        self.kernel, self.inplace, self.elementwise = (
            kernel or self.name,
            inplace or {},
            elementwise,
        )
        self.bprop_rule = self.decompose_rule = self.normalize_rule = self.batch_rule = None
        self.shard_rule: Callable | str | None = None
        self.decomposed_of: Callable | None = None
        self.batch_family = batch or ("leading" if elementwise else None)
        self.bprop_needs = False
        self.signature = inspect.signature(fn)
        self.params = [
            (p.name, _KINDS.get(str(p.annotation), ATTR), p.default)
            for p in self.signature.parameters.values()
        ]
        self.names = [p[0] for p in self.params]
        self.kinds = [p[1] for p in self.params]
        self.tensor_at = [i for i, k in enumerate(self.kinds) if k != ATTR]
        self.attr_at = [i for i, k in enumerate(self.kinds) if k == ATTR]
        self.promote_at = [self.names.index(n) for n in self.promote]
        kinds = {p.kind for p in self.signature.parameters.values()}
        self.plain = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        self.inferred: dict = {}
        self.checked = attributes_of(self, {**CHECKED, **PLAIN})
        self.settled = attributes_of(self, SETTLED)
        given = self.signature.parameters.values()
        positional = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in given)
        defaults = [p.default for p in given]
        empty = inspect.Parameter.empty
        _core.describe_op(self, self.names, self.kinds, defaults, empty, positional, self.nondiff)

    # ---- definition

    def bprop(self, fn: Callable) -> Callable:
        """Register the gradient: ``fn(*params, out, dout)`` returns one gradient, or None, per
        Tensor parameter.

        With a parameter ``need`` it also gets a tuple of bools, which of them are wanted.
        """
        self.bprop_rule, self.bprop_needs = fn, "need" in inspect.signature(fn).parameters
        return fn

    def decompose(self, fn: Callable | None = None, *, of: Callable | None = None) -> Callable:
        """Register the same mathematics in terms of other ops, for a backend without a kernel.

        Args:
            fn (callable): the rule, of the op's parameters.
            of (callable): tells for which dtypes it is right. Default: all.
        """
        if fn is None:
            return functools.partial(self.decompose, of=of)
        self.decompose_rule, self.decomposed_of = fn, of
        return fn

    def decomposes(self, dtype) -> bool:
        """Whether there is a rule that replaces the op on operands of ``dtype``."""
        rule, of = self.decompose_rule, self.decomposed_of
        return rule is not None and (of is None or of(dtype))

    def normalize(self, fn: Callable) -> Callable:
        """Register ``fn(*params) -> dict`` that brings attributes to one form (say, a negative axis
        to a positive one).
        """
        self.normalize_rule = fn
        return fn

    def batch(self, fn: Callable) -> Callable:
        """Register ``fn(batch, *params)``, the results for many examples at once
        (`ops.batching`).
        """
        self.batch_rule = fn
        return fn

    def shard(self, rule: Callable | str) -> Callable | str:
        """Register along what the op may be divided among devices: notation, or a function of the op's
        parameters that gives a `ops.sharding.Rule`.
        """
        self.shard_rule = rule
        return rule

    # ---- use

    def called(self, *args, **kwargs):
        """A call in any of its readings."""
        try:
            bound = self.bind(args, kwargs)
            if autocast.regions and autocast.current() is not None:
                return autocast.call(self, bound, P.cast)
            builder = build.current()
            if builder is not None:
                return emit(self, bound, builder)
            return eager_hook(self, bound)
        except Exception as e:
            plain = without_numpy(e, args, kwargs) if called_by_user() else None
            if plain is None and isinstance(e, (TypeError, ValueError)):
                plain = without_tensors(self, args, kwargs)
            if plain is not None:
                return self(*plain[0], **plain[1])
            return refuse(e, self.name, self, args, kwargs, self.__doc__)

    def bind(self, args: tuple, kwargs: dict) -> list:
        """The value of each parameter, in order."""
        count = len(self.params)
        if not kwargs and len(args) == count:
            return list(args)
        if self.plain and len(args) <= count:
            rest = self.params[len(args) :]
            bound = [*args, *[kwargs.get(name, default) for name, _, default in rest]]
            known = len(kwargs) == sum([name in kwargs for name, _, _ in rest])
            if known and not any(v is inspect.Parameter.empty for v in bound):
                return bound
        try:
            b = self.signature.bind(*args, **kwargs)
        except TypeError as e:
            raise complain(
                TypeError, f"{self.name}: {e}", expected=f"{self.name}{self.signature}"
            ) from None
        b.apply_defaults()
        return [b.arguments[n] for n in self.names]

    def infer(self, abstracts: list) -> tuple[Abstract, list]:
        """The result's abstract value, and the parameters with normalised attributes.

        Raises:
            TypeError, ValueError, IndexError: the op refuses these operands; the message starts
            with the op's name.
        """
        try:
            for n, v in zip(self.names, abstracts):
                if plain_numbers(v) is not v:
                    raise complain(TypeError, f"{self.name}: {n} has numbers of NumPy")
            check_attributes(self, abstracts, self.checked)
            if self.normalize_rule is not None:
                changed = self.normalize_rule(*abstracts)
                if changed:
                    abstracts = [changed.get(n, a) for n, a in zip(self.names, abstracts)]
            result = self.infer_rule(*abstracts)
            check_attributes(self, abstracts, self.settled)
            check_size(result)
            return result, abstracts
        except (AttributeError, KeyError, AssertionError) as e:
            misfits = unfit(self, abstracts)
            if not misfits:
                given = ", ".join(f"{n}={a!r}" for n, a in zip(self.names, abstracts))
                raise InternalError(
                    e, f"in the inference rule of {self.name}", f"{self.name}({given})"
                ) from e
            raise complain(
                TypeError, f"{self.name}: the arguments do not fit", operands=misfits
            ) from None
        except (TypeError, ValueError, IndexError, MemoryError, OverflowError) as e:
            error = locate(
                e,
                None,
                operands=[
                    (n, repr(a)) for n, a, k in zip(self.names, abstracts, self.kinds) if k != ATTR
                ],
            )
            if not error.complaint.head.startswith(self.name + ":"):
                error.complaint.head = f"{self.name}: {error.complaint.head}"
            raise error from None

    def run_bprop(self, params: list, out, dout, need: tuple):
        """Gradients of the Tensor parameters, by the rule.

        Raises:
            NoGradient: this op has no gradient.
        """
        if self.bprop_rule is None:
            raise complain(
                NoGradient,
                f"{self.name}: has no gradient",
                cure="wrap the operand in ops.stop_gradient if none should flow",
            )
        extra = {"need": need} if self.bprop_needs else {}
        return self.bprop_rule(*params, out, dout, **extra)

    def __repr__(self) -> str:
        return f"P.{self.name}"

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return (getattr, (P, self.name))


_core.set_vectorcall(Op)


class Registry:
    """All ops by name: ``P.add``. Late bound, so definitions may refer to each other in any
    order.
    """

    def __iter__(self):
        return iter(v for v in vars(self).values() if isinstance(v, Op))

    def __reduce__(self):
        return "P"


P = Registry()
LIBRARY = Registry()
"""Ops of the library that no other op refers to, which programs in files name too."""


def is_of_library(op: Op) -> bool:
    """Whether an op is one of the library's, and not a user's, which may have any name."""
    return getattr(P, op.name, None) is op or getattr(LIBRARY, op.name, None) is op


def library_op(fn: Callable, **options) -> Op:
    """An op that is not in `P`."""
    made = Op(fn, **options)
    assert made.name not in vars(P) and made.name not in vars(LIBRARY), made.name
    setattr(LIBRARY, made.name, made)
    return made


def eager_hook(op: Op, bound: list):
    """Runs ``op`` on tensors; `eager.py` replaces it."""
    raise AssertionError("minds.eager is not loaded")


def install_eager(hook: Callable) -> None:
    """Called once by `eager.py`."""
    global eager_hook
    eager_hook = hook


def op(fn: Callable | None = None, **options):
    """Make a function the definition of an op.

    Args:
        effect (bool): it must run exactly once and in program order, used or not.
        nondiff (bool): it has no gradient, by mathematics (comparison) or by intent.
        promote (str): names of Tensor parameters that are cast to their common dtype; numbers among
            them are weak.
        floating (bool): where that common dtype is not floating point, it is float32 instead.
        tensor (bool): the result is a Tensor even where all operands are scalars.
        kernel (str): the kernel's name where it differs from the op's; ``"view"`` shares the buffer
            of the first operand.
        host (callable): the kernel as a Python function of the parameters, with NumPy arrays for
            tensors.
        finds (bool): it finds sizes of its results when it runs (`ir.shape_env.unbacked`); it has a
            ``host``.
        inplace (dict): output name to the input whose buffer it may take, ``{"out": "x"}``.
        elementwise (bool): each element of the result depends on those of the (broadcast) operands
            at its place, so its kernel may become a step of a fused one.
        draws (bool): it makes random numbers of a key. The key is the host's, so for a device that has
            no kernel the host draws them.
        batch (str): the family of its batching rule (`ops.batching`). Default: ``leading`` if it is
            elementwise.
        function, alias, method, cls, inner, mint, numpy, sparse (bool | str): its faces (`ops.faces`).
    """
    faces = {kind: options.pop(kind) for kind in KINDS if kind in options}

    def make(f):
        made = Op(f, **options)
        setattr(P, made.name, made)
        offer(made, made.name, **faces)
        return made

    return make if fn is None else make(fn)


# ---- emitting


def emit(o: Op, bound: list, builder: build.Builder):
    """The reading of a call on nodes: promote, infer, append a typed apply."""
    scalar = _with_tensors(o, bound, builder)
    seen = [
        v if k == ATTR or v is None else v.abstract.items if k == TENSORS else v.abstract
        for v, k in zip(bound, o.kinds)
    ]
    for i in o.attr_at:
        if type(seen[i]) not in NO_NODE:
            known = known_attribute(o, i, seen[i])
            if known is not seen[i]:
                seen[i] = bound[i] = known
    try:
        result, normal = inferred(o, seen)
    except ValueError:
        if not _fit(bound, seen):
            raise
        result, normal = o.infer(seen)
    scope = current() if o.finds else None
    if scope is not None:
        result = scope.alike.setdefault((builder.graph, o, *map(structure, bound)), result)
    if scalar:
        result = _as_scalar(result)
    args = [normal[i] if k == ATTR else bound[i] for i, k in enumerate(o.kinds)]
    node = builder.emit(o, args, result)
    return None if result is NONE else node


def _fit(bound: list, seen: list) -> bool:
    """Where two sizes did not broadcast one of which the run finds: take the operand for one of the
    other size, which is checked when it runs. Whether that was possible.
    """
    scope = current()
    unfit = scope and scope.unfit
    for p, q in (unfit, unfit[::-1]) if unfit else ():
        if not scope.may_equal(p, q):
            continue
        for i, a in enumerate(seen):
            if isinstance(a, AbstractTensor) and is_unbacked(p) and any(d is p for d in a.shape):
                scope.unfit = None
                bound[i] = resize_hook(bound[i], tuple([q if d is p else d for d in a.shape]))
                seen[i] = bound[i].abstract
                return True
    return False


def resize_hook(x: Node, shape: tuple) -> Node:
    """``x`` taken for a tensor of ``shape``; `found.py` replaces it."""
    raise AssertionError("minds.ops.unbacked is not loaded")


def install_resize(hook: Callable) -> None:
    """Called once by `found.py`."""
    global resize_hook
    resize_hook = hook


def structure(v, depth: int = 12):
    """What a value is computed from, so that what is written twice is known to be equal; deep down,
    and where effects take part, only a node itself is equal to itself.
    """
    if type(v) is Constant:
        plain = v.value.item() if getattr(v.value, "shape", None) == () else v.value
        return v.abstract, plain if type(plain) in (bool, int, float) else id(v.value)
    if depth and type(v) is Apply and isinstance(v.fn, Op) and not v.fn.has_effect:
        return (v.fn, v.abstract, *[structure(a, depth - 1) for a in v.args])
    return id(v) if isinstance(v, Node) else repr(v)


def _tensor_node(o: Op, i: int, v, builder: build.Builder, number: bool) -> Node:
    """A node for an operand; a number is a tensor unless ``number``."""
    known = v.value if type(v) is Constant else v
    if type(known) is int and not -(2**63) <= known < 2**63:
        kind, what = OverflowError if o.elementwise else TypeError, f"{o.name}: {o.names[i]}"
        raise complain(kind, f"{what} is int {known}", expected="an int of 64 bits")
    node = v if isinstance(v, Node) else builder.constant(v)
    if isinstance(node.abstract, AbstractScalar) and not number:
        return builder.constant(_tensor(v, node.abstract, ALONE[node.abstract.kind]))
    if not hasattr(node.abstract, "dtype"):
        got = type(v).__name__ if node.abstract is None or v is None else repr(node.abstract)
        raise complain(
            TypeError, f"{o.name}: {o.names[i]} has type {got}", expected="a Tensor or a number"
        )
    return node


def _as_scalar(a):
    """A rank-0 result of scalar operands is a scalar again."""
    if isinstance(a, AbstractTensor) and a.shape == () and a.dtype in KIND_OF:
        return AbstractScalar(KIND_OF[a.dtype])
    return a


def _abstract(o: Op, bound: list, i: int) -> Abstract:
    """The abstract value of a promotable operand of a call on nodes."""
    v = bound[i].item() if isinstance(bound[i], np.generic) else bound[i]
    bound[i] = v
    if isinstance(v, complex):
        return AbstractScalar(complex)
    if isinstance(v, (np.ndarray, tuple, list)):
        v = bound[i] = array_like(o, i, v)
    a = v.abstract if isinstance(v, Node) else build.abstract_of(v)
    if not isinstance(a, (AbstractTensor, AbstractScalar)):
        raise _no_operand(o, i, v.abstract if isinstance(v, Node) else class_of(v))
    return a


def array_like(o: Op, i: int, v) -> Tensor:
    """A tensor for a NumPy array, or a sequence of numbers and tensors, given as an operand."""
    try:
        return stacked(v) if sequences.holds_tensors(v) else Tensor(v)
    except (TypeError, ValueError, RecursionError):
        raise _no_operand(o, i, class_of(v)) from None


def stacked(v, dtype: dt.DType | None = None):
    """A nested sequence of tensors and numbers as one tensor, of their common dtype if not given."""
    return sequences.stacked(v, dtype, P, _tensor)


def _no_operand(o: Op, i: int, got) -> Exception:
    return complain(
        TypeError, f"{o.name}: {o.names[i]} has type {got}", expected="a Tensor or a number"
    )


def _tensor(v, a: Abstract, dtype: dt.DType):
    """An operand as a tensor of ``dtype``."""
    if isinstance(a, AbstractTensor):
        return P.cast(v, dtype)
    return P.scalar_to_tensor(v, dtype) if isinstance(v, (Node, Dim)) else constant_hook(v, dtype)


def _number(v, a: AbstractScalar, dtype: dt.DType):
    """A number among numbers alone as one of ``dtype``."""
    if a.dtype is dtype:
        return v
    return P.scalar_cast(v, dtype) if isinstance(v, (Node, Dim)) else KIND_OF[dtype](v)


def _are_numbers(o: Op, bound: list) -> bool:
    """Whether all tensor operands of a call on nodes are numbers, and at least one is."""
    found = False
    for i in o.tensor_at:
        v = bound[i]
        if v is None:
            continue
        found = True
        a = v.abstract if isinstance(v, Node) else build.abstract_of(v)
        if not isinstance(a, AbstractScalar):
            return False
    return found


def _with_tensors(o: Op, bound: list, builder: build.Builder) -> bool:
    """Make the operands of a call on nodes what inference expects: promoted, and nodes. Numbers
    stay numbers only if all are, and the call is not the user's. Whether they did.
    """
    numbers = _are_numbers(o, bound)
    alone = numbers and (o.tensor or not builder.for_user)
    if o.promote_at and not is_uniform(o, bound):
        promote(o, bound, _abstract, _number, NUMBERS) if alone else promote(
            o, bound, _abstract, _tensor
        )
    for i in o.tensor_at:
        v = bound[i]
        if isinstance(v, Node) and type(v.abstract) is AbstractTensor:
            continue
        if o.kinds[i] == TENSORS:
            if not isinstance(v, (Node, tuple, list)):
                raise complain(
                    TypeError,
                    f"{o.name}: {o.names[i]} has type {class_of(v)}",
                    expected="a tuple or list of Tensors",
                )
            if not isinstance(v, Node):
                # What leaves the program (host functions, prints, errors) leaves as it is.
                items = [_tensor_node(o, i, e, builder, o.has_effect) for e in v]
                bound[i] = builder.make_tuple(items)
        elif v is not None or o.kinds[i] == TENSOR:
            bound[i] = _tensor_node(o, i, v, builder, alone)
    return alone and not o.tensor


def constant_hook(v, dtype: dt.DType):
    """A rank-0 Tensor of ``dtype`` for a Python number; `tensor.py` replaces it."""
    raise AssertionError("minds.tensor is not loaded")


def install_constant(hook: Callable) -> None:
    """Called once by `tensor.py`'s user, the package root."""
    global constant_hook
    constant_hook = hook


def install_moved(hook: Callable) -> None:
    """Called once by `eager.py`: ``hook(x, device)`` gives a tensor on a device."""
    global moved_hook
    moved_hook = hook


__all__ = [
    "ATTR",
    "OPTIONAL",
    "TENSOR",
    "TENSORS",
    "Op",
    "P",
    "Apply",
    "array_like",
    "emit",
    "install_constant",
    "install_eager",
    "install_moved",
    "install_resize",
    "op",
    "stacked",
]

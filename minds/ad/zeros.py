"""What cotangents look like, and the values they start from.

The cotangent of a floating point tensor or scalar has its type; integers, bools, references and
None have none; that of a tuple is the tuple of its elements' cotangents; that of a function is a
function without parameters that returns the cotangents of what the function captured (boxed like
this, cotangents of recursive closures have finite types). A constant function has none.

Backpropagators take and return *leaves*: the differentiable leaves of a type in order, tuples
flattened. An absent leaf is None.
"""

from __future__ import annotations

from ..ir.abstract import NONE, AbstractFunction, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.build import as_node
from ..ops import define
from ..ops.define import P


def cotangent_abstract(a):
    """The type of the cotangent of a value of type ``a``; NONE where there is none."""
    if isinstance(a, AbstractTensor):
        return NONE if a.dtype.is_bool else a
    if isinstance(a, AbstractScalar):
        return a if a.dtype.is_float else NONE
    if isinstance(a, AbstractTuple):
        items = [cotangent_abstract(i) for i in a.items]
        return NONE if all(i is NONE for i in items) else AbstractTuple(items)
    return (
        AbstractFunction(("cotangent", a.key))
        if isinstance(a, AbstractFunction) and not a.constant
        else NONE
    )


def leaves(a) -> list[tuple]:
    """The differentiable leaves of type ``a``: pairs of the path of indices that leads there and
    the cotangent's type.
    """
    if isinstance(a, AbstractTuple):
        return [((i, *path), t) for i, item in enumerate(a.items) for path, t in leaves(item)]
    t = cotangent_abstract(a)
    return [] if t is NONE else [((), t)]


def has_function(a) -> bool:
    """Whether values of type ``a`` contain functions."""
    return (
        isinstance(a, AbstractFunction)
        or isinstance(a, AbstractTuple)
        and any(map(has_function, a.items))
    )


def dual_abstract(a):
    """The type in ▶ of what has type ``a``: a function becomes the triple (▶function, zero of
    cotangents, addition of cotangents), a constant one (▶function,).
    """
    if isinstance(a, AbstractFunction):
        names = ("dual",) if a.constant else ("dual", "zero", "add")
        return AbstractTuple([AbstractFunction((name, a.key)) for name in names])
    return AbstractTuple(map(dual_abstract, a.items)) if isinstance(a, AbstractTuple) else a


def filled(a, number: float):
    """A node of type ``a`` (floating point tensor or scalar) with ``number`` everywhere."""
    if isinstance(a, AbstractScalar):
        return as_node(number)
    one = as_node(define.constant_hook(number, a.dtype))
    return one if a.shape == () else P.broadcast_to(one, a.shape)


def zeros(a):
    """The zero that a user sees where nothing flowed."""
    return filled(a, 0.0)


def neutral(a):
    """What an accumulator starts from: -0.0, since -0.0 + x is x to the bit also for x = -0.0."""
    return filled(a, -0.0)


class Cotangents:
    """The cotangents of an op with several results: ``d[i]`` makes zeros where none came,
    ``d.get(i)`` gives None.
    """

    __slots__ = ("parts", "types")

    def __init__(self, parts: list, types: tuple):
        self.parts, self.types = parts, types

    def get(self, i: int):
        """The cotangent of result ``i``, or None."""
        return self.parts[i]

    def __getitem__(self, i: int):
        if self.parts[i] is None:
            self.parts[i] = zeros(self.types[i])
        return self.parts[i]

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self):
        return (self[i] for i in range(len(self.parts)))

"""The linear map that `vjp` and `linearize` return, outside of compiled code in graph mode: the second
of two programs where the function can be split so (`split_linear`), else the function run again in each
call.
"""

from __future__ import annotations

from ..ad import tape
from ..base.errors import complain
from ..base.options import GRAPH_MODE, get_context
from ..ops.define import P
from ..tensor import Parameter, Tensor
from .leaves import compiling, leaf_tensors, tensors_and_numbers
from .split_linear import Unsplit
from .split_linear import run as run_staged
from .transformed import Transformed


class AnewAtPoint(Transformed):
    """(inputs, v) ↦ what the second function of `vjp` or `linearize` at a point with floats in it
    gives, in PyNative mode and in graph mode outside of compiled code: each call runs ``fn`` again.
    """

    def differentiated(self, args: tuple):
        """The inputs."""
        return args[:1]

    def compute(self, inputs, v):
        made, *settings = self.settings
        return made(self.fn, inputs, *settings)(*v)


class LinearProgram:
    """What `vjp` or `linearize` returns as a function, in graph mode outside of compiled code.

    Args:
        name: of the one that made it.
        later: the second program at the point.
        like: values of the types of the arguments.
        anew: makes it once more by the tape, or in a program that is compiled at the time.
    """

    def __init__(self, name: str, later, like, anew):
        self.name, self.later, self.like, self.anew = name, later, tensors_and_numbers(like), anew

    def __call__(self, *v):
        if compiling() or tape.active():
            return self.anew()(*v)
        given = tensors_and_numbers(v)
        like = [
            o
            for o in self.like
            if type(o) is float or isinstance(o, Tensor) and not o.dtype.is_bool
        ]
        if len(given) == len(self.like) != len(like):
            given = [d for d, o in zip(given, self.like) if any(o is k for k in like)]
        if not v or len(given) != len(like):
            raise complain(
                ValueError if v else TypeError,
                f"{self.name}: {len(given)} vectors or cotangents for {len(like)}",
            )
        return self.later([_fitted(d, o, self.name) for d, o in zip(given, like)])

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return ip.native(self.__call__, *args, **kwargs)


def _fitted(d, o, name: str):
    """``d`` in the type of ``o``."""
    if not isinstance(o, Tensor):
        return float(d)
    if not isinstance(d, Tensor):
        raise complain(
            TypeError, f"{name}: a vector or cotangent is {type(d).__name__}", expected="a Tensor"
        )
    if d.shape != o.shape:
        if not (d.size == o.size == 1):
            raise complain(
                ValueError,
                f"{name}: the vectors or cotangents have shapes {d.shape}, not {o.shape}",
            )
        d = P.reshape(d, o.shape)
    return d if d.dtype is o.dtype else P.cast(d, o.dtype)


def chosen(weights) -> list:
    """The parameters to differentiate by."""
    found = (
        [] if weights is None else [weights] if isinstance(weights, Parameter) else list(weights)
    )
    for p in found:
        if not isinstance(p, Parameter):
            what = f"weights has a {type(p).__name__}"
            raise complain(TypeError, what, expected="Parameters")
    return found


def in_two_programs(kind, fn, inputs: tuple, *settings):
    """The value and the second program where ``fn`` is to be compiled by itself and can be; else
    None.
    """
    if compiling() or tape.active() or get_context("mode") != GRAPH_MODE:
        return None
    target = Transformed(fn)
    for i, v in enumerate(inputs):
        leaf_tensors(v, i)
    weights = tuple(chosen(settings[0])) if settings else ()
    try:
        spec = (kind, target._spec(), weights, settings[1:])
        return run_staged(target._owner(), kind(target.fn, *settings), inputs, spec)
    except Unsplit:
        return None


__all__ = ["AnewAtPoint", "LinearProgram", "chosen", "in_two_programs"]

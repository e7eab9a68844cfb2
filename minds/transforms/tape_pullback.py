"""A function run once on the eager tape, so that cotangents can be pulled back through it.

`graph_pullback` is its counterpart in compiled code: both have the same members.
"""

from __future__ import annotations

from .. import eager_views
from ..ad import tape
from ..base import tree
from ..base.errors import complain
from ..ops import tensor_hooks as hooks
from ..ops.define import P
from ..tensor import Parameter, Tensor
from .leaves import beside_inexact, leaf_tensors, tensors, with_tensors


class TapePullback:
    """``fn(*args, **kwargs)`` run on a tape.

    Args:
        positions (Iterable[int]): the arguments to differentiate by.
        weights (Iterable[Parameter]): the parameters to differentiate by; the gradient of one that
            requires none is zero, here but not in compiled code, as in MindSpore.
        integers (bool): whether tensors of integers or bools may be differentiated by; they may
            where another argument holds floats.
        once (bool): whether cotangents are pulled back only once: then memory is given back on the
            way.

    Attributes:
        value: the result of ``fn``.
    """

    def __init__(
        self, fn, args, kwargs, positions, weights=(), integers: bool = False, once: bool = False
    ):
        args, self.graph, self._once = list(args), None, once
        integers = integers or beside_inexact([tensors(args[i]) for i in positions])
        for i in positions:
            leaf_tensors(args[i], i, integers)
            args[i] = _own(args[i]) if type(args[i]) is Tensor else tree.map(_own, args[i])
        self._inputs = [args[i] for i in positions]
        self._wanted = [*tensors(self._inputs), *weights]
        self._tape = tape.Tape()
        for t in self._wanted:
            if (integers or not t.dtype.is_bool) and not (
                isinstance(t, Parameter) and not t.requires_grad
            ):
                self._tape.watch(t)
        with self._tape:
            self.value = fn(*args, **kwargs)

    def pull(self, counted, douts=None) -> tuple[list, list]:
        """The gradients by position and by weight.

        Args:
            counted: the part of the value that counts, ``value`` itself or its first element.
            douts: its cotangents, in any nesting; None means ones.
        """
        outs = tensors(counted)
        if douts is None:
            douts = [None if o.dtype.is_bool else P.full(o.shape, 1, o.dtype) for o in outs]
        else:
            douts = tensors(douts)
            if len(douts) != len(outs):
                raise complain(ValueError, f"grad: {len(douts)} cotangents for {len(outs)} outputs")
            douts = [_like(d, o) for d, o in zip(douts, outs)]
        grads = iter(self.gradients(outs, douts))
        return [with_tensors(v, grads) for v in self._inputs], list(grads)

    def gradients(self, outs: list, douts: list) -> list:
        """The gradients of all leaves, in order; a cotangent that is None does not count."""
        pairs = [(o, d) for o, d in zip(outs, douts) if d is not None]
        found = self._tape.gradients(
            [o for o, _ in pairs], [d for _, d in pairs], self._wanted, self._once
        )
        found = [
            P.full(t.shape, 0, t.dtype) if g is None else g for g, t in zip(found, self._wanted)
        ]
        found = eager_views.apart(found, (*douts, *self._wanted))
        if not hooks.registered:
            return found
        return [hooks.applied(t, g) for g, t in zip(found, self._wanted)]


def _own(t):
    """A tensor of its own, since an argument may be passed twice. Parameters are known by their
    identities.
    """
    if not isinstance(t, Tensor) or isinstance(t, Parameter):
        return t
    return hooks.share(t, eager_views.own(t))


def _like(d: Tensor, o: Tensor) -> Tensor:
    """``d`` in the shape and dtype of ``o``."""
    if d.shape != o.shape:
        if d.size != 1 or o.size != 1:
            raise complain(
                ValueError, f"grad: the cotangent has shape {d.shape}, the output {o.shape}"
            )
        d = P.reshape(d, o.shape)
    return d if d.dtype is o.dtype else P.cast(d, o.dtype)


__all__ = ["TapePullback"]

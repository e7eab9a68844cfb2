"""Small things of MindSpore's inside that its tests and models import, each from a module of its
own.
"""

from __future__ import annotations

import functools

from .. import ops
from ..base.errors import complain
from ..ops.primitive import BpropRegistry
from ..tensor import Tensor

StubTensor = Tensor  # the result of an eager op is a Tensor from the start


vm_impl_registry = BpropRegistry()
"""Functions by the primitive that they stand for. Nothing calls them: each primitive has its kernel."""


class _TensorOperators:
    """Functions of tensors by name, as MindSpore's Tensor looks them up: those of `minds.ops`, and what
    was registered.
    """

    def register(self, name: str, fn) -> None:
        """Enter a function.

        Args:
            name (str): its name.
            fn (Callable): the function.
        """
        setattr(self, name, fn)

    def get(self, name: str):
        """The function of a name.

        Args:
            name (str): its name.

        Raises:
            TypeError: ``name`` is no str.
            AttributeError: there is none.
        """
        if not isinstance(name, str):
            raise complain(TypeError, f"the name of an operator is {name!r}", expected="a str")
        return vars(self).get(name) or getattr(ops, name)


tensor_operator_registry = _TensorOperators()


def _get_cache_prim(cls: type):
    """A function that makes an object of a class of primitives once for the same arguments."""

    @functools.cache
    def once(*args, **kwargs):
        return cls(*args, **kwargs)

    def make(*args, **kwargs):
        try:
            return once(*args, **kwargs)
        except TypeError:  # of arguments without a hash
            return cls(*args, **kwargs)

    return make


__all__ = ["StubTensor", "tensor_operator_registry", "vm_impl_registry"]

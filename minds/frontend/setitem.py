"""Setting items: ``x[i] = v`` of lists, dicts, arrays and tensors.

A node never changes: setting items of a tensor makes a new one, which is what the tensor holds from
then on (`tensors`). An array, which is known now, is replaced in the same way.
"""

from __future__ import annotations

import operator
from collections import Counter

from ..base.errors import complain, performed, refuse
from ..ir.node import Node
from ..ops import inplace_methods, methods
from ..tensor import Parameter, Tensor
from . import foreign, list_places, masks, run_arrays, run_lists, special
from .access import is_of_run, known_slice
from .compare import as_key
from .conditions import of_choice
from .describe import describe, need_static, no_key, no_place
from .function_types import UnionValue
from .iterators import sequence
from .own_gradient import hooked
from .value_types import LocalDict, LocalList, RunArray, RunList


def store(ip, owner, index, value) -> None:
    """``owner[index] = value``."""
    if type(index) is UnionValue:
        of_choice(ip, index, lambda at: store(ip, owner, at, value))
        return
    if type(owner) is UnionValue:
        of_choice(ip, owner, lambda one: store(ip, one, index, value))
        return
    if isinstance(index, slice):
        run_lists.make_plain(ip, owner)
        runs = map(run_lists.is_open, (owner, value))
        if isinstance(owner, list) and (any(runs) or is_of_run(index)):
            items = value if type(value) is RunList else LocalList(sequence(ip, value))
            list_places.store_slice(ip, owner, index, items)
            return
    if type(owner) is RunArray:
        run_arrays.expect_number(owner)
    if type(owner) is RunList:
        run_lists.store(ip, owner, index, value)
    elif isinstance(owner, (LocalList, LocalDict)):
        ip.touch(owner)
        if isinstance(owner, LocalDict):
            owner[as_key(ip, index)] = value
        elif isinstance(index, slice):
            items = sequence(ip, value) if _is_iterable(value) else value
            performed(operator.setitem, owner, known_slice(index), items)
        else:
            performed(operator.setitem, owner, need_static(index, "the index"), value)
    elif isinstance(owner, (list, dict)):
        ip.touch(owner)
    elif foreign.is_array(owner):
        ip.imports.expect_own(owner)
        ip.tensors.replace(owner, foreign.stored(owner, index, value))
    elif isinstance(owner, (Node, Tensor)):
        if masks.has_mask(owner, index):
            masked = masks.Masked(ip, ip.node(owner), index)
            new = masked.stored(masked.spread(value))
        else:
            new = ip.native(methods.setitem, ip.node(owner), index, value)
        change(ip, owner, new)
    elif special.call(ip, owner, "__setitem__", index, value) is NotImplemented:
        raise complain(TypeError, f"{describe(owner)} does not support item assignment")


def delete(ip, owner, index) -> None:
    """``del owner[index]``."""
    if special.call(ip, owner, "__delitem__", index) is not NotImplemented:
        return
    run_lists.make_plain(ip, owner)
    if type(owner) is RunList:
        run_lists.method(ip, owner, "pop", (index,))
        return
    ip.touch(owner)
    if isinstance(owner, dict):
        index = as_key(ip, index)
    else:
        index = known_slice(index) if isinstance(index, slice) else need_static(index, "the index")
    try:
        performed(operator.delitem, owner, index)
    except KeyError:
        if getattr(getattr(owner, "kind", None), "cls", None) is Counter:
            return
        raise no_key(index, owner) from None
    except IndexError:
        raise no_place(index, len(owner)) from None


def change(ip, owner, new) -> None:
    """``new`` is what the tensor ``owner`` holds from now on, and with it all that share elements with it."""
    views = ip.tensors.views
    root, way = views.of(owner)
    whole = new if way is None else views.written(root, way, new)
    if isinstance(root, Parameter):
        ip.write(root, whole)
    else:
        ip.tensors.change(ip, root, whole)
    if way is not None:
        views.hold(owner, new, root)


def _is_iterable(v) -> bool:
    return isinstance(v, (Node, Tensor)) or hasattr(v, "items") or hasattr(type(v), "__iter__")


def register_hook(ip, x, hook_fn) -> None:
    """``x.register_hook(hook_fn)`` in compiled code: every name of ``x`` names the hooked value."""
    if isinstance(x, Parameter):
        raise refuse(
            ValueError,
            "Register hook for Parameter inside graph is not supported.",
            cure="register it outside",
        )
    ip.tensors.set(x, hooked(ip, ip.node(x), (hook_fn,)))


def in_place(name: str):
    """The emitter of ``x.name(...)``, a method that changes ``x``."""

    def emit(ip, x, *args, **kwargs):
        change(ip, x, ip.native(inplace_methods.new_value, ip.node(x), name, args, kwargs))
        return x

    return emit

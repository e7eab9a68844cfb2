"""Public functions by MindSpore's names: ops themselves, and composites over them.

A name with a trailing underscore here (``abs_``) would hide a builtin; it is public without it.
"""

from __future__ import annotations

import inspect
import types

from ..base.boundary import offered as guarded
from ..base.late import all_of, late
from . import docs, plain, plain_numbers
from .above import HOMES
from .define import Op
from .faces import Face, offered
from .function import (
    activation_func,
    array_func,
    clip_func,
    columns_func,
    complex_func,
    control_func,
    create_func,
    decomposition_func,
    diagonal_func,
    distribution_func,
    gather_func,
    host_func,
    image_func,
    join_func,
    linalg_func,
    loop_func,
    loss_func,
    math_func,
    matrix_func,
    nn_func,
    norm_func,
    number_func,
    old_func,
    order_func,
    pool_func,
    random_func,
    rearrange_func,
    reduce_func,
    renamed_func,
    resize_func,
    scatter_func,
    select_func,
    sequence_func,
    slice_func,
    spectral_func,
    unbacked_func,
    vector_norm_func,
    volume_func,
)
from .function.elsewhere import spelled
from .primitive import name_functions

_FAMILIES = (
    math_func,
    clip_func,
    vector_norm_func,
    distribution_func,
    complex_func,
    columns_func,
    reduce_func,
    array_func,
    join_func,
    create_func,
    slice_func,
    gather_func,
    select_func,
    linalg_func,
    activation_func,
    nn_func,
    pool_func,
    norm_func,
    loss_func,
    random_func,
    control_func,
    loop_func,
    number_func,
    matrix_func,
    decomposition_func,
    order_func,
    spectral_func,
    rearrange_func,
    scatter_func,
    resize_func,
    volume_func,
    image_func,
    diagonal_func,
    host_func,
    unbacked_func,
    sequence_func,
    old_func,
    renamed_func,
    plain,
    plain_numbers,
)
_KEPT = {"print_", "is_"}


def public_of(module):
    """(name, function) of the functions that a module defines for users."""
    for name, value in vars(module).items():
        own = isinstance(value, types.FunctionType) and value.__module__ == module.__name__
        if own and not name.startswith("_"):
            yield (name if name in _KEPT else name.rstrip("_")), value


_WITHIN = {
    **{name: fn for module in _FAMILIES for name, fn in public_of(module)},
    **{name: f.target for kind in ("function", "alias") for name, f in offered(kind).items()},
}


def documented(found: Face):
    """The function of a face. One that exists for the face alone gets its docstring made from that
    of the function that it is ``like``.
    """
    fn, source = found.target, _WITHIN.get(found.like)
    if source is not None and found.like:
        names = list(inspect.signature(fn).parameters)
        summary = docs.sections(fn.__doc__)["summary"]
        fn.__doc__ = docs.adapted(source.__doc__, names, parameters_of(source), summary or None)
    return fn


def parameters_of(fn) -> list[str]:
    """The names of the parameters of an op or a function."""
    return list(fn.names if isinstance(fn, Op) else inspect.signature(fn).parameters)


for _renamed in offered("alias").values():
    documented(_renamed)
WITHIN = types.SimpleNamespace(**_WITHIN)
"""The functions for code of minds, which calls them as they are; users' calls are guarded."""
name_functions(_WITHIN)
NAMES: dict[str, object] = {name: guarded(name, fn) for name, fn in _WITHIN.items()}
globals().update(NAMES)


__all__ = sorted(NAMES)
_sparse = all_of("ops.sparse_tensor")
__getattr__, __dir__ = late(
    __name__, {**HOMES, "ops.composite": "partial"}, (), lambda name: spelled(name) or _sparse(name)
)

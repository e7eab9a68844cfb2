"""Class spellings of ops: ``ops.ReduceSum(keep_dims=True)(x, 0)``.

A class is derived from a face ``cls`` (`ops.faces`): of a function, or of a function of its
constructor's parameters that makes the function to call. Classes are made when they are first asked
for.
"""

from __future__ import annotations

import ast
import functools
import inspect
from typing import NoReturn

from ...base import dtype as dt
from ...base.boundary import refuse
from ...base.errors import expect
from ...base.late import late
from .. import autocast, docs, functional
from ..define import Op, P
from ..faces import Face, offered
from ..placed import place_operands, place_result
from ..primitive import Primitive, PrimitiveWithCheck, PrimitiveWithInfer, prim_attr_register
from . import (
    array,
    boxes,
    colour,
    comm,
    debug,
    elsewhere,
    fractional,
    image,
    linalg,
    matrix,
    nn,
    operands,
    patches,
    places,
    ragged,
    random,
    recurrent,
    reduce,
    rows,
    scatter,
    sequence,
    sequences,
    sets,
    sparse,
    transducer,
    update,
    update_rows,
    window,
)


class _Derived(Primitive):
    """A class spelling: ``make`` is its row of the table."""

    make = None
    constructor = inspect.Signature()
    check = None  # what refuses operands that the function would take (`operands`)

    def __init__(self, *args, **kwargs):
        super().__init__()
        try:
            bound = self.constructor.bind(*args, **kwargs)
            bound.apply_defaults()
            for name, value in bound.arguments.items():
                expect(
                    name != "axis" or not isinstance(value, float), name, "an int", TypeError, value
                )
                if isinstance(self.constructor.parameters[name].default, bool):
                    _no_number(name, value)
                self.add_prim_attr(name, value)
            self.function = type(self).make(**bound.arguments)
        except Exception as e:
            self._refuse(e, type(self), args, kwargs, "Args")

    def __call__(self, *args, **kwargs):
        try:
            if self.check is not None:
                self.check(*args)
            if autocast.regions and autocast.takes(type(self)):
                return autocast.call_object(self.function, args, kwargs, _cast_floats)
            return self.function(*args, **kwargs)
        except Exception as e:
            return self._refuse(e, self.function, args, kwargs, "Inputs")

    def _refuse(self, e: Exception, fn, args, kwargs, section: str) -> NoReturn:
        """Raise the error of a call of the class or the object."""
        refuse(e, type(self).__name__, fn, args, kwargs, self.__doc__, section, self._made_of)

    def _made_of(self) -> dict:
        """The arguments of the constructor."""
        return {n: v for n in self.constructor.parameters if (v := vars(self).get(n)) is not None}

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        asked = self.attrs.get("in_strategy"), self.attrs.get("out_strategy")
        if asked[0] and type(self).__name__ in _OF_RESULT:
            asked = _OF_RESULT[type(self).__name__](asked[0], args)
        if asked[0] is not None:
            args = ip.native(place_operands, tuple(args), asked[0])
        call = functools.partial(ip.call, self.function, list(args), kwargs)
        if autocast.regions and autocast.takes(type(self)):
            cast = functools.partial(ip.native, _cast_floats)
            fn = functools.partial(_call_interpreted, ip, self.function)
            call = functools.partial(autocast.call_object, fn, args, kwargs, cast)
        if self.check is not None:
            call = functools.partial(_after_check, ip, self.check, args, call)
        about = type(self), "Inputs", self._made_of
        result = ip.call_public(call, self.function, args, kwargs, *about)
        return result if asked[1] is None else ip.native(place_result, result, asked[1])


def _no_number(name: str, value) -> None:
    """Raise TypeError if what switches something on or off is a number, a string or the like."""
    plain = isinstance(value, (int, float, str, tuple, list, type(None)))
    expect(not plain or isinstance(value, bool), name, "a bool", TypeError, value)


def _of_tiles(strategies: tuple, operands) -> tuple:
    """What is repeated stays whole; along other dimensions the operand is divided as the result."""
    x, times = operands
    if hasattr(strategies[0], "tensor_map") or not isinstance(times, tuple):
        return strategies, None
    count = len(x.shape)
    parts = [n if t == 1 else 1 for n, t in zip(strategies[0][-count:], times[-count:])]
    return (tuple(parts),) if len(parts) == count else None, strategies[:1]


_OF_RESULT = {"OneHot": lambda strategies, _: (None, strategies[:1]), "Tile": _of_tiles}
"""What MindSpore's strategies divide as their first one says of the result; gives those of operands and of
results.
"""


def _cast_floats(value, dtype: dt.DType):
    return autocast.converted(value, dtype, P.cast)


def _after_check(ip, check, args, call):
    ip.native(check, *args)
    return call()


def _call_interpreted(ip, fn, *args, **kwargs):
    return ip.call(fn, list(args), kwargs)


def derive(name: str, make, doc: str) -> type:
    """The class spelling ``name``: ``make`` of the constructor's parameters gives the function to
    call.
    """
    return _class(name, make, inspect.signature(make), doc)


def _class(name: str, make, constructor: inspect.Signature, doc: str, target=None) -> type:
    fields = {"make": staticmethod(make), "constructor": constructor, "__doc__": doc}
    check = operands.check_of(name, target)
    if check is not None:
        fields["check"] = staticmethod(check)
    fields["__signature__"] = constructor

    def __init__(self, *args, **kwargs):
        _Derived.__init__(self, *args, **kwargs)

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = constructor.replace(
        parameters=[itself, *constructor.parameters.values()]
    )
    fields["__init__"] = __init__
    return type(name, (_Derived,), {**fields, "__module__": __name__})


def _attributes(given: str) -> tuple[inspect.Signature, dict]:
    """The constructor that a face's parentheses describe, and the function's name of each of its
    parameters: ``group: groups`` renames, ``sorted: None`` ignores.
    """
    written = ast.parse(f"def _({given}): pass").body[0].args
    defaults = [inspect.Parameter.empty] * (len(written.args) - len(written.defaults))
    defaults += [
        getattr(dt, d.id) if isinstance(d, ast.Name) else ast.literal_eval(d)
        for d in written.defaults
    ]
    parameters, own = [], {}
    for a, default in zip(written.args, defaults, strict=True):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(a.arg, kind, default=default))
        own[a.arg] = a.arg if a.annotation is None else getattr(a.annotation, "id", None)
    return inspect.Signature(parameters), own


def _applied(fn, parameters: list[str], values: dict):
    """``fn`` of its operands alone: what ``values`` holds is given."""
    names = [n for n in parameters if n not in values]

    def call(*operands, **named):
        if len(operands) > len(names):
            return fn(*operands, **values, **named)  # which refuses them
        return fn(**dict(zip(names, operands)), **values, **named)

    return call if values else fn


def _from_function(name: str, found: Face) -> type:
    """The class of a function some of whose parameters are the constructor's."""
    fn, parameters = found.target, functional.parameters_of(found.target)
    constructor, own = _attributes(found.given)
    spelled = {docs.SPELLINGS.get(n, n): n for n in parameters}
    own = {a: spelled.get(docs.SPELLINGS.get(n, n), n) for a, n in own.items()}

    def make(**values):
        return _applied(fn, parameters, {own[a]: v for a, v in values.items() if own[a]})

    source = functional.NAMES.get(found.like, fn)
    operands = [n for n in parameters if n not in own.values()]
    own_name = fn.name if isinstance(fn, Op) else fn.__name__.rstrip("_")
    call = "" if found.like else f"ops.{own_name}("
    doc = docs.of_class(name, constructor, own, source.__doc__, call, operands)
    return _class(name, make, constructor, doc, fn)


def _from_maker(name: str, found: Face) -> type:
    """The class of a function that makes what is called."""
    constructor = inspect.signature(found.target)
    source = functional.NAMES.get(found.like)
    doc = docs.sections(source.__doc__ if source else found.target.__doc__)
    own = {a: a for a in constructor.parameters}
    operands = list(docs.entries(doc.get("Args", "")))
    text = docs.of_class(name, constructor, own, docs.joined(doc), "", operands)
    return _class(name, found.target, constructor, text)


def _made(name: str):
    if name == "__all__":
        return __dir__()
    found = offered("cls").get(name) or offered("inner").get(name)
    if found is None:
        return None
    return (_from_maker if found.made else _from_function)(name, found)


_HOMES = {
    "compat.gradient_ops": """CTCLossV2Grad Conv3DBackpropInput CropAndResizeGradBoxes
        CropAndResizeGradImage""",
    "ops.operations.comm": "ReduceOp",
    "transforms.custom": "HookBackward InsertGradientOf Morph",
    "transforms.custom_kernel": "Custom PyFunc",
    "transforms.kernel_script": "kernel ms_kernel",
}
__getattr__, _ = late(__name__, _HOMES, (), _made)


def __dir__() -> list:
    above = (name for names in _HOMES.values() for name in names.split())
    return sorted({*offered("cls"), *_OWN, *above})


_OWN = ["Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "prim_attr_register"]

"""A function with one implementation per combination of operand types, in MindSpore's words for
types.
"""

from __future__ import annotations

import re
import types

import numpy as np

from ..base import dtype as dt
from ..base.errors import complain, expect
from ..tensor import Tensor
from .function.common import is_tensor
from .primitive import Primitive


class MultitypeFuncGraph(Primitive):
    """A function with one implementation per combination of operand types.

    The first implementation that fits is called. If there is one only, it is called whatever the
    types; what `register_default` registered is called where none fits.

    Args:
        name (str): its name, for messages.
        read_value (bool): has no effect; parameters are read where an implementation uses them.
            Default: False.
        doc_url (str): has no effect. Default: ``""``.

    Raises:
        ValueError: no implementation fits the operands.

    Examples:
        >>> scaled = ops.MultitypeFuncGraph("scaled")
        >>> @scaled.register("Number", "Tensor")
        ... def scaled_tensor(factor, x):
        ...     return x * factor
        >>> @scaled.register("Number", "Tuple")
        ... def scaled_tuple(factor, xs):
        ...     return tuple([scaled(factor, x) for x in xs])
        >>> print(scaled(2, (Tensor([1.0]), Tensor([3.0])))[1])
        [6.]
    """

    def __init__(self, name: str, read_value: bool = False, doc_url: str = ""):
        expect(isinstance(name, str), "name", "a str", TypeError, got=type(name).__name__)
        super().__init__(name)
        self.entries: list = []
        self.default_func = None

    def register(self, *type_names):
        """Decorator: the implementation for operands of these types.

        Args:
            type_names (str, dtype): ``mstype.number``, ``mstype.tensor_type``, other dtypes for numbers
                of theirs; ``"Tensor"``, ``"Number"``, ``"Int"``, ``"Float"``, ``"Bool"``,
                ``"String"``, ``"Tuple"``, ``"List"``, ``"Dictionary"``, ``"None"``, ``"Function"``,
                ``"Slice"``, … ; ``"Tensor[Float32]"`` and ``"Tuple[Int64,Tensor]"`` say what they
                hold.
        Raises:
            TypeError: a type is neither a word nor a dtype.
            RuntimeError: a word names no type.
        """
        tests = tuple(map(_test_of, type_names))

        def enter(fn):
            self.entries.append((type_names, tests, fn))
            return fn

        return enter

    def register_default(self, fn):
        """Decorator: what is called where no implementation fits."""
        self.default_func = fn
        return fn

    def __call__(self, *args):
        return self._chosen(args)(*args)

    def _emit(self, ip, args, kwargs):
        """In compiled code the implementation is compiled too."""

        def called():
            return ip.call(self._chosen(args), list(args), {})

        return ip.call_public(called, self, args, kwargs, type(self), "Inputs")

    def _chosen(self, args):
        if any(isinstance(a, np.ndarray) for a in args):
            raise complain(
                TypeError, f"{self.name}: an operand is a numpy.ndarray", cure="make it a Tensor"
            )
        for _, tests, fn in self.entries:
            if len(tests) == len(args) and all(
                test(a) for test, a in zip(tests, args, strict=True)
            ):
                return fn
        if self.default_func is not None:
            return self.default_func
        if len(self.entries) == 1:
            return self.entries[0][2]
        got = ", ".join(type(a).__name__ for a in args)
        known = " or ".join(f"({', '.join(map(str, names))})" for names, _, _ in self.entries)
        raise complain(
            ValueError,
            f"{self.name}: no implementation for ({got})",
            expected=known or "a registered one",
        )


# ---- words for types


def _kind(v) -> type:
    """The class of a value; of a number of the running program that of the number."""
    return getattr(getattr(v, "abstract", None), "kind", None) or type(v)


def _number(*kinds):
    return lambda v: (
        issubclass(_kind(v), kinds) and not (bool not in kinds and issubclass(_kind(v), bool))
    )


def _is_function(v) -> bool:
    compiled = type(v).__name__ in (
        "function",
        "Bound",
        "UnionValue",
    )  # functions of the frontend, above this floor
    return (
        compiled or callable(v) and not isinstance(v, (Tensor, type, dt.DType)) and not is_tensor(v)
    )


def _none(v) -> bool:
    """For types of which compiled programs have no values."""
    return False


_TESTS = {
    "Tensor": is_tensor,
    "Number": _number(bool, int, float, np.number),
    "Int": _number(int, np.signedinteger),
    "UInt": _number(np.unsignedinteger),
    "Float": _number(float, np.floating),
    "BFloat": _none,
    "Complex": _number(complex, np.complexfloating),
    "Bool": _number(bool, np.bool_),
    "String": lambda v: isinstance(v, str),
    "Tuple": lambda v: isinstance(v, tuple),
    "List": lambda v: isinstance(v, list),
    "Dictionary": lambda v: isinstance(v, dict),
    "None": lambda v: v is None,
    "Function": _is_function,
    "Slice": lambda v: isinstance(v, slice),
    "Ellipsis": lambda v: v is ...,
    "TypeType": lambda v: isinstance(v, (type, dt.DType)),
    "Any": lambda v: True,
    "Int64": _number(int, np.int64),
    "Float64": _number(float, np.float64),
    "int": _number(int, np.signedinteger),
    "float": _number(float, np.floating),
    "bool": _number(bool, np.bool_),
    **{
        w: _number(getattr(np, w.lower()))
        for w in (
            "Int8",
            "Int16",
            "Int32",
            "UInt8",
            "UInt16",
            "UInt32",
            "UInt64",
            "Float16",
            "Float32",
            "Complex64",
            "Complex128",
        )
    },
    **dict.fromkeys(
        (
            "BFloat16",
            "RowTensor",
            "COOTensor",
            "CSRTensor",
            "MapTensor",
            "EnvType",
            "SymbolicKeyType",
            "Keyword",
            "Problem",
            "JTagged",
        ),
        _none,
    ),
}
_PYTHON = {
    bool: "Bool",
    int: "Int",
    float: "Float",
    str: "String",
    tuple: "Tuple",
    list: "List",
    dict: "Dictionary",
    type(None): "None",
    types.FunctionType: "Function",
    slice: "Slice",
    Tensor: "Tensor",
}


def _test_of(t):
    """The test of a value for a type that was registered."""
    if isinstance(t, dt.DType):
        return _number(t.np.type, *{"i": (int,), "f": (float,), "b": (bool,)}.get(t.kind, ()))
    t = getattr(t, "word", t)
    if isinstance(t, str):
        return _test_of_word(t.strip())
    word = (
        _PYTHON.get(getattr(t, "python", t)) if isinstance(getattr(t, "python", t), type) else None
    )
    if word is None:
        raise complain(
            TypeError, f"MultitypeFuncGraph: a type is {t!r}", expected="a str, a dtype or a type"
        )
    return _TESTS[word]


def _test_of_word(word: str):
    """The test for a word, with what stands in brackets behind it."""
    match = re.fullmatch(r"(\w+)\[(.*)\]", word)
    if match is None:
        if word not in _TESTS:
            raise complain(
                RuntimeError, f"Unsupported type name: {word}!", expected=", ".join(sorted(_TESTS))
            )
        return _TESTS[word]
    outer, inner = _test_of_word(match[1]), [w.strip() for w in match[2].split(",") if w.strip()]
    if match[1] == "Tensor":
        dtypes = [dt.of(w.lower()) for w in inner]
        return lambda v: outer(v) and v.dtype in dtypes
    tests = list(map(_test_of_word, inner))
    return lambda v: (
        outer(v) and len(v) == len(tests) and all(t(e) for t, e in zip(tests, v, strict=True))
    )

"""Writes minds/tensor.pyi: every method, property and operator of `Tensor` with its signature and
the first line of its documentation, for editors and type checkers.

    python tools/make_stubs.py

The methods of `Tensor` are made from the ops when minds is imported, where no editor can follow.
tests/unit/test_stubs.py fails when the file is not what this prints.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pathlib
import re
import subprocess
import sys
from collections import ChainMap

from minds import ops
from minds.base.boundary import inside
from minds.ops import docs, methods
from minds.tensor import Parameter, Tensor, TensorType

source = importlib.import_module("minds.tensor")  # `minds.tensor` is a function too
PATH = pathlib.Path(source.__file__).with_suffix(".pyi")

HEAD = '''"""`Tensor` and its relatives, written by tools/make_stubs.py; not to be edited."""

import builtins
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _core
from .base import dtype as dt
from .ir.abstract import AbstractTensor
'''
TAIL = """
Number = bool | int | float | complex
Operand = Tensor | Number
"""

KNOWN = {"Tensor", "Parameter", "TensorType", "AbstractTensor", "Callable"} | {
    "Iterator", "_core", "dt", "np", "None", "tuple", "list", "dict", "str", "bytes", "bool",
    "int", "float", "complex", "slice", "type", "object",
}  # fmt: skip
"""What an annotation may name; without the others a parameter has none."""

SPECIAL = {
    "__getitem__": "(self, index: Any) -> Tensor",
    "__setitem__": "(self, index: Any, value: Operand) -> None",
    "__iter__": "(self) -> Iterator[Tensor]",
    "__array__": "(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray",
    "__dlpack__": "(self, **kwargs: Any) -> Any",
    "__dlpack_device__": "(self) -> tuple[int, int]",
    "__eq__": "(self, other: Any) -> Tensor",
    "__ne__": "(self, other: Any) -> Tensor",
    "__hash__": "(self) -> int",
    "__format__": "(self, spec: str) -> str",
}
"""Signatures that Python prescribes."""

UNARY = {"__neg__", "__pos__", "__abs__", "__invert__"}


def annotation(text) -> str | None:
    """An annotation as it can stand in the stub."""
    if not isinstance(text, str):
        return None
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return None
    named = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return _qualified(text) if named <= KNOWN else None


def _qualified(text: str) -> str:
    """``int`` is a method too, in the body of `Tensor`."""
    return re.sub(r"\b(bool|int|float|type)\b", r"builtins.\1", text)


def default(value) -> str:
    """A default value, or an ellipsis for what has no short literal."""
    if isinstance(value, tuple):
        parts = [default(v) for v in value]
        return "..." if "..." in parts else repr(value)
    return repr(value) if value is None or isinstance(value, (bool, int, float, str)) else "..."


def parameters(fn) -> list[inspect.Parameter]:
    """The parameters, with MindSpore's other spellings where ``fn`` takes them."""
    found = list(inspect.signature(fn).parameters.values())
    code = getattr(inside(fn), "__code__", None)
    takes_more = code is not None and code.co_flags & inspect.CO_VARKEYWORDS
    if takes_more and not any(p.kind is p.VAR_KEYWORD for p in found):
        names = {p.name: p for p in found}
        pairs = docs.SPELLINGS.items()
        found += [
            names[mine].replace(name=other, kind=inspect.Parameter.KEYWORD_ONLY)
            for other, mine in (*pairs, *((b, a) for a, b in pairs))
            if mine in names and other not in names
        ]
    return found


def signature(fn, first: str = "self") -> str:
    """The parameters of ``fn`` as source text, of an op with what it promotes."""
    made = []
    for i, p in enumerate(parameters(fn)):
        known = annotation(p.annotation)
        if i == 0 and first:
            made.append(inspect.Parameter(first, inspect.Parameter.POSITIONAL_ONLY))
        else:
            made.append(
                p.replace(
                    annotation=_Text(known) if known else p.empty,
                    default=p.empty if p.default is p.empty else _Text(default(p.default)),
                )
            )
    text = str(inspect.Signature(made)).replace("(self, /", "(self").replace("(cls, /", "(cls")
    return re.sub(r"(?<=\w)=(?=\S)", "=", text)


class _Text:
    """Prints as the text that it holds."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def returned(name: str, fn) -> str:
    """What ``fn`` returns: its annotation, or the word that its documentation begins ``Returns``
    with; else that of the op of the name, or of the one that it refers to.
    """
    for f in (fn, *_relatives(name, fn)):
        known = annotation(getattr(f, "__annotations__", {}).get("return"))
        if known:
            return known
        text = re.search(r"Returns:\s*\n\s*([^\n]*)", f.__doc__ or "")
        if text:
            kinds = [_kind(part) for part in text[1].partition(":")[0].split(", or ")]
            return " | ".join(dict.fromkeys(kinds)) if all(kinds) else "Any"
    return "Tensor" if re.fullmatch(r"[a-z]\w*_", name) else "Any"  # in place: the tensor itself


def _relatives(name: str, fn):
    reference = re.search(r"[Ss]ee `ops\.(\w+)`", fn.__doc__ or "")
    for n in (reference and reference[1], name):
        found = getattr(ops, n, None) if n else None
        if found is not None:
            yield found


def _kind(text: str) -> str | None:
    """``Tensor[(N, C), float]`` → Tensor; ``a tuple …`` → tuple."""
    word = re.match(r"(?:an? )?(\w+(?:\[Tensor(?:, \.\.\.)?\])?)", text.strip())
    kinds = {"Tensor": "Tensor", "Parameter": "Parameter", "None": "None", "Handle": "Any"}
    kinds |= {n: _qualified(n) for n in ("bool", "int", "float", "str", "list")}
    kinds |= {"tuple": "tuple[Tensor, ...]", "number": "Number", "numpy": "np.ndarray"}
    return kinds.get((word[1] if word else "").partition("[")[0])


def summary(fn) -> str:
    """The first line of the documentation."""
    text = (inspect.getdoc(fn) or "").split("\n\n")[0]
    return " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")


def member(cls: type, name: str, value) -> str:
    """One attribute of a class."""
    if isinstance(value, property):
        known = name in PROPERTIES and not hasattr(value.fget, "__annotations__")
        kind = "Any" if known else returned(name, value.fget)
        kind = kind if kind != "Any" else _qualified(PROPERTIES.get(name, "Any"))
        lines = ["@property", f"def {name}(self) -> {kind}:", f'    """{summary(value)}"""']
        if value.fset is not None:
            lines += [f"@{name}.setter", f"def {name}(self, value: {kind}) -> None: ..."]
        return "\n".join(lines)
    decorator = ""
    if isinstance(value, (classmethod, staticmethod)):
        decorator = f"@{type(value).__name__}\n"
        first = "cls" if isinstance(value, classmethod) else ""
        value = value.__func__
    else:
        first = "self"
    if not callable(value):
        return f"{name}: {type(value).__name__}" if value is not None else f"{name}: None"
    if name in SPECIAL:
        head = f"def {name}{_qualified(SPECIAL[name])}"
    elif re.fullmatch("__r?(" + "|".join((*methods.BINARY, *methods.COMPARE)) + ")__", name):
        gives = "tuple[Tensor, Tensor]" if "divmod" in name else "Tensor"
        head = f"def {name}(self, other: Operand) -> {gives}"
    elif name in UNARY:
        head = f"def {name}(self) -> Tensor"
    else:
        kind = "None" if name == "__init__" else returned(name, value)
        head = f"def {name}{signature(value, first)} -> {kind}"
    if name in ("__eq__", "__ne__"):
        return f"{head}: ...  # type: ignore[override]"
    text = "" if name.startswith("__") else summary(value)
    return decorator + head + (f':\n    """{text}"""' if text else ": ...")


PROPERTIES = {
    "abstract": "AbstractTensor",
    "shape": "tuple[int, ...]",
    "dtype": "dt.DType",
    "ndim": "int",
    "size": "int",
    "itemsize": "int",
    "nbytes": "int",
    "device": "str",
    "T": "Tensor",
    "mT": "Tensor",
    "H": "Tensor",
    "mH": "Tensor",
    "real": "Tensor",
    "imag": "Tensor",
}
"""Types of properties that are made of bare functions."""


def class_stub(cls: type, bases: str) -> str:
    """A class with all that it defines; slots as attributes."""
    skipped = {
        "_holds",
        "__new__",
        "__module__",
        "__doc__",
        "__slots__",
        "__weakref__",
        "__dict__",
        "__annotations__",
    }
    skipped |= {"__firstlineno__", "__static_attributes__", "__array_priority__"}
    slots = [n for n in getattr(cls, "__slots__", ()) if not n.startswith("__")]
    slots = ["_array" if n == "_holds" else n for n in slots]  # by which it is read
    lines = [f"class {cls.__name__}{bases}:", f'    """{summary(cls)}"""', ""]
    lines += [f"    {n}: {_qualified(SLOTS.get(n, 'Any'))}" for n in slots] + [""]
    inherited = [vars(c) for c in cls.__mro__ if c.__module__.startswith("minds.arrays.")]
    own = dict(ChainMap(vars(cls), *(inherited if cls is Tensor else ())))
    for name, value in own.items():
        if name not in skipped and name not in slots:
            lines += ["    " + line for line in member(cls, name, value).split("\n")]
    return "\n".join(lines)


SLOTS = {
    "_array": "_core.Array",
    "_abstract": "AbstractTensor | None",
    "dims": "tuple | None",
    "dtype": "dt.DType",
    "shape": "tuple[int, ...]",
    "requires_grad": "bool",
}


def tensor_stub() -> str:
    """The text of minds/tensor.pyi."""
    parts = [HEAD]
    bases = {Tensor: "", TensorType: "(Tensor)", Parameter: "(Tensor)"}
    parts += [class_stub(cls, base) for cls, base in bases.items()]
    for name, fn in vars(source).items():
        if inspect.isfunction(fn) and fn.__module__ == source.__name__:
            parts.append(
                f'def {name}{signature(fn, "")} -> {returned("", fn)}:\n    """{summary(fn)}"""'
            )
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(PATH), "-"]
    done = subprocess.run(
        command, input="\n\n".join([*parts, TAIL]), capture_output=True, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    PATH.write_text(tensor_stub(), encoding="utf-8")

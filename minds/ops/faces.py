"""Faces: the names under which an op, or a function over ops, is offered.

A definition says its faces where it stands. `define.op` and the families (`families`) take them as
options, `face` gives them to a function of `ops.function`, `primitive` to the maker of a class. The
packages derive what they offer from `offered`: nothing is listed again.

========  ==========================================================================================
function  functions of `minds.ops`
alias     MindSpore 1.x's names of the same function
method    methods of Tensor; a name that ends in ``_`` is the method that changes the tensor
property  properties of Tensor
cls       primitive classes, with the parameters of their constructor: ``"Elu(alpha=1.0)"``
inner     primitive classes that are no names of `minds.ops`, only of the modules below ``ops.operations``
mint      functions of `minds.mint`; in a submodule with its path, ``"nn.functional.gelu"``, where
          ``"nn.GELU"`` is a layer
numpy     functions of `minds.numpy`; ``"ceil(float)"`` makes its operands floating point first
sparse    functions of the elements of sparse tensors, ``coo_NAME`` and ``csr_NAME``
========  ==========================================================================================

Each is a string of names, or True for the definition's own name: for ``method`` and ``mint`` those
that ``function`` gives, for ``cls`` in CamelCase.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Face(NamedTuple):
    """One name of a definition.

    Attributes:
        target: the op or function; of a class with a maker, the maker.
        given (str): what stands in parentheses behind the name.
        made (bool): whether ``target`` makes the function from the constructor's arguments.
        like (str): the public function whose docstring is made into that of the face.
    """

    target: Callable
    given: str = ""
    made: bool = False
    like: str = ""


KINDS = ("function", "alias", "method", "property", "cls", "inner", "mint", "numpy", "sparse")
_OFFERED: dict[str, dict[str, Face]] = {kind: {} for kind in KINDS}
_WORD = re.compile(r"([\w.]+)(?:\(((?:[^()]|\([^()]*\))*)\))?")


def offered(kind: str) -> dict[str, Face]:
    """The faces of a kind by name."""
    return _OFFERED[kind]


def _enter(kind: str, name: str, found: Face) -> None:
    """Raise ValueError if the name is taken: a face is listed once."""
    taken = _OFFERED[kind]
    if name in taken:
        raise ValueError(f"the {kind} {name!r} is given to {taken[name].target} and {found.target}")
    taken[name] = found


def camel(name: str) -> str:
    """``log_softmax`` as ``LogSoftmax``."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def offer(target: Callable, name: str, like: str = "", **faces) -> None:
    """Enter the faces of a definition whose own name is ``name``."""
    public = faces.get("function")
    for kind, words in faces.items():
        if words is True:
            derived = isinstance(public, str) and kind in ("method", "mint")
            words = camel(name) if kind == "cls" else public if derived else name
        for word, given in _WORD.findall(words or ""):
            _enter(kind, word, Face(target, given, like=like))


def face(like: str = "", **faces) -> Callable:
    """Decorator: the faces of a function.

    A function named ``_`` exists for its faces alone and takes the name of the first: its
    parameters, or what it gives, are not those of the public function, ``like``, from whose
    docstring its own is made.
    """

    def make(fn):
        name = fn.__name__.rstrip("_")
        if not name:
            name = next(w for words in faces.values() for w, _ in _WORD.findall(words))
            name = fn.__name__ = fn.__qualname__ = name.rpartition(".")[2]
            offer(fn, name, like or name, **faces)
        else:
            offer(fn, name, like, **faces)
        return fn

    return make


def primitive(
    make: Callable | None = None, *, name: str = "", like: str = "", inner: bool = False
) -> Callable:
    """Decorator of a function with a class's name (or of which ``name`` gives the names): of the
    constructor's arguments it makes the function that an object of the class is. ``inner`` classes are
    found in the modules below ``ops.operations`` alone.
    """

    def enter(make):
        for word in (name or make.__name__).split():
            _enter("inner" if inner else "cls", word, Face(make, made=True, like=like))
        return Maker(make)

    return enter if make is None else enter(make)


class Maker(NamedTuple):
    """What `primitive` leaves in place of a function, which would be public."""

    make: Callable


__all__ = ["KINDS", "Face", "Maker", "camel", "face", "offer", "offered", "primitive"]

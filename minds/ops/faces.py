"""Faces: the names under which an op, or a function over ops, is offered.

A definition says its faces where it stands. `define.op` and the families (`families`) take them as
options, `face` gives them to a function of `ops.function`, `primitive` to the maker of a class. The
packages derive what they offer from `offered`: nothing is listed again.

========  ==========================================================================================
function  functions of `minds.ops`
alias     MindSpore 1.x's names of the same function
method    methods of Tensor; a name that ends in ``_`` is the method that changes the tensor
cls       primitive classes, with the parameters of their constructor: ``"Elu(alpha=1.0)"``
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
    """

    target: Callable
    given: str = ""
    made: bool = False


KINDS = ("function", "alias", "method", "cls", "mint", "numpy", "sparse")
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


def offer(target: Callable, name: str, **faces) -> None:
    """Enter the faces of a definition whose own name is ``name``."""
    public = faces.get("function")
    for kind, words in faces.items():
        if words is True:
            derived = isinstance(public, str) and kind in ("method", "mint")
            words = camel(name) if kind == "cls" else public if derived else name
        for word, given in _WORD.findall(words or ""):
            _enter(kind, word, Face(target, given))


def face(**faces) -> Callable:
    """Decorator: the faces of a function.

    A function named ``_`` exists for its face alone, which has other parameters than the public
    function, and takes its name.
    """

    def make(fn):
        name = fn.__name__.rstrip("_")
        if not name:
            name = next(w for words in faces.values() for w, _ in _WORD.findall(words))
            fn.__name__ = fn.__qualname__ = name.rpartition(".")[2]
        offer(fn, name, **faces)
        return fn

    return make


def primitive(make: Callable) -> Face:
    """Decorator of a function with a class's name: of the constructor's arguments it makes the
    function that an object of the class is.
    """
    found = Face(make, made=True)
    _enter("cls", make.__name__, found)
    return found


__all__ = ["KINDS", "Face", "camel", "face", "offer", "offered", "primitive"]

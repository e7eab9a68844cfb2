"""Docstrings of faces, made from the one of the function that they are faces of.

A face takes other parameters, or takes them by other names, than the function: its ``Args`` are the
function's, picked and renamed; what only the face has is in `COMMON`.
"""

from __future__ import annotations

import inspect
import re

from ..base.described import entries, sections

_DEFAULT = re.compile(r"\s*Default: .*\Z", re.S)
SPELLINGS = {"dim": "axis", "keep_dims": "keepdims", "keepdim": "keepdims"}
"""MindSpore's and torch's other names of parameters."""
COMMON = {
    "alpha": "(number): a factor of the second operand. Default: 1.",
    "args": "(tuple): further arguments of the function.",
    "axis": "(int | tuple[int]): the dimension, or several. Default: all, where there is a default.",
    "bins": "(int | Tensor): how many bins, or their edges.",
    "correction": "(int): what is subtracted from the number of elements. Default: that of ``ddof``.",
    "compute_mode": "(str): accepted for torch's sake; there is one way to compute it.",
    "data_format": "(str): the order of dimensions; others than the default are refused.",
    "ddof": "(int): what is subtracted from the number of elements. Default: 0.",
    "descending": "(bool): whether the largest come first. Default: False.",
    "device": "(str): accepted for torch's sake; tensors are where the program runs.",
    "dtype": "(dtype): the element type of the result. Default: the one of the operand.",
    "equal_nan": "(bool): whether nan is equal to nan. Default: False.",
    "generator": "(Generator): what numbers are drawn from. Default: that of `set_seed`.",
    "indices": "(Tensor[int]): the positions.",
    "initial": "(number): takes part in the reduction as one more element. Default: None.",
    "inplace": "(bool): accepted for torch's sake; the result is always a new tensor.",
    "kernel_size": "(int | tuple[int]): accepted for MindSpore's sake; the weight tells.",
    "keepdims": "(bool): whether reduced dimensions are kept with size 1. Default: False.",
    "kwargs": "(dict): further arguments by name.",
    "mode": "(str): what is done at places that are outside.",
    "momentum": "(float): accepted for MindSpore's sake; the running statistics are not kept here.",
    "non_blocking": "(bool): accepted for torch's sake.",
    "other": "(Tensor | number): the second operand.",
    "num": "(int): accepted for MindSpore's sake; the shape tells.",
    "num_split": "(int): accepted for MindSpore's sake; ``size_splits`` tells.",
    "out_channel": "(int): accepted for MindSpore's sake; the weight tells.",
    "in_channel": "(int): accepted for MindSpore's sake; the weight tells.",
    "output_size": "(int): accepted for torch's sake; ``repeats`` tells.",
    "out": "(Tensor): accepted for torch's sake.",
    "reduction": '(str): ``"mean"``, ``"sum"`` or ``"none"``. Default: ``"mean"``.',
    "return_indices": "(bool): whether positions are returned too. Default: False.",
    "seed": "(int): of a stream of its own; 0 takes the global one. Default: 0.",
    "seed2": "(int): as ``seed``, where that is 0. Default: 0.",
    "shape": "(int | tuple[int]): the shape.",
    "size": "(int | tuple[int]): the shape.",
    "sorted": "(bool): accepted; the results are always in order.",
    "stable": "(bool): whether equal elements keep their order, which they always do.",
    "use_locking": "(bool): accepted for MindSpore's sake; writes never overlap. Default: False.",
    "use_lock": "(bool): accepted for MindSpore's sake; writes never overlap. Default: True.",
    "check_index_bound": "(bool): accepted; indices are always checked. Default: True.",
    "validate_indices": "(bool): accepted; indices are always checked. Default: True.",
    "where": "(Tensor[bool]): the elements that take part. Default: all.",
}
IGNORED = "(object): accepted for MindSpore's sake; it changes nothing."


def picked(known: dict[str, str], names: list[str], renamed=None, defaults=None) -> str:
    """An ``Args`` section for ``names``: what is known by the name in ``renamed``, the same, or
    another spelling; with ``defaults``, those are named.
    """
    lines = []
    for name in names:
        own = (renamed or {}).get(name, name)
        standard = _standard(name)
        options = (own, standard, *(s for s, t in SPELLINGS.items() if t == standard))
        text = next((known[o] for o in options if o in known), None) or COMMON.get(
            standard, "(object): as in MindSpore."
        )
        if defaults is not None:
            text = _DEFAULT.sub("", text)
            if defaults[name] is not inspect.Parameter.empty:
                text += f" Default: {defaults[name]!r}."
        lines.append(f"    {name} {text}")
    return "\n".join(lines)


def joined(parts: dict[str, str]) -> str:
    """A docstring of its sections; those without text are left out."""
    heads = [f"{head}:\n{text}" for head, text in parts.items() if text and head != "summary"]
    return "\n\n".join([parts["summary"], *heads])


def before_examples(doc: str, inserted: str) -> str:
    """``doc`` with ``inserted`` before its examples."""
    head, mark, examples = inspect.cleandoc(doc).partition("\nExamples:")
    return f"{head.rstrip()}\n\n{inspect.cleandoc(inserted)}\n{mark}{examples}"


def adapted(doc: str, names: list[str], of: list[str], summary: str | None = None) -> str:
    """The docstring of a function as that of a face with other parameters.

    Args:
        doc (str): the function's docstring.
        names (list[str]): the face's parameters.
        of (list[str]): the function's parameters.
        summary (str): the face's own first words. Default: None, the function's.
    """
    parts = sections(doc)
    renamed = {n: o for n in names if n not in of for o in of if _standard(o) == _standard(n)}
    for name, own in zip(names, of):
        if name in of or name in renamed or name in COMMON:
            break
        renamed[name] = own
    shown = [n for n in names if n != "self"]
    parts = {**parts, "Args": picked(entries(parts.get("Args", "")), shown, renamed)}
    parts = {head: parts.get(head, "") for head in _ORDER}
    for name, own in renamed.items():
        now = "this tensor" if name == "self" else f"``{name}``"
        parts = {head: text.replace(f"``{own}``", now) for head, text in parts.items()}
    return joined({**parts, "summary": summary or parts["summary"]})


_ORDER = ("summary", "Args", "Returns", "Raises", "Examples")


def _standard(name: str) -> str:
    return SPELLINGS.get(name, name)


def of_class(
    name: str, constructor: inspect.Signature, attributes: dict, doc: str, call: str, of: list[str]
) -> str:
    """The docstring of a primitive class.

    Args:
        name (str): the class.
        constructor (Signature): of the class.
        attributes (dict): for each of the constructor's parameters the function's name of it, or
            None for one that changes nothing.
        doc (str): the function's docstring.
        call (str): the function as its examples call it, ``"ops.abs("``, where the class is called
            alike; else empty.
        of (list[str]): the function's parameters that are operands.
    """
    parts = sections(doc)
    known = entries(parts.get("Args", ""))
    given = {own: known[own] for own in attributes.values() if own in known}
    given.update(dict.fromkeys((a for a, own in attributes.items() if own is None), IGNORED))
    defaults = {n: p.default for n, p in constructor.parameters.items()}
    standard = {_standard(n) for n in (*attributes, *attributes.values())}
    operands = [n for n in of if _standard(n) not in standard]
    examples = parts.get("Examples", "")
    if call and not attributes:
        examples = examples.replace(call, f"ops.{name}()(")
    return joined(
        {
            "summary": parts["summary"] or f"The primitive {name}, as in MindSpore.",
            "Args": picked(given | known, list(attributes), attributes, defaults),
            "Inputs": picked(known, operands),
            "Outputs": parts.get("Returns", ""),
            "Raises": parts.get("Raises", ""),
            "Examples": examples,
        }
    )


__all__ = ["COMMON", "SPELLINGS", "adapted", "entries", "joined", "of_class", "picked", "sections"]

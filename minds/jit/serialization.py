"""Compiled programs as files: what `export` writes and `load` reads.

A file is a ZIP archive: ``program.txt`` is the graph as `ir.text` writes it, before it is lowered;
``program.json`` says what it takes and gives; ``tensors/…`` are the bytes of parameters and of
constants. So a program can be read, and it does not depend on the source it was made from.
"""

from __future__ import annotations

import builtins
import json
import zipfile

from ..ad import tape
from ..base import dtype as dt
from ..base import tree
from ..base.errors import complain
from ..base.options import freeze
from ..frontend import region
from ..frontend.text import ErrorMaker, Template, Text
from ..frontend.values import Leaf, describe, unflatten
from ..ir import prim, text, walk
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTuple
from ..ir.node import Node, replace
from ..lower.program import lower
from ..ops.define import P
from ..passes.driver import run_steps
from ..tensor import Parameter, Tensor, scalar_tensor
from .arguments import key_of
from .evaluate import run
from .pipeline import STEPS, parse, quietly, restored

FORMAT = "minds program 1"


class StoredProgram:
    """A program that was read from a file.

    Attributes:
        parameters (list[Parameter]): its parameters, with the values of the file.
    """

    def __init__(self, source: str, about: dict, tensors: dict):
        self.source, self.about, self._table = source, about, tensors
        self.parameters = [
            Parameter(
                tensors.pop(f"parameter {i}"), name=p["name"], requires_grad=p["requires_grad"]
            )
            for i, p in enumerate(about["parameters"])
        ]
        self.out = _made(about["out"])
        self._executable = None

    def graph(self):
        """The program as a graph, made anew."""
        return text.parse(self.source, P, lambda a, dtype: Tensor(a, dtype), self._table)

    def arguments(self, args: tuple) -> list:
        """What the program takes at run time of the arguments of a call.

        Raises:
            TypeError: they are of other types than the program was made for.
        """
        leaves: list = []
        if repr(key_of(args, leaves)) != self.about["key"]:
            raise self._other_types()
        return leaves

    def __call__(self, *args):
        leaves = self.arguments(args)
        if tape.active():
            graph = self.graph()
            given = self._in_order(graph, self.parameters, [_tensor(v) for v in leaves])
            return restored(
                self.out, map(_number, tree.leaves(run(graph, given)), self._results(graph)), ()
            )
        if self._executable is None:
            with quietly():
                self._executable = lower(self.graph(), freeze())
            self._executable.bind([p._array for p in self.parameters])
        found = map(Tensor._wrap, self._executable([_tensor(v)._array for v in leaves]))
        return restored(self.out, map(_number, found, self._executable.results), ())

    @staticmethod
    def _in_order(graph, parameters: list, inputs: list) -> list:
        """The arguments of the graph."""
        refs, given = iter(parameters), iter(inputs)
        return [next(refs if isinstance(p.abstract, AbstractRef) else given) for p in graph.params]

    @staticmethod
    def _results(graph) -> list:
        """The types of what the graph gives."""
        a = graph.output.abstract
        return list(a.items) if isinstance(a, AbstractTuple) else [a]

    def emit(self, ip, args: list):
        """The call of the program in compiled code."""
        graph = self.graph()
        inputs = [ip.node(v) for v in tree.leaves(args, only=_is_run_time)]
        wanted = [p.abstract for p in graph.params if not isinstance(p.abstract, AbstractRef)]
        if [n.abstract for n in inputs] != wanted:
            raise self._other_types()
        read = _reads_only(graph)
        nodes = self._in_order(
            graph, [ip.read(p) if read else ip.parameters.ref(p) for p in self.parameters], inputs
        )
        if read:
            _by_value(graph)
        ip.builder.loc = ip.here()
        call = ip.builder.call(graph, nodes, graph.output.abstract)
        ip.parameters.loaded.clear()  # the program may have written what was read before
        return unflatten(self.out, iter(region.unpack(ip, call, len(self._results(graph)))))

    def _other_types(self) -> Exception:
        return complain(
            TypeError,
            f"the program was exported for {', '.join(self.about['inputs'])}",
            expected="arguments of these types and shapes",
        )


def write(path: str, fn, args: tuple) -> None:
    """Compile ``fn`` for arguments like these, and write the program to a file.

    Raises:
        ValueError: it returns or holds what a file cannot hold, or changes its arguments.
    """
    options, leaves, table = freeze(), [], {}
    with quietly():
        ip, out = parse(fn, args, {}, options)
        if ip.imports.given or ip.tensors.stored():
            raise complain(
                ValueError,
                "export: the program changes its arguments",
                cure="return the new values",
            )
        graph = run_steps(ip.root, STEPS, options)
        source = text.dump(graph, table)
    key = repr(key_of(args, leaves))
    about = {
        "format": FORMAT,
        "key": key,
        "inputs": [
            str(p.abstract) for p in graph.params if not isinstance(p.abstract, AbstractRef)
        ],
        "out": _plain(out),
        "parameters": [
            {"name": p.name, "requires_grad": p.requires_grad} for p in ip.parameters.found
        ],
        "tensors": {},
    }
    about["others"] = {
        name: _plain(v, "holds") for name, v in table.items() if not isinstance(v, Tensor)
    }
    table = {name: v for name, v in table.items() if isinstance(v, Tensor)}
    table |= {f"parameter {i}": p for i, p in enumerate(ip.parameters.found)}
    for name, value in table.items():
        about["tensors"][name] = [value.dtype.name, list(value.shape)]
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("program.txt", source)
        file.writestr("program.json", json.dumps(about, indent=1))
        for name, value in table.items():
            file.writestr(f"tensors/{name}", value.get_bytes())


def read(path: str) -> StoredProgram:
    """The program that a file holds.

    Raises:
        ValueError: the file is none that `write` wrote.
    """
    try:
        with zipfile.ZipFile(path) as file:
            about = json.loads(file.read("program.json"))
            if about["format"] != FORMAT:
                raise ValueError(about["format"])
            tensors = {
                name: Tensor.convert_bytes_to_tensor(
                    file.read(f"tensors/{name}"), tuple(shape), dt.of(dtype)
                )
                for name, (dtype, shape) in about["tensors"].items()
            }
            others = {name: _made(v) for name, v in about["others"].items()}
            return StoredProgram(file.read("program.txt").decode(), about, tensors | others)
    except (zipfile.BadZipFile, KeyError, ValueError) as e:
        raise complain(ValueError, f"load: {path} holds no exported program: {e}") from e


def _plain(value, what: str = "returns"):
    """The skeleton of a result, or a constant of a program, as JSON."""
    if isinstance(value, Leaf):
        return "leaf"
    if value is None or type(value) in (bool, int, float, str):
        return {"is": value}
    if isinstance(value, dict) and all(type(k) in (bool, int, float, str) for k in value):
        return {"dict": [[k, _plain(v, what)] for k, v in value.items()]}
    if type(value) is tuple or isinstance(value, list):
        return {"tuple" if isinstance(value, tuple) else "list": [_plain(v, what) for v in value]}
    if isinstance(value, Text):
        return {"text": [value.forms, [_plain(v, what) for v in value.values]]}
    if isinstance(value, Template):
        return {"template": [_plain(value.skeleton, what), value.numbers]}
    if isinstance(value, ErrorMaker):
        return {"raised": [_error(value.error, ()), _plain(value.args, what)]}
    if isinstance(value, Exception):
        return {"error": _error(value, [_plain(a, what) for a in value.args])}
    raise complain(
        ValueError,
        f"export: the program {what} {describe(value)}, which a file cannot hold",
        expected="tensors, numbers, texts, None, and tuples, lists and dicts of them",
    )


def _error(error: Exception, args) -> list:
    """The class of an error, its arguments, and what was expected."""
    kind = next(k for k in type(error).__mro__ if getattr(builtins, k.__name__, None) is k)
    complaint = getattr(error, "complaint", None)
    return [
        kind.__name__,
        args,
        None if complaint is None else [complaint.expected, complaint.cure],
    ]


def _made(value):
    """What `_plain` wrote."""
    if value == "leaf":
        return Leaf(None)
    ((kind, inner),) = value.items()
    if kind == "is":
        return inner
    if kind == "dict":
        return {k: _made(v) for k, v in inner}
    if kind in ("tuple", "list"):
        return (tuple if kind == "tuple" else list)(map(_made, inner))
    if kind == "error":
        return _made_error(inner)
    first, second = inner
    if kind == "text":
        return Text(tuple(map(_form, first)), list(map(_made, second)))
    if kind == "template":
        return Template.of(_made(first), second)
    return ErrorMaker(_made_error(first), _made(second), None)


def _form(f):
    """A part of a `Text`: JSON has no tuples."""
    return f if isinstance(f, str) else tuple([tuple(v) if isinstance(v, list) else v for v in f])


def _made_error(inner: list) -> Exception:
    kind, args, said = inner
    cls, args = getattr(builtins, kind), list(map(_made, args))
    return (
        cls(*args)
        if said is None
        else complain(cls, "".join(args[:1]), expected=said[0], cure=said[1])
    )


def _reads_only(graph) -> bool:
    """Whether the program changes no parameter."""
    return all(n.fn is not prim.assign for g in walk.graphs(graph) for n in g)


def _by_value(graph) -> None:
    """Let a program that only reads its parameters take their values, by which it can be
    differentiated.
    """
    for g in walk.graphs(graph):
        for p in g.params:
            if isinstance(p.abstract, AbstractRef):
                p.abstract = p.abstract.value
        for n in [n for n in g if n.fn is prim.load]:
            replace(n, n.args[0])
            g.remove(n)


def _is_run_time(v) -> bool:
    """Whether `key_of` finds a part of arguments in compiled code to be a leaf."""
    return isinstance(v, (Node, Tensor)) or type(v) in (int, float)


def _tensor(v) -> Tensor:
    """What a program takes for ``v``."""
    return (
        v
        if isinstance(v, Tensor)
        else scalar_tensor(v, dt.float64 if type(v) is float else dt.int64)
    )


def _number(v: Tensor, a):
    """``v``, as a number where it is one of the program's scalars."""
    return v.item() if isinstance(a, AbstractScalar) else v


__all__ = ["StoredProgram", "read", "write"]

"""Compiled programs as files: what `export` writes and `load` reads.

The text of the graph is written (`program_file`), so a program can be read, and does not depend on the
source it was made from. What a file says is checked before it is used: the graph is verified, and
each op's inference must give the types that are written.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from ..ad import tape
from ..base import dtype as dt
from ..base import tree
from ..base.errors import CompileTimeError, complain
from ..base.options import freeze
from ..frontend.values import leaf_abstracts, unflatten
from ..ir import dim, prim, text, walk
from ..ir.abstract import AbstractRef, AbstractScalar, AbstractTensor, AbstractTuple
from ..ir.bind import bind
from ..ir.check import check
from ..ir.node import Constant, Graph, Node, replace
from ..ir.shape_env import ShapeEnv
from ..ir.sizes import alike, open_, sizes_of
from ..lower.program import lower
from ..ops.define import ATTR, LIBRARY, TENSORS, Op, P
from ..tensor import Parameter, Tensor, TensorType, scalar_tensor
from . import program_file
from .arguments import CONSTANTS, identities, key_of, without_sizes
from .evaluate import run
from .family import KEPT, build_family
from .pipeline import build_graph, quietly
from .program_file import refusing
from .results import restored
from .signature import Signature, examples
from .stored_values import made, plain


class StoredProgram:
    """A program that was read from a file.

    Attributes:
        parameters (list[Parameter]): its parameters, with the values of the file.
    """

    def __init__(self, path: str, opened=None):
        self.path = path
        source, about, tensors = program_file.read(path, opened)
        with refusing(path):
            self._source, self._table = source, tensors
            self.parameters = [
                Parameter(
                    tensors.pop(f"parameter {i}"), name=p["name"], requires_grad=p["requires_grad"]
                )
                for i, p in enumerate(about["parameters"])
            ]
            self._table |= {name: made(v) for name, v in about["others"].items()}
            self._out, self._key = made(about["out"]), about["key"]
            self._constants = about["constants"]
            if type(self._key) is not str or type(self._constants) is not bool:
                raise TypeError("what it takes is not told")
            self._sizes = {name: _variable(name, *told) for name, told in about["sizes"].items()}
            self._scope = _scope(about, self._sizes)
            with quietly(), _scope(about, self._sizes):
                graph = check(self.graph(), closed=True, j=False)
                _check_types(graph)
                self._check_ends(graph)
        self._types = [p.abstract for p in graph.params if not isinstance(p.abstract, AbstractRef)]
        self._open = any(map(open_, self._types))
        self._executables: dict[tuple, object] = {}

    def graph(self) -> Graph:
        """The program as a graph, made anew."""
        made_of = SimpleNamespace(**{**vars(P), **vars(LIBRARY)})
        del made_of.host  # calls a function, which no file has
        return text.parse(self._source, made_of, Tensor, self._table, self._sizes)

    def _check_ends(self, graph: Graph) -> None:
        """Raise unless the program takes its parameters, and gives what its result consists of."""
        taken = [p.abstract for p in graph.params]
        if [p.abstract for p in self.parameters] != [
            a.value for a in taken if isinstance(a, AbstractRef)
        ]:
            raise ValueError("it has parameters of other types")
        if not all(
            isinstance(a, (AbstractTensor, AbstractScalar, AbstractRef))
            for a in (*taken, *self._results(graph))
        ):
            raise ValueError("it takes or gives what is no tensor")
        if len(leaf_abstracts(self._out, [])) != len(self._results(graph)):
            raise ValueError("its result has another number of parts")

    def arguments(self, args: tuple) -> list:
        """What the program takes at run time of the arguments of a call.

        Raises:
            TypeError: they are of other types than the program was made for.
        """
        leaves: list = []
        args = tree.map(_value, args)
        key = key_of(args, leaves, CONSTANTS.fresh() if self._constants else None)
        if repr(without_sizes(key) if self._open else key) != self._key:
            raise self._other_types()
        return leaves

    def __call__(self, *args):
        leaves = self.arguments(args)
        env = self._binding(leaves)
        if tape.active():
            graph = self._bound(env)
            given = self._in_order(graph, self.parameters, [_tensor(v) for v in leaves])
            return restored(
                self._out, map(_number, tree.leaves(run(graph, given)), self._results(graph)), ()
            )
        executable = self._executable(env)
        found = map(Tensor._wrap, executable([_tensor(v)._array for v in leaves]))
        return restored(self._out, map(_number, found, executable.results), ())

    def _binding(self, inputs: list) -> dict:
        """The size of each variable, for inputs of these shapes."""
        if not self._open:
            return {}
        env, wrong = sizes_of(_dims(self._types, inputs))
        if wrong is not None:
            raise self._other_types()
        with refusing(self.path):
            broken = self._scope.broken(env)
        if broken is not None:
            raise self._other_types(f", where {broken}")
        return env

    def _binding_inside(self, inputs: list) -> dict:
        """The same in compiled code, where sizes may be open too."""
        env, dims = {}, _dims(self._types, inputs)
        for d, n in dims:
            if len([x for x in dim.variables(d) if x not in env]) == 1:
                found = dim.solved(dim.replaced(d, env), n)
                env |= [] if found is None else [found]
        facts = [(("eq", d - n), True) for d, n in dims if type(d) is dim.Dim]
        facts += [(("lt", size - x.low), False) for x, size in env.items()]
        facts += [(("lt", x.high - size), False) for x, size in env.items() if x.high < math.inf]
        facts += self._scope.answers.items()
        if not all(dim.settle(k, dim.replaced(v, env)) == answer for (k, v), answer in facts):
            raise self._other_types()
        return env

    def _bound(self, env: dict) -> Graph:
        return bind(self.graph(), env) if env else self.graph()

    def _executable(self, env: dict):
        """The program for a binding; of too many the oldest is dropped."""
        key = tuple(env.values())
        found = self._executables.get(key)
        if found is None:
            with refusing(self.path), quietly():
                found = lower(self._bound(env), freeze(), bool(self._scope.found))
            found.bind([p._array for p in self.parameters])
            self._executables[key] = found
            if len(self._executables) > KEPT:
                del self._executables[next(iter(self._executables))]
        return found

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
        inputs = [ip.node(v) for v in tree.leaves(args, only=_is_run_time)]
        given = [n.abstract for n in inputs]
        if len(given) != len(self._types) or not all(map(_same_kind, given, self._types)):
            raise self._other_types()
        graph = self._bound(self._binding_inside(given))
        wanted = [p.abstract for p in graph.params if not isinstance(p.abstract, AbstractRef)]
        if given != wanted:
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
        found = [call]
        if isinstance(call.abstract, AbstractTuple):
            found = [ip.builder.getitem(call, i) for i in range(len(call.abstract.items))]
        return unflatten(self._out, iter(found))

    def _other_types(self, where: str = "") -> Exception:
        return complain(
            TypeError,
            f"the program was exported for {', '.join(map(repr, self._types))}{where}",
            expected="arguments of these types and shapes",
        )


def write(path: str, fn, args: tuple, how=program_file.TOGETHER) -> None:
    """Compile ``fn`` for arguments like these, and write the program to a file.

    Args:
        how (Writing): whether the file is encrypted, and what is too large for one.

    Raises:
        ValueError: it returns or holds what a file cannot hold, changes its arguments, or needs to
            know a size that is declared open.
    """
    args = tree.map(_value, args)
    opened = any(isinstance(v, TensorType) for v in tree.leaves(args))
    given = tree.map(lambda v: examples((v,))[0], args) if opened else args
    if identities(given, []):
        raise complain(
            ValueError,
            "export: an argument is or holds an object",
            expected="tensors, numbers, texts, None, and tuples, lists and dicts of them",
        )
    taken = None
    compile_ = _opened(fn, args, given) if opened else _fixed(fn, given)
    try:
        found = compile_(taken)
    except CompileTimeError:
        taken = CONSTANTS  # a number that must be known
        found = compile_(taken)
    leaves: list = []
    key = key_of(given, leaves, taken and taken.fresh())
    found["about"] |= {
        "key": repr(without_sizes(key) if opened else key),
        "constants": taken is not None,
    }
    program_file.write(path, **found, how=how)


def _fixed(fn, args: tuple):
    """What compiles ``fn`` for arguments whose sizes are those of these."""

    def finish(ip, out, graph, scope):
        changed = ip.imports.given or ip.tensors.stored()
        found = _parts(graph, out, changed, ip.parameters.found, scope)
        lower(graph, freeze(), bool(scope.found))
        return found

    return lambda taken: build_graph(fn, args, {}, freeze(alone=True), taken, finish, itself=False)


def _opened(fn, declared: tuple, args: tuple):
    """What compiles ``fn`` for arguments of which sizes are declared open. Those that must be equal
    for the program to fit are one size; where it does not ask, those at one place of several
    arguments, or else all.
    """

    def compiled(taken):
        leaves, first = [], None
        key_of(args, leaves, taken and taken.fresh())
        for names in (None, "shape[{}]", "size"):
            given = tree.map(lambda v, names=names: _named(v, names), declared)
            signature = Signature(given, {}, "export")
            types = signature.open_types(fn, args, {}, leaves, taken)
            found = build_family(fn, args, {}, types, taken, leaves, True, None, unify=True)
            family, first = found[0], first or found[1]
            if family is not None and _stay_open(types, family.types):
                return _parts(
                    family.graph,
                    family.out,
                    family.given or family.stored,
                    family.guards.parameters,
                    family.scope,
                )
        if taken is None:
            return compiled(CONSTANTS)
        raise complain(
            ValueError,
            f"export: not for all sizes that are declared open: {first}",
            cure="declare such a size as a number",
        )

    return compiled


def _named(v, names: str | None):
    """A declaration in which an open size has the name that its dimension gives."""
    if names is None or not isinstance(v, TensorType):
        return v
    dims = [dim.Dim(names.format(i)) if d is None else d for i, d in enumerate(v.dims)]
    return TensorType(shape=dims, dtype=v.dtype)


def _stay_open(declared: list, types: list) -> bool:
    """Whether no size that was declared open had to become a number."""
    return all(
        type(n) is dim.Dim or type(d) is not dim.Dim
        for a, b in zip(declared, types)
        if a is not None
        for d, n in zip(a.shape, b.shape)
    )


def _parts(graph: Graph, out, changed, parameters: list, scope: ShapeEnv) -> dict:
    """What `program_file.write` takes, but for the key of the arguments."""
    if changed:
        raise complain(
            ValueError,
            "export: the program changes its arguments",
            cure="return the new values",
        )
    for op in {n.fn for g in walk.graphs(graph) for n in g if isinstance(n.fn, Op)}:
        if op is P.host or op not in (vars(P).get(op.name), vars(LIBRARY).get(op.name)):
            raise complain(
                ValueError,
                f"export: the program calls {op.name}, a function of Python, which a file cannot "
                "hold",
                cure="express it by operators",
            )
    table, sizes = {}, text.Sizes()
    source = text.dump(graph, table, sizes=sizes)
    answers = [[kind, sizes.text(v), answer] for (kind, v), answer in scope.answers.items()]
    tensors = {name: v for name, v in table.items() if isinstance(v, Tensor)}
    tensors |= {f"parameter {i}": p for i, p in enumerate(parameters)}
    about = {
        "out": plain(out),
        "parameters": [{"name": p.name, "requires_grad": p.requires_grad} for p in parameters],
        "others": {n: plain(v, "holds") for n, v in table.items() if not isinstance(v, Tensor)},
        "sizes": {
            name: [*_bounds(v), isinstance(v, dim.Unbacked), scope.example.get(v)]
            for v, name in sizes.names.items()
        },
        "answers": answers,
    }
    return {"source": source, "about": about, "tensors": tensors}


def _bounds(v: dim.Var) -> list:
    return [v.name, v.low, None if v.high == math.inf else v.high, v.factor, v.rest]


def _variable(name: str, said: str, low, high, factor, rest, found, example) -> dim.Var:
    """A variable of sizes, as the file tells it."""
    numbers = (low, factor, rest, *([] if high is None else [high]))
    if type(said) is not str or any(type(n) is not int for n in numbers):
        raise TypeError(f"the size {name} has the bounds {numbers}")
    kind = dim.Unbacked if found else dim.Var
    return kind(said, low, math.inf if high is None else high, factor, rest)


def _scope(about: dict, sizes: dict) -> ShapeEnv:
    """What the program assumes of sizes."""
    examples = {sizes[name]: told[-1] for name, told in about["sizes"].items()}
    scope = ShapeEnv({v: n for v, n in examples.items() if n is not None}, True)
    scope.answers = {
        (kind, text.parse_size(size, sizes)): answer is True
        for kind, size, answer in about["answers"]
        if kind in ("eq", "lt")
    }
    scope.found = [v for v in sizes.values() if isinstance(v, dim.Unbacked)]
    return scope


def _check_types(root: Graph) -> None:
    """Raise unless the inference of each op gives the type that is written."""
    for g in walk.graphs(root):
        if any(p.abstract is None for p in g.params):
            raise TypeError(f"{g!r}: a parameter has no type")
        for n in g:
            if not isinstance(n.fn, Op):
                continue
            if len(n.args) != len(n.fn.kinds):
                raise TypeError(f"{n.fn.name} has {len(n.args)} arguments")
            found, _ = n.fn.infer([_seen(a, k) for a, k in zip(n.args, n.fn.kinds)])
            if not _same_type(found, n.abstract):
                raise TypeError(f"{n.fn.name} gives {found!r}, not {n.abstract!r}")


def _seen(a: Node, kind: str):
    """What an op's inference gets for an argument."""
    constant = a.__class__ is Constant
    if kind == ATTR:
        if not constant:
            raise TypeError(f"{a!r} stands where a constant is expected")
        return a.value
    if constant and a.value is None:
        return None
    return a.abstract.items if kind == TENSORS else a.abstract


def _same_type(a, b) -> bool:
    """Whether two types have the same form; a number is a tensor of no dimension here."""
    if isinstance(a, AbstractTuple):
        return (
            isinstance(b, AbstractTuple)
            and len(a.items) == len(b.items)
            and all(map(_same_type, a.items, b.items))
        )
    return alike(a, b) or _same_kind(a, b) and a.shape == b.shape


def _same_kind(a, b) -> bool:
    """Whether two types have one dtype and rank."""
    return hasattr(b, "shape") and a.dtype is b.dtype and a.ndim == b.ndim


def _dims(types: list, inputs: list) -> list:
    """(dimension, size) of all inputs."""
    return [p for a, v in zip(types, inputs) if a.shape for p in zip(a.shape, v.shape)]


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


def _value(v):
    """``v``; of a Parameter that is an argument its value."""
    return v.value() if isinstance(v, Parameter) else v


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


__all__ = ["StoredProgram", "write"]

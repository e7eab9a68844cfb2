"""A program as Python source that runs under CPython in PyNative mode, with the same numbers.

A graph becomes a function in A-normal form; closures stay nested functions. A switch that is called
becomes ``if``; a branch used nowhere else stands in it. A graph that calls itself only in tail
position becomes ``while True``, any other recursion stays one (and needs Python's recursion limit
raised if it is deep). Run-time numbers are Python numbers. What cannot be written as a literal is
in the dict `PythonSource.constants`.
"""

from __future__ import annotations

import ast
import keyword
import math
import re

import astunparse

from ..base import dtype as dt
from ..ir import prim, walk
from ..ir.abstract import AbstractScalar
from ..ir.node import Apply, Constant, Graph, Node
from ..ir.text import type_text
from ..ops.define import ATTR, P

_BINARY = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "div": ast.Div,
    "floor_divide": ast.FloorDiv,
    "mod": ast.Mod,
    "pow": ast.Pow,
}
_COMPARE = {
    "less": ast.Lt,
    "less_equal": ast.LtE,
    "greater": ast.Gt,
    "greater_equal": ast.GtE,
    "equal": ast.Eq,
    "not_equal": ast.NotEq,
}
_UNARY = {"neg": ast.USub, "logical_not": ast.Not}
_DEPTH = 12  # how deep branches nest before they become functions; also bounds our own recursion


class PythonSource:
    """The Python source of a program.

    Attributes:
        text (str): the source; the function of the root is called ``name``.
        constants (dict): what the source calls ``constants``.
    """

    def __init__(self, root: Graph):
        self.root, self.constants, self._keys = root, {}, {}
        calls = walk.call_map(root)
        self._free = walk.free_variables(root, calls)
        self._mentions: dict[Graph, int] = {}
        for g in calls:
            for n in (*g, g.ret):
                for h in walk.referred(n):
                    self._mentions[h] = self._mentions.get(h, 0) + 1
        self._names: dict = {}
        taken = {
            "P",
            "Tensor",
            "constants",
            "partial",
            "dtype",
            "J",
            "load",
            "assign",
            "float",
            "int",
            "bool",
        }
        for g in calls:
            self._name(g, g.name, taken)
            for p in g.params:
                self._name(p, p.name, taken)
        for i, n in enumerate(n for g in calls for n in g):
            self._names[n] = f"t{i}" if f"t{i}" not in taken else f"t{i}_"
        self._inlined: set[Graph] = set()
        self._same: dict[
            Node, Node
        ] = {}  # params of branches that stand in an ``if``, and their arguments
        self._find_inlined(calls)
        self._parents = self._find_parents(calls)
        self.name = self._names[root]
        body = [
            self._function(g) for g in calls if self._parents[g] is None and g not in self._inlined
        ]
        self.text = (
            astunparse.unparse(
                ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))
            ).strip()
            + "\n"
        )

    def _name(self, key, name: str, taken: set) -> None:
        name = (
            re.sub(r"\W", "_", name.replace("▶", "forward_").replace("◀", "backward_")).strip("_")
            or "f"
        )
        name = (
            f"f_{name}"
            if name[0].isdigit() or keyword.iskeyword(name) or re.fullmatch(r"t\d+", name)
            else name
        )
        unique, i = name, 1
        while unique in taken:
            unique, i = f"{name}_{i}", i + 1
        taken.add(unique)
        self._names[key] = unique

    # ---- structure

    def _find_inlined(self, calls: dict) -> None:
        """The branches that stand in an ``if``: mentioned once, by a switch that is only called
        where it stands.
        """
        depth: dict[Graph, int] = {}
        for g in calls:  # callers come first, so a graph's depth is known before its branches'
            for n in g:
                if _is_if(n):
                    for f in map(walk.graph_of, n.args[1:]):
                        if (
                            self._mentions[f] == 1
                            and "bprop" not in f.flags
                            and depth.get(g, 0) < _DEPTH
                        ):
                            self._inlined.add(f)
                            depth[f] = depth.get(g, 0) + 1

    def _find_parents(self, calls: dict) -> dict[Graph, Graph | None]:
        """The graph in whose function a function must be nested: the innermost owner of its free
        variables.
        """
        parents: dict[Graph, Graph | None] = {}
        depth: dict[Graph, int] = {}
        left = list(calls)
        while left:
            later = []
            for g in left:
                owners = {v.graph for v in self._free[g]}
                if all(o in depth for o in owners):
                    parents[g] = max(owners, key=depth.__getitem__, default=None)
                    depth[g] = 1 + max((depth[o] for o in owners), default=0)
                else:
                    later.append(g)
            assert len(later) < len(left), "closures nest in a circle"
            left = later
        return parents

    def _loop_calls(self, h: Graph) -> set[Apply]:
        """The tail calls by which ``h`` repeats itself; empty if it recurs in another way too, or
        makes closures.
        """
        found, stack = set(), [h]
        while stack:
            n = stack.pop().tail
            if n is not None and n is n.graph.output:
                if n.fn is h:
                    found.add(n)
                elif _calls_if(n):
                    stack += [f for f in map(walk.graph_of, n.fn.args[1:]) if f in self._inlined]
        if not found:
            return found
        region, stack = {h}, [h]
        while stack:
            for f in walk.children(stack.pop()):
                if f in self._inlined and f not in region:
                    region.add(f)
                    stack.append(f)
        inside = sum(1 for g in region for n in (*g, g.ret) for f in walk.referred(n) if f is h)
        closures = any(p in region and g not in region for g, p in self._parents.items())
        return found if inside == len(found) and not closures else set()

    # ---- statements

    def _function(self, g: Graph) -> ast.FunctionDef:
        repeats = self._loop_calls(g)
        body = self._body(g, _Return(), (g, repeats))
        if repeats:
            body = [ast.While(test=ast.Constant(value=True, kind=None), body=body, orelse=[])]
        args = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(arg=self._names[p], annotation=None) for p in g.params],
            vararg=None,
            kwonlyargs=[],
            kw_defaults=[],
            kwarg=None,
            defaults=[],
        )
        kinds = ", ".join(f"{self._names[p]}: {type_text(p.abstract)}" for p in g.params)
        doc = ast.Expr(value=_literal(f"({kinds}) -> {type_text(g.ret.abstract)}"))
        return ast.FunctionDef(
            name=self._names[g],
            args=args,
            body=[doc, *body],
            decorator_list=[],
            returns=None,
            type_comment=None,
            type_params=[],
        )

    def _body(self, g: Graph, finish, loop) -> list:
        out = [
            self._function(h) for h, p in self._parents.items() if p is g and h not in self._inlined
        ]
        for n in g:
            last = n is g.tail and n is g.output
            if _is_if(n):
                continue
            if _calls_if(n):
                after = finish if last else _Store(self._names[n])
                f, h = map(walk.graph_of, n.fn.args[1:])
                out.append(
                    ast.If(
                        test=self._expr(n.fn.args[0]),
                        body=self._branch(f, n, after, loop, last),
                        orelse=self._branch(h, n, after, loop, last),
                    )
                )
                if last:
                    return out
            elif n in loop[1]:
                params = loop[0].params
                if params:
                    out.append(
                        ast.Assign(
                            targets=[_tuple([_store(self._names[p]) for p in params], ast.Store())],
                            value=_tuple([self._expr(a) for a in n.args], ast.Load()),
                        )
                    )
                return [*out, ast.Continue()]
            else:
                out.append(ast.Assign(targets=[_store(self._names[n])], value=self._apply(n)))
        return out + finish(self._expr(g.output))

    def _branch(self, f: Graph, n: Apply, finish, loop, last: bool) -> list:
        if f not in self._inlined:
            return finish(_call(_load(self._names[f]), [self._expr(a) for a in n.args]))
        self._same.update(zip(f.params, n.args))
        return self._body(f, finish, loop if last else (None, ()))

    # ---- expressions

    def _expr(self, a: Node):
        while a in self._same:
            a = self._same[a]
        if a.__class__ is not Constant:
            return _load(self._names[a])
        v = a.value
        if v.__class__ is Graph:
            return _load(self._names[v])
        return self._constant(v)

    def _constant(self, v):
        if v is None or type(v) in (bool, int, str):
            return _literal(v)
        if type(v) is float:
            return _literal(v) if math.isfinite(v) else _call(_load("float"), [_literal(str(v))])
        if type(v) in (tuple, list):
            return _tuple([self._constant(e) for e in v], ast.Load())
        if isinstance(v, dt.DType):
            return _dtype(v)
        if getattr(v, "shape", None) == () and hasattr(v, "asnumpy"):
            number = v.asnumpy().item()
            return _call(_load("Tensor"), [self._constant(number), _dtype(v.dtype)])
        return self._kept(v, "c")

    def _kept(self, v, prefix: str):
        key = self._keys.get(id(v))
        if key is None:
            key = self._keys[id(v)] = f"{prefix}{len(self.constants)}"
            self.constants[key] = v
        return _index(_load("constants"), key)

    def _apply(self, n: Apply):
        fn = n.fn
        if fn.__class__ is Graph:
            return _call(_load(self._names[fn]), [self._expr(a) for a in n.args])
        args = [self._expr(a) for a in n.args]
        if isinstance(fn, Node):
            return _call(self._expr(fn), args)
        if fn.__class__ is prim.Structural:
            return self._structural(fn, args)
        if isinstance(n.abstract, AbstractScalar):
            return self._scalar(n, args)
        for i, (a, kind) in enumerate(zip(n.args, fn.kinds)):
            if kind != ATTR and isinstance(a.abstract, AbstractScalar):
                args[i] = _call(_load("Tensor"), [args[i], _dtype(a.abstract.dtype)])
        if fn.name == "scalar_to_tensor":
            return _call(_load("Tensor"), [self._expr(n.args[0]), args[1]])
        return _call(self._op(fn), args)

    def _op(self, fn):
        if getattr(P, fn.name, None) is fn and not keyword.iskeyword(fn.name):
            return ast.Attribute(value=_load("P"), attr=fn.name, ctx=ast.Load())
        return self._kept(fn, fn.name)

    def _structural(self, fn, args: list):
        if fn is prim.make_tuple:
            return _tuple(args, ast.Load())
        if fn is prim.tuple_getitem:
            return ast.Subscript(value=args[0], slice=args[1], ctx=ast.Load())
        if fn is prim.switch:
            return ast.IfExp(test=args[0], body=args[1], orelse=args[2])
        return _call(_load(fn.name), args)

    def _scalar(self, n: Apply, args: list):
        """An op whose result is a run-time number, as Python's own operation where it is the
        same.
        """
        name, kind = n.fn.name, n.abstract.kind.__name__
        numbers = all(
            isinstance(a.abstract, AbstractScalar) for a, k in zip(n.args, n.fn.kinds) if k != ATTR
        )
        if name == "item" or name == "scalar_cast":
            x = (
                args[0]
                if numbers
                else _call(ast.Attribute(value=args[0], attr="item", ctx=ast.Load()), [])
            )
            return _call(_load(kind), [x])
        if numbers and name in _BINARY:
            return ast.BinOp(left=args[0], op=_BINARY[name](), right=args[1])
        if numbers and name in _COMPARE:
            return ast.Compare(left=args[0], ops=[_COMPARE[name]()], comparators=[args[1]])
        if numbers and name in _UNARY:
            return ast.UnaryOp(op=_UNARY[name](), operand=args[0])
        args = [
            _call(_load("Tensor"), [x, _dtype(a.abstract.dtype)])
            if k != ATTR and isinstance(a.abstract, AbstractScalar)
            else x
            for x, a, k in zip(args, n.args, n.fn.kinds)
        ]
        return _call(
            ast.Attribute(value=_call(self._op(n.fn), args), attr="item", ctx=ast.Load()), []
        )


class _Return:
    """How the body of a function ends."""

    def __call__(self, value) -> list:
        return [ast.Return(value=value)]


class _Store:
    """How a branch ends whose value is used afterwards."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, value) -> list:
        return [ast.Assign(targets=[_store(self.name)], value=value)]


def _is_if(n: Apply) -> bool:
    """Whether ``n`` is a switch of graphs that is only called, and in its own graph."""
    return (
        n.fn is prim.switch
        and all(map(walk.graph_of, n.args[1:]))
        and all(u.fn is n and n not in u.args and u.graph is n.graph for u in n.uses)
    )


def _calls_if(n: Apply) -> bool:
    return n.fn.__class__ is Apply and _is_if(n.fn)


def _load(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _store(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Store())


def _literal(v) -> ast.Constant:
    return ast.Constant(value=v, kind=None)


def _tuple(items: list, ctx) -> ast.Tuple:
    return ast.Tuple(elts=items, ctx=ctx)


def _call(fn, args: list) -> ast.Call:
    return ast.Call(func=fn, args=args, keywords=[])


def _index(v, key):
    return ast.Subscript(value=v, slice=_literal(key), ctx=ast.Load())


def _dtype(d: dt.DType) -> ast.Attribute:
    return ast.Attribute(
        value=_load("dtype"), attr="bool_" if d is dt.bool_ else d.name, ctx=ast.Load()
    )

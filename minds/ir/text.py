"""Programs as text, and back.

    @f(%x : Tensor[(2,), float32], %n : int) {
      %0 = mul(%x, 2.0) : Tensor[(2,), float32]
      %1 = switch(%c, @f:then, @f:else) : Function[f:then]
      return %0
    }

One block per graph, the root first. Structural primitives and ops stand by name; attributes are
constants among the arguments. Names are unique in the whole text, so a free variable is just a name
of another block. Small constant tensors are written out; big ones and foreign objects stand as
``#key`` and are kept in a side table. A function that captured nothing is of type ``Constant``.
``parse(dump(g, table), table)`` is `equal.equal` to g.
"""

from __future__ import annotations

import hashlib
import re

import numpy as np

from ..base import dtype as dt
from . import prim, walk
from .abstract import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    AbstractFunction,
    AbstractRef,
    AbstractTensor,
    AbstractTuple,
)
from .build import abstract_of
from .node import Apply, Constant, Graph, Node

SMALL = 8  # elements of a tensor that is written out


# ---- printing


class Names:
    """Unique names for graphs, params and applies of a program."""

    def __init__(self, root: Graph):
        self.graphs = walk.graphs(root)
        self.of: dict = {}
        taken: set[str] = set()
        for g in self.graphs:
            self.of[g] = self._fresh("@" + _clean(g.name), taken)
            for p in g.params:
                self.of[p] = self._fresh("%" + _clean(p.name), taken)
        i = 0
        for g in self.graphs:
            for n in g:
                while f"%{i}" in taken:
                    i += 1
                self.of[n] = f"%{i}"
                i += 1

    @staticmethod
    def _fresh(name: str, taken: set) -> str:
        unique, i = name, 1
        while unique in taken:
            unique, i = f"{name}.{i}", i + 1
        taken.add(unique)
        return unique


def _clean(name: str) -> str:
    return re.sub(r"[\s(),=\[\]{}#]", "_", name) or "_"


def dump(root: Graph, table: dict | None = None, locations: bool = False) -> str:
    """The text of ``root`` and everything reachable from it.

    Args:
        table: gets the constants that are not written out, by their key in the text.
        locations: end each line with the source place as a comment.
    """
    names, table = Names(root), {} if table is None else table
    return "\n\n".join(_graph_text(g, names, table, locations) for g in names.graphs) + "\n"


def _graph_text(g: Graph, names: Names, table: dict, locations: bool) -> str:
    params = ", ".join(f"{names.of[p]} : {type_text(p.abstract)}" for p in g.params)
    marks = (
        (" effect" if g.has_effect else "")
        + "".join(f" {f}" for f in ("recompute", "apart") if f in g.flags)
        + (f" bprop {names.of[g.flags['bprop']]}" if "bprop" in g.flags else "")
    )
    lines = [f"{names.of[g]}({params}){marks} {{"]
    for n in g:
        fn = names.of.get(n.fn) or (
            value_text(n.fn, names, table) if isinstance(n.fn, Node) else _fn_name(n.fn)
        )
        args = ", ".join(value_text(a, names, table) for a in n.args)
        place = f"  # {n.loc}" if locations and n.loc is not None else ""
        lines.append(f"  {names.of[n]} = {fn}({args}) : {type_text(n.abstract)}{place}")
    if g.ret is not None:
        lines.append(f"  return {value_text(g.output, names, table)}")
    return "\n".join([*lines, "}"])


def _fn_name(fn) -> str:
    return fn.name if fn.__class__ is prim.Structural or fn.name not in prim.ALL else f"P.{fn.name}"


def type_text(a) -> str:
    """An abstract value, as it stands after the colon."""
    if a is None:
        return "?"
    if isinstance(a, AbstractTuple):
        return "(" + ", ".join(map(type_text, a.items)) + ("," if len(a.items) == 1 else "") + ")"
    if isinstance(a, AbstractFunction):
        return f"{'Constant' if a.constant else 'Function'}[{_key_text(a.key)}]"
    return f"Ref[{type_text(a.value)}]" if isinstance(a, AbstractRef) else repr(a)


def _key_text(key) -> str:
    parts = key if isinstance(key, tuple) else (key,)
    return ".".join(
        _key_text(p)
        if isinstance(p, tuple)
        else re.sub(r"[^\w.◀▶:<>-]", "_", str(getattr(p, "name", p)))
        for p in parts
    )


def _constant_key(word: str):
    """The key of a constant function that `_key_text` wrote: ("dual", ("zero", "k")) of
    "dual.zero.k".
    """
    head, _, rest = word.partition(".")
    return (head, _constant_key(rest)) if head == "dual" else (head, rest)


def value_text(a: Node, names: Names | None, table: dict) -> str:
    """An argument: a name, or a constant."""
    if a.__class__ is not Constant:
        return names.of[a]
    return names.of[a.value] if a.value.__class__ is Graph else _constant_text(a.value, table)


def _constant_text(v, table: dict) -> str:
    kind = type(v)
    if v is None or kind in (bool, int, str) or kind is float:
        return repr(v)
    if kind in (tuple, list):
        return (
            "("
            + ", ".join(_constant_text(e, table) for e in v)
            + ("," if len(v) == 1 else "")
            + ")"
        )
    if kind is dt.DType:
        return f"dtype.{v.name}"
    if hasattr(v, "asnumpy"):
        a = v.asnumpy()
        if a.size <= SMALL and a.dtype.kind in "biuf":
            flat = ", ".join(
                map(str, a.ravel())
            )  # the shortest text that gives this value in this dtype
            return f"tensor({v.dtype.name}, {tuple(a.shape)}, [{flat}])"
        digest = hashlib.sha256(
            repr((v.dtype.name, a.shape)).encode() + np.ascontiguousarray(a).tobytes()
        ).hexdigest()
    else:
        digest = hashlib.sha256(f"{kind.__name__} {id(v)}".encode()).hexdigest()
    key = "#" + digest[:12]
    table[key] = v
    return key


# ---- parsing

_TOKEN = re.compile(
    r"""\s+|(?P<comment>\#\s[^\n]*)|(?P<ref>[%@][^\s(),=\[\]{}]+)|(?P<key>\#[0-9a-f]{12})
    |(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<number>-?(?:inf|nan|\d+(?:\.\d*)?(?:e[+-]?\d+)?)(?![\w.]))
    |(?P<name>[\w.◀▶:<>-]+)|(?P<mark>[(){},=\[\]:?])""",
    re.X,
)


class _Parser:
    """Reads tokens; types and constants nest only as deep as the user's tuples."""

    def __init__(self, text: str, table: dict, ops, tensor):
        self.tokens, self.table, self.ops, self.tensor = [], table, ops, tensor
        at = 0
        while at < len(text):
            m = _TOKEN.match(text, at)
            if m is None:
                raise ValueError(
                    f"IR text, line {text.count(chr(10), 0, at) + 1}: unexpected "
                    f"{text[at : at + 20]!r}"
                )
            at = m.end()
            if m.lastgroup and m.lastgroup != "comment":
                self.tokens.append((m.lastgroup, m.group(), m.start()))
        self.tokens.append(("end", "", len(text)))
        self.i, self.text = 0, text
        self.graphs: dict[str, Graph] = {}
        self.nodes: dict[str, Node] = {}

    def fail(self, wanted: str):
        kind, token, at = self.tokens[self.i]
        raise ValueError(
            f"IR text, line {self.text.count(chr(10), 0, at) + 1}: expected {wanted}, got {token!r}"
        )

    def peek(self, token: str) -> bool:
        return self.tokens[self.i][1] == token

    def take(self, token: str | None = None, kind: str | None = None) -> str:
        k, t, _ = self.tokens[self.i]
        if token is not None and t != token or kind is not None and k != kind:
            self.fail(token or kind)
        self.i += 1
        return t

    def program(self) -> Graph:
        blocks = []
        while self.tokens[self.i][0] != "end":
            blocks.append(self.block())
        if not blocks:
            self.fail("a graph")
        for block in blocks:
            for name, *_, abstract in block[1]:
                self.nodes[name] = Apply(None, (), abstract)
        for g, lines, result, bprop in blocks:
            for name, fn, args, _ in lines:
                n = self.nodes[name]
                n.fn, n.args = self.callee(fn), tuple(self.resolve(a) for a in args)
                g.insert(n)
            g.output = self.resolve(result)
            if bprop:
                g.flags["bprop"] = self.graphs[bprop]
        return blocks[0][0]

    def block(self):
        name = self.take(kind="ref")
        g = self.graphs[name] = Graph(name[1:])
        self.take("(")
        while not self.peek(")"):
            p = self.take(kind="ref")
            self.take(":")
            self.nodes[p] = g.add_param(p[1:], self.type())
            if not self.peek(")"):
                self.take(",")
        self.take(")")
        bprop = None
        while not self.peek("{"):
            mark = self.take(kind="name")
            if mark == "effect":
                g.has_effect = True
            elif mark in ("recompute", "apart"):
                g.flags[mark] = True
            else:
                bprop = self.take(kind="ref")
        self.take("{")
        lines = []
        while not self.peek("return"):
            lines.append(self.line())
        self.take("return")
        result = self.value()
        self.take("}")
        return g, lines, result, bprop

    def line(self):
        name = self.take(kind="ref")
        self.take("=")
        kind, fn, _ = self.tokens[self.i]
        if kind not in ("ref", "name"):
            self.fail("a callee")
        self.i += 1
        args = self.sequence("(", ")", self.value)
        self.take(":")
        return name, fn, args, self.type()

    def sequence(self, opening: str, closing: str, item) -> list:
        self.take(opening)
        out = []
        while not self.peek(closing):
            out.append(item())
            if not self.peek(closing):
                self.take(",")
        self.take(closing)
        return out

    def value(self):
        """A reference as ("ref", name), or a Constant."""
        if self.tokens[self.i][0] == "ref":
            return "ref", self.take()
        v = self.constant()
        return Constant(v, abstract_of(v))

    def constant(self):
        kind, token, _ = self.tokens[self.i]
        if token == "(":
            return tuple(self.sequence("(", ")", self.constant))
        self.i += 1
        if kind == "number":
            return float(token) if re.search(r"[.enf]", token) else int(token)
        if kind == "string":
            return _unquote(token)
        if kind == "key":
            return self.table[token]
        if token.startswith("dtype."):
            return dt.of(token[6:])
        if token == "tensor":
            self.take("(")
            dtype = dt.of(self.take(kind="name"))
            self.take(",")
            shape = self.constant()
            self.take(",")
            values = self.sequence("[", "]", self.constant)
            self.take(")")
            return self.tensor(
                np.array(values, np.float32 if dtype is dt.bfloat16 else dtype.np).reshape(shape),
                dtype,
            )
        words = {"None": None, "True": True, "False": False}
        if token not in words:
            self.i -= 1
            self.fail("a constant")
        return words[token]

    def type(self):
        if self.peek("("):
            return AbstractTuple(self.sequence("(", ")", self.type))
        word = self.take()
        simple = {"?": None, "None": NONE, "int": INT, "float": FLOAT, "bool": BOOL}
        if word in simple:
            return simple[word]
        self.take("[")
        if word == "Tensor":
            shape = self.constant()
            self.take(",")
            a = AbstractTensor(shape, dt.of(self.take(kind="name")))
        elif word == "Ref":
            a = AbstractRef(self.type())
        elif word in ("Function", "Constant"):
            key = ""
            while not self.peek("]"):
                key += self.take()
            a = AbstractFunction(key if word == "Function" else _constant_key(key))
        else:
            self.fail("a type")
        self.take("]")
        return a

    def resolve(self, v) -> Node:
        if v.__class__ is Constant:
            return v
        name = v[1]
        if name[0] == "@" and name in self.graphs:
            g = self.graphs[name]
            return Constant(g, AbstractFunction(g))
        if name not in self.nodes:
            raise ValueError(f"IR text: {name} is not defined")
        return self.nodes[name]

    def callee(self, fn: str):
        if fn[0] == "@":
            return self.graphs[fn]
        if fn[0] == "%":
            return self.nodes[fn]
        if fn in prim.ALL:
            return prim.ALL[fn]
        found = getattr(self.ops, fn.removeprefix("P."), None)
        if found is None:
            raise ValueError(f"IR text: there is no op {fn}")
        return found


def _unquote(token: str) -> str:
    return re.sub(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", _escape, token[1:-1])


def _escape(m) -> str:
    c = m.group(1)
    return (
        chr(int(c[1:], 16))
        if c[0] in "xuU" and len(c) > 1
        else {"n": "\n", "t": "\t", "r": "\r"}.get(c, c)
    )


def parse(text: str, ops, tensor, table: dict | None = None) -> Graph:
    """The program that `dump` wrote.

    Args:
        ops: where ops are found by name, `minds.ops.define.P`.
        tensor: makes a constant tensor of (array, dtype), `minds.Tensor`.
        table: the side table that `dump` filled.

    Raises:
        ValueError: the text is no program; the message says the line.
    """
    return _Parser(text, table or {}, ops, tensor).program()

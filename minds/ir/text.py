"""Programs as text, and back.

    @f(%x : Tensor[(2,), float32], %n : int) {
      %0 = mul(%x, 2.0) : Tensor[(2,), float32]
      %1 = switch(%c, @f:then, @f:else) : Function[f:then]
      return %0
    }

One block per graph, the root first. Structural primitives and ops stand by name; attributes are
constants among the arguments. Names are unique in the whole text, so a free variable is just a name
of another block. Small constant tensors are written out; big ones and foreign objects stand as
``#key`` and are kept in a side table. A function that captured nothing is of type ``Constant``. Open
sizes are written as ``{2*n0 + 1}`` for a reader, which gets their variables too (`Sizes`).
``parse(dump(g, table), table)`` is `equal.equal` to g.
"""

from __future__ import annotations

import hashlib
import re

import numpy as np

from ..base import dtype as dt
from . import dim, prim, walk
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
from .dim import Dim, Quotient, Var
from .node import Apply, Constant, Graph, Node

SMALL = 8  # elements of a tensor that is written out
_MOST_TERMS = 64  # of a size that is read


# ---- printing


class Sizes:
    """The variables of open sizes, by their names in a text."""

    def __init__(self):
        self.names: dict[Var, str] = {}

    def text(self, v) -> str:
        """A size as it is read back: a sum of products."""
        return " + ".join(map(self._term, *zip(*v.terms.items()))) if type(v) is Dim else str(v)

    def _term(self, factors: tuple, c: int) -> str:
        return "*".join([str(c)] * (c != 1 or not factors) + list(map(self._atom, factors)))

    def _atom(self, a) -> str:
        if isinstance(a, Var):
            return self.names.setdefault(a, f"n{len(self.names)}")
        first, second = self.text(a.a), self.text(a.b)
        if isinstance(a, Quotient):
            return f"({first} {'%' if a.mod else '//'} {second})"
        return f"min({first}, {second})"


class Names:
    """Unique names for graphs, params and applies of a program."""

    def __init__(self, root: Graph, sizes: Sizes | None = None):
        self.graphs, self.sizes = walk.graphs(root), sizes
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


def dump(
    root: Graph,
    table: dict | None = None,
    locations: bool = False,
    sizes: Sizes | None = None,
) -> str:
    """The text of ``root`` and everything reachable from it.

    Args:
        table: gets the constants that are not written out, by their key in the text.
        locations: end each line with the source place as a comment.
        sizes: gets the variables of open sizes, which can be read back then.
    """
    names, table = Names(root, sizes), {} if table is None else table
    return "\n\n".join(_graph_text(g, names, table, locations) for g in names.graphs) + "\n"


def _graph_text(g: Graph, names: Names, table: dict, locations: bool) -> str:
    params = ", ".join(f"{names.of[p]} : {type_text(p.abstract, names.sizes)}" for p in g.params)
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
        lines.append(
            f"  {names.of[n]} = {fn}({args}) : {type_text(n.abstract, names.sizes)}{place}"
        )
    if g.ret is not None:
        lines.append(f"  return {value_text(g.output, names, table)}")
    return "\n".join([*lines, "}"])


def _fn_name(fn) -> str:
    return fn.name if fn.__class__ is prim.Structural or fn.name not in prim.ALL else f"P.{fn.name}"


def type_text(a, sizes: Sizes | None = None) -> str:
    """An abstract value, as it stands after the colon."""
    if a is None:
        return "?"
    if isinstance(a, AbstractTuple):
        items = [type_text(i, sizes) for i in a.items]
        return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
    if sizes is not None and isinstance(a, AbstractTensor):
        return f"Tensor[{_constant_text(a.shape, {}, sizes)}, {a.dtype.name}]"
    if isinstance(a, AbstractFunction):
        return f"{'Constant' if a.constant else 'Function'}[{_key_text(a.key)}]"
    return f"Ref[{type_text(a.value, sizes)}]" if isinstance(a, AbstractRef) else repr(a)


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
    if a.value.__class__ is Graph:
        return names.of[a.value]
    return _constant_text(a.value, table, names.sizes if names is not None else None)


def _constant_text(v, table: dict, sizes: Sizes | None = None) -> str:
    kind = type(v)
    if kind is Dim and sizes is not None:
        return "{" + sizes.text(v) + "}"
    if v is None or kind in (bool, int, str) or kind is float:
        return repr(v)
    if kind in (tuple, list):
        return (
            "("
            + ", ".join(_constant_text(e, table, sizes) for e in v)
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
    |(?P<name>[\w.◀▶:<>-]+)|(?P<mark>//|[(){},=\[\]:?+*%])""",
    re.X,
)


class _Parser:
    """Reads tokens one by one; types and constants nest only as deep as the user's tuples.

    Attributes:
        kind, token, at: the next token, and where it stands.
    """

    def __init__(self, text: str, table: dict, ops, tensor, sizes: dict):
        self.table, self.tensor, self.sizes = table, tensor, sizes
        self.text, self.end, self.ops = text, 0, vars(ops) if ops else {}
        self.graphs: dict[str, Graph] = {}
        self.nodes: dict[str, Node] = {}
        self.advance()

    def advance(self) -> None:
        """Go to the next token."""
        while self.end < len(self.text):
            m = _TOKEN.match(self.text, self.end)
            if m is None:
                raise ValueError(
                    f"IR text, line {self.text.count(chr(10), 0, self.end) + 1}: unexpected "
                    f"{self.text[self.end : self.end + 20]!r}"
                )
            self.end = m.end()
            if m.lastgroup and m.lastgroup != "comment":
                self.kind, self.token, self.at = m.lastgroup, m.group(), m.start()
                return
        self.kind, self.token, self.at = "end", "", len(self.text)

    def fail(self, wanted: str):
        raise ValueError(
            f"IR text, line {self.text.count(chr(10), 0, self.at) + 1}: expected {wanted}, got "
            f"{self.token!r}"
        )

    def peek(self, token: str) -> bool:
        return self.token == token and self.kind != "string"

    def take(self, token: str | None = None, kind: str | None = None) -> str:
        t = self.token
        if token is not None and not self.peek(token) or kind is not None and self.kind != kind:
            self.fail(token or kind)
        self.advance()
        return t

    def new(self, known: dict) -> str:
        """A name that nothing has yet."""
        if self.token in known:
            self.fail("another name")
        return self.take(kind="ref")

    def program(self) -> Graph:
        blocks = []
        while self.kind != "end":
            blocks.append(self.block())
        if not blocks:
            self.fail("a graph")
        for block in blocks:
            for name, *_, abstract in block[1]:
                if name in self.nodes:
                    raise ValueError(f"IR text: {name} is defined twice")
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
        name = self.new(self.graphs)
        g = self.graphs[name] = Graph(name[1:])
        self.take("(")
        while not self.peek(")"):
            p = self.new(self.nodes)
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
        if self.kind not in ("ref", "name"):
            self.fail("a callee")
        fn = self.take()
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
        if self.kind == "ref":
            return "ref", self.take()
        v = self.constant()
        return Constant(v, abstract_of(v))

    def constant(self):
        kind, token = self.kind, self.token
        if self.peek("("):
            return tuple(self.sequence("(", ")", self.constant))
        if self.peek("{"):
            self.take()
            v = self.size()
            self.take("}")
            return v
        words = {"None": None, "True": True, "False": False}
        if kind not in ("number", "string", "key", "name") or not (
            kind != "name" or token in words or token == "tensor" or token.startswith("dtype.")
        ):
            self.fail("a constant")
        self.take()
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
        return words[token]

    def size(self):
        """An open size: a sum of products."""
        total = self.product()
        while self.peek("+"):
            self.take()
            total = total + self.product()
        return total

    def product(self):
        found = self.factor()
        while self.peek("*"):
            self.take()
            found = found * self.factor()
            if type(found) is Dim and len(found.terms) > _MOST_TERMS:
                self.fail(f"at most {_MOST_TERMS} terms")
        return found

    def factor(self):
        if self.kind == "number":
            return int(self.take())
        if self.peek("min"):
            a, b = self.take() and self.sequence("(", ")", self.size)
            return dim.least(a, b)
        if self.peek("("):
            self.take()
            a, how, b = self.size(), self.take(kind="mark"), self.size()
            self.take(")")
            return a % b if how == "%" else a // b
        if self.token not in self.sizes:
            self.fail("a size")
        return dim.of_atom(self.sizes[self.take()])

    def type(self):
        if self.peek("("):
            return AbstractTuple(self.sequence("(", ")", self.type))
        word = self.take() if self.kind != "string" else self.fail("a type")
        simple = {"?": None, "None": NONE, "int": INT, "float": FLOAT, "bool": BOOL}
        if word in simple:
            return simple[word]
        self.take("[")
        if word == "Tensor":
            shape = self.constant()
            if type(shape) is not tuple or not all(
                dim.is_size(n) and (type(n) is Dim or n >= 0) for n in shape
            ):
                self.fail("a shape before this")
            self.take(",")
            a = AbstractTensor(shape, dt.of(self.take(kind="name")))
        elif word == "Ref":
            a = AbstractRef(self.type())
        elif word in ("Function", "Constant"):
            key = ""
            while not self.peek("]"):
                key += self.fail("]") if self.kind == "end" else self.take()
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
        name = fn.removeprefix("P.")
        if name not in self.ops:
            raise ValueError(f"IR text: there is no op {fn}")
        return self.ops[name]


def _unquote(token: str) -> str:
    return re.sub(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", _escape, token[1:-1])


def _escape(m) -> str:
    c = m.group(1)
    return (
        chr(int(c[1:], 16))
        if c[0] in "xuU" and len(c) > 1
        else {"n": "\n", "t": "\t", "r": "\r"}.get(c, c)
    )


def parse_size(text: str, sizes: dict):
    """An open size, as `Sizes` wrote it."""
    reader = _Parser(text, {}, None, None, sizes)
    found = reader.size()
    if reader.kind != "end":
        reader.fail("the end")
    return found


def parse(text: str, ops, tensor, table: dict | None = None, sizes: dict | None = None) -> Graph:
    """The program that `dump` wrote.

    Args:
        ops: what has ops by name as attributes, `minds.ops.define.P`.
        tensor: makes a constant tensor of (array, dtype), `minds.Tensor`.
        table: the side table that `dump` filled.
        sizes: by name, the variables of open sizes.

    Raises:
        ValueError: the text is no program; the message says the line.
    """
    return _Parser(text, table or {}, ops, tensor, sizes or {}).program()

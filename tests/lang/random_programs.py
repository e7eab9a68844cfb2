"""Writes random Python functions over numbers and small tensors, and runs each in every way.

A program of a seed is a module with ``program(x, y, n, m, p, q)``: two tensors, two ints, a float and a
bool, all known only at run time. A name keeps its type, so that every path is typed alike. A tensor that is
stored, passed on or returned is always the result of an op: two names of one tensor after a run-time `if`
are the one documented case in which the last bit of a gradient may differ.

    python tests/lang/random_programs.py 2000 [first seed]
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import tempfile
import traceback

REFUSALS = (
    "differentiated, mapped or recursive changes a list or dict made outside of it",
    "cannot be used any more",
    "is changed in a loop, and",
    "under a run-time condition",
)
"""Documented refusals that a program may meet."""

HEAD = "import math\n\nfrom minds import ops\n\n\n"
LENGTH = 3


class Scope:
    """What a block can name.

    Attributes:
        names: by type, the names of values: "t" tensors, "i" ints, "f" floats, "b" bools, "lt" lists of
            tensors, "li" lists of ints, "d" dicts of a tensor and an int.
        functions: name → types of the parameters; each returns a tensor.
        fresh: the names that this function may assign to.
    """

    def __init__(self, names, functions, fresh):
        self.names = {k: list(v) for k, v in names.items()}
        self.functions, self.fresh = dict(functions), set(fresh)

    def inner(self) -> Scope:
        """A scope whose names end with the block."""
        return Scope(self.names, self.functions, self.fresh)


class Writer:
    """Writes one program. `static` is False below a run-time condition and in loops, where containers keep
    their length.
    """

    def __init__(self, seed: int, size: int = 22):
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.budget = self.r.randint(4, size)
        self.result = self.r.choice(("t", "ti", "tf", "tib", "tt"))

    # ---- small choices

    def chance(self, probability: float) -> bool:
        return self.r.random() < probability

    def new(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def name(self, s: Scope, kind: str) -> str:
        return self.r.choice(s.names[kind])

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # ---- expressions

    def tensor(self, s: Scope, deep: int = 2) -> str:
        """A tensor expression that is never just a name."""
        a = self.tensor_operand(s, deep)
        pick = self.r.randrange(17)
        if pick < 3:
            return f"ops.{self.r.choice(('tanh', 'sin', 'cos', 'sigmoid'))}({a})"
        if pick < 5:
            return f"({a} * {self.tensor_operand(s, deep)})"
        if pick < 7:
            return f"({a} * {self.r.choice(('0.5', '1.25', '-0.75'))} {self.r.choice('+-')} {self.tensor_operand(s, deep)})"
        if pick == 7:
            return f"({a} - {self.tensor_operand(s, deep)}.mean())"
        if pick == 8:
            return f"({a} * {self.number(s, 'f', 1)})"
        if pick == 9:
            return f"({a} + {self.number(s, 'i', 1)})"
        if pick == 10 and s.functions:
            return self.call(s, deep)
        if pick == 11:
            return (
                f"({self.tensor(s, deep - 1)} if {self.condition(s)} else {self.tensor(s, deep - 1)})"
                if deep > 0
                else f"(-{a})"
            )
        if pick == 12 and s.names["lt"]:
            return f"({self.name(s, 'lt')}[{self.r.choice(('0', '1', '-1'))}] * {a})"
        if pick == 13 and s.names["d"]:
            return f'({self.name(s, "d")}["t"] + {a})'
        if pick == 14:
            return f"ops.maximum({a}, {self.tensor_operand(s, deep)})"
        if pick == 15:
            return f"ops.stack([{a}, {self.tensor_operand(s, deep)}]).sum(0)"
        return f"ops.tanh({a} / (1.5 + {self.tensor_operand(s, deep)} ** 2))"

    def tensor_operand(self, s: Scope, deep: int) -> str:
        return self.tensor(s, deep - 1) if deep > 0 and self.chance(0.3) else self.name(s, "t")

    def call(self, s: Scope, deep: int) -> str:
        """A call of a function in scope."""
        fn = self.r.choice(list(s.functions))
        args = [self.tensor(s, 0) if k == "t" else self.number(s, k, 1) for k in s.functions[fn]]
        return f"{fn}({', '.join(args)})"

    def number(self, s: Scope, kind: str, deep: int = 2) -> str:
        """An int or float expression whose value stays small."""
        if kind == "b":
            return self.condition(s, deep)
        if deep <= 0 or self.chance(0.25):
            if self.chance(0.35):
                return (
                    str(self.r.randint(-3, 7))
                    if kind == "i"
                    else self.r.choice(("0.5", "-1.5", "2.0", "0.125"))
                )
            return self.name(s, kind)
        a, b = self.number(s, kind, deep - 1), self.number(s, kind, deep - 1)
        pick = self.r.randrange(10)
        if kind == "f":
            if pick == 0:
                return f"float({self.number(s, 'i', deep - 1)})"
            if pick == 1:
                return f"({a} / {self.r.choice(('2.0', '4', '-8.0'))})"
            if pick == 2:
                return f"({self.number(s, 'i', deep - 1)} / 8)"
        elif pick == 0:
            return f"({a} // {self.r.choice(('2', '3', '-2', f'(1 + abs({b}))'))})"
        elif pick == 1:
            return f"({a} % {self.r.choice(('2', '5', '-3', f'(1 + abs({b}))'))})"
        elif pick == 2:
            return self.r.choice(
                (f"({a} & {b})", f"({a} | 5)", f"({a} ^ {b})", f"(~{a})", f"({a} << 1)", f"({a} >> 1)")
            )
        if pick == 3:
            return f"({a} if {self.condition(s, deep - 1)} else {b})"
        if pick == 4:
            return f"{self.r.choice(('max', 'min'))}({a}, {b})"
        if pick == 5:
            return f"({a} {self.r.choice(('and', 'or'))} {b})"
        if pick == 6:
            return f"{self.r.choice(('abs', '-'))}({a})"
        if pick == 7 and kind == "i" and s.names["li"]:
            return f"{self.name(s, 'li')}[{self.r.choice(('0', '1', '-1'))}]"
        if pick == 7 and kind == "i" and s.names["d"]:
            return f'{self.name(s, "d")}["i"]'
        if pick == 8 and kind == "i":
            return self.r.choice(
                (f"len({self.name(s, 't')})", f"(7, 1, 4)[{a} % 3]", f"int({b} > {a})", f"sum([{a}, {b}])")
            )
        return f"({a} {self.r.choice('+-*')} {b})"

    def bounded(self, s: Scope, kind: str) -> str:
        """A number for a variable: cut, so that loops cannot make it grow."""
        value = self.number(s, kind)
        return (
            f"{value} % {self.r.choice((7, 11))}"
            if kind == "i"
            else f"max(-4.0, min(4.0, {value}))"
            if kind == "f"
            else value
        )

    def condition(self, s: Scope, deep: int = 1) -> str:
        """A bool expression."""
        pick = self.r.randrange(11)
        if pick == 0 and deep > 0:
            return f"(not {self.condition(s, deep - 1)})"
        if pick in (1, 2) and deep > 0:
            return f"({self.condition(s, deep - 1)} {self.r.choice(('and', 'or'))} {self.condition(s, deep - 1)})"
        if pick == 3:
            return f"({self.r.randint(0, 3)} {self.r.choice('<>')} {self.number(s, 'i', 1)} <= {self.number(s, 'i', 1)})"
        if pick == 4:
            return f"bool({self.name(s, 't')}.sum() {self.r.choice('<>')} {self.number(s, 'f', 1)})"
        if pick == 5:
            return self.name(s, "b")
        if pick == 6:
            return f"({self.number(s, 'i', 1)} {self.r.choice(('in', 'not in'))} (1, 2, {self.number(s, 'i', 0)}))"
        if pick == 7:
            kind = self.r.choice("if")
            return f"({self.number(s, kind, 1)} {self.r.choice(('==', '!=', '<', '>='))} {self.number(s, kind, 1)})"
        if pick == 8:
            return self.r.choice(
                ("(2 > 1)", f"({self.name(s, 't')}.shape[0] > 5)", f"({self.name(s, 't')} is None)", "False")
            )
        return f"({self.number(s, 'i', 1)} {self.r.choice(('==', '!=', '<', '>='))} {self.number(s, 'i', 1)})"

    # ---- statements

    def block(self, s: Scope, depth: int, loop: bool, static: bool, returns: str, least: int = 1) -> bool:
        """Statements; ``loop`` if `break` and `continue` have a loop, ``returns`` the type of `return` here.
        The result is whether nothing can follow them.
        """
        for k in range(self.r.randint(least, least + 3)):
            if self.budget <= 0 and k >= least:
                break
            self.budget -= 1
            if self.statement(s, depth, loop, static, returns):
                return True
        return False

    def statement(self, s: Scope, depth: int, loop: bool, static: bool, returns: str) -> bool:
        """One statement; whether nothing can follow it."""
        pick = self.r.randrange(100)
        nested = depth < 5 and self.budget > 0
        if pick < 30 or not nested and pick < 78:
            self.assignment(s, depth)
        elif pick < 46:
            return self.conditional(s, depth, loop, returns, static)
        elif pick < 53:
            self.counted_while(s, depth, loop, returns)
        elif pick < 61:
            self.for_range(s, depth, loop, returns)
        elif pick < 68:
            self.for_items(s, depth, loop, returns)
        elif pick < 78:
            self.function(s, depth)
        elif pick < 90:
            self.containers(s, depth, static)
        elif pick < 93 and loop:
            self.put(depth, f"if {self.condition(s)}:")
            self.put(depth + 1, self.r.choice(("break", "continue")))
        elif pick < 96:
            self.put(depth, f"if {self.condition(s)}:")
            self.leave(s, depth + 1, returns)
        elif pick < 97 and depth > 1:
            self.leave(s, depth, returns)
            return True
        elif pick < 98 and loop:
            self.put(depth, self.r.choice(("break", "continue")))
            return True
        else:
            self.assignment(s, depth)
        return False

    def leave(self, s: Scope, depth: int, returns: str) -> None:
        values = [self.tensor(s, 1) if k == "t" else self.number(s, k, 1) for k in returns]
        self.put(depth, f"return {', '.join(values)}")

    def target(self, s: Scope, kind: str) -> str:
        """A name to assign to: often one that is there."""
        old = [n for n in s.names[kind] if n in s.fresh]
        if old and self.chance(0.65):
            return self.r.choice(old)
        return self.declare(s, kind)

    def declare(self, s: Scope, kind: str) -> str:
        name = self.new(kind)
        s.fresh.add(name)
        return name

    def bind(self, s: Scope, kind: str, name: str) -> None:
        if name not in s.names[kind]:
            s.names[kind].append(name)

    def assignment(self, s: Scope, depth: int) -> None:
        pick = self.r.randrange(10)
        kind = self.r.choice("ttttiifb")
        value = self.tensor(s) if kind == "t" else self.bounded(s, kind)
        old = [n for n in s.names[kind] if n in s.fresh]
        if pick == 0 and kind in "tf" and old:
            name = self.r.choice(old)
            self.put(
                depth,
                f"{name} {self.r.choice(('+=', '-=', '*='))} {self.r.choice(('0.5', '0.25'))}"
                if kind == "f"
                else f"{name} {self.r.choice(('+=', '-=', '*='))} {value}",
            )
        elif pick == 4 and kind == "t" and old and self.chance(0.6):
            self.store(self.r.choice(old), s, depth)
        elif pick == 1:
            other = self.r.choice("ti")
            second = self.tensor(s) if other == "t" else self.bounded(s, other)
            a, b = self.target(s, kind), self.declare(s, other)
            self.put(depth, f"{a}, {b} = {value}, {second}")
            self.bind(s, kind, a)
            self.bind(s, other, b)
        elif pick == 2 and kind in "ti":
            a, b = self.declare(s, kind), self.declare(s, f"l{kind}")
            second = [self.tensor(s) if kind == "t" else self.bounded(s, kind) for _ in range(2)]
            self.put(depth, f"{a}, *{b} = {value}, {', '.join(second)}")
            self.bind(s, kind, a)
            self.bind(s, f"l{kind}", b)
        elif pick == 3 and kind == "i":
            a, b = self.declare(s, "i"), self.declare(s, "i")
            self.put(depth, f"{b} = ({a} := {value}) + 1")
            self.bind(s, "i", a)
            self.bind(s, "i", b)
        else:
            name = self.target(s, kind)
            self.put(depth, f"{name} = {value}")
            self.bind(s, kind, name)

    def store(self, name: str, s: Scope, depth: int) -> None:
        """Set items of a tensor."""
        index = self.r.choice(
            ("0", "-1", "1:", "::2", f"{self.number(s, 'i', 0)} % 3", f"{name} > {self.number(s, 'f', 0)}")
        )
        sign = self.r.choice(("=", "+=", "*="))
        value = self.number(s, "f", 1) if self.chance(0.6) else f"{self.tensor(s, 0)}.mean()"
        self.put(depth, f"{name}[{index}] {sign} {value}")

    def conditional(self, s: Scope, depth: int, loop: bool, returns: str, static: bool) -> bool:
        """An `if`; now and then every branch gives a new name its value."""
        given = self.declare(s, "t") if self.chance(0.25) else None
        branches = 1 + (self.chance(0.6) or given is not None) + self.chance(0.25)
        for k in range(branches):
            last = k == branches - 1
            head = f"if {self.condition(s)}:" if k == 0 else "else:" if last else f"elif {self.condition(s)}:"
            self.put(depth, head)
            inner = s.inner()
            left = self.block(inner, depth + 1, loop, False, returns)
            if given is not None and not left:
                self.put(depth + 1, f"{given} = {self.tensor(inner)}")
        if given is not None and branches > 1:
            self.bind(s, "t", given)
        return False

    def otherwise(self, s: Scope, depth: int, loop: bool, returns: str) -> None:
        if self.chance(0.2):
            self.put(depth, "else:")
            self.block(s.inner(), depth + 1, loop, False, returns)

    def counted_while(self, s: Scope, depth: int, loop: bool, returns: str) -> None:
        counter = self.new("k")
        self.put(depth, f"{counter} = 0")
        bound = self.r.choice((f"{self.name(s, 'i')} % 5", "3", "n", "9"))
        more = self.r.choice((f"{counter} < {bound}", f"{counter} < {bound} and {self.condition(s)}"))
        self.put(depth, f"while {more}:")
        self.put(depth + 1, f"{counter} += 1")
        inner = s.inner()
        inner.names["i"].append(counter)
        self.block(inner, depth + 1, True, False, returns)
        self.otherwise(s, depth, loop, returns)

    def for_range(self, s: Scope, depth: int, loop: bool, returns: str) -> None:
        i = self.new("k")
        bounds = self.r.choice(
            ("3", "2, 5", "5, 0, -2", "n", "n % 3, m", "m, -2, -1", "12", f"{self.number(s, 'i', 1)} % 4")
        )
        self.put(depth, f"for {i} in range({bounds}):")
        inner = s.inner()
        inner.names["i"].append(i)
        self.block(inner, depth + 1, True, False, returns)
        self.otherwise(s, depth, loop, returns)

    def for_items(self, s: Scope, depth: int, loop: bool, returns: str) -> None:
        """A `for` over a tuple, a list, zip, enumerate, reversed, the rows of a tensor, a comprehension, a
        dict.
        """
        inner = s.inner()
        t, i = self.new("t"), self.new("i")
        some = [self.tensor(s, 1) for _ in range(self.r.randint(1, 3))]
        several = f"({', '.join(some)},)"
        pick = self.r.randrange(7)
        if pick == 0:
            head, kinds = f"{t} in {several}", {"t": t}
        elif pick == 1:
            head, kinds = f"{i}, {t} in enumerate({several})", {"t": t, "i": i}
        elif pick == 2:
            head, kinds = f"{t}, {i} in zip({several}, (m, 2, n))", {"t": t, "i": i}
        elif pick == 3:
            head, kinds = f"{i} in reversed((1, m, {self.number(s, 'i', 1)}))", {"i": i}
        elif pick == 4:
            head, kinds = f"{t} in ops.stack(({', '.join(some)}, {self.tensor(s, 1)}))", {"t": t}
        elif pick == 5:
            head, kinds = f"{t} in [v * {self.number(s, 'f', 0)} for v in {several}]", {"t": t}
        else:
            head, kinds = f"{t} in map(lambda v: ops.sin(v) * {self.number(s, 'f', 0)}, {several})", {"t": t}
        self.put(depth, f"for {head}:")
        for kind, name in kinds.items():
            inner.names[kind].append(name)
        self.block(inner, depth + 1, True, False, returns)
        self.otherwise(s, depth, loop, returns)

    def containers(self, s: Scope, depth: int, static: bool) -> None:
        """Make or change a list or a dict."""
        pick = self.r.randrange(9)
        kind = self.r.choice("ti")
        value = self.tensor(s, 1) if kind == "t" else self.bounded(s, "i")
        old = s.names[f"l{kind}"]
        if self.chance(0.2) and self.aliases(s, depth, f"l{kind}", value):
            return
        if pick < 3 and old:
            self.put(depth, f"{self.r.choice(old)}[{self.r.choice(('0', '1', '-1'))}] = {value}")
        elif pick == 3 and old and static:
            name = self.r.choice(old)
            self.put(
                depth,
                self.r.choice(
                    (
                        f"{name}.append({value})",
                        f"{name}.insert(1, {value})",
                        f"{name} += [{value}]",
                        f"{name}.extend(({value}, {value}))",
                    )
                ),
            )
        elif pick == 4 and s.names["d"]:
            self.put(depth, f'{self.name(s, "d")}["{kind}"] = {value}')
        elif pick == 5:
            name = self.declare(s, "d")
            self.put(depth, f'{name} = {{"t": {self.tensor(s, 1)}, "i": {self.bounded(s, "i")}}}')
            self.bind(s, "d", name)
        elif pick == 6 and s.names["lt"]:
            name = self.target(s, "t")
            self.put(depth, f"{name} = sum([v * 0.5 for v in {self.name(s, 'lt')}], {self.tensor(s, 0)})")
            self.bind(s, "t", name)
        else:
            second = self.tensor(s, 1) if kind == "t" else self.bounded(s, "i")
            name = self.declare(s, f"l{kind}")
            self.put(depth, f"{name} = [{value}, {second}]")
            self.bind(s, f"l{kind}", name)

    def aliases(self, s: Scope, depth: int, kind: str, value: str) -> bool:
        """Another name of a list or dict, one of two that data chooses, or a function that changes its
        argument.
        """
        pick, old = self.r.randrange(5), s.names[kind]
        if pick == 0 and old:
            name = self.target(s, kind)
            self.put(depth, f"{name} = {self.r.choice(old)}")
            self.bind(s, kind, name)
        elif pick == 1 and len(old) > 1:
            name = self.declare(s, kind)
            self.put(
                depth,
                f"{name} = {self.r.choice(old)}[:2] if {self.condition(s)} else {self.r.choice(old)}[:2]",
            )
            self.bind(s, kind, name)
        elif pick == 2 and len(old) > 1:
            name = self.declare(s, kind)
            self.put(depth, f"{name} = [*{self.r.choice(old)}[:1], {self.r.choice(old)}[-1]]")
            self.put(depth, f"{name} = {name} if {self.condition(s)} else [{value}, {value}]")
            self.bind(s, kind, name)
        elif pick == 3 and old:
            fn = self.new("f")
            self.put(depth, f"def {fn}(v):")
            self.put(depth + 1, f"if {self.condition(s)}:")
            self.put(depth + 2, f"v[0] = {value}")
            self.put(depth + 1, f"v[-1] = {'v[0] * 0.5' if kind == 'lt' else 'v[0] - 1'}")
            self.put(depth, f"{fn}({self.r.choice(old)})")
        elif pick == 4 and s.names["d"]:
            name = self.declare(s, "d")
            self.put(depth, f"{name} = {self.name(s, 'd')}")
            self.bind(s, "d", name)
        else:
            return False
        return True

    def function(self, s: Scope, depth: int) -> None:
        """A nested function or lambda: a closure over all that is in scope, perhaps recursive."""
        fn, t, i = self.new("f"), self.new("t"), self.new("i")
        inner = s.inner()
        inner.fresh = {t, i}
        inner.names["t"].append(t)
        pick = self.r.randrange(5)
        if pick == 0:
            self.put(depth, f"{fn} = lambda {t}: {self.tensor(inner)}")
            s.functions[fn] = "t"
            return
        inner.names["i"].append(i)
        if pick == 1:
            inner.functions, inner.fresh = {}, {t}
            inner.names.update(lt=[], li=[], d=[])
            self.put(depth, f"def {fn}({t}, {i}):")
            self.put(depth + 1, f"if {i} <= 0:")
            self.put(depth + 2, f"return {self.tensor(inner)}")
            left = self.block(inner, depth + 1, False, False, "t")
            again = f"{fn}({self.tensor(inner, 0)}, {self.r.choice((f'{i} - 1', f'{i} // 2', f'min({i}, 4) - 1'))})"
            if not left:
                self.put(depth + 1, f"return {again} * {self.tensor(inner, 0)}")
            s.functions[fn] = "ti"
            self.bounded_calls(s, fn, depth)
            return
        default = f"={self.r.randint(0, 3)}" if pick == 2 else ""
        self.put(depth, f"def {fn}({t}, {i}{default}):")
        if not self.block(inner, depth + 1, False, False, "t"):
            self.leave(inner, depth + 1, "t")
        s.functions[fn] = "t" if default and self.chance(0.5) else "ti"

    def bounded_calls(self, s: Scope, fn: str, depth: int) -> None:
        """A recursive function is called through one that cuts its count."""
        cut = self.new("f")
        self.put(depth, f"def {cut}(u, k):")
        self.put(depth + 1, f"return {fn}(u * 1.0, k % 4)")
        del s.functions[fn]
        s.functions[cut] = "ti"

    def write(self) -> str:
        """The program's source."""
        self.put(0, "def program(x, y, n, m, p, q):")
        s = Scope(
            {"t": ["x", "y"], "i": ["n", "m"], "f": ["p"], "b": ["q"], "lt": [], "li": [], "d": []}, {}, ()
        )
        self.put(1, "q = q and m % 2 == 1")  # a bool among the arguments is known while compiling
        if not self.block(s, 1, False, True, self.result, least=4):
            self.leave(s, 1, self.result)
        self.put(0, "")
        self.put(0, "")
        self.put(0, "def loss(x, y, n, m, p, q):")
        self.put(1, "out = program(x, y, n, m, p, q)")
        first = "out" if self.result == "t" else "out[0]"
        self.put(1, f"return ({first} * ops.cos(x)).sum(){' + out[1].mean()' if self.result == 'tt' else ''}")
        return HEAD + "\n".join(self.lines) + "\n"


def write(seed: int) -> str:
    """The source of the program of a seed."""
    return Writer(seed).write()


def load(source: str, directory: str, name: str):
    """The module of a source, written to a file: compiled code needs to read it."""
    path = os.path.join(directory, f"{name}.py")
    with open(path, "w") as f:
        f.write(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(seed: int) -> list[tuple]:
    """Arguments to call a program with: one compile, several ways through it."""
    import numpy as np

    from minds import Tensor

    rng = np.random.default_rng(seed)
    x, y = (Tensor(rng.standard_normal(LENGTH).astype(np.float32)) for _ in range(2))
    return [(x, y, 2, 5, 0.75, True), (x, y, 0, 2, -1.25, True), (x, y, 4, 3, 2.5, True)]


def check(seed: int, directory: str) -> bool:
    """CPython = compiled, and tape = compiled gradient, of the program of a seed; False if it is refused.

    Raises:
        AssertionError: they differ.
    """
    return check_module(load(write(seed), directory, f"program_{seed}"), seed)


def check_module(module, seed: int) -> bool:
    """What `check` does, for a program that is there."""
    from agreement import assert_same

    import minds as ms

    program, loss = ms.jit(module.program), module.loss

    def gradient(x, y, n, m, p, q):
        return ms.value_and_grad(loss, (0, 1))(x, y, n, m, p, q)

    compiled = ms.jit(gradient)
    for args in inputs(seed):
        expected = module.program(*args)
        try:
            got = program(*args)
        except (TypeError, SyntaxError) as e:
            if any(text in str(e) for text in REFUSALS):
                return False
            raise
        assert_same(got, expected)
        assert_same(compiled(*args), gradient(*args))
    return True


def main(count: int, first: int) -> int:
    """Check many programs; prints and keeps those that fail, returns how many."""
    failed: dict = {}
    directory = tempfile.mkdtemp(prefix="programs-")
    for seed in range(first, first + count):
        try:
            check(seed, directory)
            os.remove(os.path.join(directory, f"program_{seed}.py"))
        except Exception as e:
            text = (str(e) or traceback.format_exc()).strip().splitlines()
            failed[seed] = f"{type(e).__name__}: {text[0] if text else ''}"
            print(f"seed {seed}: {failed[seed]}", flush=True)
    print(f"{count} programs from seed {first}: {len(failed)} failed; their sources are in {directory}")
    return len(failed)


if __name__ == "__main__":
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
    numbers = [int(a) for a in sys.argv[1:]]
    sys.exit(bool(main(*(numbers + [100, 0][len(numbers) :]))))

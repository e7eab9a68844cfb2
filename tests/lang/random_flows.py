"""Writes random Python functions in which closures, generators, exceptions, collections and views of tensors
meet, and runs each in both modes.

What each program has besides expressions: functions that change variables around them, generators with
`finally` that loops leave, `try` under data, deques and defaultdicts, changes of parts of tensors in
place, loops that data end, `vmap` over loops, and gradients inside.

    python tests/lang/random_flows.py 2000 [first seed]

From the command line the gradients are compared with differences, too.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import tempfile

HEAD = """from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import contextmanager, suppress
from functools import partial, reduce

import numpy as np

import minds as ms
from minds import Tensor, ops


class Low(Exception):
    pass


class High(Low):
    pass


@contextmanager
def noted(log, v):
    log.append(1)
    try:
        yield v * 0.5
    finally:
        log.append(2)

"""


REFUSALS = ("changed differently on two paths", "changes its structure in a loop")
"""Documented refusals that a program may meet."""


class Writer:
    """One program. ``tensors``, ``ints``: the variables that have a value at the present place."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth, self.names, self.left = 1, 0, 34
        self.tensors, self.ints = ["x", "y"], ["n", "k"]
        self.functions: list[str] = []
        self.generators: list[str] = []
        self.lists: list[str] = ["log"]
        self.deques: list[str] = []
        self.dicts: list[str] = []
        self.in_loop = self.in_try = self.in_function = 0

    # ---- expressions

    def new(self, kind: str) -> str:
        self.names += 1
        return f"{kind}{self.names}"

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self) -> str:
        return self.pick("0.5", "-0.75", "1.25", "0.1", "-0.3")

    def int(self) -> str:
        i = self.random.choice(self.ints)
        return self.pick(i, f"({i} + {self.random.randrange(3)})", f"{i} % 3", "len(log) % 4", "2")

    def tensor(self, deep: int = 2) -> str:
        t = self.random.choice(self.tensors)
        if not deep or self.random.random() < 0.3:
            return t
        a, b = self.tensor(deep - 1), self.tensor(deep - 1)
        forms = [
            f"ops.tanh({a} * {self.number()})",
            f"({a} * {self.number()} + {b})",
            f"ops.sin({a} - {b})",
            f"({a} if {self.condition(0)} else {b} * 0.5)",
            f"({a} * {b}).clip(-2.0, 2.0)",
            f"({a} * {self.int()} * 0.25)",
            f"ops.flip({a}, (0,))",
            f"{a}[[2, 0, 1]]",
            f"ops.stack([{a}, {b}]).mean(0)",
            f"(ms.vmap(lambda v, w: v * w.sum(), (0, None))({a}, {b}) * 0.3)",
        ]
        if self.functions:
            forms += [f"{self.random.choice(self.functions)}({a})"] * 2
        if self.deques:
            d = self.random.choice(self.deques)
            forms.append(f"({d}[0] if {d} else {a})")
            forms.append(f"sum({d}, {a} * 0.0)")
        if self.dicts:
            d = self.random.choice(self.dicts)
            forms.append(f"sum([v for vs in {d}.values() for v in vs], {a} * 0.1)")
        return self.random.choice(forms)

    def condition(self, deep: int = 1) -> str:
        t, i = self.random.choice(self.tensors), self.random.choice(self.ints)
        forms = [
            f"{t}.sum() > {self.number()}",
            f"{t}[{self.random.randrange(3)}] < {self.number()}",
            f"{i} > {self.random.randrange(4)}",
            f"{i} % 2 == 0",
            f"len(log) % 2 == {self.random.randrange(2)}",
        ]
        if deep:
            a, b = self.condition(0), self.condition(0)
            forms += [f"({a} and {b})", f"not ({a} or {b})"]
        return self.random.choice(forms)

    # ---- statements

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def block(self, statements: int, first: str = "") -> None:
        """An indented block; what it binds is unknown behind it."""
        kept = [list(v) for v in self._scopes()]
        self.depth += 1
        before = len(self.lines)
        if first:
            self.put(first)
        for _ in range(statements):
            self.statement()
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1
        for names, old in zip(self._scopes(), kept):
            names[:] = old

    def _scopes(self):
        return (
            self.tensors,
            self.ints,
            self.functions,
            self.generators,
            self.lists,
            self.deques,
            self.dicts,
        )

    def statement(self) -> None:
        self.left -= 1
        kinds = ["assign", "assign", "update", "update", "note", "inplace"]
        if self.left > 0 and self.depth < 6:
            kinds += ["if", "for", "while", "try", "try", "with", "collect", "match"]
            if self.depth < 4:
                kinds += ["closure", "generator", "over", "over", "mapped", "inner"]
        if self.in_try or self.random.random() < 0.1:
            kinds.append("throw")
        if self.in_loop:
            kinds.append("leave")
        if self.random.random() < 0.15:
            kinds.append("back")
        getattr(self, "_" + self.random.choice(kinds))()

    def _assign(self):
        value = self.tensor()
        name = self.new("t")
        self.put(f"{name} = {value}")
        self.tensors.append(name)

    def _update(self):
        own = [t for t in self.tensors if t not in ("x", "y")]
        if not own:
            return self._assign()
        t = self.random.choice(own)
        self.put(self.pick(f"{t} = {self.tensor()}", f"{t} = {t} * 0.5 + {self.tensor(1)}"))
        return None

    def _note(self):
        self.put(f"log.append({self.int()})")

    def _inplace(self):
        name, v = self.new("u"), self.tensor(1)
        self.put(f"{name} = {self.tensor(1)} * 1.0")
        view = self.new("w")
        self.put(
            self.pick(
                f"{name}[{self.int()} % 3] = {v}.sum() * 0.2",
                f"{name}[1:] += {v}[:2]",
                f"{name}[{name} > 0.2] *= 0.5",
                f"{view} = {name}[:2]; {view}[...] = {view} * 0.5 + {v}[1]",
                f"{view} = {name}.reshape(3, 1); {view} *= {v}.reshape(3, 1)",
                f"{name}.add_({v})",
            )
        )
        self.tensors.append(name)

    def _if(self):
        self.put(f"if {self.condition()}:")
        self.block(2)
        if self.random.random() < 0.6:
            self.put("else:")
            self.block(2)

    def _match(self):
        self.put(f"match {self.random.choice(self.ints)} % 3:")
        self.depth += 1
        for case in ("0", "1 | 2 if " + self.condition(0), "_"):
            self.put(f"case {case}:")
            self.block(1)
        self.depth -= 1

    def _for(self):
        i = self.new("i")
        over = self.pick(
            f"range({self.int()})", f"range({self.int()} + 1)", "range(2)", "range(12)"
        )
        self.put(f"for {i} in {over}:")
        self._loop([i])
        if self.random.random() < 0.2:
            self.put("else:")
            self.block(1)

    def _loop(self, ints=(), tensors=(), first: str = "") -> None:
        kept = list(self.ints), list(self.tensors)
        self.ints += ints
        self.tensors += tensors
        self.in_loop += 1
        self.block(self.random.randrange(1, 4), first)
        self.in_loop -= 1
        self.ints[:], self.tensors[:] = kept

    def _while(self):
        c = self.new("c")
        self.put(f"{c} = 0")
        t = self.random.choice(self.tensors)
        self.put(
            "while "
            + self.pick(
                f"{c} < {self.int()} + 1:",
                f"{c} < 5 and {t}.sum() > {self.number()}:",
                f"{c} < 3 or {c} < {self.int()}:",
            )
        )
        self._loop([c], first=f"{c} += 1")

    def _try(self):
        self.put("try:")
        self.in_try += 1
        self.block(self.random.randrange(1, 4))
        self.in_try -= 1
        caught = self.random.random() < 0.75
        if caught:
            for kind in self.pick(["Low"], ["High", "Low"], ["(High, Low) as e"], ["High"]):
                self.put(f"except {kind}:")
                self.block(2)
        if caught and self.random.random() < 0.25:
            self.put("else:")
            self.block(1)
        if not caught or self.random.random() < 0.4:
            self.put("finally:")
            loop, self.in_loop = self.in_loop, 0
            self.block(1, "log.append(4)")
            self.in_loop = loop

    def _throw(self):
        self.put(f"if {self.condition(0)}:")
        self.block(0, f"raise {self.pick('Low', 'High')}({self.int()})")

    def _leave(self):
        self.put(f"if {self.condition(0)}:")
        self.block(0, self.pick("break", "continue"))

    def _back(self):
        if self.in_function >= 0:
            self.put(f"if {self.condition(0)}:")
            self.block(0, self.result())

    def result(self) -> str:
        return f"return {self.tensor(1)}" + (", len(log)" if not self.in_function else "")

    def _with(self):
        t = self.new("t")
        self.put(self.pick(f"with noted(log, {self.tensor(1)}) as {t}:", "with suppress(High):"))
        self._throwing([t] if "noted" in self.lines[-1] else [])

    def _throwing(self, tensors):
        kept = list(self.tensors)
        self.tensors += tensors
        self.in_try += 1
        self.block(2)
        self.in_try -= 1
        self.tensors[:] = kept

    def _collect(self):
        if self.deques and self.random.random() < 0.5:
            d = self.random.choice(self.deques)
            self.put(
                self.pick(
                    f"{d}.append({self.tensor(1)})",
                    f"{d}.appendleft({self.tensor(1)})",
                    f"{d}.rotate(1)",
                )
            )
        elif self.dicts and self.random.random() < 0.6:
            d = self.random.choice(self.dicts)
            self.put(f"{d}[{self.pick(1, 2, 3)}].append({self.tensor(1)})")
        elif self.random.random() < 0.5:
            d = self.new("d")
            self.put(f"{d} = deque([{self.tensor(1)}, {self.tensor(1)}], {self.pick(2, 3)})")
            self.deques.append(d)
        else:
            d = self.new("m")
            self.put(f"{d} = defaultdict(list)")
            self.dicts.append(d)

    def _closure(self):
        f, v = self.new("f"), self.new("v")
        own = [t for t in self.tensors if t not in ("x", "y")]
        self.put(f"def {f}({v}, by={self.number()}):")
        self._body(v, own, f"return {v} * by + {self.tensor(1)}")
        self.functions.append(f)

    def _body(self, v: str, own: list, last: str) -> None:
        loop, tries = self.in_loop, self.in_try
        self.in_loop = self.in_try = 0
        self.in_function += 1
        kept, changed = list(self.tensors), ""
        self.tensors.append(v)
        if own and self.random.random() < 0.6:
            changed = self.random.choice(own)
        # A name that is only read must not be assigned, and else be said to be that of outside.
        readable, self.tensors[:] = list(self.tensors), [v]
        first = f"nonlocal {changed}" if changed else f"{v} = {v} * 0.9"
        self.depth += 1
        self.put(first)
        if changed:
            self.put(f"{changed} = {changed} * 0.75 + {v}")
        self.depth -= 1
        self.block(self.random.randrange(0, 3))
        self.tensors[:] = readable
        self.depth += 1
        self.put(last)
        self.depth -= 1
        self.tensors[:] = kept
        self.in_function -= 1
        self.in_loop, self.in_try = loop, tries

    def _generator(self):
        g, v, i = self.new("g"), self.new("v"), self.new("i")
        self.put(f"def {g}({v}, most):")
        protected = self.random.random() < 0.5
        lines = [f"for {i} in range({self.pick('most', '3', 'most + 1')}):"]
        lines.append(f"    {v} = {v} * 0.8 + {i} * 0.1")
        lines.append(f"    yield {v}")
        if self.random.random() < 0.3:
            lines.append(f"    if {i} > 1:")
            lines.append("        return")
        if protected:
            ends = self.pick(
                ["finally:", "    log.append(7)"], ["except Low:", "    log.append(8)"]
            )
            lines = ["try:", *["    " + s for s in lines], *ends]
        for s in lines:
            self.put("    " + s)
        self.generators.append(g)

    def _over(self):
        t = self.new("t")
        sources = [f"[{self.tensor(1)}, {self.tensor(1)}]"]
        sources += [f"list({d})" for d in self.deques]
        sources += [f"{g}({self.tensor(1)}, {self.int()})" for g in self.generators] * 3
        self.put(f"for {t} in {self.random.choice(sources)}:")
        self._loop(tensors=[t])

    def _mapped(self):
        f, v, s, t = self.new("f"), self.new("v"), self.new("s"), self.new("t")
        turns = self.pick("3", "n", "k + 1", "11")
        self.put(f"def {f}({v}):")
        self.put(f"    {s} = {v} * 0.5")
        self.put(f"    for _ in range({turns}):")
        self.put(f"        {s} = {s} * {v} * 0.3 + {self.random.choice(self.tensors)}[1]")
        self.put(f"    return {s}")
        self.put(f"{t} = ms.vmap({f})({self.tensor(1)})")
        self.tensors.append(t)

    def _inner(self):
        f, v, t, c = self.new("f"), self.new("v"), self.new("t"), self.new("c")
        self.put(f"def {f}({v}):")
        self.put(f"    {c} = 0")
        self.put(f"    while {c} < {self.pick('2', 'n + 1', 'k')}:")
        self.put(f"        {c} += 1")
        self.put(f"        {v} = ops.sin({v}) * 0.9 + {v} * {v} * 0.1")
        self.put(f"    return ({v} * {self.random.choice(self.tensors)}).sum()")
        self.put(f"{t} = ms.grad({f})({self.tensor(1)})")
        self.tensors.append(t)

    def program(self) -> str:
        self.put("log = []")
        while self.left > 0:
            self.statement()
        self.put(f"return {self.tensor(2)}, sum(log)")
        return HEAD + "\ndef program(x, y, n, k):\n" + "\n".join(self.lines) + "\n"


def load(seed: int, folder: str):
    """The program of a seed."""
    file = os.path.join(folder, f"flow{seed}.py")
    with open(file, "w", encoding="utf-8") as out:
        out.write(Writer(seed).program())
    spec = importlib.util.spec_from_file_location(f"flow{seed}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


ARGUMENTS = ((1, 2), (3, 0), (0, 5))


def inputs(seed: int):
    import numpy as np

    from minds import Tensor

    rng = np.random.default_rng(seed)
    return [Tensor(rng.uniform(-1.5, 1.5, 3)) for _ in range(2)]


def flat(value) -> list:
    """The numbers of a result."""
    import numpy as np

    if isinstance(value, (tuple, list)):
        return [v for part in value for v in flat(part)]
    return np.asarray(getattr(value, "asnumpy", lambda: value)(), np.float64).ravel().tolist()


def outcome(fn, *args):
    """What a call gives: numbers, or the class of an error and the error."""
    try:
        return flat(fn(*args)), None
    except Exception as e:
        kind = next(k.__name__ for k in type(e).__mro__ if not k.__module__.startswith("minds"))
        return [kind], e


def near(a: list, b: list) -> bool:
    import numpy as np

    if len(a) != len(b) or any(isinstance(v, str) for v in (*a, *b)):
        return a == b
    return bool(np.allclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True))


def differences(fn, x, y, *rest, step=1e-6) -> list:
    """The gradient of the sum of a program's tensor by ``x``, by differences."""
    import numpy as np

    from minds import Tensor

    def at(i, h):
        moved = np.array(x.asnumpy())
        moved[i] += h
        return sum(flat(fn(Tensor(moved), y, *rest)[0]))

    return [(at(i, step) - at(i, -step)) / (2 * step) for i in range(3)]


def check(seed: int, folder: str, whole: bool = False) -> list[tuple[str, object, object]]:
    """Where the modes differ: (what, eagerly, in graph mode)."""
    import minds as ms

    program = load(seed, folder)
    x, y = inputs(seed)

    def total(x, y, n, k):
        return program(x, y, n, k)[0].sum()

    def first(x, y, n, k):
        return ms.grad(total, (0, 1))(x, y, n, k)

    def second(x, y, n, k):
        return ms.grad(lambda v: (ms.grad(total)(v, y, n, k) * y).sum())(x)

    compiled = ms.jit(program)
    wrong = []
    for at, (n, k) in enumerate(ARGUMENTS):
        args = (x, y, n, k)
        found, made = outcome(program, *args), outcome(compiled, *args)
        if any(text in str(made[1]) for text in REFUSALS):
            break
        if not near(found[0], made[0]):
            wrong.append(("value", found, made))
            break
        if found[1] is not None or at != seed % 3:
            continue
        eager = outcome(first, *args)
        graph = outcome(ms.jit(first), *args)
        if not near(eager[0], graph[0]):
            wrong.append(("gradient", eager, graph))
        elif whole and eager[1] is None:
            by = differences(program, *args)
            close = all(abs(a - b) < 1e-4 * (1 + abs(b)) for a, b in zip(eager[0][:3], by))
            if not close and all(
                abs(a - b) < 0.5 for a, b in zip(by, differences(program, *args, step=1e-5))
            ):
                wrong.append(("differences", (by, None), eager))
        if seed % 4 == 0:
            eager, graph = outcome(second, *args), outcome(ms.jit(second), *args)
            if not near(eager[0], graph[0]):
                wrong.append(("second order", eager, graph))
    return wrong


def main(count: int, first: int = 0) -> None:
    found = valued = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            valued += outcome(load(seed, folder), *inputs(seed), *ARGUMENTS[0])[1] is None
            for what, eager, graph in check(seed, folder, True):
                found += 1
                shown = [str(v[1] or v[0]).splitlines()[0][:150] for v in (eager, graph)]
                print(f"{seed}: {what}: {shown[0]} | {shown[1]}", flush=True)
    print(f"{count} programs, of which {valued} give a value, {found} differences")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

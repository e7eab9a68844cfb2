"""Writes random programs of classes (`random_class_bodies`): objects that are made, chosen, changed and
called, `try` and `finally` in loops that are left under conditions on data; and runs them.

    python tests/lang/random_classes.py 100 [first seed]
"""

from __future__ import annotations

import sys
import tempfile

import random_programs
from random_class_bodies import HEAD, KINDS, Classes, Scope

REFUSALS = (
    *random_programs.REFUSALS,
    *random_programs.RAISED,
    "of a value that is chosen at run time cannot be changed",
    "length of a comprehension depends",
    "where this iterator ends depends",
)


class Writer(Classes):
    """Writes one program; ``loop`` and ``caught`` say whether there is a loop, or a `try`, around."""

    def block(self, s, depth, least=1, more=3):
        """Some statements; whether the last one leaves."""
        for _ in range(self.r.randint(least, more)):
            if self.statement(s, depth):
                return True
        return False

    def statement(self, s, depth):
        deep = depth > 4
        table = [
            (self.assign, 5),
            (self.change, 6),
            (self.conditional, 0 if deep else 4),
            (self.for_, 0 if deep else 4),
            (self.while_, 0 if deep else 2),
            (self.try_, 0 if depth > 2 else 4),
            (self.with_, 0 if deep else 2),
            (self.object_, 3),
            (self.function, 0 if depth > 2 else 2),
            (self.list_, 2),
            (self.leave, 2 if depth > 1 else 0),
            (self.match, 0 if deep else 1),
            (self.queue, 1),
        ]
        return self.r.choices([f for f, _ in table], [w for _, w in table])[0](s, depth)

    def assign(self, s, depth):
        if self.chance(0.3):
            i = self.r.choice([n for n in s.I if n in s.own] or [self.new("i")])
            self.put(depth, f"{i} = ({self.expr(s, 'i')}) % 9")
            s.I.append(i)
            s.own.add(i)
            return
        old = [n for n in s.T if n in s.own]
        if old and self.chance(0.5):
            t = self.r.choice(old)
        else:
            t = self.new("t")
        self.put(depth, f"{t} = {self.expr(s, 't')}")
        if t not in s.T:
            s.T.append(t)
            s.own.add(t)

    def change(self, s, depth):
        text = self.r.choice(
            (
                "$O.step($t)",
                "$O.half = $t",
                "$O[$i % 3] = $x",
                "$O.k += 1",
                "$O.k = $i % 5",
                "$O.a = $t",
                "$O.xs[$i % 2] = $x",
                "$O.xs.append($x)",
                "$O.xs[-1] = $x",
                '$O.d["u"] = $x',
                "$O += $x",
                "$O.a *= 0.5",
                "$O.a[0] = $f",
                "$O.xs[0] += 1.0",
                "$O.step($O.step($t))",
                "$O.a, $O.xs[0] = $O.xs[0], $x",
                "$O.xs, $O.a = [$x, $x], $t",
            )
        )
        self.put(depth, self.fill(text, s))

    def object_(self, s, depth):
        text = self.r.choice(
            (
                "${C0~C1~C2~C3}($t, $i)",
                "${C0~C1~C2~C3}($t, ${1~2})",
                "(C1($t, 1) if $c else C2($t, 2))",
                "-$O",
                "$O + $O",
                "$O",
                "($O if $c else $O)",
                "($O if $c else OUT)",
                "type($O)($t, $O.k)",
                "$O.scaled($t)",
                "[$O, $O][$i % 2]",
                "min([$O, $O], key=lambda o: o.k)",
                '{"a": $O, "b": $O}["${a~b}"]',
                "OUT",
            )
        )
        old = [n for n in s.O if n in s.own]
        o = self.r.choice(old) if old and self.chance(0.4) else self.new("o")
        self.put(depth, f"{o} = {self.fill(text, s)}")
        if o not in s.O:
            s.O.append(o)
            s.own.add(o)

    def list_(self, s, depth):
        name = self.new("l")
        text = self.r.choice(
            (
                "[$t, $t]",
                "[v * 0.5 for v in $O]",
                "list($O)",
                "[o.a for o in ($O, $O)]",
                "[$O.value(v) for v in ($t, $t)]",
                "[*$O.xs, $t]",
                "$O.xs",
            )
        )
        self.put(depth, f"{name} = {self.fill(text, s)}")
        s.L.append(name)

    def queue(self, s, depth):
        q, t = self.new("q"), self.new("t")
        if self.chance(0.5):
            self.put(
                depth,
                f"{q} = deque([{self.expr(s, 't')}, {self.expr(s, 't')}], maxlen={self.r.choice((2, 3))})",
            )
            self.put(
                depth,
                f"for v in {self.r.choice(s.O)}:\n    {q}.{self.r.choice(('append', 'appendleft'))}(v)",
            )
            self.put(depth, f"{t} = {q}[0] - {q}[-1] * 0.5")
        else:
            self.put(depth, f"{q} = []")
            self.put(
                depth,
                f"for v in {self.r.choice(s.O)}:\n    heapq.heappush({q}, (float(v.sum()), len({q})))",
            )
            self.put(depth, f"{t} = {self.expr(s, 't')} * {q}[0][1]")
        s.T.append(t)

    def conditional(self, s, depth):
        self.put(depth, f"if {self.expr(s, 'c')}:")
        self.block(s.inner(), depth + 1, 1, 2)
        if self.chance(0.25):
            self.put(depth, f"elif {self.expr(s, 'c')}:")
            self.block(s.inner(), depth + 1, 1, 2)
        if self.chance(0.5):
            self.put(depth, "else:")
            self.block(s.inner(), depth + 1, 1, 2)

    def in_loop(self, s, depth):
        outer, self.loop = self.loop, True
        self.block(s, depth, 1, 3)
        self.loop = outer

    def for_(self, s, depth):
        v, k, inner = self.new("v"), self.new("k"), s.inner()
        pick = self.r.randrange(7)
        if pick == 0:
            self.put(
                depth,
                f"for {k} in range({self.r.choice(('3', 'n % 4', 'm', '12', self.expr(s, 'i') + ' % 4'))}):",
            )
            inner.I.append(k)
        elif pick == 1:
            self.put(depth, f"for {v} in {self.r.choice(s.O)}:")
            inner.T.append(v)
        elif pick == 2:
            self.put(depth, f"for {k}, {v} in enumerate({self.r.choice(s.O)}):")
            inner.T.append(v)
            inner.I.append(k)
        elif pick == 3:
            w = self.new("v")
            self.put(depth, f"for {v}, {w} in zip({self.r.choice(s.O)}, {self.r.choice(s.O)}):")
            inner.T += [v, w]
        elif pick == 4:
            self.put(depth, f"for {v} in ({', '.join(self.r.choices(s.O, k=2))}):")
            inner.O.append(v)
        elif pick == 5 and s.L:
            self.put(depth, f"for {v} in {self.r.choice(s.L)}:")
            inner.T.append(v)
        else:
            self.put(
                depth,
                f"for {v} in Steps({self.expr(s, 't')}, {self.r.choice(('2', '3', 'n % 3 + 1'))}):",
            )
            inner.T.append(v)
        self.in_loop(inner, depth + 1)
        if self.chance(0.15):
            self.put(depth, "else:")
            self.block(s.inner(), depth + 1, 1, 1)

    def while_(self, s, depth):
        w = self.new("w")
        self.put(depth, f"{w} = 0")
        most, more = self.r.choice(("n", "4", "m", "11", "n % 3 + 1")), " and " + self.expr(s, "c")
        self.put(depth, f"while {w} < {most}{self.r.choice(('', '', more))}:")
        self.put(depth + 1, f"{w} += 1")
        inner = s.inner()
        self.in_loop(inner, depth + 1)

    def try_(self, s, depth):
        outer, self.caught = self.caught, True
        self.put(depth, "try:")
        if self.chance(0.6):
            self.put(depth + 1, f"if {self.expr(s, 'c')}:")
            self.put(depth + 2, f"raise {self.raised(s)}")
        self.block(s.inner(), depth + 1, 1, 3)
        self.caught = outer
        final = self.chance(0.45)
        kinds = self.r.sample(KINDS, self.r.choice((0, 1)) if final else self.r.choice((1, 1, 2)))
        for k in kinds:
            named = self.chance(0.4)
            self.put(depth, f"except {k}{' as e' if named else ''}:")
            if named:
                self.put(
                    depth + 1,
                    self.r.choice(
                        ("t_e = len(e.args)", "t_e = type(e).__name__", "t_e = isinstance(e, Odd)")
                    ),
                )
            left = self.block(s.inner(), depth + 1, 1, 2)
            if not left and self.chance(0.12):
                self.put(depth + 1, "raise")
        if kinds and self.chance(0.2):
            self.put(depth, "else:")
            self.block(s.inner(), depth + 1, 1, 1)
        if final:
            self.put(depth, "finally:")
            loop, self.loop = self.loop, self.loop and self.chance(0.2)
            self.block(s.inner(), depth + 1, 1, 2)
            self.loop = loop

    def with_(self, s, depth):
        t, o = self.new("t"), self.r.choice(s.O)
        self.put(
            depth,
            self.r.choice(
                (
                    f"with {o}:",
                    f"with {o}.held({self.expr(s, 't')}) as {t}:",
                    f"with {o}, contextlib.suppress(Odd):",
                )
            ),
        )
        inner = s.inner()
        if f"as {t}" in self.lines[-1]:
            inner.T.append(t)
        if self.chance(0.3):
            self.put(depth + 1, f"if {self.expr(s, 'c')}:")
            self.put(depth + 2, f"raise {self.raised(s)}")
        self.block(inner, depth + 1, 1, 3)

    def match(self, s, depth):
        self.put(depth, f"match {self.r.choice(s.O)}:")
        for c in self.r.sample(("C1(k=1)", "C1(a=mv)", "C2(k=mk)", "C0(a=mv, k=2)", "C3()"), 2):
            self.put(
                depth + 1, f"case {c}{' if ' + self.expr(s, 'c') if self.chance(0.3) else ''}:"
            )
            inner = s.inner()
            inner.T += ["mv"] * ("mv" in c)
            inner.I += ["mk"] * ("mk" in c)
            self.block(inner, depth + 2, 1, 1)
        self.put(depth + 1, "case _:")
        self.block(s.inner(), depth + 2, 1, 1)

    def function(self, s, depth):
        f, a, inner = self.new("f"), self.new("t"), s.inner()
        self.put(depth, f"def {f}({a}, by={self.r.choice((1, 2))}):")
        own = [n for n in [*s.T, *s.O, *s.I] if n in s.own and self.chance(0.25)][:2]
        if own:
            self.put(depth + 1, f"nonlocal {', '.join(own)}")
        inner.T = [a, *s.T]
        inner.I, inner.own = ["by", *s.I], {*own, a}
        loop, self.loop = self.loop, False
        if self.chance(0.7):
            self.block(inner, depth + 1, 1, 2)
        self.put(depth + 1, f"return {self.expr(inner, 't')}")
        self.loop = loop
        s.G.append(f)

    def leave(self, s, depth):
        pick = self.r.randrange(4)
        conditional = self.chance(0.7)
        if conditional:
            self.put(depth, f"if {self.expr(s, 'c')}:")
            depth += 1
        if pick < 2 and self.loop:
            self.put(depth, self.r.choice(("break", "continue")))
        elif pick == 2 and self.caught:
            self.put(depth, f"raise {self.raised(s)}")
        else:
            self.put(depth, f"return {self.expr(s, 't')}")
        return not conditional

    def program(self):
        self.classes()
        self.put(0, "def program(x, y, n, m, p, q):")
        self.put(1, "q = q and m % 2 == 1")
        s = Scope(["x", "y"], ["n", "m"], ["o"], [], [], ["n", "o"])
        s.F = ["p"]
        self.put(1, f"o = {self.r.choice(('C0', 'C1', 'C2', 'C3'))}(x, n % 3)")
        left = self.block(s, 1, 3 * self.size, 6 * self.size)
        if not left:
            self.put(1, f"return {self.fill('$t + $O.value($t) + $O.a', s)}")
        self.put(0, "\n\ndef loss(x, y, n, m, p, q):")
        self.put(1, "out = program(x, y, n, m, p, q)")
        self.put(1, "return (out * ops.cos(x)).sum()")
        return HEAD + "\n".join(self.lines) + "\n"


def write(seed: int) -> str:
    """The source of the program of a seed."""
    return Writer(seed).program()


def state(o) -> list:
    """What an object holds."""
    return [o.a, o.k, list(o.xs), dict(o.d)]


def check(seed: int, directory: str) -> bool:
    """CPython = compiled, in values, gradients, what ``OUT`` holds then and the class of what is raised,
    for the program of a seed; False if it is refused.

    Raises:
        AssertionError: they differ.
    """
    from agreement import Sums, assert_same

    import minds as ms

    module = random_programs.load(write(seed), directory, f"classes_{seed}")

    def gradient(x, y, n, m, p, q):
        return ms.value_and_grad(module.loss, (0, 1))(x, y, n, m, p, q)

    for eager in (module.program, gradient):
        compiled = ms.jit(eager)
        for args, same in zip(random_programs.inputs(seed), random_programs.inputs(seed)):
            module.reset()
            with Sums() as sums:
                value, error = random_programs.outcome(eager, args)
            held = state(module.OUT)
            module.reset()
            found, raised = random_programs.outcome(compiled, same)
            if any(text in raised for text in REFUSALS):
                return False
            both = bool(error and raised)  # a derivative may find another error of several first
            same_kind = error.split(":")[0] == raised.split(":")[0]
            assert same_kind or both and eager is gradient, (error, raised)
            if not error:
                assert_same((found, same, state(module.OUT)), (value, args, held), sums)
    return True


def main(count: int = 100, first: int = 0) -> None:
    """Check many programs; prints those that fail."""
    directory = tempfile.mkdtemp(prefix="classes-")
    for seed in range(first, first + count):
        try:
            check(seed, directory)
        except Exception as e:
            print(f"seed {seed}: {type(e).__name__}: {str(e)[:800]}", flush=True)
    print(f"{count} programs from seed {first}; their sources are in {directory}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

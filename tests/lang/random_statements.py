"""The statements of random programs.

A name keeps its type, so that every path is typed alike. Below a run-time condition and in loops
containers keep their length (``static`` is False there).
"""

from __future__ import annotations

from random_grammar import Expressions, Scope
from random_tables import (
    BINDINGS,
    CHANGES,
    FAILURES,
    GROWS,
    HANDLERS,
    IN_PLACE,
    INDEX,
    ITEMS,
    LENGTHS,
    MAKES,
    PARTS,
    RANGES,
    SOMETIMES,
    STORES,
    VIEWS,
)


class Statements(Expressions):
    """Writes random statements; with ``raising``, of programs that raise and handle exceptions."""

    def __init__(self, seed: int, size: int = 22, raising: bool = False):
        super().__init__(seed)
        self.lines: list[str] = []
        self.raising, self.views = raising, seed % 8 == 5
        self.budget = self.r.randint(4, size)

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(
        self, s: Scope, depth: int, loop: bool, static: bool, returns: str, least: int = 1
    ) -> bool:
        """Statements; ``loop`` if `break` and `continue` have a loop, ``returns`` the types of
        `return` here. The result is whether nothing can follow them.
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
        if self.raising and self.chance(0.3):
            return self.exceptional(s, depth, loop, returns, nested)
        if pick < 26 or not nested and pick < 74:
            self.assignment(s, depth)
        elif pick < 42:
            self.conditional(s, depth, loop, returns)
        elif pick < 64:
            self.loop(s, depth, loop, returns)
        elif pick < 74:
            self.definition(s, depth)
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
        elif pick < 99:
            self.put(depth, f"assert {self.condition(s, 0)} or True")
        else:
            self.assignment(s, depth)
        return False

    def leave(self, s: Scope, depth: int, returns: str) -> None:
        values = [self.stored(s, 1) if k == "t" else self.value(s, k, 1) for k in returns]
        self.put(depth, f"return {', '.join(values)}")

    # ---- names

    def target(self, s: Scope, kind: str) -> str:
        """A name to assign to: often one that is there."""
        old = [n for n in s.names[kind] if n in s.fresh]
        return self.r.choice(old) if old and self.chance(0.65) else self.declare(s, kind)

    def declare(self, s: Scope, kind: str) -> str:
        name = self.new(kind)
        s.fresh.add(name)
        return name

    def bind(self, s: Scope, kind: str, name: str) -> None:
        if name not in s.names[kind]:
            s.names[kind].append(name)

    def assignment(self, s: Scope, depth: int) -> None:
        """A variable gets a value, or items of a tensor."""
        if self.views and self.chance(0.4) and self.view(s, depth):
            return
        pick = self.r.randrange(10)
        kind = self.r.choice("ttttiifb")
        old = [n for n in s.names[kind] if n in s.fresh]
        if pick == 0 and kind in "tf" and old:
            change = "${+=~-=~*=} ops.${tanh~sin}($t)" if kind == "t" else "${+=~-=~*=} ${0.5~0.25}"
            self.put(depth, f"{self.r.choice(old)} {self.fill(change, s)}")
        elif pick < 3 and kind == "t" and old:
            index = self.r.choice(INDEX)
            # Through a mask a tensor gets a gradient that agrees up to rounding only.
            value = self.r.choice(STORES[:4] if ">" in index else STORES)
            self.put(depth, self.fill(f"{self.r.choice(old)}[{index}] {value}", s))
        elif pick < 5:
            self.several(s, depth)
        else:
            value = self.bounded(s, kind)
            name = self.target(s, kind)
            self.put(depth, f"{name} = {value}")
            self.bind(s, kind, name)

    def view(self, s: Scope, depth: int) -> bool:
        """A view of a tensor, or a change of one; False where there is no tensor to change."""
        old = [n for n in s.names["t"] if n in s.fresh]
        if not old:
            return False
        name, store = self.r.choice(old), self.r.choice(STORES)
        pick = self.r.randrange(4)
        if pick == 0:
            self.put(depth, self.fill(f"{name}{self.r.choice(PARTS)}[0] {store}", s))
        elif pick == 1:
            rows = self.declare(s, "t")
            self.put(depth, self.fill(f"{rows} = ops.stack([$x, {name}])", s))
            self.put(depth, self.fill(f"{rows}[{self.r.choice('01')}][$i % 3] {store}", s))
            self.put(depth, f"{rows} = {rows}[0] - {rows}[1]")
            self.bind(s, "t", rows)
        elif pick == 2:
            self.put(depth, self.fill(f"{name}.{self.r.choice(IN_PLACE)}", s))
        else:
            made = self.declare(s, "t")
            shown = self.r.choice(VIEWS).replace("N", name)
            self.put(depth, f"{made} = {shown}")
            self.bind(s, "t", made)
        return True

    def several(self, s: Scope, depth: int) -> None:
        """One of `BINDINGS`."""
        template = self.pick(s, [(text, 1) for text, _ in BINDINGS])
        kinds = dict(BINDINGS)[template]
        left, right = template.split(" = ", 1)
        new: list = []
        for mark, kind in (("LT", "lt"), ("LI", "li"), ("T", "t"), ("I", "i"), ("N", kinds[0])):
            if mark in left.replace("LT", "").replace("LI", "") or len(mark) == 2 and mark in left:
                new.append((mark, kind, self.declare(s, kind)))
        if "(N :=" in right:
            name = self.declare(s, "i")
            right = right.replace("N", name)
            new.append(("", "i", name))
        text = self.fill(right, s)
        for mark, _, name in new:
            left = left.replace(mark, name, 1) if mark else left
        self.put(depth, f"{left} = {text}")
        for _, kind, name in new:
            self.bind(s, kind, name)

    # ---- control

    def conditional(self, s: Scope, depth: int, loop: bool, returns: str) -> None:
        """An `if`; now and then every branch gives a new name its value."""
        given = self.declare(s, "t") if self.chance(0.25) else None
        branches = 1 + (self.chance(0.6) or given is not None) + self.chance(0.25)
        for k in range(branches):
            last = k > 0 and k == branches - 1
            head = (
                f"if {self.test(s)}:"
                if k == 0
                else "else:"
                if last
                else f"elif {self.condition(s)}:"
            )
            self.put(depth, head)
            inner = s.inner()
            left = self.block(inner, depth + 1, loop, False, returns)
            if given is not None and not left:
                self.put(depth + 1, f"{given} = {self.stored(inner)}")
        if given is not None and branches > 1:
            self.bind(s, "t", given)

    def test(self, s: Scope) -> str:
        """The condition of an `if`; it may give a number a name."""
        if self.chance(0.1):
            name = self.declare(s, "i")
            text = f"({name} := {self.value(s, 'i')} % 7) > {self.r.randint(0, 4)}"
            self.bind(s, "i", name)
            return text
        return self.condition(s)

    def loop(self, s: Scope, depth: int, loop: bool, returns: str) -> None:
        """A `while` that counts, a `for` over a range, or over one of `ITEMS`."""
        filled = None
        if self.chance(0.2):
            filled = self.declare(s, "lt")
            self.put(depth, self.fill(f"{filled} = [$x, $x]", s))
        table = None
        if self.chance(0.25):
            table = self.r.choice(("lt", "ll")), self.new("a")
            length = self.r.choice(("3", "4", "12"))
            row = "$x" if table[0] == "lt" else "[$x, $t * 0.5]"
            self.put(depth, self.fill(f"{table[1]} = [{row} for _ in range({length})]", s))
            self.bind(s, *table)
        inner, pick = s.inner(), self.r.randrange(3)
        inner.looped = True
        if pick == 0:
            k = self.new("k")
            self.put(depth, f"{k} = 0")
            bound = self.fill(self.r.choice(("$I % 5", "3", "n", "9")), s)
            self.put(
                depth,
                f"while {k} < {bound}{' and ' + self.condition(s) if self.chance(0.5) else ''}:",
            )
            self.put(depth + 1, f"{k} += 1")
            inner.names["i"].append(k)
        elif pick == 1:
            k = self.new("k")
            self.put(depth, f"for {k} in range({self.fill(self.r.choice(RANGES), s)}):")
            inner.names["i"].append(k)
        else:
            head = self.pick(s, [(text, 1) for text, _ in ITEMS])
            kinds = dict(ITEMS)[head]
            targets, items = head.split(" in ", 1)
            text = self.fill(items, s)
            for kind in kinds:
                name = self.new(kind)
                targets = ", ".join(name if v == kind else v for v in targets.split(", "))
                inner.names[kind].append(name)
            self.put(depth, f"for {targets} in {text}:")
        if filled is not None:
            self.collect(inner, depth + 1, filled)
        for _ in range(self.r.randint(1, 3) if table else 0):
            self.set_place(inner, depth + 1, *table)
        self.block(inner, depth + 1, True, False, returns)
        if self.chance(0.2):
            self.put(depth, "else:")
            self.block(s.inner(), depth + 1, loop, False, returns)
        if filled is not None:
            self.use(s, depth, filled)

    # ---- exceptions

    def exceptional(self, s: Scope, depth: int, loop: bool, returns: str, nested: bool) -> bool:
        """What raises, perhaps; or a `try`."""
        pick = self.r.randrange(10)
        if pick < 5 and nested:
            self.handled(s, depth, loop, returns)
            return False
        if pick < 8:
            self.put(depth, f"if {self.condition(s)}:")
            self.failing(s.inner(), depth + 1, FAILURES)
        else:
            self.failing(s, depth, SOMETIMES)
        return False

    def failing(self, s: Scope, depth: int, kinds: tuple) -> None:
        text = self.pick(s, [(t, 1) for t in kinds])
        kind = {"T": "t", "I": "i"}.get(text[0])
        value = self.fill(text[4:] if kind else text, s)
        if kind is None:
            self.put(depth, value)
            return
        name = self.declare(s, kind)
        self.put(depth, f"{name} = {value}")
        self.bind(s, kind, name)

    def handled(self, s: Scope, depth: int, loop: bool, returns: str) -> None:
        """A `try`; now and then all its ways give a new name its value."""
        given = self.declare(s, "t") if self.chance(0.4) else None
        final = self.chance(0.25)
        parts = ["try:", *self.r.sample(HANDLERS, self.r.choice((0, 1, 1, 2) if final else (1, 2)))]
        parts += ["else:"] if len(parts) > 1 and given is None and self.chance(0.25) else []
        for head in parts:
            self.put(depth, head)
            inner = s.inner()
            if head.endswith("as e:"):
                self.put(depth + 1, f"{self.declare(s, 'i')} = len(e.args)")
            left = self.block(inner, depth + 1, loop, False, returns)
            if self.chance(0.1) and head.startswith("except") and not left:
                self.put(depth + 1, "raise")
            elif given is not None and not left:
                self.put(depth + 1, f"{given} = {self.stored(inner)}")
        if final:
            self.put(depth, "finally:")
            self.block(s.inner(), depth + 1, False, False, returns)
        if given is not None:
            self.bind(s, "t", given)

    def set_place(self, s: Scope, depth: int, kind: str, name: str) -> None:
        """An element is set at a place that the run finds, always or sometimes."""
        if self.chance(0.3):
            self.put(depth, f"if {self.condition(s)}:")
            depth += 1
        at = self.r.choice(("[$i % 3]", "[$I % 3]", "[-1 - $I % 2]", "[0]"))
        inner = self.r.choice(("[$i % 2]", "[$I % 2]", "[-1]")) if kind == "ll" else ""
        change = self.r.choice(("= $x", "= $x", "*= $x", "+= $t"))
        self.put(depth, name + self.fill(f"{at}{inner} {change}", s))

    def collect(self, s: Scope, depth: int, name: str) -> None:
        """A list is filled in a loop, always or sometimes."""
        if self.chance(0.4):
            self.put(depth, f"if {self.condition(s)}:")
            depth += 1
        change = self.r.choice((".append($x)", " += [$x]", ".extend(($x, $x))"))
        self.put(depth, name + self.fill(change, s))

    def use(self, s: Scope, depth: int, name: str) -> None:
        """What was collected gives a tensor, and is a list like others from now on."""
        self.bind(s, "lt", name)
        total = self.declare(s, "t")
        text = self.r.choice(
            (
                f"ops.stack({name}).mean(0)",
                f"({name}[-1] * {name}[0] + len({name}))",
                f"({name}[$i % len({name})] - {name}[1])",
            )
        )
        self.put(depth, f"{total} = {self.fill(text, s)}")
        self.bind(s, "t", total)

    # ---- containers, objects, functions as values

    def containers(self, s: Scope, depth: int, static: bool) -> None:
        """Make or change a list, a dict, an object, or a function by a value."""
        kind = self.r.choice(("lt", "lt", "li", "ll", "ll", "d", "o", "r", "g", "g"))
        old = s.names[kind]
        if self.chance(0.15) and self.alias(s, depth, kind):
            return
        if kind in CHANGES and old and self.chance(0.6):
            name = self.r.choice(old)
            fit = self.fitting(kind, static)
            change = self.fill(self.r.choice(fit), s).replace("N[", f"{name}[")
            self.put(depth, f"{name}{change}")
            return
        text = self.fill(self.pick(s, [(t, 1) for t in MAKES[kind]]), s)
        name = self.declare(s, kind)
        self.put(depth, f"{name} = {text}")
        self.bind(s, kind, name)

    def fitting(self, kind: str, static: bool) -> list:
        """The changes for a place: where data decide whether it is reached, few of the length."""
        kept = () if static or kind[0] == "l" and self.chance(0.3) else GROWS
        return [
            t
            for t in CHANGES[kind]
            if static or not t.startswith(LENGTHS) or t.startswith(GROWS) and not kept
        ]

    def alias(self, s: Scope, depth: int, kind: str) -> bool:
        """Another name of a list, dict or object, or a function that changes its argument."""
        old = s.names[kind]
        if not old or kind not in CHANGES:
            return False
        if self.chance(0.5):
            name = self.declare(s, kind)
            self.put(depth, f"{name} = {self.r.choice(old)}")
            self.bind(s, kind, name)
            return True
        fn, inner = self.new("f"), s.inner()
        first, *_ = fit = [t for t in CHANGES[kind] if not any(t.startswith(p) for p in LENGTHS)]
        self.put(depth, f"def {fn}(v):")
        self.put(depth + 1, f"if {self.condition(s)}:")
        self.put(depth + 2, "v" + self.fill(first, inner))
        self.put(depth + 1, "v" + self.fill(self.r.choice(fit), inner).replace("N[", "v["))
        self.put(depth, f"{fn}({self.r.choice(old)})")
        return True

    # ---- functions

    def definition(self, s: Scope, depth: int) -> None:
        """A nested function or lambda: a closure over all that is in scope, perhaps recursive."""
        fn, t, i = self.new("f"), self.new("t"), self.new("i")
        inner = s.inner()
        inner.fresh = {t, i}
        inner.names["t"] += [t, t]
        pick = self.r.randrange(8)
        if pick == 7:
            self.generator(s, inner, fn, t, depth)
            return
        if pick == 0:
            self.put(depth, f"{fn} = lambda {t}: {self.tensor(inner)}")
            s.functions[fn] = f"{fn}($x)"
            s.names["g"].append(fn)
            return
        inner.names["i"].append(i)
        if pick == 1:
            self.recursive(s, inner, fn, t, i, depth)
            return
        head, call = {
            2: (f"{t}, {i}={self.r.randint(0, 3)}", f"{fn}($x)"),
            3: (f"{t}, *, {i}=2", f"{fn}($x, {i}=$i)"),
            4: (f"{t}, *more, {i}=1", f"{fn}($x, $i, $x)"),
            5: (f"{t}, {i}=1, **more", f'{fn}(**{{"{t}": $x, "other": $i}})'),
        }.get(pick, (f"{t}, {i}", f"{fn}($x, $i)"))
        self.put(depth, f"def {fn}({head}):")
        if not self.block(inner, depth + 1, False, False, "t"):
            self.leave(inner, depth + 1, "t")
        s.functions[fn] = call
        if pick in (2, 3, 4, 5):
            s.names["g"].append(fn)

    def generator(self, s: Scope, inner: Scope, fn: str, t: str, depth: int) -> None:
        """A generator function, which yields once at least."""
        self.put(depth, f"def {fn}({t}):")
        self.put(depth + 1, f"yield {self.stored(inner)}")
        k, bound = self.new("k"), self.r.choice(("2", "3", "n % 4" if self.chance(0.3) else "2"))
        self.put(depth + 1, f"for {k} in range({bound}):")
        inner.names["i"].append(k)
        self.put(depth + 2, f"{t} = {self.tensor(inner)}")
        if self.chance(0.3):
            self.put(depth + 2, f"if {self.condition(inner)}:")
            depth += 1
        self.put(depth + 2, f"yield {self.stored(inner)}")
        self.bind(s, "y", fn)

    def recursive(self, s: Scope, inner: Scope, fn: str, t: str, i: str, depth: int) -> None:
        """A function that calls itself, behind one that cuts its count."""
        inner.functions, inner.fresh = {}, {t}
        inner.names.update(lt=[], li=[], ll=[], d=[], o=[], g=[], y=[])
        self.put(depth, f"def {fn}({t}, {i}):")
        self.put(depth + 1, f"if {i} <= 0:")
        self.put(depth + 2, f"return {self.stored(inner)}")
        left = self.block(inner, depth + 1, False, False, "t")
        less = self.r.choice((f"{i} - 1", f"{i} // 2", f"min({i}, 4) - 1"))
        again = f"{fn}({self.tensor(inner, 0)}, {less})"
        if not left:
            text = self.r.choice(
                (f"{again} * {self.tensor(inner, 0)}", again, f"{again} + {again}")
            )
            self.put(depth + 1, f"return {text}")
        cut = self.new("f")
        self.put(depth, f"def {cut}(u, k):")
        self.put(depth + 1, f"return {fn}(u * 1.0, k % 4)")
        s.functions[cut] = f"{cut}($x, $i)"

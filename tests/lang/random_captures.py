"""Makes a random program read what stands outside, which changes between its calls.

Some of its numbers, functions and conditions become variables of the module or of an enclosing
function, attributes, items; `change` in the program gives some of them another value.
"""

from __future__ import annotations

import random
import re

HEAD = """import types

RATE, STEPS, WORD, FLAG = 0.5, 3, "wave", True
BIAS, POSITIONS = Tensor([0.5, -1.0, 0.25]), Tensor([2, 0, 1])
ROWS, TABLE, PAIR = [0.5, 1.25], {"k": 0.75, "n": {"m": [2]}}, (Tensor([1.0, 0.5, -0.5]), 2)
ARRAY = np.array([0.5, 1.5, -1.0], np.float32)
OUTER = types.SimpleNamespace(k=1.5, inner=State(Tensor([0.25, 1.0, -0.5])))
FROZEN = Frozen(Tensor([0.5, 0.25, -0.5]), 0.5)


class Rates:
    fast = 0.5

    def __init__(self):
        self.slow = 0.25

    @property
    def both(self):
        return self.fast + self.slow


def wave(v, k=1.0):
    return ops.sin(v) * k


def wide(v):
    return ops.tanh(v) + 0.25


def enclosed():
    k, w = 0.5, Tensor([0.5, 1.0, -0.25])

    def read(v):
        return v * k + w

    def put(number, tensor):
        nonlocal k, w
        k, w = number, tensor

    return read, put


READ, PUT = enclosed()
RATES = Rates()


def change(r):
    \"\"\"Give a few of them other values.\"\"\"
    global RATE, STEPS, WORD, FLAG, BIAS, PAIR, POSITIONS, wave, FROZEN
    number = r.choice((0.5, 0.75, -1.5, 2.0))
    tensor = Tensor([r.choice((0.5, -1.0, 2.0)) for _ in range(3)])
    for _ in range(r.randint(1, 3)):
        at = r.randrange(20)
        if at == 0:
            RATE = number
        elif at == 1:
            STEPS = r.randint(1, 4)
        elif at == 2:
            WORD = r.choice(("wave", "flat"))
        elif at == 3:
            FLAG = not FLAG
        elif at == 4:
            BIAS = tensor
        elif at == 5:
            BIAS[1] = float(number)
        elif at == 6:
            BIAS.asnumpy()[2] = number
        elif at == 7:
            PAIR = tensor, r.randint(1, 3)
        elif at == 8:
            POSITIONS = Tensor(r.sample(range(3), 3))
        elif at == 9:
            ROWS[r.randrange(2)] = number
        elif at == 10:
            TABLE["k"] = number
        elif at == 11:
            TABLE["n"]["m"].append(r.randint(0, 3))
        elif at == 12:
            ARRAY[r.randrange(3)] = number
        elif at == 13:
            OUTER.k = number
        elif at == 14:
            OUTER.inner.x = tensor
        elif at == 15:
            Rates.fast = number
        elif at == 16:
            RATES.slow = number
        elif at == 17:
            wave = r.choice((wave, wide, lambda v, k=number: v * k))
        elif at == 18:
            wave.__defaults__ = (number,) if wave.__defaults__ else None
        else:
            PUT(number, tensor)
            FROZEN = Frozen(tensor, number)


"""

FROZEN = """
@dataclasses.dataclass(frozen=True)
class Frozen:
    t: Tensor
    k: float


"""

NUMBERS = (
    "RATE",
    "ROWS[0]",
    "ROWS[-1]",
    'TABLE["k"]',
    "OUTER.k",
    "Rates.fast",
    "RATES.both",
    "FROZEN.k",
    "float(ARRAY[1])",
)
FUNCTIONS = (
    "wave",
    "READ",
    "OUTER.inner.value",
    "(lambda v: v * BIAS)",
    "(lambda v: v + PAIR[0] * PAIR[1])",
    "(lambda v: v[POSITIONS])",
    "(lambda v: v * Tensor(ARRAY))",
    "(lambda v: v - FROZEN.t)",
)
CONDITIONS = ('(WORD == "wave")', "FLAG", "(len(TABLE['n']['m']) % 2 == 1)", "(RATE > 0)")


def capture(source: str, seed: int) -> str:
    """The program with some of its parts outside."""
    r = random.Random(seed)

    def some(pattern: str, made, chance: float, text: str) -> str:
        def replaced(m):
            return made(m) if r.random() < chance else m[0]

        return re.sub(pattern, replaced, text)

    body = some(r"(?<![\w.])\d\.\d+\b", lambda m: r.choice(NUMBERS), 0.35, source)
    body = some(r"\bops\.(?:sin|tanh|cos)(?=\()", lambda m: r.choice(FUNCTIONS), 0.5, body)
    body = some(r"\((?:2 > 1|3 < 2)\)", lambda m: r.choice(CONDITIONS), 0.8, body)
    # Not the length of a list: its elements are counted on.
    return some(r"\brange\(\d\)(?!\])", lambda m: "range(STEPS)", 0.4, body)


__all__ = ["FROZEN", "HEAD", "capture"]

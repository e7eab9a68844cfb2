"""Values that live while compiling, chosen by data: strings, None, dtypes, enumeration members,
objects.
"""

import enum
from dataclasses import dataclass

import minds as ms
from minds import nn, ops


def branch_on_a_mode(x, n):
    mode = "double" if n > 2 else "square"
    if mode == "double":
        return x * 2.0
    return x * x


def mode_of_three_by_statements(x, n):
    if n > 2:
        mode = "sin"
    elif n > 1:
        mode = "cos"
    else:
        mode = "neither"
    y = x
    if mode == "sin":
        y = ops.sin(x)
    if mode != "neither":
        y = y * x
    return y


def number_by_a_chosen_key(x, n):
    scale = {"low": 0.5, "high": 3.0}
    return x * scale["high" if n > 2 else "low"]


def function_by_a_chosen_key(x, n):
    table = {"wave": lambda v: ops.sin(v) * x, "flat": ops.tanh}
    return table["wave" if n > 2 else "flat"](x)


def key_that_is_missing_is_never_read(x, n):
    table = {"wave": 2.0}
    mode = "wave" if n > 2 else "none"
    if mode in table:
        return x * table[mode]
    return x


def get_with_a_default_by_a_chosen_key(x, n):
    return x * {"wave": 2.0}.get("wave" if n > 2 else "none", 0.5)


def state_machine_of_strings(x, n):
    state, y = "start", x
    for i in range(n + 4):
        if state == "start":
            y = y * 2.0
            state = "middle"
        elif state == "middle":
            y = y + x
            state = "end"
        else:
            y = y * 0.5
            state = "start" if i > 3 else "end"
    return y


def state_leaves_a_while(x, n):
    state = "run"
    y = x
    while state != "stop":
        y = y * 1.5
        if ops.sum(y * y) > 40 + n:
            state = "stop"
    return y


def methods_of_a_chosen_string(x, n):
    mode = "wave-high" if n > 2 else "flat-low"
    return x * len(mode) if mode.startswith("wave") else x + len(mode.split("-")[1])


def chosen_string_in_an_f_string(x, n):
    mode = "wave" if n > 2 else "flat"
    name = f"{mode}_scale"
    return x * {"wave_scale": 2.0, "flat_scale": 3.0}[name]


def strings_added(x, n):
    mode = ("a" if n > 2 else "b") + ("c" if x.sum() > 0 else "d")
    return x * {"ac": 1.0, "ad": 2.0, "bc": 3.0, "bd": 4.0}[mode]


def compared_with_each_other(x, n):
    a = "p" if n > 2 else "q"
    b = "p" if x.sum() > 0 else "q"
    return x * 2.0 if a == b else x * x


def passed_to_a_function(x, n):
    def step(v, mode, *, scale="one"):
        if mode == "wave":
            v = ops.sin(v)
        return v * {"one": 1.0, "two": 2.0}[scale]

    mode = "wave" if n > 2 else "flat"
    return step(x, mode, scale="two" if x.sum() > 0 else "one")


def returned_by_a_function(x, n):
    def pick(k):
        if k > 2:
            return "wave"
        return "flat"

    return ops.sin(x) if pick(n) == "wave" else x


def in_a_tuple(x, n):
    mode, y = ("wave", x * 2.0) if n > 2 else ("flat", x * 3.0)
    return ops.sin(y) if mode == "wave" else y


def through_recursion(x, n):
    def go(k, mode):
        if k <= 0:
            return x * 2.0 if mode == "even" else x * x
        return go(k - 1, "odd" if mode == "even" else "even")

    return go(n, "even")


def result_is_a_chosen_string(x, n):
    return "large" if n > 2 else "small", x * n


def result_is_none_or_a_pair(x, n):
    return None if n > 2 else (n + 1, "pair")


def none_until_found(x, n):
    best = None
    for i in range(6):
        v = ops.sum(x * i)
        if best is None or v > best:
            best = v
    return x if best is None else x * best


def none_or_a_tensor_returned_early(x, n):
    y = None if n > 2 else x * 2.0
    if y is None:
        return x * x
    return y


def none_or_a_tensor_of_a_function(x, n):
    def find(v):
        if n > 2:
            return v * 3.0

    y = find(x)
    return y * x if y is not None else x


def none_and_more_conditions(x, n):
    y = x * 2.0 if n > 2 else None
    return y * y if y is not None and ops.sum(y) > 0 else x


def none_or_an_object(x, n):
    node = _Shift(x) if n > 2 else None
    return x if node is None else node.run(x)


def dtype_by_data(x, n):
    kind = ms.float32 if n > 2 else ms.float16
    return x * (2.0 if kind == ms.float32 else 3.0)


class _Color(enum.Enum):
    RED = 1
    GREEN = 2


def member_of_an_enumeration(x, n):
    color = _Color.RED if n > 2 else _Color.GREEN
    if color is _Color.RED:
        return x * color.value
    return x * x * color.value


class _Scale:
    def __init__(self, k):
        self.k = k

    def run(self, v):
        return v * self.k


class _Shift:
    def __init__(self, k):
        self.k = k

    def run(self, v):
        return ops.sin(v) + self.k * 2.0


def object_of_either_class(x, n):
    o = _Scale(x) if n > 2 else _Shift(x * 2.0)
    return o.run(x) * o.k


def object_of_either_class_by_statements(x, n):
    if n > 2:
        o = _Scale(x)
    else:
        o = _Shift(x)
        o.k = o.k * 3.0
    return o.run(x)


def class_of_a_chosen_object(x, n):
    o = _Scale(x) if n > 2 else _Shift(x)
    if isinstance(o, _Scale):
        return o.run(x) * o.k
    return o.run(x)


def object_of_either_class_in_a_loop(x, n):
    o, y = _Scale(x), x
    for i in range(n + 1):
        y = ops.tanh(o.run(y))
        o = _Shift(y) if i % 2 == 0 else _Scale(y * 0.5)
    return o.run(y)


def class_chosen_then_made(x, n):
    kind = _Scale if n > 2 else _Shift
    return kind(x).run(x)


_half, _wave = _Scale(0.5), _Shift(1.5)


def object_made_outside(x, n):
    o = _half if n > 2 else _wave
    return o.run(x) * o.k


_relu, _tanh = nn.ReLU(), nn.Tanh()


def cell_or_object(x, n):
    act = _relu if n > 2 else _tanh
    return act(x) * x


@dataclass(frozen=True)
class _Square:
    side: object

    def area(self):
        return self.side * self.side


@dataclass(frozen=True)
class _Circle:
    radius: object

    def area(self):
        return self.radius * self.radius * 3.0


def record_of_either_class(x, n):
    shape = _Square(x) if n > 2 else _Circle(x * 0.5)
    return shape.area()


def item_set_by_a_chosen_key(x, n):
    out = {"wave": x, "flat": x * 2.0}
    kind = "wave" if n > 2 else "flat"
    out[kind] = ops.sin(x)
    out["flat" if n > 1 else "wave"] *= 0.5
    return out["wave"] * out["flat"], out


def pair_or_none_taken_apart(x, n):
    pair = (x * 2.0, n) if n > 1 else None
    if n > 1:
        a, b = pair
        return a * b
    return x


def none_taken_apart_for_some_data(x, n):
    pair = (ops.sin(x), 2) if n > 2 else None
    try:
        a, b = pair
    except TypeError:
        return x
    return a * b

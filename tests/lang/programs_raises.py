"""Programs that raise on a path that data choose: there, and only there, CPython's exception."""

import dataclasses

import minds as ms
from minds import ops


def index_of_a_list(x, n):
    xs = [x, x * 2.0]
    return xs[5] if n > 2 else xs[1]


def key_of_a_dict(x, n):
    d = {"a": 2.0}
    if n > 2:
        return x * d["b"]
    return x * d["a"]


def key_that_data_choose(x, n):
    mode = "a" if n > 2 else "b"
    return x * {"b": 3.0}[mode]


def division_of_known_numbers(x, n):
    return x * (1 / 0) if n > 2 else x


def shapes_that_do_not_fit(x, n):
    if n > 2:
        x = x @ ops.ones((4, 4))
    elif n == 1:
        x = x + ops.ones((7,))
    return x * 2.0


def nested_conditions(x, n):
    if n > 2:
        if n > 4:
            return x.no_such_attribute
        return x.reshape(7)
    return x


def _called(x):
    return x.no_such_attribute


def in_a_function_that_a_loop_calls(x, n):
    for i in range(n):
        if i == 2:
            x = _called(x)
        x = x * 2.0
    return x


def in_every_iteration(x, n):
    i = 0
    while i < n:
        x = x + ops.ones((7,))
        i += 1
    return x * 3.0


def in_a_loop_of_known_length(x, n):
    for i in range(20):
        if i == n * 5:
            x = x + ops.ones((7,))
        x = x * 0.9
    return x


def in_the_head_of_a_loop(x, n):
    xs = [x]
    if n > 2:
        for v in xs[3]:
            x = x + v
    return x


def in_recursion(x, n):
    def f(k):
        if k == 0:
            return x
        if k == 3:
            return f(k - 1) + [1.0][4]
        return f(k - 1) * 2.0

    return f(n)


def recursion_that_only_raises(x, n):
    def f(k):
        if k == 0:
            raise ValueError("the end")
        return f(k - 1)

    return f(n) if n > 2 else x


def unpacking(x, n):
    if n > 2:
        a, b = (1, 2, 3)
    else:
        a, b = 1, 2
    return x * a * b


def in_a_branch_of_an_op(x, n):
    return ops.cond(n > 2, lambda v: v.reshape(7), lambda v: v * 2.0, x)


def in_an_unrolled_loop_behind_a_break(x, n):
    for v in (1.0, [2.0], 3.0):
        if n > 2:
            break
        x = x * v.real
    return x


def names(x, n):
    if n > 2:
        return ops.no_such_op(x)
    return x


def methods_of_containers(x, n):
    xs = [1, 2, 3]
    if n > 2:
        xs.remove(7)
    return x * len(xs)


def wrong_arguments(x, n):
    def f(v):
        return v * 2.0

    return f(x, 1) if n > 2 else f(x)


def types_of_operands(x, n):
    y = x if n > 2 else x * 2.0
    if n > 2:
        return y * {}
    return y


def in_a_function_that_is_differentiated(x, n):
    def f(v):
        return (v.reshape(7) if n > 2 else v * v).sum()

    return ms.grad(f)(x)


def derivative_of_what_only_raises(x, n):
    if n > 2:
        return ms.grad(lambda v: v.reshape(7).sum())(x)
    return x


class Slotted:
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v


@dataclasses.dataclass(frozen=True)
class Frozen:
    v: object


def attribute_without_a_slot(x, n):
    o = Slotted(x)
    o.v = x * 2.0
    if n > 2:
        o.w = x
    return o.v


def attribute_without_a_slot_caught(x, n):
    o = Slotted(x)
    try:
        o.w = x
    except AttributeError:
        return o.v * n
    return x


def attribute_of_the_frozen(x, n):
    o = Frozen(x)
    if n > 2:
        o.v = x * 2.0
    return o.v


def attribute_of_a_number(x, n):
    if n > 2:
        n.w = 3
    return x * n


def attribute_of_a_tuple(x, n):
    t = (x, n)
    if n > 2:
        t.w = 3
    return t[0] * t[1]


def _ends_by_itself(x):
    yield x
    raise StopIteration


def stop_in_a_generator(x, n):
    for v in _ends_by_itself(x):
        x = x + v
    return x

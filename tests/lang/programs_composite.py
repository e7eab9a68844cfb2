"""Small programs: loops, choices and maps as functions of functions. Each takes a tensor of three floats and an int."""

# Written as people write, not as a linter would.
# ruff: noqa: E731
from collections import namedtuple

from minds import Tensor, nn, ops

Pair = namedtuple("Pair", "a b")
ROWS = Tensor([[0.1 * i, -0.2 * i, 0.3] for i in range(20)])
CELLS = nn.CellList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])


def while_loop(x, n):
    return ops.while_loop(lambda v: v[1] < n, lambda v: (ops.tanh(v[0]) * 0.9, v[1] + 1), (x, 0))


def while_loop_class(x, n):
    return ops.WhileLoop()(lambda v: v.sum() < n, lambda v: ops.abs(v) + 0.3, x)


def while_loop_of_a_dict(x, n):
    done = ops.while_loop(lambda s: s["i"] < n, lambda s: {"x": s["x"] * 0.5, "i": s["i"] + 2}, {"x": x, "i": 0})
    return done["x"], done["i"]


def while_loop_of_a_named_tuple(x, n):
    return ops.while_loop(lambda p: p.b < n, lambda p: Pair(p.a * 0.5 + x, p.b + 1), Pair(x, 0))


def while_loop_never_entered(x, n):
    return ops.while_loop(lambda v: v.sum() > 1000.0 + n, lambda v: v * 2.0, x)


def while_loop_in_while_loop(x, n):
    def inner(v):
        return ops.while_loop(lambda w: ops.abs(w).sum() > 1.0, lambda w: w * 0.5, v)

    return ops.while_loop(lambda s: s[1] < n, lambda s: (inner(s[0] * 3.0) + x, s[1] + 1), (x, 0))


def while_loop_of_methods(x, n):
    cell = CELLS[1]
    return ops.while_loop(lambda v: v.sum() > 1.0 + n, cell, x + 5.0)


def fori_loop(x, n):
    return ops.fori_loop(0, n, lambda i, v: v * 0.5 + i, x)


def fori_loop_class(x, n):
    return ops.ForiLoop()(1, 40, lambda i, v: {"a": v["a"] * 0.5 + i, "k": v["k"] + i}, {"a": x, "k": 0})


def fori_loop_of_tensors(x, n):
    return ops.fori_loop(Tensor(0), ops.cast(x.sum(), "int32") + n, lambda i, v: v * 0.5 + x, x)


def fori_loop_of_numbers(x, n):
    return ops.fori_loop(0, n, lambda i, v: v + i, 0), ops.fori_loop(2, n * n, lambda i, v: v + 0.5 * i, 1.5)


def fori_loop_not_unrolled(x, n):
    return ops.fori_loop(0, 3, lambda i, v: v * x + n, x, False)


def fori_loop_that_needs_its_index(x, n):
    return ops.fori_loop(0, 3, lambda i, v: v + (x, x * 2.0, x * n)[i], x)


def scan_of_a_few_numbers(x, n):
    return ops.scan(lambda c, e: (c + e, c * e), 0, [1, 2, 3, 4])


def scan_of_numbers(x, n):
    return ops.scan(lambda c, e: (c + e, c * e), n, list(range(20)))


def scan_of_run_time_numbers(x, n):
    return ops.scan(lambda c, e: (c + e, c * 2), 1.5, tuple([0.5 * n] * 12))


def scan_of_tensors(x, n):
    return ops.Scan()(lambda c, e: (ops.tanh(c + e), (c * e, {"k": c})), x * 0.0, [x * k for k in range(20)])


def scan_of_pairs(x, n):
    return ops.scan(lambda c, e: (c * e[0] + e[1], c), x * 0.1, [(x, k * n) for k in range(15)])


def scan_of_different_things(x, n):
    return ops.scan(lambda c, e: (c + e[0], e[0] * 2.0), x, [(x,), (x, 1), (x, n, 2)] * 4)


def scan_over_rows(x, n):
    return ops.scan(lambda c, e: (ops.tanh(c + e), c * e), x, ROWS * n)


def scan_over_a_few_rows(x, n):
    return ops.scan(lambda c, e: (ops.tanh(c + e), (c * e, 1.5)), x.sum(), x)


def scan_over_rows_with_nested_results(x, n):
    return ops.scan(lambda c, e: ((ops.tanh(c[0] + e), c[1] + 1), Pair(c[0] * e, {"s": c[0].sum()})), (x, n), ROWS)


def scan_of_a_length(x, n):
    return ops.scan(lambda c, e: (c * 0.5, None), x, None, length=12)[0], ops.scan(lambda c, e: (c * 0.5, c), x, None, 3)


def scan_of_nothing(x, n):
    return ops.scan(lambda c, e: (c * 0.5, c), x, [])


def scan_in_scan(x, n):
    def row(c, e):
        return ops.scan(lambda d, f: (d * 0.5 + f, d * f), c, e)

    return ops.scan(row, x.sum(), ROWS)


def cond_of_a_number(x, n):
    return ops.cond(n > 2, lambda v: v * 2.0, lambda v: v + 1.0, x)


def cond_of_a_tensor(x, n):
    return ops.cond(x.sum() > n, lambda a, b: (a, b + 1), lambda a, b: (a * b, b), x, n)


def cond_without_operands(x, n):
    return ops.cond(n > 2, lambda: x * n, lambda: ops.sin(x))


def condition_number(x, n):
    a = Tensor([[2.0, 1.0], [0.5, 1.0]]) * (n + 1)
    return ops.cond(a, "fro"), ops.cond(a, 1)


def switch_of_functions(x, n):
    return ops.switch(n > 2, ops.sin, lambda v: v * n)(x), ops.Switch()(x.sum() > n, x, x * 2.0)


def switch_layer(x, n):
    return ops.switch_layer(n % 2, (ops.sin, lambda v: v * x))(x), ops.switch_layer(Tensor(n % 3), CELLS)(x)


def switch_layer_in_a_loop(x, n):
    for i in range(n + 9):
        x = ops.switch_layer(i % 3, CELLS)(x) + 0.1
    return x


"""Small programs: loops, choices and maps of functions. Each takes a tensor of three floats and an
int.
"""

# Written as people write, not as a linter would.
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
    done = ops.while_loop(
        lambda s: s["i"] < n, lambda s: {"x": s["x"] * 0.5, "i": s["i"] + 2}, {"x": x, "i": 0}
    )
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
    return ops.ForiLoop()(
        1, 40, lambda i, v: {"a": v["a"] * 0.5 + i, "k": v["k"] + i}, {"a": x, "k": 0}
    )


def fori_loop_of_tensors(x, n):
    return ops.fori_loop(Tensor(0), ops.cast(x.sum(), "int32") + n, lambda i, v: v * 0.5 + x, x)


def fori_loop_of_numbers(x, n):
    return ops.fori_loop(0, n, lambda i, v: v + i, 0), ops.fori_loop(
        2, n * n, lambda i, v: v + 0.5 * i, 1.5
    )


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
    return ops.Scan()(
        lambda c, e: (ops.tanh(c + e), (c * e, {"k": c})), x * 0.0, [x * k for k in range(20)]
    )


def scan_of_pairs(x, n):
    return ops.scan(lambda c, e: (c * e[0] + e[1], c), x * 0.1, [(x, k * n) for k in range(15)])


def scan_of_different_things(x, n):
    return ops.scan(lambda c, e: (c + e[0], e[0] * 2.0), x, [(x,), (x, 1), (x, n, 2)] * 4)


def scan_over_rows(x, n):
    return ops.scan(lambda c, e: (ops.tanh(c + e), c * e), x, ROWS * n)


def scan_over_a_few_rows(x, n):
    return ops.scan(lambda c, e: (ops.tanh(c + e), (c * e, 1.5)), x.sum(), x)


def scan_over_rows_with_nested_results(x, n):
    return ops.scan(
        lambda c, e: ((ops.tanh(c[0] + e), c[1] + 1), Pair(c[0] * e, {"s": c[0].sum()})),
        (x, n),
        ROWS,
    )


def scan_of_a_length(x, n):
    return ops.scan(lambda c, e: (c * 0.5, None), x, None, length=12)[0], ops.scan(
        lambda c, e: (c * 0.5, c), x, None, 3
    )


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
    return ops.switch_layer(n % 2, (ops.sin, lambda v: v * x))(x), ops.switch_layer(
        Tensor(n % 3), CELLS
    )(x)


def switch_layer_in_a_loop(x, n):
    for i in range(n + 9):
        x = ops.switch_layer(i % 3, CELLS)(x) + 0.1
    return x


SUM = ops.MultitypeFuncGraph("sum")


@SUM.register("Tensor", "Tensor")
def _(a, b):
    return a + b


@SUM.register("Number", "Tensor")
def _(a, b):
    return b * a


@SUM.register("Int", "Int")
def _(a, b):
    return a * 10 + b


@SUM.register("Float", "Number")
def _(a, b):
    return a - b


@SUM.register("Bool", "Bool")
def _(a, b):
    return a and not b


@SUM.register("Tuple", "Number")
def _(a, b):
    return tuple([SUM(v, b) for v in a])


@SUM.register("String", "None")
def _(a, b):
    return a + "!"


@SUM.register("Function", "Tensor")
def _(f, x):
    return f(x)


@SUM.register("List", "Any")
def _(a, b):
    return len(a)


KINDS = ops.MultitypeFuncGraph("kinds")
for _i, _word in enumerate(
    (
        "Tensor[Int32]",
        "Tensor[Float32]",
        "Bool",
        "Int",
        "Float",
        "String",
        "Tuple[Int,Tensor]",
        "Tuple",
        "List",
        "Dictionary",
        "None",
        "Slice",
        "Ellipsis",
        "TypeType",
        "Function",
    )
):
    KINDS.register(_word)(lambda v, i=_i: i)


FALLBACK = ops.MultitypeFuncGraph("fallback")
FALLBACK.register("Int", "Int")(lambda a, b: a + b)
FALLBACK.register_default(lambda *args: len(args))
SQUARE = ops.MultitypeFuncGraph("square")
SQUARE.register("Tensor")(lambda v: ops.square(v))
SQUARE.register("Number")(lambda v: v * v)
SQUARE_MAP = ops.HyperMap(SQUARE)


def multitype(x, n):
    return (
        SUM(x, x),
        SUM(n, x),
        SUM(n, 2),
        SUM(0.5, n),
        SUM((n, 1), 3),
        SUM("a", None),
        SUM([x], n),
        SUM(2.5, x),
    )


def multitype_of_bools(x, n):
    return SUM(n > 2, n > 4), SUM(True, False)


def multitype_of_functions(x, n):
    return (
        SUM(ops.sin, x),
        SUM(lambda v: v * n, x),
        SUM(CELLS[1], x),
        SUM(ops.sin if n > 2 else ops.cos, x),
    )


def multitype_words(x, n):
    values = (
        ops.cast(x, "int32"),
        x,
        n > 2,
        n,
        0.5,
        "s",
        (n, x),
        (x,),
        [n],
        {},
        None,
        slice(1),
        ...,
        Tensor,
        ops.sin,
    )
    return [KINDS(v) for v in values]


def multitype_fallback(x, n):
    return FALLBACK(n, 2), FALLBACK(x, n, 3), FALLBACK("a")


def map_one_level(x, n):
    return (
        ops.Map(SQUARE)((x, n, 2.5)),
        ops.Map()(ops.add, [x, x * 2.0], [x, n]),
        ops.Map(ops.partial(ops.mul, x))((n, x)),
    )


def map_of_tuples(x, n):
    return ops.Map(lambda a: len(a))(((1, 2), (x,), ()))


def hyper_map_nested(x, n):
    return SQUARE_MAP((x, (n, [x * 2.0, (1.5,)]))), ops.HyperMap()(SQUARE, [x, n])


def hyper_map_several(x, n):
    return ops.HyperMap(lambda a, b, c: a * b + c)((x, (n, x)), (x, (2, 0.5)), (1.0, (n, n)))


def hyper_map_of_a_chosen_function(x, n):
    f = ops.sin if n > 2 else ops.cos
    return ops.HyperMap()(f, (x, (x * 2.0,)))


def hyper_map_reverse(x, n):
    seen = []

    def note(v):
        seen.append(len(seen))
        return v * 2.0

    return ops.HyperMap(note, True)((x, n, (1.0,))), ops.Map(note, reverse=True)([x, n]), seen


def hyper_map_list_is_a_list(x, n):
    xs = ops.HyperMap(SQUARE)([x, n])
    xs.append(n)
    return xs


def ops_partial(x, n):
    return ops.partial(ops.mul, x)(n), ops.Partial()(lambda a, b, c: a * b + c, x, n)(2.0)


def composite_names(x, n):
    c = ops.composite
    return (
        c.augassign_add(x, n),
        c.augassign_sub(n, 2),
        c.augassign_mul(x, x),
        c.augassign_div(x, 2.0),
        c.augassign_floordiv(n, 2),
        c.augassign_mod(n, 2),
        c.zip_operation((x, n), (1, 2)),
        c.tail((x, n)),
        c.zeros_like(x),
        c.ones_like(x),
        c.hyper_add(x, x),
        c.dot(ROWS, ops.transpose(ROWS, (1, 0))).sum(),
        c.clip_by_value(x, -0.5, 0.5),
        c.count_nonzero(x),
        c.repeat_elements(x, 2),
        c.clip_by_global_norm((x, x), 0.5),
    )


def depend_and_stop_gradient(x, n):
    y = ops.depend(x * 2.0, (x * 3.0, x + n))
    return ops.stop_gradient(y) * x, ops.Depend()(y, x), ops.StopGradient()(y) * 2.0

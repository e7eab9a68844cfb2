"""Small programs: functions chosen at run time. Each takes a tensor of three floats and an int."""

# Written as people write, not as a linter would.
import functools
from collections import namedtuple
from dataclasses import dataclass

import minds as ms
from minds import nn, ops

Ops = namedtuple("Ops", "first second")


def scaled(k):
    def f(v):
        return v * k

    return f


def shifted(k):
    return lambda v: v + k


def one_maker_two_captures(x, n):
    f = scaled(x) if n > 2 else scaled(n)
    return f(x)


def one_maker_captured_numbers(x, n):
    f = scaled(2.5) if n > 2 else scaled(n * 0.5)
    return f(x) + f(1.0)


def two_makers(x, n):
    f = scaled(x + 1.0) if n > 2 else shifted(n)
    return f(f(x))


def three_makers_by_elif(x, n):
    if n > 3:
        f = scaled(x)
    elif n > 1:
        f = shifted(n)
    else:
        f = ops.sin
    return f(x) * f(x + 1.0)


def made_in_branches_with_locals(x, n):
    if n > 2:
        a = x * 2.0

        def f(v):
            return v * a
    else:
        b = n + 1.0

        def f(v):
            return v + b

    return f(x)


def returned_from_two_exits(x, n):
    def make(k):
        if k > 2:
            a = x * k
            return lambda v: v * a
        a = x + k
        return lambda v: v - a

    return make(n)(x)


def captured_differs_on_two_exits(x, n):
    def make(k):
        a = x * 1.0
        if k > 2:
            a = a * k
            return lambda v: v * a
        a = a + k
        return lambda v: v * a

    return make(n)(x)


def default_of_the_branch(x, n):
    if n > 2:
        y = x * 3.0
        f = lambda v, k=y: v * k
    else:
        f = lambda v, k=n: v + k
    return f(x), f(x, 2.0)


def loop_replaces_the_function(x, n):
    f = scaled(1.0)
    i = 0
    while i < n:
        i = i + 1
        f = scaled(x * i) if i % 2 else shifted(x + i)
        x = f(x) * 0.25
    return f(x)


def loop_keeps_a_closure_of_the_loop(x, n):
    f = shifted(0.0)
    for i in range(n):
        y = x * i
        f = shifted(y.sum())
    return f(x)


def function_in_a_tuple_by_branch(x, n):
    pair = (scaled(2.0), ops.cos) if n > 2 else (shifted(n), ops.sin)
    f, g = pair
    return f(g(x))


def function_in_a_dict_by_branch(x, n):
    table = {"act": ops.relu, "k": 1.0}
    if n > 2:
        table = {"act": scaled(x), "k": 2.0}
    return table["act"](x) * table["k"]


def function_in_a_named_tuple(x, n):
    t = Ops(ops.sin, scaled(x))
    if n > 1:
        t = Ops(t.second, ops.tanh)
    return t.first(x) + t.second(x)


def lambdas_indexed(x, n):
    fns = [lambda v: v * 2.0, lambda v: v + n, ops.sin, lambda v: v - x]
    return fns[n % 4](x)


def closures_indexed(x, n):
    fns = [scaled(float(k)) for k in range(4)] + [shifted(x)]
    return fns[n % 5](x) + fns[-1](x)


def indexed_from_the_end(x, n):
    fns = (scaled(2.0), shifted(1.0), ops.cos)
    return fns[-(n % 3) - 1](x)


def indexed_then_stored(x, n):
    fns = (scaled(2.0), shifted(1.0), ops.cos)
    f = fns[n % 3]
    g = f if n > 2 else fns[0]
    return g(f(x))


def indexed_in_a_loop(x, n):
    fns = (ops.tanh, scaled(0.5), shifted(x), lambda v: v * v)
    for i in range(n + 9):
        x = fns[i % 4](x)
    return x


def interpreter_of_codes(x, n):
    program = (0, 2, 1, 1, 3, 0)
    steps = [lambda v: v * 0.5, lambda v: v + n, ops.sin, lambda v: ops.maximum(v, 0.1)]
    i = 0
    while i < len(program):
        x = steps[program[i]](x)
        i = i + 1
        if x.sum() > 100.0:
            break
    return x


def chosen_compose(x, n):
    def compose(f, g):
        return lambda v: f(g(v))

    h = compose(ops.sin, scaled(x)) if n > 2 else compose(shifted(n), ops.cos)
    return h(x)


def chosen_twice(x, n):
    def twice(f):
        return lambda v: f(f(v))

    f = scaled(x) if n > 1 else ops.tanh
    g = twice(f) if n > 3 else f
    return g(x)


def passed_to_a_function(x, n):
    def apply(f, v, times):
        for _ in range(times):
            v = f(v)
        return v

    f = scaled(0.5) if n > 2 else shifted(x)
    return apply(f, x, 3) + apply(f, x, n)


def recursion_over_a_chosen_function(x, n):
    def go(f, v, k):
        if k <= 0:
            return v
        return go(f, f(v), k - 1)

    return go(scaled(x * 0.5) if n > 2 else shifted(n), x, n)


def recursion_that_changes_its_function(x, n):
    def go(f, v, k):
        if k <= 0:
            return f(v)
        return go(scaled(v) if k % 2 else shifted(v * 0.5), v * 0.5, k - 1)

    return go(shifted(0.0), x, n)


def recursive_closure_chosen(x, n):
    def power(base):
        def go(k):
            return base if k <= 0 else go(k - 1) * base

        return go

    f = power(x * 0.5) if n > 2 else power(x + 1.0)
    return f(n)


def mutual_closures_chosen(x, n):
    def pair(a):
        def ping(v, k):
            return v if k <= 0 else pong(v * a, k - 1)

        def pong(v, k):
            return v if k <= 0 else ping(v + a, k - 1)

        return ping

    f = pair(x) if n > 2 else pair(0.5)
    return f(x, n)


def returned_by_recursion(x, n):
    def pick(k):
        if k > 4:
            return pick(k - 2)
        return scaled(x) if k > 2 else shifted(1.0)

    return pick(n)(x)


def partial_by_branch(x, n):
    f = functools.partial(ops.mul, x) if n > 2 else functools.partial(ops.add, n)
    return f(x)


def partial_of_a_closure_by_branch(x, n):
    def affine(k, v, shift=0.0):
        return v * k + shift

    f = (
        functools.partial(affine, x, shift=1.0)
        if n > 2
        else functools.partial(affine, n, shift=2.0)
    )
    return f(x)


def ops_partial_by_branch(x, n):
    f = ops.partial(ops.mul, x) if n > 2 else ops.partial(ops.sub, x * 2.0)
    return f(x + 1.0)


@dataclass(frozen=True)
class Affine:
    scale: float
    shift: float

    def apply(self, v):
        return v * self.scale + self.shift

    def __call__(self, v):
        return self.apply(v) * 2.0


OUTSIDE = functools.partial(lambda a, b, k=1.0: a * b * k, k=3.0)


@functools.lru_cache
def doubled(k):
    return k * 2


class Dense(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def construct(self, v):
        return v * self.k

    def helper(self, v):
        return v + self.k


LAYERS = nn.CellList([Dense(0.5), Dense(1.5), Dense(-1.0)])
TUPLE = tuple(LAYERS)


def method_of_a_record_by_branch(x, n):
    f = Affine(x, 1.0).apply if n > 2 else Affine(x * 0.5, 2.0).apply
    return f(x)


def record_called_by_branch(x, n):
    f = Affine(x, 1.0) if n > 2 else Affine(x + n, 0.5)
    return f(x)


def record_with_a_function(x, n):
    a = Affine(x, 0.0)
    f = a.apply if n > 2 else scaled(3.0)
    return f(x)


def cell_by_branch(x, n):
    layer = LAYERS[0] if n > 2 else LAYERS[2]
    return layer(x) + layer.k


def cells_indexed(x, n):
    return LAYERS[n % 3](x) + TUPLE[n % 3](x)


def cells_indexed_in_a_loop(x, n):
    for i in range(n):
        x = LAYERS[i % 3](x) + 1.0
    return x


def method_of_a_chosen_cell(x, n):
    return TUPLE[n % 3].helper(x)


def method_of_cell_by_branch(x, n):
    f = LAYERS[0].helper if n > 2 else LAYERS[1]
    return f(x)


def accumulator_of_lambdas(x, n):
    fs = [lambda v: v]
    for k in (1, 2, 3):
        fs.append(lambda v, k=k: v * k)
    total = x * 0.0
    for f in fs:
        total = total + f(x)
    return total + fs[n % 4](x)


def chosen_and_mapped(x, n):
    f = scaled(x) if n > 2 else ops.sin
    return [f(v) for v in (x, x * 2.0)], list(map(f, (x, x + 1.0)))


def chosen_in_a_conditional_argument(x, n):
    def apply(f, v=x):
        return f(v)

    return apply(ops.sin if n > 2 else scaled(n))


def late_binding_of_a_chosen_function(x, n):
    k = 1.0
    f = (lambda v: v * k) if n > 2 else (lambda v: v + k)
    k = 5.0
    return f(x)


def church_numerals(x, n):
    zero = lambda f: lambda v: v
    succ = lambda m: lambda f: lambda v: f(m(f)(v))
    two = succ(succ(zero))
    three = succ(two)
    m = two if n > 2 else three
    return m(lambda v: v * 0.5 + x)(x)


def pair_of_getter_and_value(x, n):
    def cell(v):
        return (lambda: v, lambda k: v * k)

    get, times = cell(x) if n > 2 else cell(x * n)
    return get() + times(2.0)


def functions_of_two_loops(x, n):
    f = ops.sin
    for i in range(n):
        j = 0
        while j < i:
            f = scaled(0.5) if j % 2 else shifted(x)
            j = j + 1
        x = f(x)
    return x


def chosen_operator(x, n):
    import_free = {True: ops.add, False: ops.mul}
    f = import_free[True] if n > 2 else import_free[False]
    return f(x, x + 1.0)


def function_or_none_by_shape(x, n):
    f = None
    if x.ndim == 1:
        f = ops.sin
    return x if f is None else f(x)


def exits_with_functions_from_a_loop(x, n):
    def find(k):
        for i in range(k):
            if i * i > 3:
                return scaled(x * i)
        return shifted(x)

    return find(n)(x)


def lambdas_of_a_comprehension(x, n):
    fs = [lambda v: v * k * n for k in (1, 2, 3)]
    gs = [lambda v, k=k: v * k for k in (1, 2, 3)]
    table = {k: (lambda v: v + k) for k in (1, 2)}
    inner = [(lambda: k)() + sum([k for k in range(3)]) for k in (1, 2)]
    return [f(x) for f in fs], gs[n % 3](x), fs[n % 3](x), table[1](x), inner


def maker_inside_a_function_with_two_exits(x, n):
    def f():
        a = x * 2.0

        def make(k):
            return lambda v: v * k + a

        if n > 2:
            a = x * 3.0
            return make(1)
        a = a + 1.0
        return make(2)

    return f()(x)


def curried(x, n):
    add = lambda a: lambda b: lambda c: a + b * c
    f = add(x) if n > 2 else add(n * 1.0)
    g = f(2.0) if n % 2 else f(x)
    return g(x)


def lists_of_functions_changed(x, n):
    fs = [ops.sin, ops.cos]
    if n > 2:
        fs[0] = lambda v: v * n
    for _ in range(n):
        fs[1] = ops.tanh
    return fs[0](x) + fs[1](x)


def function_of_the_iteration_before(x, n):
    f = lambda v: v
    k = 0
    while k < n:
        g = (lambda v: v * 2.0) if k % 2 else (lambda v: v + 1.0)
        x = g(f(x))
        k += 1
        f = g
    return f(x)


def fixed_point_combinator(x, n):
    fix = lambda f: (lambda g: g(g))(lambda g: f(lambda v, k: g(g)(v, k)))
    return fix(lambda go: lambda v, k: v if k <= 0 else go(v * 0.5 + x, k - 1))(x, n)


def applied_to_itself(x, n):
    def again(f, v, k):
        return v if k <= 0 else f(f, v * 2.0, k - 1)

    return again(again, x, n)


def gradient_of_a_chosen_function(x, n):
    def cubed(k):
        return lambda v: (v * v * v * k).sum()

    f = cubed(x) if n > 2 else cubed(n)
    g = ms.grad(f) if n > 1 else ms.grad(lambda v: f(v) * f(v))
    return ms.grad(f)(x), ms.grad(lambda u: ms.grad(f)(u).sum())(x), g(x)


def partial_made_outside(x, n):
    return OUTSIDE(x, n), functools.partial(OUTSIDE, k=n)(x, 2.0), x * doubled(3)


def jit_of_a_function_made_inside(x, n):
    @ms.jit
    def f(v):
        return v * n

    return f(x) + ms.jit(lambda v: v + n)(x)


def which_function_it_is(x, n):
    f = ops.sin if n > 2 else ops.cos
    g = scaled(x) if n > 1 else None
    out = x if f is ops.sin else x * 2.0
    return out + (1.0 if f == ops.cos else 2.0), f is not ops.cos, g is None, callable(f)


def function_or_none(x, n):
    f = scaled(x) if n > 2 else None
    g = None
    if n > 1:
        g = ops.sin
    y = f(x) if f is not None else x
    if g:
        y = g(y)
    return y

"""Small programs: functions, arguments, methods, objects. Each takes a tensor of three floats and
an int.
"""

# Written as people write, not as a linter would.
import functools
import operator
from collections import namedtuple
from dataclasses import dataclass, replace

from minds import Tensor, nn, ops

Pair = namedtuple("Pair", "a b")
OFFSET = 2.5
TABLE = {"two": 2, "weights": (1.0, 0.5)}


@dataclass(frozen=True)
class Config:
    scale: float
    times: int = 2

    def apply(self, x):
        return x * self.scale * self.times

    @property
    def total(self):
        return self.scale * self.times


CONFIG = Config(0.5)


def with_defaults(a, b=2, *rest, k=3, **more):
    return a * b + k + sum(rest) + len(more)


def keyword_only(x, n):
    def f(v, *, k, m=2):
        return v * k + m

    return f(n, k=3), f(n, m=1, k=2), f(k=n, v=4)


def positional_only(x, n):
    def f(a, b=2, /, c=3):
        return a * 100 + b * 10 + c

    return f(n), f(n, 1), f(n, 1, c=n)


def star_calls(x, n):
    args, kwargs = (n, 1, 2), {"k": 4, "other": 5}
    return (
        with_defaults(*args),
        with_defaults(n, **kwargs),
        with_defaults(*args, 3, *args, k=1, **{"z": 0}),
    )


def variadic_sum(x, n):
    def f(*values):
        s = 0
        for v in values:
            s = s + v
        return s, len(values)

    return f(), f(n), f(n, 1, x)


def keyword_dict(x, n):
    def f(**values):
        return [k for k in values], [v * 2 for v in values.values()]

    return f(a=n, b=x)


def default_is_evaluated_once(x, n):
    k = n

    def f(v=k):
        return v

    k = 100
    return f(), k


def closure_sees_late_changes(x, n):
    k = 1

    def f():
        return k + n

    k = 10
    return f()


def closure_in_loop_is_late(x, n):
    fs = []
    for i in range(3):
        fs.append(lambda: i * n)
    return [f() for f in fs]


def closure_over_changed_tensor(x, n):
    def f():
        return x * 2.0

    x = x + n
    return f()


def counter_by_list(x, n):
    count = [0]

    def bump(k):
        count[0] += k
        return count[0]

    return bump(n), bump(2), count


def returned_closure(x, n):
    def adder(k):
        def add(v):
            return v + k

        return add

    return adder(n)(x), adder(x)(1.0)


def closure_of_closures(x, n):
    def a(u):
        def b(v):
            def c(w):
                return u * v + w * n

            return c

        return b

    return a(x)(x + 1.0)(x)


def function_argument(x, n):
    def apply(f, v, times):
        for _ in range(times):
            v = f(v)
        return v

    return apply(lambda v: v * 0.5 + n, x, 3), apply(ops.sin, x, 2)


def function_in_runtime_loop(x, n):
    f = ops.tanh
    for _ in range(n):
        x = f(x) + 0.1
    return x


def compose(x, n):
    def composed(*fs):
        def run(v):
            for f in fs:
                v = f(v)
            return v

        return run

    return composed(ops.sin, lambda v: v * n, ops.cos)(x)


def reduce_of_functions(x, n):
    return functools.reduce(lambda a, b: a * 2 + b, [n, 1, 2])


def partial_of_partial(x, n):
    f = functools.partial(with_defaults, n)
    return functools.partial(f, 5)(k=1), f(b=4)


def partial_of_op(x, n):
    return functools.partial(ops.mul, x)(n)


def operator_functions(x, n):
    return (
        operator.add(n, 1),
        operator.mul(x, 2.0),
        operator.neg(n),
        operator.lt(n, 2),
        operator.getitem((1, 2, 3), 1),
    )


def decorator_with_arguments(x, n):
    def scaled(k):
        def wrap(f):
            def run(*args):
                return f(*args) * k

            return run

        return wrap

    @scaled(3)
    @scaled(n)
    def f(v):
        return v + 1.0

    return f(x)


def recursion_direct(x, n):
    def power(v, k):
        if k == 0:
            return v * 0.0 + 1.0
        return v * power(v, k - 1)

    return power(x, n)


def recursion_mutual(x, n):
    def ping(v, k):
        return v if k <= 0 else pong(v * 2.0, k - 1)

    def pong(v, k):
        return v if k <= 0 else ping(v + 1.0, k - 1)

    return ping(x, n)


def recursion_tree(x, n):
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


def recursion_static(x, n):
    def sum_to(k):
        return 0 if k == 0 else k * n + sum_to(k - 1)

    return sum_to(5)


def recursion_over_structure(x, n):
    def total(t):
        if isinstance(t, (tuple, list)):
            return sum([total(v) for v in t])
        return t * 2

    return total((n, (1, [2, n]), 3))


def recursion_with_accumulator(x, n):
    def go(k, acc):
        if k == 0:
            return acc
        return go(k - 1, ops.tanh(acc + x))

    return go(n, x)


def gcd(x, n):
    def go(a, b):
        return a if b == 0 else go(b, a % b)

    return go(12, n)


def no_return_value(x, n):
    def f(v):
        v + 1

    return f(n) is None


def bare_return(x, n):
    xs = [0]

    def f(k):
        if k > 2:
            return
        xs[0] = k

    f(n)
    return xs


def early_return_of_tuple(x, n):
    if n > 2:
        return x, n
    return x * 2.0, -n


def named_tuple(x, n):
    p = Pair(x, n)
    q = Pair(b=1, a=2.0)
    a, b = p
    return p.a * p.b + q.a, p[1], b, len(p)


def named_tuple_in_loop(x, n):
    p = Pair(x, 0)
    for i in range(n):
        p = Pair(p.a * 0.5, p.b + i)
    return p.a, p.b


def named_tuple_in_branch(x, n):
    p = Pair(x, 1)
    if n > 2:
        p = Pair(x * 2.0, n)
    return p.a * p.b


def dataclass_value(x, n):
    c = Config(0.25, times=3)
    return c.apply(x), c.total, c.scale * n, CONFIG.apply(x)


def global_values(x, n):
    return x * OFFSET, TABLE["two"] * n, x * TABLE["weights"][1], CONFIG.times


class Layer(nn.Cell):
    gain = 2.0

    def __init__(self, width=3):
        super().__init__()
        self.width = width
        self.pair = (1.0, 0.5)
        self.names = {"a": 1}
        self.blocks = nn.CellList([Scale(0.5), Scale(1.5)])

    @property
    def double(self):
        return self.width * 2

    @staticmethod
    def twice(v):
        return v * 2

    @classmethod
    def of_class(cls, v):
        return v * cls.gain

    def helper(self, v, k=1):
        return v * self.pair[1] + k

    def construct(self, x, n):
        for block in self.blocks:
            x = block(x)
        x = self.helper(x, k=n) * self.double + self.twice(self.names["a"])
        return self.of_class(x) + self.blocks[0](x) + len(self.blocks)


class Scale(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def construct(self, x):
        return x * self.k


class Child(Layer):
    gain = 0.5

    def helper(self, v, k=1):
        return super().helper(v, k) - 1.0

    @property
    def double(self):
        return super().double + 1


LAYER, CHILD = Layer(), Child()
METHOD = CHILD.helper


def cell_call(x, n):
    return LAYER(x, n)


def cell_inheritance(x, n):
    return CHILD(x, n)


def bound_method_as_value(x, n):
    f = LAYER.helper
    return f(x), METHOD(x, n), [g(n) for g in (LAYER.twice, Layer.twice)]


def cells_in_a_runtime_loop(x, n):
    for _ in range(n):
        x = LAYER.blocks[0](x) + 0.25
    return x


def cell_list_indexing(x, n):
    return LAYER.blocks[-1](x), len(LAYER.blocks), [b.k for b in LAYER.blocks]


def sequential(x, n):
    return SEQUENTIAL(x) * n


SEQUENTIAL = nn.SequentialCell(Scale(2.0), nn.Tanh(), Scale(0.5))


def getattr_and_hasattr(x, n):
    return (
        getattr(LAYER, "width"),
        getattr(LAYER, "nothing", n),
        hasattr(LAYER, "pair"),
        hasattr(x, "sum"),
        hasattr(n, "shape"),
    )


def callables(x, n):
    return callable(ops.sin), callable(lambda: 1), callable(LAYER), callable(n), callable(x)


def type_questions(x, n):
    return (
        isinstance(n, int),
        isinstance(x, Tensor),
        isinstance((n,), tuple),
        isinstance(n, (str, float)),
        type(n) is int,
        type((x,)) is tuple,
        type([n]) is list,
        isinstance({}, dict),
        isinstance(n > 1, bool),
    )


def function_chosen_by_constant(x, n):
    f = ops.sin if x.ndim == 1 else ops.cos
    return {"s": ops.sin, "c": ops.cos}["c"](x) + f(x)


def function_chosen_by_branch(x, n):
    if n > 2:
        y = ops.sin(x)
    else:
        y = ops.cos(x)
    return y


def map_and_star(x, n):
    return list(map(lambda a, b: a + b, (n, 1), (2, 3))), [*map(ops.sin, (x, x * 2.0))]


def sorted_by_key(x, n):
    return sorted([3, -1, 2], key=lambda v: v * v), sorted(("b", "a"), reverse=True)


def max_by_key(x, n):
    return max([3, -5, 2], key=abs), min((1, 2), key=lambda v: -v)


def replaced_dataclass(x, n):
    return REPLACED.apply(x) * n


REPLACED = replace(CONFIG, times=5)


def function_chosen_by_data(x, n):
    f = ops.sin if x.sum() > n else ops.cos
    return f(x)


def closure_chosen_by_data(x, n):
    if x.sum() > n:
        f = lambda v: v * 2.0
    elif x.sum() > n - 2:

        def f(v):
            return v * n
    else:
        f = ops.tanh
    x = f(x) + 0.5
    return f(x)


def function_changed_in_a_loop(x, n):
    f, i = ops.sin, 0
    while x.sum() < n:
        x = f(x) * 0.5 + 0.75
        if x.sum() > 1.0:
            f = ops.cos
        i += 1
        if i > 5:
            break
    return f(x)


def function_returned_by_data(x, n):
    def pick(k):
        if k > x.sum():
            return ops.sin
        return ops.cos

    return pick(n)(x)


def dataclass_in_branch(x, n):
    c = Config(x, 1)
    if x.sum() > n:
        c = Config(x * 2.0, n)
    return c.scale * c.times, c.total


def dataclass_in_loop(x, n):
    c = Config(x, 0)
    while c.scale.sum() + c.times < n:
        c = Config(c.scale * 0.5, c.times + 1)
        if c.times > 4:
            break
    return c.scale, c.times


def attributes_of_a_function(x, n):
    def scaled(v):
        return v * n

    def named(**given):
        return given

    try:
        named(**{1: x})
    except TypeError as e:
        said = str(e)
    has = hasattr(scaled, "__call__"), hasattr(scaled, "scale"), getattr(scaled, "scale", 3)
    return has, scaled.__call__(x), said

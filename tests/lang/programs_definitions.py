"""Small programs: functions, comprehensions, containers and whole algorithms, as people write them.
Each takes a tensor of three floats and an int.
"""

# Written as people write, not as a linter would.
import enum
import functools
import operator
import typing

from programs_syntax import Pair, Point

from minds import Tensor, ops


class Sizes(typing.TypedDict):
    a: int


def lambda_in_a_dict(x, n):
    table = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b}
    return table["add"](n, 1), table["mul"](x, 2.0), [f(2, n) for f in table.values()]


def immediately_called_lambda(x, n):
    return (lambda v: v * n)(x), (lambda: n)(), (lambda *v: len(v))(1, 2, n)


def function_with_all_kinds_of_parameters(x, n):
    def f(a, /, b, c=3, *d, e, g=5, **h):
        return a, b, c, d, e, g, sorted(h.items())

    return f(n, 2, e=1), f(1, b=n, e=2, z=3), f(1, 2, 3, 4, n, e=6, g=7, y=8)


def defaults_see_definition_time(x, n):
    fs = []
    for k in (1, 2, 3):

        def f(v, k=k, *, m=k * n):
            return v + k * 10 + m

        fs.append(f)
    k = 100
    return [f(0) for f in fs]


def closure_changes_are_seen(x, n):
    def get():
        return total

    total = n
    a = get()
    total = total + 5
    return a, get()


def closure_of_a_loop_variable(x, n):
    total = 0
    for i in range(n):

        def add(v):
            return v + i

        total = add(total)
    return total


def function_shadowing(x, n):
    def n_(n):
        def x(n):
            return n * 2

        return x(n) + 1

    return n_(n), n


def function_returning_several(x, n):
    def stats(v, k):
        return v.sum(), v * k, {"k": k}

    s, v, d = stats(x, n)
    return s, v, d["k"]


def function_without_return_in_branch(x, n):
    seen = []

    def log(v):
        if v is None:
            return
        seen.append(v)

    log(None)
    log(n)
    return seen


def nested_functions_three_deep(x, n):
    def a(p):
        q = p + 1

        def b(r):
            s = q * r

            def c(t):
                return s + t + n

            return c

        return b

    return a(1)(2)(3), a(n)(n)(n)


def decorators_of_two_kinds(x, n):
    def twice(f):
        @functools.wraps(f)
        def g(*a, **k):
            return f(f(*a, **k))

        return g

    def plus(k):
        return lambda f: lambda v: f(v) + k

    @twice
    @plus(n)
    def f(v):
        return v * 2

    return f(1), f(x)


def recursion_with_two_accumulators(x, n):
    def go(k, a, b):
        if k == 0:
            return a, b
        return go(k - 1, b, a + b)

    return go(n, 0, 1)


def recursion_mutual_on_data(x, n):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return even(n), odd(n)


def recursion_tree_on_data(x, n):
    def tree(v, k):
        if k <= 0:
            return v
        return tree(v * 0.5, k - 1) + tree(v + 1.0, k - 2)

    return tree(x, n)


def recursion_over_lists(x, n):
    def flat(t):
        if not isinstance(t, (list, tuple)):
            return [t]
        return [v for e in t for v in flat(e)]

    return flat([1, [n, (3, [4])], (x,)])


def recursion_with_helper(x, n):
    def step(v):
        return ops.tanh(v) + 0.1

    def run(v, k):
        return v if k == 0 else step(run(v, k - 1))

    return run(x, n)


def recursion_ackermann_small(x, n):
    def ack(m, k):
        if m == 0:
            return k + 1
        if k == 0:
            return ack(m - 1, 1)
        return ack(m - 1, ack(m, k - 1))

    return ack(2, n)


def recursion_in_an_expression(x, n):
    def digits(k):
        return k % 2 + (digits(k // 2) if k > 1 else 0)

    return digits(n * 11)


def comprehension_scopes(x, n):
    i = "kept"
    a = [i for i in range(3)]
    b = {i: n for i in "ab"}
    c = sum(i for i in (1, n))
    return i, a, b, c


def comprehension_sees_outer(x, n):
    k = n
    f = lambda: [k * j for j in range(3)]
    k = 5
    return f(), [[j * k for j in range(i)] for i in range(3)]


def comprehension_with_several_fors(x, n):
    return [(i, j, k) for i in range(2) for j in range(i, 2) if i + j < 2 for k in (n, 1)]


def comprehension_of_dicts(x, n):
    d = {k: v for k, v in zip("abc", (1, n, 3)) if k != "b"}
    e = {i % 2: i for i in range(5)}
    return d, e, {v: k for k, v in {"x": 1}.items()}


def comprehension_of_tensors(x, n):
    rows = [x * i + n for i in range(3)]
    return ops.stack(rows), sum(rows), {i: r.sum() for i, r in enumerate(rows)}


def comprehension_conditional_element(x, n):
    return [v if v % 2 else -v for v in range(5)], [x if n > i else -x for i in (1, 3)]


def generator_arguments(x, n):
    return (
        sum(v * v for v in (1, n, 3)),
        any(v > n for v in (1, 2)),
        all(v < 9 for v in (n, 1)),
        max(v + n for v in range(3)),
        tuple(v for v in "ab"),
        dict((k, n) for k in "xy"),
        "-".join(str(i) for i in range(3)),
        list(enumerate(v for v in (n,))),
    )


def sets_of_constants(x, n):
    s = {1, 2} | {3}
    t = {v % 3 for v in range(7)}
    return len(s), s == {1, 2, 3}, 2 in s & {2, 5}, len(t), {1} <= s, sorted(s - {1})


def star_in_displays_and_calls(x, n):
    def f(*a, **k):
        return len(a), sorted(k)

    t, d = (n, 2), {"p": 1}
    return (
        [*t, 3, *range(2)],
        (*t, *"ab"),
        {**d, "q": n, **{"p": 5}},
        f(*t, *[1], **d, **{"z": 2}),
        {*t[1:], 7} == {2, 7},
    )


def slices_of_everything(x, n):
    xs, s, t = [1, n, 3, 4, 5], "abcdef", (n, 2, 3)
    i = slice(1, None, 2)
    return xs[1:], xs[:-2], xs[::2], xs[::-1], xs[3:1:-1], xs[i], s[i], t[-1:], t[5:], s[-3:-1]


def slice_with_computed_bounds(x, n):
    k = x.shape[0]
    return x[: k - 1], x[k - 2 :], [1, 2, 3, 4][: len(x.shape) + 1]


def subscripts_chain(x, n):
    d = {"a": [(n, {"b": [x, 2]})]}
    return d["a"][0][1]["b"][1], d["a"][-1][0], d["a"][0][1]["b"][0][1]


def runtime_index_of_tuple(x, n):
    return (10, 20, 30, 40, 50, 60)[n], (x, x * 2.0)[n % 2], (0.5, 1.5)[-1], [n, n + 1, 3][n % 3]


def attribute_of_results(x, n):
    return (x * n).shape, x.sum().ndim, (1, n).count(n), "A".lower()


def dataclass_methods(x, n):
    p = Pair(n).swapped()
    q = Pair.of(x)
    return p.left, p.right, q.both, Pair(1, right=n).both, p == Pair(2, n) if False else p.right


def named_tuple_methods(x, n):
    p = Point(n)
    a, b = p
    return p.x, p.y, a + b, p[0], len(p), p == (n, 0), Point(*(1, x)).y


def f_strings_at_compile_time(x, n):
    k, v, name = 3, 1 / 3, "w"
    return (
        f"{k}",
        f"{v:.2f}|{k:>4}|{name!r}",
        f"{k + 1}{{}}",
        f"{x.ndim}-{x.shape}",
        f"{name:*^5}",
        f"{k:{k}d}",
    )


def string_methods_on_constants(x, n):
    s = "Hello World"
    return (
        s.lower(),
        s.upper(),
        s.split(),
        s.replace("o", "0"),
        s.startswith("He"),
        s.endswith("d"),
        s.find("W"),
        s.count("l"),
        s.title(),
        "a-b".split("-"),
        "".join(["p", "q"]),
        " x ".strip(),
        "7".isdigit(),
        s[0] * 3,
        "%s=%d" % ("k", 3),
        "{0}{1}{0}".format("a", "b"),
        s[::-1],
        "k" + str(5),
        "ab" < "b",
        len(s),
    )


def string_chooses_path(x, n):
    kind = "tan" + "h"
    if kind == "tanh":
        y = ops.tanh(x)
    elif kind.startswith("s"):
        y = ops.sin(x)
    else:
        y = None
    return getattr(ops, kind)(x) + y


def tuple_comparisons(x, n):
    return (
        (1, 2) < (1, 3),
        (1, "a") == (1, "a"),
        (n, 1) == (n, 1),
        (n,) != (3,),
        (2,) >= (1, 5),
        [1, n] == [1, n],
    )


def none_handling(x, n):
    a = None
    b = a or n
    c = x if a is None else a
    return b, c, a == None, [a, n][1]


def ellipsis_and_none_indices(x, n):
    m = ops.stack([x, x * n])
    return m[..., 0], m[None, :, 1:], m[:, None].shape, m[1, ...], m[..., None, ::2].shape


def numbers_of_all_kinds(x, n):
    return (
        n * 1.0,
        True + n,
        0x1F,
        1_000,
        1e-3,
        -0.0,
        5 // -2 * n,
        -7 % 3,
        2**-1,
        7 / 2,
        1 if True else 0,
        ~n,
    )


def global_functions_and_classes(x, n):
    return (
        helper(x, k=n),
        HELPERS["double"](n),
        CONSTANT * n,
        functools.reduce(operator.add, (1, n, 3)),
        Nothing is None,
    )


def helper(v, k=1):
    """Called by others."""
    return inner_helper(v) * k


def inner_helper(v):
    """Called by `helper`."""
    return v + CONSTANT


HELPERS = {"double": lambda v: v * 2}
CONSTANT = 0.5
Nothing = None


def type_dispatch(x, n):
    def size(v):
        if isinstance(v, Tensor):
            return v.size
        if isinstance(v, (list, tuple)):
            return sum(size(e) for e in v)
        if isinstance(v, dict):
            return sum([size(e) for e in v.values()])
        if isinstance(v, bool):
            return 0
        if isinstance(v, (int, float)):
            return 1
        return 100

    return size(x), size([n, (1.0, x)]), size({"a": n, "b": True}), size("s")


def loop_over_functions(x, n):
    for f in (ops.sin, ops.tanh, lambda v: v * n):
        x = f(x)
    return x


def polynomial_by_horner(x, n):
    coefficients = (1.0, -0.5, 0.25, n)
    y = x * 0.0
    for c in reversed(coefficients):
        y = y * x + c
    return y


def newton_square_root(x, n):
    v = n + 2.0
    r = v
    while abs(r * r - v) > 1e-6:
        r = 0.5 * (r + v / r)
    return r


def bubble_sort_of_three(x, n):
    a, b, c = n, 2, 4 - n
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a, b, c


def running_maximum(x, n):
    best, at = x[0], 0
    for i in range(3):
        if x[i] > best:
            best, at = x[i], i
    return best, at


def fizz(x, n):
    out = []
    for i in range(1, 6):
        if i % 3 == 0 and n > 1:
            out.append(-1)
        elif i % 2 == 0:
            out.append(n)
        else:
            out.append(i)
    return out


def prime_count(x, n):
    count = 0
    for k in range(2, n * 4):
        for d in range(2, k):
            if k % d == 0:
                break
        else:
            count += 1
    return count


def matrix_power_by_squaring(x, n):
    m = ops.stack([x, x * 0.5, x + 1.0])
    r = None
    k = n + 1
    while k > 0:
        if k % 2 == 1:
            m2 = m * 0.5
        else:
            m2 = m
        m = m2 @ m * 0.1
        k //= 2
    return m


def decorators_in_order(x, n):
    noted = []

    def note(k):
        noted.append(k)

        def decorate(made):
            noted.append(-k)
            return made

        return decorate

    @note(1)
    @note(2)
    def f(v=noted.append(3)):
        return v

    @note(4)
    @note(n)
    class A:
        pass

    return noted, enum.Enum("E", "a b", start=10)(11).name, Sizes(a=n), x

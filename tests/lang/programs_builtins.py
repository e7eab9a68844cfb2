"""Small programs: each builtin with values known now and at run time. Each takes a tensor of three
floats and an int.
"""

# Written as people write, not as a linter would.
import collections.abc as abc
import math

from minds import Tensor, ops


def len_of_all(x, n):
    return (
        len(x),
        len((n,)),
        len([]),
        len("abc"),
        len({"a": n}),
        len(range(2, 9, 3)),
        len({1, 2}),
        len(x[None]),
    )


def range_forms(x, n):
    return (
        list(range(3)),
        [*range(1, 4)],
        list(range(5, 0, -2)),
        range(4)[2],
        3 in range(5),
        range(3) == range(0, 3),
    )


def range_at_run_time(x, n):
    s = 0
    for i in range(n):
        s += i
    for i in range(n, n + 3):
        s += i
    for i in range(10, n, -3):
        s += i
    return s


def zip_forms(x, n):
    return (
        list(zip()),
        list(zip((1, n))),
        list(zip((1, 2, 3), "ab")),
        list(zip(x, (1, 2, n)))[2][1],
        [a * b for a, b in zip((n, 2), (3, n), strict=True)],
        dict(zip("ab", (n, x))),
    )


def zip_of_rows(x, n):
    m = ops.stack([x, x * n])
    return [a + b for a, b in zip(m, (1.0, 2.0))]


def zip_transposes(x, n):
    rows = [(1, n), (3, 4), (n, 6)]
    a, b = zip(*rows)
    return a, b, list(map(sum, rows))


def enumerate_forms(x, n):
    return (
        list(enumerate("ab")),
        list(enumerate((n, 2), 5)),
        [(i, v) for i, v in enumerate(x)],
        dict(enumerate([n])),
    )


def enumerate_with_runtime_start(x, n):
    return [i * v for i, v in enumerate((1, 2, 3), start=n)]


def map_forms(x, n):
    return (
        list(map(abs, (-1, n, -2.5))),
        [*map(lambda a, b: a - b, (n, 5, 7), (1, n))],
        tuple(map(str, (1, 2))),
        sum(map(lambda v: v.sum(), (x, x * 2.0))),
        list(map(int, "123")),
    )


def map_over_rows(x, n):
    return list(map(lambda r: r * n, ops.stack([x, x + 1.0])))


def filter_forms(x, n):
    return (
        list(filter(None, (0, 1, "", "a"))),
        list(filter(lambda v: v > 1, range(4))),
        [v for v in filter(lambda t: t[0] % 2, ((1, n), (2, 2), (3, x)))][1][1],
    )


def reversed_forms(x, n):
    return (
        list(reversed([1, n, 3])),
        list(reversed(range(3))),
        [*reversed("ab")],
        list(reversed((n, 1)))[0],
        [v for v in reversed(list({"a": 1, "b": n}))],
    )


def sorted_forms(x, n):
    return (
        sorted((3, 1, 2)),
        sorted("bca"),
        sorted([3, -1, 2], key=abs, reverse=True),
        sorted([("b", n), ("a", 2)], key=lambda t: t[0])[1][1],
        sorted({"z": 1, "y": n}),
        sorted([(1, "b"), (1, "a"), (0, "c")]),
    )


def sorted_is_stable(x, n):
    return sorted([(2, n), (1, 7), (2, 1), (1, n)], key=lambda t: t[0])


def sum_forms(x, n):
    return (
        sum((1, n, 3)),
        sum([0.5, n]),
        sum([], n),
        sum((x, x * 2.0), x * 0.0),
        sum(range(n + 1)) if False else 6,
        sum([[1], [n]], []),
        sum(((1,), (n,)), ()),
        sum(x),
        sum(v * n for v in range(3)),
    )


def min_max_forms(x, n):
    return (
        min(3, n),
        max(n, 2, 1),
        min((n, 4)),
        max([1.5, 0.5]),
        min("bca"),
        max(("a", n), (0, 1), key=len)[0] == "a",
        min([3, -5], key=abs),
        max((), default=n),
        min([n], default=0),
        max(x[0], x[1]),
    )


def min_max_of_kinds(x, n):
    return min(n, 2.5) + 0.0, max(1, n * 0.5) + 0.0, max(n, 10) - min(n, -10)


def min_max_of_bools_and_numbers(x, n):
    return max(n > 1, False) + 0, min(True, n > 2) + 0, max(n, True) + 0


def abs_forms(x, n):
    return abs(-3), abs(n - 2), abs(-0.5 * n), abs(x), abs(x.sum()), abs(-n)


def round_forms(x, n):
    return (
        round(2.5),
        round(-0.5),
        round(n * 0.5),
        round(2.567, 2),
        round(n),
        round(1234, -2),
        round(n / 4 + 0.1),
    )


def pow_forms(x, n):
    return pow(2, 5), pow(n, 2), pow(2.0, n), pow(x, 2), pow(n + 1, 3), pow(3, 4, 5), pow(0.5, -n)


def divmod_forms(x, n):
    return (
        divmod(7, 2),
        divmod(-7, 2),
        divmod(n, 2),
        divmod(7, n + 1),
        divmod(n * 0.5, 0.75),
        divmod(-n, 3),
    )


def any_all_forms(x, n):
    return (
        any(()),
        all(()),
        any([0, n]),
        all((1, n)),
        any(x > 1),
        all(x > -2),
        any([n > 3, n < 1]),
        all(v != n for v in (1, 2)),
        any(v is None for v in (n, None)),
    )


def any_all_short_circuit(x, n):
    seen = []

    def note(v):
        seen.append(v)
        return v

    a = any([note(0), note(1), note(2)])
    b = all([note(3), note(0)])
    return a, b, seen


def isinstance_forms(x, n):
    return (
        isinstance(n, int),
        isinstance(n * 1.0, float),
        isinstance(n > 1, bool),
        isinstance(n > 1, int),
        isinstance(x, Tensor),
        isinstance(x, (int, Tensor)),
        isinstance((1, n), (list, tuple)),
        isinstance("", str),
        isinstance(None, type(None)),
        isinstance([n], list),
        isinstance({}, dict),
        isinstance(x, object),
        isinstance(len, type),
        isinstance({1}, set),
    )


def type_forms(x, n):
    return (
        type(n) is int,
        type(x) is Tensor,
        type(n > 1) is bool,
        type([]) is list,
        type({}) is dict,
        type(()) == tuple,
        type("s") == str,
        type(0.5 * n) in (int, float),
        type(None) is type(None),
    )


def type_as_constructor(x, n):
    return type([])((n, 1)), type(1.0)(n), type((1,))([n])


def hasattr_getattr_forms(x, n):
    name = "sh" + "ape"
    return (
        hasattr(x, "shape"),
        hasattr(x, "nothing"),
        getattr(x, name),
        getattr(x, "none", n),
        getattr(x, "sum")(),
        hasattr(ops, "tanh"),
        getattr(ops, "tanh")(x),
        hasattr(n, "real") or True,
    )


def callable_forms(x, n):
    return (
        callable(len),
        callable(n),
        callable(lambda: 1),
        callable(x),
        callable(callable_forms),
        callable(int),
    )


def int_forms(x, n):
    return (
        int(2.9),
        int(-2.9),
        int("42"),
        int(True),
        int(n),
        int(n * 0.75),
        int(x[2]),
        int(n > 1),
        int(x.sum() * 10.0),
    )


def float_forms(x, n):
    return float(3), float("0.25"), float(n), float(n > 1), float(x[0]), float(True), float(x.max())


def bool_forms(x, n):
    return (
        bool(n),
        bool(0.0),
        bool("a"),
        bool([]),
        bool(x[0] > 0),
        bool(n * 0.5),
        bool(None),
        bool(x.sum()),
    )


def str_forms(x, n):
    return (
        str(5),
        str(2.5),
        str(True),
        str(None),
        str((1, "a")),
        str([1]),
        str({"k": 1}),
        str("s"),
        str(x.shape),
    )


def tuple_list_dict_forms(x, n):
    return (
        tuple([1, n]),
        tuple("ab"),
        tuple(x)[0],
        list((n, 2)),
        list("ab"),
        list({"k": n}),
        list(range(2)),
        dict(a=n),
        dict([(1, n)]),
        dict({"z": 1}, y=n),
        tuple(),
        list(),
        dict(),
        tuple({"p": 1}.items()),
    )


def list_of_rows(x, n):
    return list(ops.stack([x, x * n])), tuple(x * 2.0)


def set_forms(x, n):
    return (
        len(set((1, 1, 2))),
        set("aab") == {"a", "b"},
        3 in set(range(4)),
        len(frozenset((1, 2)) | {3}),
    )


def slice_forms(x, n):
    s = slice(1, 3)
    return [1, n, 3, 4][s], x[s], "abcd"[slice(None, None, -1)], s.start, (1, n)[slice(1)]


def math_of_run_time_numbers(x, n):
    v = n + 0.5
    return (
        math.sin(v),
        math.cos(v),
        math.exp(-v),
        math.log(v),
        math.sqrt(v),
        math.atan2(v, 2.0),
        math.tanh(v),
        math.floor(v),
        math.ceil(v),
        math.trunc(-v),
        math.fabs(-v),
        math.pow(v, 2),
        math.log1p(v),
        math.expm1(v),
        math.degrees(v),
        math.radians(v),
        math.isnan(v),
        math.isfinite(v),
        math.isinf(v),
        math.erf(v),
    )


def math_of_constants(x, n):
    return (
        math.pi,
        math.e,
        math.inf,
        math.factorial(5),
        math.gcd(12, 18),
        math.comb(5, 2),
        math.hypot(3, 4),
        math.log2(8),
        math.log10(100),
        math.isclose(0.1 + 0.2, 0.3),
        math.prod((2, 3)),
        math.fmod(7, 3),
        math.copysign(1, -2),
        math.dist((0, 0), (3, 4)),
        math.isqrt(17),
        math.tau,
    )


def math_of_rank_zero_tensors(x, n):
    s = x.sum() + 1.0
    return math.floor(s), math.ceil(s), int(s), round(float(s)), math.isnan(s)


def list_methods_of_all_kinds(x, n):
    xs = [3, n]
    xs.append(x)
    xs.extend([1, 2])
    xs.insert(1, "a")
    last = xs.pop()
    first = xs.pop(0)
    xs.reverse()
    ys = xs.copy()
    ys.clear()
    return xs, last, first, ys, [1, 2, 1].count(1), ["a", "b"].index("b")


def list_remove_and_sort_of_constants(x, n):
    xs = [3, 1, 2, 1]
    xs.remove(1)
    return xs, sorted(xs), xs.index(2)


def list_arithmetic_of_all_kinds(x, n):
    return [n] * 3, [1] + [n], ([n] + [2]) * 2, [] + [], [[n] * 2] * 2, (n, 1) + (2,), 2 * (n,)


def dict_methods_of_all_kinds(x, n):
    d = {"a": n}
    d.update({"b": 2})
    d.update(c=x) if False else d.update({"c": 3})
    e = d.copy()
    e.pop("a")
    v = d.setdefault("z", n * 2)
    return (
        d,
        e,
        v,
        d.get("a"),
        d.get("q", -1),
        list(d.keys()),
        list(d.values())[1],
        "b" in d,
        e.pop("none", n),
    )


def dict_popitem_and_clear(x, n):
    d = {"a": 1, "b": n}
    k, v = d.popitem()
    e = dict(d)
    d.clear()
    return k, v, e, d, not d


def dict_with_tuple_and_int_keys(x, n):
    d = {(0, 1): n, 2: x, None: 3, True: 4}
    d[2, 3] = 5
    return d[0, 1], d[None], d[True], d[2, 3], len(d)


def dict_merge_operators(x, n):
    return {"a": 1} | {"a": n, "b": 2}, {**{"x": n}, "y": 1}


def tuple_methods(x, n):
    return (1, n, 1).count(1), ("a", "b").index("b"), (n, 2)[1], (n,) * 2, (1, 2) + (n,)


def nested_builtins(x, n):
    return (
        sum(map(abs, filter(lambda v: v, [-1, 0, 2]))) * n,
        max(len(v) for v in ("a", "bcd")),
        list(map(max, ((1, n), (n, 2)))),
    )


def print_in_order(x, n):
    print("n", n, sep="=")
    for i in range(2):
        print(i, end=" ")
    print()
    return n


def super_of_nothing_else(x, n):
    return (
        int.__name__,
        (lambda *a: sum(a))(1, n, 2),
        tuple(sorted((k, v) for k, v in {"b": 1, "a": 2}.items())),
    )


def extremes_of_one_row(x, n):
    return min(x[:1]), max(x[1:2] * n)


def names_of_arguments(x, n):
    rounded = round(number=2.567, ndigits=2), round(number=2.5), round(2.5, ndigits=None)
    return rounded, int("ff", base=16), pow(base=2, exp=5), pow(base=2, exp=5, mod=7), x


def classes_of_abc(x, n):
    made = [
        [],
        {},
        {1},
        {}.keys(),
        {}.items(),
        (k for k in range(2)),
        map(abs, []),
        iter(()),
        len,
        n,
    ]
    open_list = []
    for k in range(n):
        open_list.append(k)
    made += [open_list, lambda: 1, open_list.append, "a", ()]
    kinds = (abc.Iterable, abc.Iterator, abc.Generator, abc.Callable, abc.Hashable, abc.Sequence)
    return [[isinstance(v, k) for k in kinds] for v in made], type({}.keys()).__name__, x


class Shut:
    __contains__ = None

    def __iter__(self):
        return self

    def __len__(self):
        return -1


def raised_as_python_does(x, n):
    said = []
    for act in (
        lambda: int("x"),
        lambda: {}["a"],
        lambda: len(Shut()),
        lambda: 1 in Shut(),
        lambda: list(Shut()),
        lambda: 1 + "a",
        lambda: object.__new__(str),
    ):
        try:
            act()
        except Exception as e:
            said.append((type(e).__name__, str(e), repr(e)))
    try:
        a, b, c = [n, 2]
    except ValueError as e:
        said.append(str(e))
    return said, x


def deletes_several(x, n):
    a, b, c = n, 2, 3
    del (a, b), [c]
    try:
        return a
    except NameError:
        return x * n

"""Small programs: containers, strings, numbers, builtins, tensors. Each takes a tensor of three
floats and an int.
"""

# Written as people write, not as a linter would.
import math

from minds import Tensor, ops
from minds.ops import composite as C

SCALE = C.MultitypeFuncGraph("scale")


@SCALE.register("Tensor", "Number")
def _scale_tensor(a, b):
    return a * b


@SCALE.register("Number", "Number")
def _scale_number(a, b):
    return a + b


def list_append(x, n):
    xs = []
    xs.append(n)
    xs.append([n])
    xs[1].append(2)
    return xs, len(xs)


def list_extend_insert(x, n):
    xs = [1]
    xs.extend((n, 3))
    xs.insert(0, n)
    xs.insert(-1, 9)
    return xs


def list_pop_remove(x, n):
    xs = [1, 2, n, 4]
    return xs.pop(), xs.pop(0), xs


def list_reverse_clear(x, n):
    xs, ys = [1, n], [n]
    xs.reverse()
    ys.clear()
    return xs, ys


def list_copy_is_apart(x, n):
    xs = [n, 1]
    ys = xs.copy()
    zs = xs[:]
    ys[0] = 100
    zs[1] = 50
    return xs, ys, zs


def list_arithmetic(x, n):
    return [n] + [1, 2], [0] * 3, [n, 1] * 2, (n,) + (1,), (n, 2) * 2


def list_aliases(x, n):
    xs = [n]
    ys = xs
    ys.append(2)
    xs += [3]
    return xs, ys, xs is ys


def list_argument_is_changed(x, n):
    def fill(v):
        v.append(n)
        v[0] = -1

    xs = [5]
    fill(xs)
    return xs


def list_in_list(x, n):
    a = [n]
    b = [a, a]
    b[0][0] = 7
    return b


def list_index_count(x, n):
    return [1, 2, 3].index(2), (1, 1, 2).count(1), ["a", "b"].index("b")


def list_runtime_index(x, n):
    return [10, 20, 30, 40, 50, 60][n], (1.5, 2.5)[n % 2], [x, x * 2.0][n % 2]


def list_negative_index(x, n):
    xs = [1, n, 3]
    xs[-1] = xs[-2]
    return xs, xs[-3]


def slices_of_lists(x, n):
    xs = [0, n, 2, 3, 4]
    return xs[1:3], xs[::2], xs[::-1], xs[-2:], xs[:-1], (n, 1, 2)[1:], "hello"[1:3]


def dict_display(x, n):
    d = {"a": n, 1: x, (1, 2): 5}
    return d[1], d["a"], d[1, 2], len(d)


def dict_methods(x, n):
    d = {"a": n}
    d.update(b=2) if False else d.update({"b": 2})
    d.setdefault("c", n)
    d["a"] += 1
    return d, d.get("z"), d.get("a", 0), d.pop("b"), list(d), list(d.items()), "b" in d


def dict_constructor(x, n):
    return dict(a=n, b=1), dict([("k", n)]), dict({"z": 1}, y=n)


def dict_merge(x, n):
    a, b = {"p": 1, "q": n}, {"q": 5}
    return {**a, **b}


def dict_copy_is_apart(x, n):
    a = {"k": n}
    b = a.copy()
    b["k"] = 0
    return a, b


def dict_del_pop(x, n):
    d = {"a": 1, "b": n, "c": 3}
    del d["a"]
    return d.pop("b"), d, d.pop("zz", 7)


def dict_order(x, n):
    d = {}
    for k in ("z", "a", "m"):
        d[k] = n
    return list(d.keys()), [v for v in d.values()]


def nested_containers(x, n):
    d = {"l": [n, {"t": (x, 1)}]}
    d["l"][1]["t"] = (x * 2.0, 3)
    return d


def tuple_of_tensors(x, n):
    t = (x, x + 1.0)
    return t[0] + t[1], t[::-1], t + (n,), len(t)


def tuples_equal(x, n):
    return (1, n) == (1, 3), () == (), (n,) != (n,)


def f_strings(x, n):
    k, name = 7, "minds"
    return f"{k:03d} {name!r:>10} {1 / 3:.3f} {k}{k + 1} {x.shape} {{}}"


def string_methods(x, n):
    s = " a,b "
    return (
        s.strip(),
        s.upper(),
        s.split(","),
        "-".join(["p", "q"]),
        "abc".replace("b", "x"),
        "abc".startswith("ab"),
        "%d-%s" % (3, "k"),
    )


def string_formatting(x, n):
    return (
        "{} {:.2f}".format("v", 0.5),
        "a" + "b" * 2,
        "abc"[::-1],
        "b" in "abc",
        str(12) + str((1, 2)),
    )


def arithmetic(x, n):
    return n + 1, 2 - n, n * n, n / 2, n // 2, n % 3, -n, +n, ~n, n**2, 2.0**n, abs(-n)


def arithmetic_of_bools(x, n):
    b = n > 2
    return b + 1, b * 2.5, -b, b | (n > 0), b & True, b ^ True, not b, int(b), float(b)


def mixed_arithmetic(x, n):
    f = n * 0.5
    return f + 1, f // 1, f % 2, f == n, f < n, int(f), float(n), bool(f), round(f)


def bits(x, n):
    return n & 6, n | 8, n ^ 5, n << 3, 100 >> n, ~n & 15


def divmod_pow(x, n):
    return divmod(n, 3), divmod(-7, n + 1), pow(n, 2), pow(2.0, n)


def rounding(x, n):
    return round(2.5), round(n / 2), round(3.14159, 2), int(-2.7), math.floor(-0.5)


def conversions(x, n):
    return (
        int("12"),
        float("0.5"),
        bool(n),
        str(5),
        list((n, 1)),
        tuple([n]),
        int(True),
        float(n) / 2,
    )


def minimum_maximum(x, n):
    return (
        min(n, 2),
        max(n, 2, 3),
        min([4, n]),
        max((1.5, n + 0.5)),
        min(n, 2.5) * 1.0,
        max([], default=0),
    )


def sums(x, n):
    return sum([n, 1, 2]), sum((0.5, n)), sum([x, x], x * 0.0), sum([[1], [n]], [])


def any_all(x, n):
    return (
        any([n > 2, False]),
        all((n < 9, True)),
        any([]),
        all([]),
        any(v > 3 for v in (1, n)),
        all(x.shape),
    )


def lengths(x, n):
    return len([n]), len("abc"), len(x), len({"a": 1}), len(range(5)), len(()), len(x.shape)


def ranges(x, n):
    return (
        list(range(3)),
        list(range(5, 0, -2)),
        3 in range(5),
        range(10)[3],
        len(range(2, 9, 3)),
        tuple(range(2)),
    )


def zips(x, n):
    return (
        list(zip((1, 2), "ab")),
        list(enumerate("ab", 1)),
        dict(zip(("a", "b"), (n, 1))),
        [*reversed((1, n))],
    )


def filters(x, n):
    return (
        list(filter(None, [0, 1, 2])),
        list(filter(lambda v: v > 1, range(4))),
        list(map(str, range(2))),
    )


def mathematics_of_constants(x, n):
    return (
        math.sqrt(16.0),
        math.pi,
        math.factorial(4),
        math.gcd(12, 8),
        math.log2(8),
        math.hypot(3, 4),
        math.inf,
        math.prod([2, 3]),
    )


def mathematics_of_numbers(x, n):
    return (
        math.floor(n / 2),
        math.ceil(n / 2),
        math.trunc(-n / 2),
        math.fabs(-n),
        math.sqrt(n * n),
        math.isnan(n * 0.5),
        math.isfinite(n / 2),
    )


def logarithm_to_a_base(x, n):
    return math.log(8.0, 2), math.log(n + 1.0, 4.0) * 0.0, math.log(1.0)


def numbers_and_tensors(x, n):
    return (
        x * n,
        n * x,
        x + 0.5,
        1.5 - x,
        x / 2,
        2 / (x * x + 1.0),
        x // 1.0,
        x % 1.0,
        x**2,
        -x,
        abs(x),
    )


def tensor_comparisons(x, n):
    return x > 0, x <= n, x == x, x != 0.5, (x > 0).any(), (x < 9).all(), ops.logical_not(x > 0)


def tensor_attributes(x, n):
    return x.shape, x.ndim, x.size, x.dtype, x.T.shape, x.shape[0] * n


def tensor_indexing(x, n):
    m = ops.stack([x, x * 2.0])
    return (
        m[0],
        m[-1, 0],
        m[:, 1],
        m[..., ::-1],
        m[None].shape,
        m[1, 1:],
        m[0][2],
        m[:, None, :].shape,
    )


def tensor_runtime_index(x, n):
    return x[n % 3], ops.stack([x, -x])[n % 2]


def tensor_mask(x, n):
    return ops.where(x > 0, x, x * n), ops.select(x > 1.0, x, -x)


def tensor_item_assignment(x, n):
    y = x * 1.0
    y[0] = n
    y[1:] += 2.0
    return y


def tensor_item_assignment_in_loop(x, n):
    y = x * 1.0
    for i in range(n):
        y[0] = y[0] * 0.5 + y[1]
    return y


def tensor_methods(x, n):
    return (
        x.sum(),
        x.mean(),
        x.max(),
        x.reshape(3, 1),
        x.abs(),
        x.exp(),
        (x * x).sqrt(),
        x.astype("float64"),
        x.clip(-1.0, 1.0),
    )


def tensor_item(x, n):
    return x.sum().item() * n, x[0].item() > 0.0, int(x[2]), float(x[0]), bool(x[0] > 0)


def tensor_from_numbers(x, n):
    return Tensor([1.0, 2.0, 3.0]) * x, Tensor(2.0) * n, Tensor([n, n + 1, 2]), Tensor(n)


def tensor_truth(x, n):
    return 1 if x.sum() else 2, not x.sum(), bool(x.max() > 1.0)


def tensor_unpacking(x, n):
    a, b, c = x
    (p, q), r = ops.stack([x[:2], x[1:]]), n
    return a + b * c, p + q, r


def tensor_membership(x, n):
    return n in Tensor([1, 2, 3]), 0.5 in x


def tensors_in_a_list(x, n):
    outs = []
    for i in range(4):
        outs.append(x * i)
    return ops.stack(outs), ops.concat(outs[:2])


def map_composite(x, n):
    return C.Map(ops.sin)((x, x * 2.0))


def hyper_map(x, n):
    return C.HyperMap()(ops.mul, (x, (x, x + 1.0)), (x, (x * 2.0, x)))


def hyper_map_partial(x, n):
    return C.HyperMap()(ops.partial(ops.mul, x), (x, x + 1.0))


def multitype(x, n):
    return SCALE(x, n), SCALE(n, 2)


def hyper_map_multitype(x, n):
    return C.HyperMap(SCALE)((x, n), (2.0, 3))


def partial_composite(x, n):
    return ops.partial(ops.mul, x)(2.0)


def stop_gradients(x, n):
    return ops.stop_gradient(x) * x * n


def depends(x, n):
    y = ops.sin(x)
    return ops.depend(x * n, y)

"""Iterators are lazy, lists are read while they are iterated over, views of dicts show what the
dict holds: functions of a tensor ``x`` and an int ``n``.
"""

import itertools
import operator

from minds import ops


def generator_is_lazy(x, n):
    log = []

    def f(i):
        log.append(i)
        return x * i

    g = (f(i) for i in range(3))
    log.append(7)
    return next(g), log, n


def generator_sees_later_values(x, n):
    k = 1
    g = (i * k for i in range(3))
    k = n
    return list(g), x


def nested_generator_in_turns(x, n):
    g = (i * 10 + j + n for i in range(3) if i != 1 for j in range(i + 1) if j != 1)
    a = next(g)
    return a, next(g), list(g), x


def generator_passed_on(x, n):
    def head(it):
        return next(it)

    k = 2
    g = (x * i * k for i in range(1, 4))
    a = head(g)
    k = n
    return a, list(g)


def generator_returned(x, n):
    def rows(k):
        return (x * i * k for i in range(3))

    return sum(rows(n)), list(rows(2))


def lambdas_of_a_generator_share_its_variable(x, n):
    fs = list((lambda: i * n) for i in range(3))
    return [f() for f in fs], x


def any_stops_where_it_is_decided(x, n):
    log = []

    def f(i):
        log.append(i)
        return i > 1

    return any(f(i) for i in range(5)), all(f(i) for i in (2, 1, 3)), log, x, n


def any_stops_where_data_decides(x, n):
    return any(6 // (i - n) < 9 for i in (6, n)), all(v < 2.0 for v in x), x


def walrus_in_any(x, n):
    if any((w := v) > 2 for v in (1, 2, 3, 4)):
        return w + n, x
    return 0, x


def walrus_in_any_that_data_decides(x, n):
    if any((w := v) > n for v in (1, 2, 3, 4)):
        return w * x
    return x


def map_is_lazy(x, n):
    log = []

    def f(i):
        log.append(i)
        return x * i

    m = map(f, [1, 2, 3])
    log.append(n)
    return next(m), log


def zip_takes_in_turn(x, n):
    it = iter([1, 2, 3, n, x])
    return list(zip(it, it))


def loop_and_body_take_in_turn(x, n):
    it, out = iter([1, 2, x, n]), []
    for v in it:
        out.append((v, next(it)))
    return out


def iterator_after_break(x, n):
    it = (v * n for v in range(6))
    for v in it:
        if v == 2 * n:
            break
    return x, v


def filtered_by_data_that_is_a_number(x, n):
    return [v * x for v in range(4) if v < n]


def list_that_grows_while_it_is_read(x, n):
    xs, out = [1, 2, x], []
    for v in xs:
        out.append(v * n)
        if len(xs) < 5:
            xs.append(v)
    return xs, out


def list_that_shrinks_while_it_is_read(x, n):
    xs, out = [1, 2, 3, 4], []
    for v in xs:
        out.append(v * n)
        xs.remove(v)
    return xs, out, x


def views_show_the_dict(x, n):
    d = {"a": 1}
    keys, values, items = d.keys(), d.values(), d.items()
    d["b"] = n
    return (
        list(keys),
        list(values),
        list(items),
        len(keys),
        "b" in keys,
        n in values,
        ("b", 2) in items,
        x,
    )


def views_as_sets(x, n):
    a, b = {"x": 1, "y": n}, {"y": 2, "z": 3}
    return sorted(a.keys() & b.keys()), sorted(a.keys() - b.keys()), a.keys() == {"x", "y"}, x


def itertools_in_turns(x, n):
    chained = itertools.chain([1], (n, 3), "a")
    first = next(chained)
    squares = itertools.starmap(lambda a, b: a * b, [(1, n), (2, 3)])
    return (
        first,
        list(chained),
        list(squares),
        [i * n for i in itertools.takewhile(lambda i: i < 4, itertools.count(1))],
        list(itertools.islice(itertools.cycle((n, 2)), 1, 6, 2)),
        list(itertools.zip_longest([1, n], [x], fillvalue=0)),
        list(itertools.dropwhile(lambda v: v < 2, range(4))),
    )


def itertools_of_tensors(x, n):
    return (
        [a * b for a, b in itertools.product((x, x + 1), (n, 2.0))],
        list(itertools.accumulate(x)),
        list(itertools.accumulate([x, x], operator.mul, initial=n)),
        [b - a for a, b in itertools.pairwise(x)],
        [a * b for a, b in itertools.combinations(x, 2)],
    )


def groups(x, n):
    return [(k, [v * n for v in g]) for k, g in itertools.groupby([1, 1, 2, 4], lambda v: v % 2)], x


def called_until_a_value(x, n):
    xs = [1, 2, 0, n]
    return list(iter(lambda: xs.pop(0), 0)), xs, x


def zip_of_an_endless_iterator(x, n):
    return [ops.sin(v) * k * r for k, v, r in zip(itertools.count(n), x, itertools.repeat(2.0))]


def comprehension_with_other_targets(x, n):
    xs = [0]
    return [a for a, *_ in [(1, 2), (n, 3)]], [xs[0] * x for xs[0] in (1, n)], xs


def iterator_taken_from_in_a_branch(x, n):
    it = iter([1, 2, 3])
    if n > 2:
        x = x * next(it)
    return x


def tensors_changed_while_iterated_over(x, n):
    y, z, out = x * 1.0, x * 2.0, []
    for t in (y, z, y):
        t[0] = t[0] + n
        out.append(t * 1.0)
    return y, z, out


def itertools_are_lazy(x, n):
    log = []

    def f(i):
        log.append(i)
        return i * n

    sums = itertools.accumulate(map(f, range(5)))
    pairs = itertools.pairwise(map(f, (7, 8, 9)))
    chosen = itertools.compress(map(f, (10, 11, 12)), (0, 1, 1))
    return next(sums), next(pairs), next(chosen), log, list(sums), x


def islice_takes_no_more_than_it_needs(x, n):
    it = iter(range(12))
    first = list(itertools.islice(it, 1, 6, 2))
    return first, next(it), list(itertools.islice(it, 2)), list(itertools.islice(it, n, None)), x


def filters_and_repeats(x, n):
    odd = list(itertools.filterfalse(lambda i: i % 2 == 0, range(6)))
    return odd, list(filter(None, (0, 1, 2))), [x * v for v in itertools.repeat(n, 2)]


def generator_returned_by_name(x, n):
    def rows(k):
        made = (x * i * k for i in range(3))
        return made

    return sum(rows(n)), list(rows(2))


def generator_goes_on_in_a_loop(x, n):
    g, out = (i * n for i in range(6) if i != 3), []
    for a in g:
        out.append((a, next(g, None)))
    return out, x


def comprehension_in_a_comprehension_with_the_same_names(x, n):
    return [[i * n for i in range(i)] for i in range(4)], [[j for j in (i, n)] for i in range(2)], x


def generators_with_any_names(x, n):
    g = (at * n + self for at in (1, 2) for self in (3, 4))
    first = next(g)
    return first, list(g), list(of * n for of in (1, 2)), x


def generator_of_generators(x, n):
    rows = ((i * j + n for j in range(i)) for i in range(4))
    return [list(row) for row in rows], x


class ByGetitem:
    """Iterated by ``__getitem__`` alone."""

    def __init__(self, v):
        self.v = v

    def __getitem__(self, i):
        if i > 2:
            raise IndexError(i)
        return self.v * i


def iterated_by_getitem(x, n):
    s = x
    for row in ByGetitem(x):
        s = s + row * n
    _, b, c = ByGetitem(s)
    return b, list(zip(ByGetitem(x), "ab")), [v + c for v in ByGetitem(n)], 4 in ByGetitem(2)


def iterated_by_getitem_of_a_class_inside(x, n):
    class Steps:
        def __getitem__(self, i):
            return (x, x * n, n)[i]

    it = iter(Steps())
    return next(it), list(it), next(it, None), list(Steps())[1], 7 in ByGetitem(n)

"""What compiled code refuses: changes under names that depend on data, and work without end."""

# The programs are wrong on purpose;
# pyproject.toml says what is not checked in them.

from harness import F, K, wrong

import minds as ms


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def list_of_two_changed(x, n):
    xs, ys = [n], [2]
    zs = xs if n > 2 else ys
    zs[0] = 7
    return xs, ys


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def source_of_a_choice_changed(x, n):
    xs, ys = [n], [2]
    zs = xs if n > 2 else ys
    xs.append(3)
    return zs


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def dict_of_two_changed(x, n):
    d, e = {"k": n}, {"k": 0}
    if n > 2:
        f = d
    else:
        f = e
    f["k"] = 5
    return d["k"]


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def alias_on_one_path_only(x, n):
    if n > 2:
        a = [n]
        b = a
    else:
        a, b = [5], [6]
    b.append(1)
    return a


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def list_rebound_in_a_loop(x, n):
    xs = [0]
    ys = xs
    for i in range(n):
        xs = [xs[0] + i]
    xs[0] = 9
    return ys


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def lists_swapped_in_a_loop(x, n):
    a, b = [0], [1]
    for i in range(n):
        a, b = b, a
    a[0] = 5
    return b


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def tensor_of_two_changed(x, n):
    y, z = x + 1, x * 2
    w = y
    if n > 2:
        w = z
    w[0] = 0.0
    return y


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def argument_changed_under_another_name(x, n):
    if n > 2:
        x = x * 2
    x[0] = 1.0
    return x


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def tensor_changed_by_a_recursive_function(x, n):
    def clear(v, k):
        v[0] = v[0] * 0.5
        return clear(v, k - 1) if k > 0 else k

    y = x * 2
    k = clear(y, n)
    return y, k


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def tensor_renamed_in_a_loop(x, n):
    y, z = x * 1, x * 2
    for i in range(n):
        y = z
        y[0] = y[0] + 1
    return y, z


@wrong(
    F(
        3,
    ),
    K(3),
    modes="graph",
)
def recursion_changes_a_list(x, n):
    def go(xs, k):
        if k == 0:
            return 0
        xs.append(k)
        return go(xs, k - 1)

    return go([0], n)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def endless_while(x):
    while True:
        x = x + 1
    return x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def condition_never_changes(x):
    i = 0
    while i < 10:
        x = x + 1
    return x


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def range_taken_apart(x):
    return x + len(list(range(10**9)))


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def power_without_end(x):
    return x * (10**10**8 > 1)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def list_repeated_without_end(x):
    return x + len([0] * 10**10)


def wrapped(t):
    return wrapped((t,))


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def argument_grows_without_end(x):
    return wrapped(x)


@wrong(
    F(
        3,
    ),
    K(2),
    modes="graph",
)
def tuple_grows_in_a_loop(x, n):
    t = ()
    for i in range(n):
        t = (*t, x)
    return t


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def continuation_changes_a_list(x):
    def f(k, done):
        seen = [0]

        def more(v):
            seen[0] += 1
            return done(v * seen[0])

        return done(x) if k <= 0 else f(k - 1, more)

    return f(int(x.sum()), lambda v: v)


@wrong(
    F(
        3,
    ),
    modes="graph",
)
def mapped_changes_an_outer_tensor(x):
    y = x * 1.0

    def each(u):
        y[0] = 2.0
        return (u * y).sum()

    return ms.vmap(each)(x)

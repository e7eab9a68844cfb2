"""Small programs: statements and conditions with values known now and at run time, as people write
them. Each takes a tensor of three floats and an int.
"""

# Written as people write, not as a linter would.
from collections import namedtuple
from dataclasses import dataclass

from minds import Tensor, ops

Point = namedtuple("Point", "x y", defaults=(0,))


@dataclass(frozen=True)
class Pair:
    left: object
    right: object = 2

    def swapped(self):
        return Pair(self.right, self.left)

    @property
    def both(self):
        return self.left + self.right

    @staticmethod
    def of(v):
        return Pair(v, v)


def nested_if_else(x, n):
    if n > 0:
        if n > 2:
            if n > 4:
                r = x * 3.0
            else:
                r = x * 2.0
        else:
            r = x + 1.0
    else:
        r = -x
    return r


def if_without_else_keeps(x, n):
    a, b, c = 1, x, "s"
    if n == 2:
        a, b = 5, x * 2.0
    return a, b, c


def elif_with_mixed_conditions(x, n):
    if x.ndim == 2:
        return x
    elif n == 1:
        x = x + 1.0
    elif x.sum() > 100:
        x = x + 2.0
    elif n == 3 and x.shape[0] == 3:
        x = x * n
    else:
        x = x - 1.0
    return x


def if_assigns_in_both(x, n):
    if n % 2:
        even, word = False, 1
    else:
        even, word = True, 2
    return even, word


def if_with_early_return_in_else(x, n):
    if n > 1:
        y = x * 2.0
    else:
        return x
    return y + 1.0


def condition_is_a_float(x, n):
    f = n * 0.5 - 1.0
    if f:
        return f
    return 100.0


def condition_is_a_comparison_chain(x, n):
    if 0 < n < 3 < 10:
        return 1
    if not 1 <= n <= 4:
        return 2
    return 3


def conditional_expressions_nest(x, n):
    return (1 if n else 2) if n != 3 else (3 if x.sum() > 0 else 4)


def conditional_expression_of_tuples(x, n):
    a, b = (x, 1) if n > 2 else (x * 2.0, n)
    return a * b


def conditional_expression_of_functions(x, n):
    f = ops.tanh if n > 2 else (lambda v: v * 2.0)
    return f(x)


def and_or_short_circuit(x, n):
    seen = [0]

    def note(v):
        seen[0] += 1
        return v

    a = n > 2 and note(True)
    b = n > 2 or note(False)
    return a, b, seen


def and_or_of_numbers(x, n):
    return n and 7, n or 9, 0 and n, 3 or n, (n and 0) or 4, ((n > 1) and n) + 0


def not_of_everything(x, n):
    return not n, not x.sum(), not [], not "a", not None, not (n and 0)


def chained_comparison_evaluates_once(x, n):
    count = [0]

    def middle():
        count[0] += 1
        return n

    r = 0 <= middle() < 4
    return r, count


def comparison_chain_of_tensors(x, n):
    s = x.sum()
    return bool(0.0 < s < 10.0), bool(-1.0 < s <= n), 1 < n == 3


def is_and_is_not(x, n):
    y = x
    t = (x, n)
    return y is x, t[0] is x, None is None, (n > 2) is True, x is not None, t is not None


def in_tuple_list_range_dict_string(x, n):
    return (
        n in (1, 2, 3),
        n not in [0, 5],
        3 in range(5),
        "k" in {"k": n},
        "mi" in "minds",
        2 in {1, 2},
    )


def in_nested(x, n):
    return (1, n) in [(1, 3), (1, 2)], n in (n, 1), 2.0 in (1, 2), [n] in ([3], [1])


def while_counts_down(x, n):
    steps = 0
    while n:
        n -= 1
        steps += 2
    return steps


def while_else_with_break(x, n):
    i = 0
    while i < 5:
        if i == n:
            r = i * 10
            break
        i += 1
    else:
        r = -1
    return r


def while_else_without_break(x, n):
    while n > 2:
        n -= 2
    else:
        n += 100
    return n


def while_true_with_returns(x, n):
    while True:
        n += 3
        if n > 10:
            return x * n
        if n % 4 == 0:
            return x - n


def while_with_continue_first(x, n):
    s, i = 0, 0
    while i < 8:
        i += 1
        if i % 2 == n % 2:
            continue
        s += i
    return s


def while_with_two_breaks(x, n):
    i = 0
    while True:
        i += 1
        if i > n:
            break
        x = x * 0.5
        if x.sum() < 0.1:
            break
    return x, i


def while_over_a_pair(x, n):
    a, b = n, 7
    while b:
        a, b = b, a % b
    return a


def while_on_two_tensors(x, n):
    y = x * 0.5
    while y.sum() < x.sum() + n:
        y = y + 0.5
        x = x * 0.9
    return x, y


def for_else_with_data(x, n):
    for i in range(6):
        if x[0] * i > n:
            r = i
            break
    else:
        r = -1
    return r


def for_else_of_a_tuple(x, n):
    for v in (1, 2, 3):
        if v == n:
            out = v * 100
            break
    else:
        out = n
    return out


def for_in_for_with_else(x, n):
    found = -1
    for i in range(4):
        for j in range(4):
            if i * j == n:
                found = i * 10 + j
                break
        else:
            continue
        break
    return found


def for_with_changed_target(x, n):
    out = 0
    for i in range(5):
        i = i * n
        out += i
    return out, i


def for_over_changed_range(x, n):
    s = 0
    m = 3
    for i in range(m):
        m = 100
        s += i + n
    return s, m


def for_over_negative_steps(x, n):
    return (
        [i for i in range(5, -1, -2)],
        sum([i for i in range(3, 0, -1)]) * n,
        [k for k in range(0, -4, -3)],
    )


def for_over_runtime_range_with_step(x, n):
    s = 0
    for i in range(1, n * 3, 2):
        s = s * 2 + i
    return s


def for_over_an_empty_range(x, n):
    i = 7
    for i in range(0):
        n = 100
    for j in range(5, 5):
        n = 200
    return i, n


def for_over_nested_tuples(x, n):
    s = 0
    for a, (b, (c, d)) in ((1, (2, (3, n))), (n, (1, (1, 1)))):
        s = s * 3 + a * b + c * d
    return s


def for_over_tensor_of_two(x, n):
    s = 0.0
    for row in ops.stack([x, x * n]):
        for v in row:
            s = s + v * v
    return s


def for_over_dict_in_order(x, n):
    d = {"b": 1, "a": n}
    d["c"] = 3
    s = 0
    for k, v in d.items():
        s = s * 10 + v + len(k)
    for k in d:
        s += d[k]
    return s


def for_over_sorted_dict(x, n):
    d = {"b": 2, "a": n}
    return [d[k] for k in sorted(d)], sorted(d.keys(), reverse=True)


def for_over_enumerate_zip_reversed(x, n):
    s = 0
    for i, (a, b) in enumerate(zip(reversed((1, n, 3)), [n, 5])):
        s = s * 7 + i * a - b
    return s


def for_with_star_target(x, n):
    out = []
    for first, *rest in ((1, n, 3), (4,), (n, 6)):
        out.append((first, rest))
    return out


def break_in_a_with_like_block(x, n):
    total = 0
    for i in range(10):
        if i > n:
            if total > 3:
                break
            total += 10
        total += 1
    return total


def return_inside_two_loops(x, n):
    for i in range(5):
        for j in range(5):
            if i + j == n + 2:
                return i, j
    return -1, n


def return_inside_for_else(x, n):
    for i in range(n):
        if i == 9:
            break
    else:
        return x * 2.0
    return x


def loop_carries_a_tuple(x, n):
    state = (x, 0, 1)
    for i in range(n):
        state = (state[0] * 0.5, state[2], state[1] + state[2])
    return state


def loop_carries_a_named_tuple(x, n):
    p = Point(x, n)
    for i in range(n):
        p = p._replace(y=p.y + i) if False else Point(p.x + 1.0, p.y + i)
    return p.x, p.y


def loop_carries_bools_and_floats(x, n):
    flag, f = False, 0.0
    for i in range(n):
        flag = not flag
        f = f * 2 + i
    return flag, f


def unpack_star_middle(x, n):
    a, *b, c = 1, n, x, 4
    (d, *e), *f = (n, 2, 3), 5, 6
    return a, b, c, d, e, f


def unpack_star_of_a_tensor(x, n):
    first, *rest = x
    *most, last = x * n
    return first, rest[0] + last, len(most)


def unpack_strings_and_ranges(x, n):
    a, b = "xy"
    c, *d = range(n + 2) if False else range(4)
    return a + b, c, d


def chained_and_swapped(x, n):
    a = b = c = n
    a, b = b + 1, a + 2
    (a, b), c = (b, a), a
    return a, b, c


def augmented_attribute_of_dict_of_list(x, n):
    d = {"k": [1, [n, 2]]}
    d["k"][1][0] += 5
    d["k"][0] -= n
    d["k"] += [x]
    d["new"] = d["k"][:1]
    return d


def augmented_all_operators(x, n):
    a, f = n + 3, 1.5
    a += 2
    a -= 1
    a *= 3
    a //= 2
    a %= 9
    a <<= 2
    a >>= 1
    a |= 9
    a &= 14
    a ^= 5
    f /= 2
    f **= 2
    f -= n
    return a, f


def augmented_tensor(x, n):
    y = x
    y = y + 0.0
    y += n
    y *= 2.0
    y /= 4
    y -= x
    y **= 2
    return y


def delete_names_and_items(x, n):
    a = b = n
    xs = [1, 2, n, 4, 5]
    del xs[0], xs[-1]
    del xs[1:]
    d = {"p": 1, "q": 2}
    del d["p"], a
    return xs, d, b


def walrus_everywhere(x, n):
    if (m := n * 2) > 4 and (k := m + 1):
        r = m + k
    else:
        r = m
    total = 0
    while (total := total + m + 1) < 20:
        pass
    ys = [z for v in (1, 2, n) if (z := v * 3) > 3] if False else [(z := v * 3) for v in (1, 2, n)]
    return r, total, ys, z, m


def walrus_in_a_comprehension_condition(x, n):
    return [y for v in range(6) if (y := v * v) % 2 == 0], y


def annotations_are_ignored(x, n):
    a: "list[int]" = [n]
    b: int
    c: float = 0.5 * n

    def f(v: "Tensor", k: int = 2) -> "Tensor":
        return v * k

    return a, c, f(x)


def pass_and_docstring(x, n):
    """Does nothing."""
    "a string"
    n
    ...
    pass
    return x


def asserts_of_data(x, n):
    assert n >= 0
    assert x.sum() < 1e6, f"sum {x.shape}"
    assert len(x.shape) == 1, "rank"
    return x


def raises_under_conditions(x, n):
    if n > 90:
        raise ValueError(f"too large: {n}")
    elif x.sum() > 1e9:
        raise RuntimeError
    return n


def lambda_defaults_and_stars(x, n):
    f = lambda a, *b, c=2, **d: (a, b, c, sorted(d))
    return f(n), f(1, 2, n, c=3, e=4)


def lambda_in_a_loop_is_late(x, n):
    fs = []
    for i in range(3):
        fs.append(lambda v: v * i + n)
    gs = [lambda v, i=i: v * i for i in range(3)]
    return [f(1) for f in fs], [g(n) for g in gs]

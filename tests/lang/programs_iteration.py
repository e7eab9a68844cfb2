"""Small programs: what loops go over, and how they are left. Each takes a tensor of three floats and
an int.
"""

# Written as people write, not as a linter would.
from minds import ops


def for_over_dict(x, n):
    d = {"a": x, "b": x * 2.0}
    s = x * 0.0
    for key in d:
        s = s + d[key] * len(key)
    return s


def for_over_dict_items(x, n):
    s = x * 0.0
    for key, value in {"one": x, "three": x * n}.items():
        s = s + value * len(key)
    return s


def for_over_dict_values(x, n):
    s = 0
    for v in {"a": n, "b": 2}.values():
        s = s * 3 + v
    return s


def for_over_dict_keys(x, n):
    out = ""
    for k in {"a": n, "b": 2}.keys():
        out = out + k
    return out


def for_over_string(x, n):
    s = 0
    for c in "abca":
        s = s * 2 + (n if c == "a" else 1)
    return s


def for_over_zip(x, n):
    s = x * 0.0
    for a, b, c in zip((x, x + 1.0), [n, 2, 3], range(5)):
        s = s + a * b - c
    return s


def for_over_enumerate(x, n):
    s = 0
    for i, v in enumerate([n, n + 1, 7], start=1):
        s += i * v
    return s


def for_over_enumerated_zip(x, n):
    s = 0
    for i, (a, b) in enumerate(zip((1, n), (n, 3))):
        s += i + a * b
    return s


def for_over_reversed(x, n):
    s = 0
    for v in reversed([1, n, 3]):
        s = s * 4 + v
    return s


def for_over_reversed_range(x, n):
    s = 0
    for v in reversed(range(4)):
        s = s * 3 + v * n
    return s


def for_over_map(x, n):
    s = x * 0.0
    for v in map(lambda a, b: a * b, (x, x + 1.0), (n, 2)):
        s = s + v
    return s


def for_over_filter(x, n):
    s = 0
    for v in filter(lambda k: k % 2, range(6)):
        s = s + v * n
    return s


def for_over_rows(x, n):
    s = x * 0.0
    for row in ops.stack([x, x * 2.0, x - 1.0]):
        s = s * 0.5 + row
    return s


def for_over_many_rows(x, n):
    s = x * 0.0
    for row in ops.stack([x] * 20):
        s = s * 0.5 + row
    return s


def for_over_enumerated_rows(x, n):
    s = x * 0.0
    for i, row in enumerate(ops.stack([x, x + 1.0])):
        s = s + row * i
    return s


def for_nested_targets(x, n):
    s = 0
    for (a, b), (c, *rest) in [((1, n), (2, 3, 4)), ((n, 5), (6, 7))]:
        s += a * b + c * len(rest)
    return s


def for_target_stays(x, n):
    i = -1
    for i in range(n):
        pass
    return i


def for_else_without_break(x, n):
    for i in range(n):
        if i == 100:
            break
    else:
        return n * 2
    return -1


def for_else_after_break(x, n):
    s = 0
    for i in range(10):
        if i == n:
            s = -i
            break
        s += i
    else:
        s = s + 1000
    return s


def while_else_return(x, n):
    while n > 3:
        n = n - 2
        if n == 5:
            return x * 5.0
    else:
        x = x + n
    return x


def continue_in_while(x, n):
    i = s = 0
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        s += i
    return s


def break_from_inner_only(x, n):
    s = 0
    for i in range(4):
        for j in range(n):
            if j > i:
                break
            s += 1
        s *= 2
    return s


def break_outer_from_else(x, n):
    s = 0
    for i in range(6):
        for j in range(3):
            if i + j == n:
                break
            s += j
        else:
            if i > 2:
                break
            s += 100
            continue
        s -= 1
    return s


def return_from_else(x, n):
    for i in range(n):
        if i == 7:
            break
    else:
        if n > 2:
            return x * 3.0
    return x * 2.0


def nested_while(x, n):
    i, s = 0, 0
    while i < n:
        j = i
        while j > 0:
            s += j
            j -= 2
        i += 1
    return s


def while_with_and(x, n):
    i = 0
    while i < 10 and i * i < n:
        i += 1
    return i


def while_on_tensor(x, n):
    while (x * x).sum() > 0.5:
        x = x * 0.5
    return x

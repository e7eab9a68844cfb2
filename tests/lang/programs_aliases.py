"""Small programs: names of one list, dict or tensor. Each takes a tensor of three floats and an
int.
"""

from minds import ops

# Written as people write, not as a linter would.


def list_of_two(x, n):
    xs = [n]
    ys = [2]
    if n > 2:
        zs = xs
    else:
        zs = ys
    zs[0] = 7
    return zs


def changed_where_it_is_chosen(x, n):
    xs = [n]
    ys = [2]
    if n > 2:
        xs[0] = 9
        zs = xs
    else:
        zs = ys
    return zs, xs, ys


def one_of_two_changed_and_read(x, n):
    xs = [n]
    ys = [2]
    zs = xs if n > 2 else ys
    xs.append(3)
    return xs, ys


def rebound_in_a_branch(x, n):
    xs = [n, 1]
    if n > 2:
        xs = [4, 5]
    xs.append(n)
    xs[0] = 3
    return xs


def rebound_in_a_nested_branch(x, n):
    xs = [n, 1]
    if n > 1:
        if n > 2:
            xs = [4, 5]
        xs[0] = n * 2
    xs.append(1)
    return xs


def one_list_of_two_names_on_each_path(x, n):
    if n > 2:
        a = [n]
        b = a
    else:
        a = [5]
        b = a
    a.append(1)
    return a, b, a is b


def two_lists_on_one_path(x, n):
    if n > 2:
        a = [n]
        b = a
    else:
        a = [5]
        b = [6]
    b.append(1)
    return b


def rebound_in_a_loop(x, n):
    xs = [0, 1]
    for i in range(n):
        xs = [xs[1], xs[0] + i]
        xs[0] = xs[0] + 1
    xs[1] = 5
    return xs


def old_list_of_a_rebound_name(x, n):
    xs = [0, 1]
    ys = xs
    for i in range(n):
        xs = [xs[1], xs[0] + i]
    return xs, ys


def swapped_in_a_loop(x, n):
    a, b = [0], [1]
    for i in range(n):
        a, b = b, a
    return a, b


def two_names_rebound_together(x, n):
    a = b = [0]
    for i in range(n):
        a = b = [a[0] + 1]
        b[0] = b[0] * 2
    return a, b


def list_registered_elsewhere(x, n):
    reg = []

    def make(k):
        xs = [k]
        reg.append(xs)
        if n > 2:
            xs[0] = n
            return xs
        return xs

    a = make(1)
    a[0] = a[0] + 5
    return reg, a


def lists_in_a_dict(x, n):
    d = {"a": [n]}
    e = d
    if n > 1:
        d["a"][0] = 4
        e["a"] = [
            n,
        ]
    return d, e


def lists_in_a_tuple(x, n):
    a = [n]
    t = (a, [1])
    if n > 2:
        t = ([3], a)
    return t


def list_in_a_list(x, n):
    rows = [[n], [1]]
    r = rows[0]
    if n > 2:
        r[0] = r[0] + 1
    else:
        rows[1] = r
    return rows, r


def default_that_is_a_list(x, n):
    def f(v, acc=[]):
        acc.append(v)
        return len(acc), acc

    f(n)
    return f(2)


def list_of_a_lambda(x, n):
    xs = [n]
    f = lambda: xs
    if n > 2:
        f().append(1)
    else:
        xs.append(2)
    return f()


def tensor_in_tuples_and_lists(x, n):
    y = x * 1
    t = (y, [y, (y,)])
    y[0] = 9
    return t, y


def tensor_of_a_finished_call(x, n):
    def make(v):
        return lambda: v

    y = x * 1
    f = make(y)
    y[0] = 9
    return f(), y


def two_names_of_a_tensor_in_a_loop(x, n):
    z = x * 1
    y = z
    xs = [z, x]
    for i in range(n):
        y[0] = y[0] + z[1]
        z[1] = 1
    y[2] = 0
    return y, z, xs


def changed_in_the_loop_of_a_called_function(x, n):
    def scale(v, k):
        i = 0
        while i < k:
            v[i % 2] = v[i % 2] * 2.0 + i
            i = i + 1
        return i

    y = x * 1
    z = y
    count = scale(y, n)
    w = x * 3
    return scale(w, count + 1), y, z, w


def slice_assignment(x, n):
    xs = [1, 2, n]
    xs[1:2] = (5, n)
    xs[0:0] = [7]
    return xs


def function_changes_its_argument(x, n):
    def put(v, k):
        if n > k:
            v[0] = k
        v.append(k)
        return v

    xs = [n]
    ys = put(xs, 2)
    ys[0] = ys[0] + 1
    return xs, ys is xs


def function_returns_one_of_two(x, n):
    def pick(a, b):
        if n > 2:
            return a
        return b

    zs = pick([n, 1], [2, 3])
    zs[0] = zs[0] * 2
    return zs


def shallow_copies(x, n):
    rows = [[n], [1]]
    a, b, c, d = rows[:], list(rows), rows.copy(), [*rows]
    rows[0][0] = 5
    rows.append([7])
    return a, b, c, d


def repeated_list_is_one(x, n):
    rows = [[0]] * 3
    rows[1][0] = n
    return rows


def augmented_keeps_the_list(x, n):
    xs = [n]
    ys = xs
    ys += (1,)
    zs = xs
    zs = zs + [2]
    return xs, ys is xs, zs is xs


def augmented_item_of_an_item(x, n):
    d = {"a": [n, [1]]}
    e = d["a"]
    d["a"][1] += [n]
    d["a"][0] += 1
    return d, e


def dict_of_one_list(x, n):
    d = dict.fromkeys(("a", "b"), None) if False else {"a": None, "b": None}
    xs = [n]
    for k in d:
        d[k] = xs
    d["a"].append(2)
    return d


def update_with_a_list(x, n):
    xs = [n]
    d = {}
    d.update(k=xs) if False else d.update({"k": xs})
    xs.append(1)
    return d, d.setdefault("k", []) is xs


def star_argument_is_a_new_tuple(x, n):
    def f(*v):
        return v

    xs = [n, 2]
    t = f(*xs)
    xs[0] = 0
    return t, xs


def keyword_dict_is_new(x, n):
    def f(**kw):
        kw["a"] = 0
        return kw

    d = {"a": n}
    return f(**d), d


def comprehension_shares_elements(x, n):
    rows = [[n], [2]]
    same = [r for r in rows]
    rows[0].append(1)
    return same


def iterating_a_list_of_lists(x, n):
    rows = [[n], [2], [3]]
    for r in rows:
        if n > 1:
            r[0] = r[0] + 1
    return rows


def unpacked_lists(x, n):
    rows = [[n], [2]]
    a, b = rows
    a[0], b[0] = b[0], a[0]
    return rows


def list_in_a_loop_of_a_loop(x, n):
    rows = [[0, 0], [0, 0]]
    for i in range(n):
        row = rows[i % 2] if False else rows[0]
        for j in range(n):
            row[0] += i * j
        row[1] = row[0]
    return rows


def closure_over_a_list_in_a_loop(x, n):
    seen = [0, 0]

    def note(k):
        seen[0] += k
        seen[1] = k

    for i in range(n):
        note(i)
    return seen


def tensor_changed_under_two_names(x, n):
    y = x * 1.0
    z = y
    if n > 2:
        y[0] = 5.0
    z[1] = 7.0
    return y, z


def tensor_copy_is_apart(x, n):
    y = x * 1.0
    z = y.copy()
    y[0] = n
    return y, z


def tensor_in_a_list_changed_by_name(x, n):
    y = x * 1.0
    xs = [y, y]
    for i in range(n):
        y[0] = y[0] + i
    xs[1][1] = 3.0
    return xs


def tensor_changed_by_a_function(x, n):
    def clear(v):
        v[0] = 0.0

    y = x * 1.0
    clear(y)
    return y


def while_that_pops(x, n):
    xs = [n, 3, 1, 5]
    s = 0
    while len(xs) > 1:
        s = s * 10 + xs.pop()
    return s, xs


def changed_and_returned_on_one_path(x, n):
    if n < 2:
        t = ops.sin(x)
        t[0] += 1.0
        if n == 1:
            return x, t
    z = x * 2.0 if n == 3 else x
    return z, x * n


def changed_in_a_list_and_returned_on_one_path(x, n):
    if n < 3:
        held = [ops.sin(x), x * 2.0]
        held[0][1] = 0.5
        held[1] = held[0] * 3.0
        if n == 1:
            return held
        if n == 2:
            return [held[1], x]
    z = [x * 2.0 if n == 3 else x for _ in (1, 2)]
    return z

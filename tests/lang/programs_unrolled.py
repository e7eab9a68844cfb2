"""Small programs: loops of known length that cannot be rolled, and so are unrolled. Each takes a
tensor of three floats and an int.
"""

from minds import ops


def snapshots(x, n):
    snaps = []
    h = x
    for i in range(20):
        h = ops.tanh(h * 1.1)
        if i % 3 == 2:
            snaps.append(h)
    return ops.stack(snaps)


def fib_list(x, n):
    F = [0.0] * 20
    for i in range(20):
        F[i] = F[i - 1] * 0.5 + x[1]
    return F


def dp_table(x, n):
    m = 12
    zero = x.sum() * 0
    D = [[zero for _ in range(m)] for _ in range(m)]
    for i in range(1, m):
        for j in range(1, m):
            D[i][j] = ops.minimum(D[i - 1][j], D[i][j - 1]) + ops.abs(x[i % 3] - x[j % 3])
    return D[m - 1][m - 1]


def dp_edit(x, n):
    a, b = x, x * 1.5
    m = 12
    D = [[0.0] * (m + 1) for _ in range(m + 1)]
    for i in range(m + 1):
        D[i][0] = i * 1.0
    for j in range(m + 1):
        D[0][j] = j * 1.0
    for i in range(1, m + 1):
        for j in range(1, m + 1):
            c = (a[i % 3] - b[j % 3]) ** 2
            D[i][j] = c + min(D[i - 1][j - 1], D[i - 1][j], D[i][j - 1])
    return D[m][m] * x


def dict_of_items(x, n):
    h = x
    out = []
    for i in range(12):
        h = h * 0.9 + 1
        out.append(h)
        d = {"h": h, "all": out}
    return d["h"] + len(d["all"]) + d["all"][4]


def grow_tuple(x, n):
    t = ()
    for i in range(15):
        t = t + (x * i,)
    return t[0] + t[14] + len(t)


def nested_collect(x, n):
    rows = []
    for i in range(10):
        row = []
        for j in range(10):
            row.append(x * (i * j))
        rows.append(ops.stack(row))
    return ops.stack(rows).sum(0).sum(0)


def string_build(x, n):
    s = ""
    for i in range(12):
        s += "ab"[i % 2]
    return x * len(s), s


def memo(x, n):
    m = {0: x, 1: x * 0.5}
    for i in range(2, 15):
        m[i] = m[i - 1] * 0.5 + m[i - 2] * 0.25
    return m[14]


def fibm(x, n):
    m = {}

    def f(k):
        if k < 2:
            return x * k
        if k not in m:
            m[k] = f(k - 1) * 0.5 + f(k - 2)
        return m[k]

    for k in range(20):
        f(k)
    return f(19)


def cond_append(x, n):
    ys = [x]
    for i in range(12):
        if i % 2:
            ys.append(ys[-1] * 1.1)
        elif i % 3 == 0:
            ys.insert(0, x * i)
        elif len(ys) > 4:
            ys.pop()
    return ops.stack(ys).sum(0) + len(ys)


def set_seen(x, n):
    seen = set()
    s = x
    for i in range(20):
        k = i * 7 % 5
        if k in seen:
            continue
        seen.add(k)
        s = s + k * x
    return s, len(seen)


def rnn_outputs(x, n):
    h = x
    outs = []
    for i in range(16):
        h = ops.tanh(h + x * i)
        outs.append(h)
    return ops.stack(outs, 1), h


def rnn_rows(x, n):
    seq = ops.stack([x * i for i in range(16)])
    outs = []
    h = x
    for row in seq:
        h = ops.tanh(h + row)
        outs.append(h)
    return ops.stack(outs)


def zip_rows(x, n):
    a = ops.stack([x * i for i in range(16)])
    b = a * 2
    outs = []
    for i, (u, v) in enumerate(zip(a, b)):
        if i % 4 == 0:
            outs.append(u * v)
    return outs


def rev_rows(x, n):
    a = ops.stack([x * i for i in range(16)])
    outs = []
    for u in reversed(a):
        outs.append(u)
    return outs[0], len(outs)


def while_known(x, n):
    i = 0
    ys = []
    while i < 20:
        ys.append(x * i)
        i += 1
    return ops.stack(ys)


def while_known_step(x, n):
    i = 1
    h = x
    snaps = {}
    while i < 2000:
        h = ops.sin(h)
        snaps[i] = h
        i *= 2
    return snaps[1] + snaps[1024]


def while_known_stack(x, n):
    todo = [3]
    s = x
    c = 0
    while todo:
        k = todo.pop()
        c += 1
        s = s + k * x
        if k > 0:
            todo.append(k - 1)
            todo.append(k - 1)
    return s, c


def while_break_known(x, n):
    i = 0
    ys = []
    while True:
        ys.append(x * i)
        i += 1
        if i == 12:
            break
    return ys


def stale_alias(x, n):
    a = x * 1
    b = x * 2
    for i in range(20):
        if i == 3:
            a = b
        a[0] = i * 1.0
    return a + b


def stale_list(x, n):
    a = [x]
    b = [x * 2]
    c = a
    for i in range(20):
        if i == 7:
            c = b
        c[0] = c[0] * 1.1
    return a[0] + b[0]


def inplace_mix(x, n):
    y = x * 1
    for i in range(20):
        y = y * 1.01
        y[i % 3] = y[(i + 1) % 3] * 0.5
    return y


def pop_loop(x, n):
    q = [x * i for i in range(12)]
    s = x * 0
    for i in range(12):
        s = s * 0.5 + q.pop(0)
    return s


def bubble(x, n):
    v = [x[0], x[1], x[2], x[0] * 2, x[1] * 3]
    for i in range(5):
        for j in range(4):
            a, b = v[j], v[j + 1]
            v[j], v[j + 1] = ops.minimum(a, b), ops.maximum(a, b)
    return ops.stack(v)


def shapes(x, n):
    y = x
    for i in range(10):
        y = ops.concat((y, x[:1]))
    return y


def shapes_list(x, n):
    ys = [x]
    for i in range(10):
        ys.append(ops.concat((ys[-1], x[:1])))
    return ys[-1].sum() + len(ys)


def class_counter(x, n):
    class_ = []
    for i in range(12):
        class_.append((i, x * i))
    return [t for i, t in class_ if i % 5 == 0]


def funcs_late(x, n):
    f = lambda v: v
    for i in range(10):
        g = f
        f = lambda v, g=g, i=i: g(v) * 0.5 + i
    return f(x)


def a_linked_list_of_dicts(x, n):
    top = {"value": x, "next": None}
    for i in range(20):
        top = {"value": x * i, "next": top}
    total = 0.0
    while top is not None:
        total = total + top["value"] * n
        top = top["next"]
    return total


def a_linked_list_of_lists(x, n):
    top = None
    for i in range(12):
        top = [x * i, top]
    total = x
    while top is not None:
        v, top = top
        total = total * 0.5 + v * n
    return total


class _Step:
    def __init__(self, inner):
        self.inner = inner

    def __call__(self, v):
        return v if self.inner is None else self.inner(v * 1.1 + 1.0)

    def run(self, v):
        return v if self.inner is None else self.inner.run(v * 1.1)


def callable_objects_that_hold_one_another(x, n):
    step = _Step(None)
    for _ in range(45):
        step = _Step(step)
    return step(x) + step.run(x) * n


class _Applied:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, v):
        return self.fn(v)


def callable_objects_around_closures(x, n):
    def around(inner):
        return _Applied(lambda v: inner(v) * 0.9 + v)

    step = _Applied(lambda v: v * n)
    for _ in range(42):
        step = around(step)
    return step(x)


class Link:
    def __init__(self, value, after=None):
        self.value = value
        self.after = after


def _total(p, x):
    s, k = x.sum() * 0.0, 1.0
    while p is not None:
        s = s + p.value * k
        k = k + 0.5
        p = p.after
    return s


def list_built_at_its_tail(x, n):
    head = tail = Link(x[0])
    for i in range(1, 20):
        new = Link(x[i % 3] * i + n)
        tail.after = new
        tail = new
    return _total(head, x)


class Queue:
    def __init__(self):
        self.head = self.tail = None
        self.count = 0

    def push(self, value):
        new = Link(value)
        if self.head is None:
            self.head = new
        else:
            self.tail.after = new
        self.tail = new
        self.count += 1


def queue_of_links(x, n):
    q = Queue()
    for i in range(15):
        q.push(x[i % 3] * n - i)
    return _total(q.head, x), q.count


def pairs_built_at_their_tail(x, n):
    head = tail = [x[0], None]
    for i in range(12):
        tail[1] = [x[i % 3] * n, None]
        tail = tail[1]
    s = x.sum() * 0.0
    while head is not None:
        s = s * 0.5 + head[0]
        head = head[1]
    return s

"""Small programs: lists whose length or changed place only the run knows. Each takes a tensor of three
floats and an int.
"""

from minds import mint, ops


def append_while(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    return ops.stack(ys).sum(0) + len(ys)


def append_while_len(x, n):
    ys = []
    while len(ys) < 3 or x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    return ys[-1] * ys[0] + ys[2] + len(ys)


def append_while_index(x, n):
    ys = [x]
    i = 0
    while x.sum() < 10:
        x = x * 1.2 + 0.1 * ys[i]
        ys.append(x)
        i += 1
    return ys[i] + ys[i // 2]


def append_while_iter(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x.sum())
    s = 0
    for y in ys:
        s = s * 0.5 + y
    return s * x


def append_numbers(x, n):
    ks = []
    k = n
    while k < 100:
        k = k * 2 + 1
        ks.append(k)
    return sum(ks) * x, len(ks)


def append_floats(x, n):
    ks = [0.5]
    while x.sum() < 10:
        x = x + 0.7
        ks.append(ks[-1] * 1.5)
    return ks[-1] * x


def stack_grad(x, n):
    h = x
    ys = []
    while h.sum() < 6:
        h = ops.tanh(h) + 0.5 * ops.abs(x) + h * 0.9
        ys.append(h)
    ys = ops.stack(ys)
    return (ys * ys).sum() * x


def cond_append_while(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        if x[0] > 1:
            ys.append(x)
    return ops.stack(ys).sum(0)


def run_break(x, n):
    ys = []
    for i in range(50):
        x = x * 1.1 + 0.1
        if x.sum() > 9:
            break
        ys.append(x)
    return ops.stack(ys).mean(0)


def greedy(x, n):
    emb = ops.stack([x, x * 2, x + 1, x - 1])
    tokens = [n % 4]
    h = x
    while tokens[-1] != 0 and len(tokens) < 12:
        h = ops.tanh(h + emb[tokens[-1]])
        logits = emb @ h
        tokens.append(int(logits.argmax()))
    return len(tokens), tokens[-1], h


def greedy_tensor(x, n):
    emb = ops.stack([x, x * 2, x + 1, x - 1])
    tok = ops.argmax(emb.sum(1))
    toks = [tok]
    h = x
    while h.sum() < 2 and len(toks) < 9:
        h = ops.tanh(h + emb[tok]) + 0.3
        tok = ops.argmax(emb @ h)
        toks.append(tok)
    return ops.stack(toks).sum(), h


def prealloc(x, n):
    zero = x * 0
    buf = [zero] * 8
    i = 0
    while i < 8 and x.sum() < 10:
        buf[i] = x
        x = x * 1.3 + 0.1
        i += 1
    return ops.stack(buf).sum(0), i


def prealloc_read(x, n):
    F = [0.0] * 20
    i = 2
    F[0] = 1.0
    F[1] = 1.5
    while i < 20 and x.sum() < 30:
        F[i] = F[i - 1] * 0.5 + F[i - 2]
        x = x + F[i]
        i += 1
    return F[i - 1] * x


def table_while(x, n):
    m = 5
    zero = x.sum() * 0
    D = [[zero for _ in range(m)] for _ in range(m)]
    i = 1
    while i < m and x.sum() < 50:
        j = 1
        while j < m and x.sum() < 50:
            D[i][j] = D[i - 1][j] + D[i][j - 1] * 0.5 + x[i % 3]
            j += 1
        i += 1
    return D[m - 1][m - 1], D[i - 1][2]


def pop_while(x, n):
    st = [x]
    c = 0
    s = x * 0
    while len(st) > 0 and c < 30:
        t = st.pop()
        s = s + t
        c += 1
        if t.sum() < 3:
            st.append(t * 1.5 + 0.5)
            st.append(t * 1.2 + 0.9)
    return s, c


def truth_while(x, n):
    st = [x]
    s = x * 0
    while st:
        t = st.pop()
        s = s + t
        if t.sum() < 3:
            st.append(t * 1.5 + 0.5)
            st.append(t * 1.2 + 0.9)
    return s


def return_list(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    return ys


def range_n(x, n):
    ys = []
    for i in range(n + 2):
        ys.append(x * i)
    return ops.stack(ys).sum(0)


def range_n_cond(x, n):
    ys = []
    for i in range(n + 2):
        if i % 2:
            ys.append(x * i)
    return ops.stack(ys).sum(0)


def slice_run(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    return ops.stack(ys[1:]).sum(0) + ops.concat(ys[-2:]).sum()


def extend_run(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.extend([x, x * 2])
        ys += [x]
    return ops.stack(ys).sum(0)


def max_run(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x.sum())
    return max(ys) * x + sum(ys)


def copied_change(x, n):
    ys = []
    y = x * 1
    while y.sum() < 10:
        y[0] = y[0] * 1.5 + 0.5
        y[1] += 0.5
        ys.append(y.copy())
    return ops.stack(ys).sum(0)


def filter_comp(x, n):
    return [v * 2 for v in x if v > 0]


def filter_comp_stack(x, n):
    return ops.stack([v * 2 for v in x if v > -9]).sum()


def comp_range(x, n):
    return ops.stack([x * i for i in range(n + 2)]).sum(0)


def comp_range_list(x, n):
    return [x * i for i in range(n)]


def comp_nested(x, n):
    rows = [[x * (i * j) for j in range(3)] for i in range(n)]
    return sum([r[0] + r[1] + r[2] for r in rows], x)


def mint_stack(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    return mint.stack(ys, dim=1).sum(1), mint.cat(ys).sum()


def stack_axis(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    return ops.stack(ys, 1).sum(1), ops.stack(ys, axis=-1).sum(1), ops.concat(ys, axis=0).sum()


def beam(x, n):
    W = ops.stack([x, x * 2, x + 1, x - 1])
    h = x
    tokens = []
    scores = []
    tok = n % 4
    while len(tokens) < 10:
        h = ops.tanh(h + W[tok])
        logp = ops.log_softmax(W @ h, -1)
        tok = int(ops.argmax(logp))
        tokens.append(tok)
        scores.append(logp[tok])
        if tok == 0:
            break
    return sum(scores), len(tokens)


def list_of_args(x, n):
    ys = [x, x * 2, x * 3]
    while ys[-1].sum() < 20:
        ys.append(ys[-1] + ys[-2] * 0.5 + ys[len(ys) - 3] * 0.1)
    return ys[len(ys) // 2], ys[-1]


def history_in_dict(x, n):
    hist = {"loss": [], "x": []}
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        hist["loss"].append(x.sum())
        hist["x"].append(x)
    return hist["loss"][-1] + hist["x"][0].sum(), len(hist["loss"])


def replace_list(x, n):
    ys = [x]
    while ys[-1].sum() < 10:
        ys = ys + [ys[-1] * 1.2 + 0.1]
    return ops.stack(ys).sum(0)


def replace_list_of_tuple(x, n):
    t = (x, [x])
    while t[1][-1].sum() < 10:
        t = (t[0] + 1, t[1] + [t[1][-1] * 1.2 + 0.1])
    return t[0] + ops.stack(t[1]).sum(0)


def keep_last3(x, n):
    ys = [x, x, x]
    k = 0
    while ys[-1].sum() < 10 and k < 50:
        ys.append(ys[-1] * 1.2 + ys[0] * 0.1 + 0.1)
        ys = ys[-3:]
        k += 1
    return ys[0] + ys[1] + ys[2]


def window_pop(x, n):
    ys = [x, x, x]
    k = 0
    while ys[-1].sum() < 10 and k < 50:
        ys.append(ys[-1] * 1.2 + ys[0] * 0.1 + 0.1)
        ys.pop(0)
        k += 1
    return ys[0] + ys[1] + ys[2]


def if_else_lists(x, n):
    if x.sum() > 0:
        ys = [x, x * 2]
    else:
        ys = [x]
    ys.append(x * 3)
    return ops.stack(ys).sum(0)


def if_list_none(x, n):
    ys = []
    if x.sum() > 100:
        ys.append(x)
    if ys:
        return ys[0]
    return x * 2


def loop_len_cond(x, n):
    ys = [x.sum()]
    while len(ys) < 6:
        if ys[-1] > 1:
            ys.append(ys[-1] * 0.5)
        ys.append(ys[-1] + 1)
    return ys[-1], len(ys)


def outer_inner(x, n):
    total = x * 0
    k = 0
    while k < n:
        ys = []
        y = x
        while y.sum() < 5 + k:
            y = y * 1.3 + 0.2
            ys.append(y)
        total = total + ops.stack(ys).mean(0)
        k += 1
    return total


def lists_in_tuple(x, n):
    a, b = [], []
    pair = (a, b)
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        pair[0].append(x)
        pair[1].append(x * 2)
    return ops.stack(a).sum(0) + ops.stack(b).sum(0)


def aliased(x, n):
    a = []
    b = a
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        b.append(x)
    return ops.stack(a).sum(0), len(b)


def closure_append(x, n):
    out = []

    def rec(v):
        out.append(v)
        return v * 1.2 + 0.1

    while x.sum() < 10:
        x = rec(x)
    return ops.stack(out).sum(0)


def enumerate_start(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    s = x * 0
    for i, y in enumerate(ys, 1):
        s = s + y / i
    for i in range(len(ys)):
        s = s + ys[i] * i
    for y in ys[::-1]:
        s = s * 0.9 + y
    return s


def set_elem(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    ys[0] = x
    ys[-1] *= 2
    i = n % 2
    ys[i] += 1
    return ops.stack(ys).sum(0)


def knap(x, n):
    W = 6
    best = [0.0] * (W + 1)
    w = 1
    while w <= W:
        best[w] = max(best[w], best[w - 1]) + float(x[w % 3])
        w += 1 + int(x.sum() > 100)
    return best[W]


def grid(x, n):
    m = 4
    D = [[0.0] * m for _ in range(m)]
    i = 0
    while i < m * m and x.sum() < 1000:
        D[i // m][i % m] = D[(i - 1) // m][(i - 1) % m] * 0.5 + i
        x = x + D[i // m][i % m] * 0.1
        i += 1
    return x, D[1][2]


def bucket(x, n):
    hist = [0, 0, 0, 0]
    for v in x:
        hist[int(v * 2) % 4] += 1
    return hist


def bucket_t(x, n):
    sums = [x * 0 for _ in range(3)]
    for i in range(9):
        k = int(ops.abs(x[i % 3]) * 10 + i) % 3
        sums[k] = sums[k] * 0.5 + x * i
    return sums


def swap_run(x, n):
    v = [x[0], x[1], x[2]]
    i = int(ops.argmin(x))
    v[0], v[i] = v[i], v[0]
    return v


def bubble_data(x, n):
    v = [x[0], x[1], x[2], x[0] * 0.3]
    changed = True
    while changed:
        changed = False
        for j in range(3):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
                changed = True
    return v


def early_stop(x, n):
    best, wait, hist = x.sum() * 0 + 1e9, 0, []
    w = x
    for step in range(100):
        w = w * 0.9
        loss = (w * w).sum() + 0.3
        hist.append(loss)
        if loss < best - 0.01:
            best, wait = loss, 0
        else:
            wait += 1
        if wait > 2:
            break
    return best, len(hist), w


def newton(x, n):
    trace = [x]
    y = x
    for _ in range(1000):
        y_new = y - (y * y * y - x) / (3 * y * y + 1)
        trace.append(y_new)
        if ops.abs(y_new - y).max() < 1e-3:
            break
        y = y_new
    return trace[-1], len(trace)


def bools(x, n):
    fl = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        fl.append(x[0] > 1)
    return fl[-1], len(fl)


def ragged(x, n):
    ys = []
    y = x
    while y.shape[0] < 6:
        y = ops.concat((y, x[:1]))
        ys.append(y)
    return len(ys), ys[-1]


def neg_index_run(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    return ys[-2] + ys[-(n % 3) - 1]


def kept_on_one_path(x, n):
    ys = [x, x]
    for k in range(n + 3):
        if k > 0:
            ys += [x * k]
        elif k < n:
            if k > 1:
                return x
        else:
            ys[0] = x * 0.5
    return ops.stack(ys).sum(0)

"""Algorithms as users write them: interpreters, tables, search, sorting, solvers. Each takes a tensor
of three floats and an int.
"""

import math
import operator
from collections import namedtuple

from minds import Tensor, ops


def rpn(x, n):
    program = ["x", "y", "+", "z", "*", "x", "sin", "+"]
    env = {"x": x[0], "y": x[1] * n, "z": x[2]}
    binary = {"+": operator.add, "*": operator.mul, "-": operator.sub}
    unary = {"sin": ops.sin, "tanh": ops.tanh}
    stack = []
    for token in program:
        if token in env:
            stack.append(env[token])
        elif token in binary:
            b, a = stack.pop(), stack.pop()
            stack.append(binary[token](a, b))
        else:
            stack.append(unary[token](stack.pop()))
    return stack.pop()


def bytecode(x, n):
    code = ops.stack([Tensor(0), Tensor(1), Tensor(2), Tensor(3), Tensor(0), Tensor(2)])
    regs = [x[0], x[1], x[2], x[0] * 0.0]
    pc = 0
    steps = 0
    while pc < 6 and steps < 20:
        op = int(code[pc])
        if op == 0:
            regs[(pc + n) % 4] = regs[pc % 3] + 1.0
        elif op == 1:
            regs[3] = regs[0] * regs[1]
        elif op == 2:
            regs[steps % 4] = ops.sin(regs[(steps + 1) % 4])
        else:
            if n > 2 and steps < 6:
                pc = 0
                steps += 1
                continue
        pc += 1
        steps += 1
    return sum(regs), steps


def lisp(x, n):
    tree = ("let", "a", ("+", "x", 2.0), ("if", (">", "n", 2.0), ("*", "a", "a"), ("-", "a", "x")))
    fns = {
        "+": lambda a, b: a + b,
        "*": lambda a, b: a * b,
        "-": lambda a, b: a - b,
        ">": lambda a, b: a > b,
    }

    def ev(e, env):
        if isinstance(e, str):
            return env[e]
        if not isinstance(e, tuple):
            return e
        head, *rest = e
        if head == "let":
            return ev(rest[2], {**env, rest[0]: ev(rest[1], env)})
        if head == "if":
            return ev(rest[1], env) if ev(rest[0], env) else ev(rest[2], env)
        return fns[head](*[ev(r, env) for r in rest])

    return ev(tree, {"x": x, "n": float(n)})


def dtw(x, n):
    a = [x[0], x[1], x[2], x[0] + x[1], x[1] * 2.0, x[2] - 1.0, x[0], x[1], x[2], x[0]]
    b = [x[1], x[0], x[2] * 0.5, x[1], x[0], x[2], x[1], x[0], x[2], x[0]]
    inf = float("inf")
    D = [[inf] * 11 for _ in range(11)]
    D[0][0] = 0.0
    for i in range(1, 11):
        for j in range(1, 11):
            c = ops.abs(a[i - 1] - b[j - 1])
            D[i][j] = c + min(D[i - 1][j], D[i][j - 1], D[i - 1][j - 1])
    return D[10][10] * n


def lis(x, n):
    v = [x[i % 3] * (i * 5 % 7) for i in range(12)]
    L = [1] * 12
    for i in range(12):
        for j in range(i):
            if v[j] < v[i] and L[j] + 1 > L[i]:
                L[i] = L[j] + 1
    return max(L), x * L[n]


def rod(x, n):
    price = [x[0] ** 2, x[1] ** 2, x[2] ** 2, x[0] ** 2 + 1.0]
    best = [x[0] * 0.0]
    for length in range(1, 13):
        b = price[0] + best[length - 1]
        for cut in range(2, min(length, 4) + 1):
            b = ops.maximum(b, price[cut - 1] + best[length - cut])
        best.append(b)
    return best[12], best[n]


def beam(x, n):
    beams = [(x[0] * 0.0, ())]
    for t in range(4):
        cand = []
        for score, seq in beams:
            for tok in range(3):
                cand.append((score + x[tok] * (t + 1), seq + (tok,)))
        cand.sort(key=lambda c: c[0], reverse=True)
        beams = cand[:2]
    return beams[0][0] * n, beams[1][0]


def newton(x, n):
    z = x[0] + 2.0
    it = 0
    while ops.abs(z * z - 3.0) > 1e-3 and it < 50:
        z = z - (z * z - 3.0) / (2.0 * z)
        it += 1
    return z * n, it


def adaptive(x, n):
    t, y, h = 0.0, x[0], 0.5
    steps = 0
    while t < 1.0 and steps < 60:
        full = y + h * ops.sin(y * x[1])
        half = y + h / 2 * ops.sin(y * x[1])
        half = half + h / 2 * ops.sin(half * x[1])
        err = float(ops.abs(full - half))
        if err > 0.01:
            h = h / 2
        else:
            y = half
            t = t + h
            h = min(h * 1.5, 1.0 - t + 1e-9)
        steps += 1
    return y * n, steps


def bellman(x, n):
    edges = [
        (0, 1, x[0] ** 2),
        (1, 2, x[1] ** 2),
        (0, 2, x[2] ** 2 + 1.0),
        (2, 3, x[0] ** 2),
        (1, 3, x[2] ** 2),
    ]
    dist = [x[0] * 0.0] + [x[0] * 0.0 + 100.0] * 3
    for _ in range(3):
        for u, v, w in edges:
            dist[v] = ops.minimum(dist[v], dist[u] + w)
    return dist[3] * n, dist[1]


def binary_tree(x, n):
    Node = namedtuple("Node", "left right value")

    def build(d, k):
        if d == 0:
            return None
        return Node(build(d - 1, 2 * k), build(d - 1, 2 * k + 1), x[k % 3] * k)

    def fold(t, f):
        return x[0] * 0.0 if t is None else f(fold(t.left, f), t.value, fold(t.right, f))

    return fold(build(3, 1), lambda a, v, b: a * 0.5 + v + ops.sin(b)) * n


def quicksort(x, n):
    v = [x[i % 3] * (i * 7 % 5) for i in range(8)]

    def qs(lo, hi):
        if lo >= hi:
            return
        p, i = v[hi], lo
        for j in range(lo, hi):
            if v[j] < p:
                v[i], v[j] = v[j], v[i]
                i += 1
        v[i], v[hi] = v[hi], v[i]

    qs(0, 7)
    return v, n


def insertion_sort(x, n):
    v = [x[i % 3] * (i * 7 % 5 - 2) for i in range(10)]
    for i in range(1, 10):
        key = v[i]
        j = i - 1
        while j >= 0 and v[j] > key:
            v[j + 1] = v[j]
            j -= 1
        v[j + 1] = key
    return v, v[n]


def counting_sort(x, n):
    a = [(i * 7 + n) % 6 for i in range(15)]
    c = [0] * 6
    for v in a:
        c[v] += 1
    out = []
    for v in range(6):
        k = 0
        while k < c[v]:
            out.append(v)
            k += 1
    return len(out), x * out[n], c


def binary_search(x, n):
    a = [k * k for k in range(20)]
    lo, hi = 0, 20
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < n * 7:
            lo = mid + 1
        else:
            hi = mid
    return x * lo, lo


def collatz(x, n):
    k, steps, trace = n + 6, 0, []
    while k != 1:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        steps += 1
        trace.append(k)
    return x * steps, trace, max(trace)


def kv_cache(x, n):
    cache = []
    h = x
    i = 0
    while i < n + 1:
        cache.append((h, h * 2.0))
        k = ops.stack([c[0] for c in cache])
        v = ops.stack([c[1] for c in cache])
        a = ops.softmax((k * h).sum(-1), -1)
        h = ops.tanh((a.reshape((-1, 1)) * v).sum(0))
        i += 1
    return h, len(cache)


def early_stop(x, n):
    best, wait, losses, w = 1e9, 0, [], x
    for epoch in range(40):
        loss = float(((w - 1.0) ** 2).sum())
        losses.append(loss)
        if loss < best - 0.01:
            best, wait = loss, 0
        else:
            wait += 1
            if wait > n:
                break
        w = w - 0.2 * (w - 1.0)
    return w, len(losses), best


def gauss_big(x, n):
    N = 10
    A = [[x[(i * j) % 3] * 0.1 + (5.0 + i if i == j else 0.0) for j in range(N)] for i in range(N)]
    b = [x[i % 3] * n for i in range(N)]
    for i in range(N):
        for k in range(i + 1, N):
            f = A[k][i] / A[i][i]
            for j in range(i, N):
                A[k][j] = A[k][j] - f * A[i][j]
            b[k] = b[k] - f * b[i]
    sol = [x[0] * 0.0] * N
    for i in range(N - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, N):
            s = s - A[i][j] * sol[j]
        sol[i] = s / A[i][i]
    return sol


def cholesky(x, n):
    N = 9
    A = [
        [(x[i % 3] * x[j % 3]) * 0.1 + (4.0 if i == j else 0.0) for j in range(N)] for i in range(N)
    ]
    L = [[x[0] * 0.0] * N for _ in range(N)]
    for i in range(N):
        for j in range(i + 1):
            s = A[i][j]
            for k in range(j):
                s = s - L[i][k] * L[j][k]
            if i == j:
                L[i][j] = ops.sqrt(s)
            else:
                L[i][j] = s / L[j][j]
    return sum([L[i][i] for i in range(N)]) * n, L[n]


def thomas(x, n):
    N = 12
    c, d = [x[0] * 0.0] * N, [x[0] * 0.0] * N
    a, b = x[0] * 0.1, x[1] ** 2 + 3.0
    c[0], d[0] = a / b, x[2] / b
    for i in range(1, N):
        m = b - a * c[i - 1]
        c[i] = a / m
        d[i] = (x[i % 3] - a * d[i - 1]) / m
    out = [d[-1]] * N
    for i in range(N - 2, -1, -1):
        out[i] = d[i] - c[i] * out[i + 1]
    return out, out[n]


def heat(x, n):
    u = [x[i % 3] for i in range(12)]
    for _ in range(10):
        new = u[:]
        for i in range(1, 11):
            new[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return sum(u) + u[n]


def exceptions_flow(x, n):
    def safe_div(a, b):
        if b == 0:
            raise ZeroDivisionError("b")
        return a / b

    total = x
    for i in range(5):
        try:
            total = total + safe_div(x, i - n)
        except ZeroDivisionError:
            total = total * 2.0
            continue
        finally:
            total = total + 0.5
    return total


def generator_pipeline(x, n):
    def source():
        for i in range(12):
            yield x * i

    def even(it):
        for i, v in enumerate(it):
            if i % 2 == 0:
                yield v

    def windowed(it, k=2):
        w = []
        for v in it:
            w.append(v)
            if len(w) == k:
                yield sum(w)
                w = []

    return sum(windowed(even(source()))) * n


def nested_closures(x, n):
    def make(k):
        total = x * 0.0

        def add(v):
            nonlocal total
            total = total + v * k
            return total

        def get():
            return total

        return add, get

    pairs = [make(k) for k in range(3)]
    for i in range(12):
        pairs[i % 3][0](x * i)
    return sum([g() for _, g in pairs]) * n


def k_means(x, n):
    pts = [x[i % 3] * (i - 4) for i in range(9)]
    cents = [pts[0], pts[4], pts[8]]
    for _ in range(4):
        sums, counts = [x[0] * 0.0] * 3, [0] * 3
        for p in pts:
            best, bd = 0, ops.abs(p - cents[0])
            for k in range(1, 3):
                d = ops.abs(p - cents[k])
                if d < bd:
                    best, bd = k, d
            sums[best] = sums[best] + p
            counts[best] += 1
        for k in range(3):
            if counts[k] > 0:
                cents[k] = sums[k] / counts[k]
    return cents, n


def page_rank(x, n):
    links = {0: [1, 2], 1: [2], 2: [0, 3], 3: [0]}
    rank = [x[0] ** 2 + 0.1] * 4
    for _ in range(10):
        new = [x[1] * 0.0 + 0.15] * 4
        for u, outs in links.items():
            for v in outs:
                new[v] = new[v] + 0.85 * rank[u] / len(outs)
        rank = new
    return rank, rank[n % 4]


def fft_rec(x, n):
    v = [(x[i % 3] * i, x[0] * 0.0) for i in range(8)]

    def fft(a):
        m = len(a)
        if m == 1:
            return a
        e, o = fft(a[::2]), fft(a[1::2])
        out = [None] * m
        for k in range(m // 2):
            c, s = math.cos(-2 * math.pi * k / m), math.sin(-2 * math.pi * k / m)
            re, im = o[k][0] * c - o[k][1] * s, o[k][0] * s + o[k][1] * c
            out[k] = (e[k][0] + re, e[k][1] + im)
            out[k + m // 2] = (e[k][0] - re, e[k][1] - im)
        return out

    return sum([re * re + im * im for re, im in fft(v)]) * n


def sliding_max(x, n):
    v = [x[i % 3] * ((i * 5) % 7) for i in range(14)]
    out = [x[0] * 0.0] * 12
    for i in range(12):
        m = v[i]
        for j in range(1, 3):
            m = ops.maximum(m, v[i + j])
        out[i] = m
    return sum(out) + out[n]


def queue_sim(x, n):
    q, head, tail = [x[0] * 0.0] * 16, 0, 0
    acc = x[0] * 0.0
    for i in range(14):
        q[tail % 16] = x[i % 3] * i
        tail += 1
        if i % 3 == n % 3 and head < tail:
            acc = acc * 0.5 + q[head % 16]
            head += 1
    return acc, tail - head


def triangle(x, n):
    T = [[x[(i + j) % 3] for j in range(i + 1)] for i in range(9)]
    for i in range(7, -1, -1):
        for j in range(i + 1):
            T[i][j] = T[i][j] + ops.maximum(T[i + 1][j], T[i + 1][j + 1])
    return T[0][0] * n


def ragged_rows(x, n):
    rows = [[x[0]] * (k + 1) for k in range(4)]
    s = x[0] * 0.0
    for i in range(12):
        s = s * 0.5 + rows[i % 4][0] + rows[(i + n) % 4][-1]
    return s


def none_table(x, n):
    memo = [None] * 12

    def f(k):
        if k < 2:
            return x * k
        if memo[k] is None:
            memo[k] = f(k - 1) * 0.5 + f(k - 2)
        return memo[k]

    return f(11) * n

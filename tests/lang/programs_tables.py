"""Lists of known length, and lists of lists, whose elements are read and set at places that only the run
finds. Each takes a tensor of three floats and an int.
"""

import copy

from minds import ops


def filled_in_for(x, n):
    F = [0.0] * 20
    F[0] = x[0]
    for i in range(1, 20):
        F[i] = F[i - 1] * 0.5 + x[1]
    return F[19] + F[n], F


def filled_in_while(x, n):
    F = [x[0] * 0.0 for _ in range(12)]
    i = 1
    while i < n + 4:
        F[i] = ops.sin(F[i - 1]) + x[1] * F[i // 2] + x[2]
        i += 1
    return sum(F), F[n]


def numbers_become_tensors(x, n):
    F = [0] * 12
    for i in range(12):
        F[i] = x[i % 3] * i
    return ops.stack(F).sum() + F[n]


def ints_become_floats(x, n):
    F = [0] * 15
    for i in range(1, 15):
        F[i] = F[i - 1] + n * 0.5
    return F[1:], x * F[n]


def negative_places(x, n):
    F = [x * 1.0 for _ in range(12)]
    for i in range(1, 12):
        F[-i] = F[-i] * 0.5 + F[i - 12] + F[-1]
    return F[-n - 1] + F[0]


def edit_distance(x, n):
    a, b = (1, 2, 3, 4, n, 1, 2, 3, 4, 1), (1, 3, 4, n, 5, 1, 2, 2, 4, 1, 1)
    D = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        D[i][0] = i * x[0]
    for j in range(len(b) + 1):
        D[0][j] = j * x[1]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0.0 if a[i - 1] == b[j - 1] else x[2]
            D[i][j] = min(D[i - 1][j] + x[0], D[i][j - 1] + x[1], D[i - 1][j - 1] + cost)
    return D[-1][-1] + D[n][n]


def knapsack(x, n):
    weights = [2, 3, 4, 5, 9, 3, 2, 4, 1, n + 1]
    best = [[x[0] * 0.0 for _ in range(13)] for _ in range(11)]
    for i in range(1, 11):
        for c in range(13):
            best[i][c] = best[i - 1][c]
            if weights[i - 1] <= c:
                best[i][c] = ops.maximum(best[i - 1][c], best[i - 1][c - weights[i - 1]] + x[1] * i)
    return best[10][12] + best[n][n]


def two_rows(x, n):
    previous = [x[0] * j for j in range(12)]
    for i in range(1, 12):
        current = [x[1] * i] + [0.0] * 11
        for j in range(1, 12):
            current[j] = min(previous[j] + x[2], current[j - 1] * 0.5, previous[j - 1])
        previous = current
    return previous[-1] + previous[n]


def rows_swap(x, n):
    a, b = [x[0]] * 12, [x[1] * 0.0] * 12
    for i in range(1, 12):
        for j in range(12):
            b[j] = a[j - 1] * 0.5 + a[j] * x[2]
        a, b = b, a
    return sum(a) + b[n]


def shortest_paths(x, n):
    size = 5
    D = [[x[(i + j) % 3] ** 2 * (i + 2 * j) for j in range(size)] for i in range(size)]
    for k in range(size):
        for i in range(size):
            for j in range(size):
                D[i][j] = ops.minimum(D[i][j], D[i][k] + D[k][j])
    return sum([sum(row) for row in D]) + D[n - 1][n - 2]


def viterbi(x, n):
    move = [[0.5, 0.25, 0.75], [0.125, 0.5, 0.25], [1.0, 0.5, 0.25]]
    scores = [[0.0] * 3 for _ in range(12)]
    back = [[0] * 3 for _ in range(12)]
    for s in range(3):
        scores[0][s] = x[s]
    for t in range(1, 12):
        for s in range(3):
            found = [scores[t - 1][k] + move[k][s] * x[t % 3] for k in range(3)]
            scores[t][s] = max(found)
            back[t][s] = 0
            for k in range(1, 3):
                if found[k] > found[back[t][s]]:
                    back[t][s] = k
    path, s = [0] * 12, n % 3
    for t in range(11, 0, -1):
        path[t] = s
        s = back[t][s]
    return scores[11][n % 3], path


def cube(x, n):
    C = [[[0.0] * 2 for _ in range(3)] for _ in range(9)]
    for i in range(1, 9):
        for j in range(3):
            for k in range(2):
                C[i][j][k] = C[i - 1][j][1 - k] * 0.5 + x[j] * k
    return sum([sum([sum(r) for r in p]) for p in C]) + C[n][n % 3][1]


def tensors_of_rows(x, n):
    D = [x * 0.0 for _ in range(12)]
    D[0] = x * 1.0
    for i in range(1, 12):
        for j in range(3):
            D[i][j] = D[i - 1][j] * 0.5 + x[1] * j
    return ops.stack(D).sum(0) + D[n]


def tensors_of_rows_in_while(x, n):
    D = [x * float(k) for k in range(12)]
    i = 1
    while i < n + 3:
        D[i][i % 3] = D[i - 1][2] * 0.5 + x[1]
        D[i] *= 0.5
        i += 1
    return ops.stack(D).sum(0), D[n]


def tensors_in_straight_code(x, n):
    D = [x * float(k) for k in range(10)]
    D[n][1] = x[2] * 7.0
    D[n % 3][0] += x[0]
    return ops.stack(D).sum(0), D[1]


def one_tensor_twice(x, n):
    t = x * 2.0
    D = [t, x, t, x * 3.0, x, t, x, x, x, x]
    i = 0
    while i < n:
        D[i][1] = x[0] * i
        i += 1
    return D[0], D[2], D[5], t


def one_row_twice(x, n):
    row = [x[0]] * 4
    D = [row, [x[1]] * 4, row]
    for i in range(12):
        D[i % 3][i % 4] = x[2] * i
    return D[0][1] + D[2][2] * D[1][1], row[n % 4]


def a_row_has_a_name(x, n):
    D = [[x[0] * 0.0] * 4 for _ in range(12)]
    first = D[0]
    first[1] = x[1]
    for i in range(1, 12):
        row, above = D[i], D[i - 1]
        for j in range(4):
            row[j] = above[j] * 0.5 + x[2] * j
        first[2] = first[2] + row[1]
    return sum(first) + sum(D[n]) + D[0][2], first


def rows_of_a_loop(x, n):
    D = [[x[i % 3] * j for j in range(3)] for i in range(10)]
    k = 0
    while k < n:
        D[k][k % 3] = D[k + 1][0] + x[1]
        k += 1
    s = x[0] * 0.0
    for row in D:
        for v in row:
            s = s * 0.5 + v
    for i, row in enumerate(D):
        s = s + row[i % 3] * len(row)
    return s, [row[0] for row in D], D


def of_tuples(x, n):
    F = [(x[0] * 0.0, 0) for _ in range(12)]
    for i in range(1, 12):
        v, k = F[i - 1]
        F[i] = (v * 0.5 + x[i % 3], k + i)
    value, count = F[n]
    return value * count, F[-1]


def of_strings(x, n):
    F = ["none"] * 10
    for i in range(10):
        if i == n:
            F[i] = "one"
    return x * F.count("one"), F[n] == "one"


def sometimes(x, n):
    F = [x * 0.0 for _ in range(12)]
    for i in range(12):
        if x.sum() * i > n:
            F[i] = F[i - 1] + x
        elif i % 2 == 0:
            F[0] = F[i] * 0.5 + 1.0
        else:
            continue
        if i > n + 6:
            break
    return ops.stack(F).sum(0), F[0]


def then_as_a_list(x, n):
    F = [x[0] * k for k in range(10)]
    for i in range(1, 10):
        F[i] = F[i - 1] + x[1]
    F.append(x[2])
    F[3] = x[2] * 2.0
    F.reverse()
    F += [x[0]]
    F[1:3] = [x[1]] * 3
    del F[0]
    last = F.pop()
    G = F[2:5] + [last] * 2
    a, *b = G
    H = copy.copy(F)
    H[0] = x[1]
    F.insert(1, x[2])
    return len(F), F[0] + H[0], a, b, max(F), sorted(F)[0], list(reversed(G))[0], tuple(H)[1]


def returned_inside(x, n):
    D = [[x[0] * 0.0] * 3 for _ in range(12)]
    for i in range(12):
        D[i][i % 3] = x[i % 3] * i
        if i == n * 3:
            return D
    D[0][0] = x[1]
    return D


def in_a_function(x, n):
    D = [[x[0] * 0.0] * 3 for _ in range(12)]

    def at(i, j):
        return D[i][j] if i >= 0 and j >= 0 else x[0]

    def put(i, j, v):
        D[i][j] = v

    for i in range(12):
        for j in range(3):
            put(i, j, at(i - 1, j) * 0.5 + at(i, j - 1) + x[1])
    return at(11, 2) + at(n, n % 3)


def grid_of_objects(x, n):
    class Grid:
        def __init__(self, rows, columns):
            self.cells = [[x[0] * 0.0] * columns for _ in range(rows)]

        def __getitem__(self, at):
            return self.cells[at[0]][at[1]]

        def __setitem__(self, at, value):
            self.cells[at[0]][at[1]] = value

    g = Grid(12, 3)
    for i in range(1, 12):
        for j in range(3):
            g[i, j] = g[i - 1, (j + 1) % 3] * 0.5 + x[j]
    return g[11, 0] + g[n, 1]


def bubble_sort(x, n):
    F = [x[k % 3] * (k * 7 % 11 - 5) for k in range(10)]
    for i in range(10):
        for j in range(9 - i):
            if F[j] > F[j + 1]:
                F[j], F[j + 1] = F[j + 1], F[j]
    return F, F[n]


def sieve(x, n):
    prime = [True] * 30
    prime[0] = prime[1] = False
    for i in range(2, 30):
        if prime[i]:
            j = i * i
            while j < 30:
                prime[j] = False
                j += i
    return x * sum(prime), prime[n]


def out_of_range(x, n):
    F = [x * 0.0 for _ in range(10)]
    try:
        i = 0
        while True:
            F[i] = x * i
            i += n + 1
    except IndexError:
        F[0] = x
    return ops.stack(F).sum(0) + i


def read_only(x, n):
    W = [[x[0] * (i - j) for j in range(4)] for i in range(4)]
    T = [[0.5, 1.0, 2.0, 0.25], [1, 2, 3, 4], [0.5] * 4, [n, 1, 2, 3]]
    s = x[0] * 0.0
    for i in range(12):
        row = W[i % 4]
        for j in range(4):
            s = s * 0.5 + W[i % 4][j] * T[j][i % 4] + row[n % 4]
    return s, T[0]


def read_then_set(x, n):
    W = [x * k for k in range(12)]
    s = x * 0.0
    for i in range(12):
        s = s * 0.5 + W[i]
    kept = W[n]
    W[3] = x
    for i in range(12):
        s = s + W[i] * i
        W[i] = s
    return s + kept, W[3] + W[n]


def a_copy_stays(x, n):
    D = [[x[0] * j for j in range(3)] for _ in range(10)]
    before = [row[:] for row in D]
    whole = copy.deepcopy(D)
    for i in range(1, 10):
        D[i][i % 3] = D[i - 1][1] + x[1]
    same = list(D[2])
    for i in range(1, 10):
        D[i][0] = D[i - 1][2] + x[2]
    return before[n][1] + whole[n][2] + same[2] + D[n][0], same


def loop_in_loop_of_data(x, n):
    D = [[x[0] * 0.0] * 4 for _ in range(4)]
    i = 0
    while i < n and x.sum() > -50.0:
        j = 0
        while j < 4:
            D[i % 4][j] = D[(i - 1) % 4][j] * 0.5 + x[j % 3]
            if D[i % 4][j] > 3.0:
                break
            j += 1
        i += 1
    return D


def histogram(x, n):
    counts, sums = [0] * 9, [x[0] * 0.0] * 9
    for i in range(20):
        k = int(ops.abs(x[i % 3]) * i) % 9
        counts[k] += 1
        sums[k] += x[i % 3]
    return counts, sums, counts[n]


def union_find(x, n):
    parent = list(range(10))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for k in range(12):
        a, b = root((k * 3 + n) % 10), root((k * 5 + 1) % 10)
        if a != b and k % 4:
            parent[a] = b
    return parent, x * root(n)


def a_stack_machine(x, n):
    code = [1, 2, 3, 1, 4, 2, 3, 4, 1, 3]
    stack, top = [x[0] * 0.0] * 12, 0
    for at in range(10):
        op = code[(at + n) % 10]
        if op <= 2:
            stack[top] = x[op]
            top += 1
        elif op == 3 and top >= 2:
            stack[top - 2] = stack[top - 2] * stack[top - 1]
            top -= 1
        elif op == 4 and top >= 2:
            stack[top - 2] = stack[top - 2] + stack[top - 1]
            top -= 1
    return stack[0], stack[top - 1], top


def ring(x, n):
    window = [x[0] * 0.0] * 4
    total = x[0] * 0.0
    for i in range(20):
        total = total - window[i % 4] * 0.5 + x[i % 3]
        window[i % 4] = total * x[1]
    return total, window


def change_of_coins(x, n):
    ways = [1] + [0] * 24
    for coin in (1, 5, n + 2, 10):
        for amount in range(coin, 25):
            ways[amount] += ways[amount - coin]
    return ways, x * ways[-1]


def longest_common(x, n):
    a, b = "abcbdabxyzbd", "bdcabaxzyxab"
    L = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, s in enumerate(a):
        for j, t in enumerate(b):
            L[i + 1][j + 1] = L[i][j] + 1 if s == t else max(L[i + 1][j], L[i][j + 1])
    return x * L[-1][-1], L[n]


def matrix_chain(x, n):
    sizes = [3, 5, 2, 6, 4, 3, 7, 2, n + 2]
    count = len(sizes) - 1
    cost = [[0.0] * count for _ in range(count)]
    for length in range(2, count + 1):
        for i in range(count - length + 1):
            j = i + length - 1
            best = 1e9
            for k in range(i, j):
                new = (
                    cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1] * x[0] ** 2
                )
                best = min(best, new)
            cost[i][j] = best
    return cost[0][-1]


def stacked_on_one_path(x, n):
    D = [[x[0] * j for j in range(3)] for i in range(10)]
    F = [x * float(k) for k in range(10)]
    row, first = D[0], F[0]
    if n > 1:
        for i in range(1, 10):
            for j in range(3):
                D[i][j] = D[i - 1][j] * 0.5 + x[j]
            F[i] = F[i - 1] + x
    D[1][0] = x[2]
    row[2] = x[1]
    return D, row[1] + D[n][2], F, first


def strings_among_elements(x, n):
    F = ["none"] * 10
    F[n] = "one"
    return F.count("one"), "one" in F, F == ["one"] + ["none"] * 9, x * F.count("none"), "two" in F


def pascals_triangle(x, n):
    rows = [[1]]
    for i in range(10):
        prev = rows[-1]
        rows.append([1] + [prev[j] + prev[j + 1] for j in range(len(prev) - 1)] + [1])
    return x * rows[n][n // 2], rows[-1]


def rows_of_different_lengths(x, n):
    rows = [[x[0]] * (k + 1) for k in range(6)]
    rows[n][n % 2 if n else 0] = x[1]
    rows[5 - n][-1] += x[2]
    try:
        v = rows[n][3]
    except IndexError:
        v = x[2] * 7.0
    return rows, v


def an_empty_row(x, n):
    rows = [[], [x[0]], [x[1], x[2]]]
    try:
        return rows[n % 3][n // 2]
    except IndexError:
        return x[0] * 9.0


def a_string_at_a_place(x, n):
    t = ["a", "b", "a", "c", "b", "a"]
    d = {"a": 1.0, "b": 2.0, "c": 3.0}
    k = 0
    s = x
    while k < n + 1:
        s = s * d[t[k]] + len(t[k])
        k += 1
    return s, t[n], t[k % 3] == "a", [u for u in t if u == t[n]] == []


def extremes_of_open(x, n):
    ks, vs = [], []
    k = n + 1
    while k < 9:
        ks.append(k)
        vs.append(k * 0.5)
        k += 2
    return max(ks), min(ks), sum(ks), sum(vs), max(vs), sum(ks, 3), x * sum(vs, 0.5)


def bools_of_open(x, n):
    bs = []
    k = 0
    while k < n + 1:
        bs.append(k % 2 == 0)
        k += 1
    return sum(bs), x


def row_at_place(x, n):
    d = [[x * 0.0] * 3 for _ in range(6)]
    d[n] = [x, x * 2.0, x * 3.0]
    d[2][1] = x * 7.0
    d[n][0] = x * 5.0
    d[(n + 1) % 6] = [x * 4.0, x, x]
    d[(n + 1) % 6][2] = x * 6.0
    return d

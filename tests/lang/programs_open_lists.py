"""Small programs: slices at bounds of the run, lists and tuples of an open length. Each takes a tensor
of three floats and an int.
"""

import minds as ms


def slice_from(x, n):
    xs = [x * k for k in range(1, 5)]
    return sum(xs[n:], x), len(xs[n:])


def slice_to(x, n):
    xs = [x * k for k in range(1, 5)]
    return sum(xs[:n], x), xs[: -n - 1]


def slice_of_tuple(x, n):
    t = (x, x * 2.0, x * 3.0, x * 4.0)
    return t[n:], t[:n], t[n - 2 : n], isinstance(t[n:], tuple)


def slice_stepped(x, n):
    xs = [0, 1, 2, 3, 4, 5, 6]
    return xs[n::2], xs[:n:-1], xs[n::-2], xs[-n:n:3], sum(xs[n:100]) * x


def slice_of_pairs(x, n):
    pairs = [(x * k, k) for k in range(4)]
    return [a * b for a, b in pairs[n:]], [b for _, b in pairs[:n]]


def slice_of_slice(x, n):
    xs = [x * k for k in range(1, 7)]
    return xs[n:][1:], xs[n:][: n + 1], xs[::-1][n:]


def slice_of_words(x, n):
    return ["a", "b", "c"][n:], [[1], [2]][n:], [x, 1, "c"][:n]


def slice_in_while(x, n):
    xs = [x * k for k in range(1, 5)]
    s, i = x, 0
    while s.sum() < 40 and i < 9:
        s = s + sum(xs[i % 4 :], x)
        i += 1
    return s


def slice_of_grown(x, n):
    ys = []
    while x.sum() < 10:
        x = x * 1.2 + 0.1
        ys.append(x)
    return ys[-100:100], ys[n:], ys[-2:], ys[7 - n :: -3]


def open_tuple(x, n):
    t = ms.mutable((x, x * 2.0, x * 3.0), True)
    return len(t), t[n % 3], t[1:], sum(t, x), t + (x,), (x,) + t, [v * n for v in t]


def open_list(x, n):
    xs = ms.mutable([n, 2, 5, 2], True)
    xs.append(n + 1)
    xs[1] = 7
    ys = xs
    ys += [3, 4]
    return list(xs), ys is xs, xs.count(2), xs.index(5), 7 in xs, 70 in xs, max(xs), xs * 2


def open_tuple_grows(x, n):
    t = ms.mutable((1,), True)
    u = t
    for i in range(n):
        t += (i,)
    return t + u, t * n, tuple(list(t)), isinstance(t, tuple), isinstance(t, list)


def open_pop(x, n):
    xs = ms.mutable([x * k for k in range(1, 7)], True)
    a = xs.pop(n)
    b = xs.pop(-2)
    xs.insert(n, a * 2.0)
    xs.insert(-1, b)
    xs.insert(100, x)
    return a, b, xs.pop(0), xs.pop(), list(xs)


def open_chosen(x, n):
    t = ms.mutable((x, x * 2.0, x * 3.0), True)
    u = t if n > 2 else t[1:]
    return u + u, len(u)


def open_reversed(x, n):
    xs = ms.mutable([1.5, 2.0, 2.5], True)
    xs.reverse()
    return xs * 1, x * xs[n % 3], xs.copy()[1:], [v * n for v in reversed(xs)]


def open_numbers(x, n):
    r = range(ms.mutable(1), ms.mutable(9), ms.mutable(2))
    return list(r), [0.5, 1.5][ms.mutable(1)] * x, (1, 2, 3)[ms.mutable(1) :]

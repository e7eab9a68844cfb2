"""Tensors of which data choose the number of dimensions. Each takes a tensor of three floats and an int."""

from minds import Tensor, nn, ops

TWICE = nn.SequentialCell(nn.ReLU(), nn.Tanh())


def of_branches(x, n):
    if n > 2:
        y = x
    else:
        y = x.sum()
    return y * 2.0 + 1.0


def of_returns(x, n):
    if n == 0:
        return x
    if n == 1:
        return x.sum()
    return ops.stack((x, x * n))


def of_an_expression(x, n):
    y = x if n > 2 else x.reshape((3, 1))
    return (y + x).sum(), y.sum(), ops.tanh(y).mean()


def asked_for(x, n):
    y = x if n > 2 else x.mean()
    if y.ndim == 0:
        return y * 3.0, 0
    return y.sum() + y[0] * y[-1], len(y)


def through_functions(x, n):
    def half(v, k=0.5):
        return TWICE(v) * k

    y = half(x if n % 2 else x[0])
    z = ops.relu(half(y, k=2.0)) + y
    return z.reshape((-1,)).sum(), ops.expand_dims(z, 0)


def in_containers(x, n):
    y = x if n % 2 else x[1]
    held = {"a": y, "b": [y, x]}
    held["a"] = held["a"] * 2.0
    held["b"].append(held["a"] + held["b"][0])
    return held["b"][2].sum(), held["a"]


def a_loop_keeps_it(x, n):
    y = x if n > 1 else x.sum()
    i = 0
    while i < n + 2:
        y = y * 0.5 + ops.sin(y)
        i += 1
    return y


def a_loop_changes_it(x, n):
    y = x
    for i in range(12):
        y = y + 1.0
        if i == 3:
            y = y.sum()
    return y * n


def an_item_fails(x, n):
    y = x if n > 1 else x.sum()
    try:
        return y[1] * 2.0
    except (IndexError, TypeError, ValueError):
        return y


def nothing_or_one_of_two(x, n):
    y = None
    if n > 1:
        y = x
    elif n == 1:
        y = x.sum()
    return x[0] if y is None else (y * 2.0).sum()


def in_a_recursion(x, n):
    def fold(v, k):
        if k <= 0:
            return v.sum() if n == 3 else v
        return fold(v * 0.5, k - 1)

    return fold(x, n % 4) + 1.0


def as_operands(x, n):
    y = x if n % 2 else x.sum()
    z = x if n < 2 else x.reshape((3, 1))
    return (y * z).sum() + (z - y).mean(), ops.maximum(y, z).max(), y == y


def of_attributes(x, n):
    class Held:
        def __init__(self, v):
            self.v = v

        def grown(self):
            self.v = self.v * 2.0
            return self.v

    h = Held(x if n > 2 else x.max())
    return h.grown() + h.v, Tensor([1.0, 2.0, 3.0]) * h.v


def rank_changed_in_while(x, n):
    y, i = x, 0
    while x.sum() + i < n + 2.0:
        if i == 2:
            y = y.sum()
        y = y * 0.5
        i += 1
    return y


def ranks_taken_in_turn(x, n):
    y, s, i = x, x.sum() * 0.0, 0
    while s < 3 * n and i < 7:
        y = ops.sin(y[None].sum(0)) if i % 2 else y.mean()
        s = s + y.sum() * y.sum() + 0.5
        i += 1
    return s, y.sum()


def rank_changed_in_for(x, n):
    y = x
    for i in range(n + 9):
        y = y[None] if i % 4 == 0 else y * 0.5
    return y, y.shape


def ranks_in_a_list(x, n):
    y = x if n > 2 else x[None]
    return ops.stack((y, y * 2.0)).sum(), ops.concat([y, y], -1)

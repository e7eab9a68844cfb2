"""What programs meet on a device: each takes four floats and, where it has one, a number."""

from __future__ import annotations

import minds as ms
from minds import Parameter, Tensor, nn, ops


def a_loss_is_not_waited_for(x):
    return ms.grad(lambda v: (ops.sin(v) * v).sum())(x), (x * x).mean()


def printed(x, n):
    if x.max() > 0:
        print("large", x, n)
    return x.argmax(), float(x.sum()) * n


def sizes_of_the_run(x):
    y = x[x > 0]
    while y.sum() < 30.0:
        y = ops.concat((y, y[y > 1] + 1))
    return y.sum(), ops.nonzero(x).sum(), y


def gradient_of_a_selection(x):
    return ms.grad(lambda t: (t[t > 0] * t[t > 0]).sum())(x)


def random_numbers(x):
    drawn = ops.uniform((2, 2), Tensor(0.0), Tensor(1.0))
    return ops.standard_normal((3,)) + x[:3], drawn, nn.Dropout(p=0.5)(ops.ones((8,)))


def numbers_of_data(x):
    a = x.sum().item()
    b = int(x.argmax())
    return a * 2 + b, x * a, b // 2, a if b > 1 else -a


def numbers(x, n):
    y = n * 0.3
    return n // 2, n % 3, y**2.5, abs(-y), n / 7, round(y), x * y, min(n, 3), -n if y > 1 else n


def branches_on_data(x):
    s = x.sum()
    if s > 0:
        s = s * 2 if s > 2 else -s
    return s, s + x


def counters(x, n):
    total, k = Tensor(0.0), Tensor(0)
    for i in range(n):
        total = total + 1.5
        k = k + i
    return total, x * total, k


def a_loop_that_leaves(x, n):
    i = 0
    while True:
        i += 1
        if x.sum() > 100 or i > n:
            break
        if i % 2 == 0:
            continue
        x = x * 1.5
    return x, i


def _power(x, n):
    return x if n == 0 else _power(x * 1.1, n - 1) + x


def recursion_and_its_gradient(x, n):
    return _power(x, n), ms.grad(lambda v, n: _power(v, n).sum())(x, n)


def second_derivative(x):
    return ms.grad(lambda x: ms.grad(lambda x: (ops.sin(x) * x * x).sum())(x).sum())(x)


def chains_of_functions(x, n):
    def made(k):
        return lambda v: v * k + x

    f, i = made(2.0), 0
    while i < n:
        f = made(f(x).sum())
        i += 1
    return f(x)


def elements(x):
    m = ops.stack((x, x * 2, x - 1))
    m[1] = 5.0
    m[0, 2] += 1
    return m, m[::2], m[-1], ops.gather(m, Tensor([0, 2]), 0)


def what_the_host_computes(x):
    return ops.unique(x), ops.erfinv(x * 0.1), ops.svd(ops.stack((x, x * x)))


def dtypes(x):
    half = x.astype(ms.float16).sum(), ops.softmax(x.astype(ms.bfloat16)).astype(ms.float32)
    return (
        x.astype(ms.int8),
        x.astype(ms.int64) // 3,
        (x > 0).any(),
        x.astype(ms.float64).mean(),
        half,
    )


def nothing_at_all(x):
    return x[:0].sum(), ops.concat((x[:0], x)), x[2:2]


def batched(x):
    return ms.vmap(lambda r: ops.softmax(r) * r.sum())(ops.stack((x, x * 2)))


class Counts(nn.Cell):
    """Parameters of rank 0 that branches read and write."""

    def __init__(self):
        super().__init__()
        self.n = Parameter(Tensor(0, ms.int32), name="n", requires_grad=False)
        self.w = Parameter(ops.ones((4,)), name="w")
        self.rate = Parameter(Tensor(0.5), name="rate")

    def construct(self, x):
        self.n += 1
        ops.assign(self.w, self.w + x * self.rate)
        if self.n > 1:
            ops.assign(self.rate, self.rate * 0.5)
        return self.n * 2, self.w.sum()


# ---- errors


def index_out_of_range(x):
    return ops.gather(x, Tensor([0, 9]), 0).sum() * 2


def division_by_zero(x):
    i = x.astype(ms.int32)
    return i // (i - 1) + 1


def number_division_by_zero(x, n):
    return x * (5 // (n - n))


def division_by_a_number_of_data(x):
    return 1 / (int(x.sum()) - 2)


def raised(x):
    if x.sum() > 0:
        raise ValueError(f"bad sum {x.sum()}")
    return x


def in_a_recursion(x, n):
    if n == 0:
        return ops.gather(x, Tensor([7]), 0)
    return in_a_recursion(x, n - 1)


def class_out_of_range(x):
    return ops.cross_entropy(x.reshape(1, 4), Tensor([9], ms.int32))


def products_of_a_loop_are_collected(x, n):
    """Weights of the size from which `lower/collect.py` takes their gradients; columns of a tensor."""

    def run(w, b, rows):
        h = ops.tile(x.reshape(1, 4), (2, 32))
        for t in range(n + 7):
            h = ops.tanh(h @ w + b + rows[:, t])
        return (h * h).sum()

    w = ops.arange(128 * 128).reshape(128, 128).astype(ms.float32) / 2**16
    rows = ops.ones((2, 20, 128), ms.float32) * x[0]
    return ms.grad(run, (0, 1, 2))(w, w[1], rows)

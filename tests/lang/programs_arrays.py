"""Small programs: NumPy on what only the run knows. Each takes a tensor of three floats and an int."""

import numpy as np

from minds import Tensor, ops

HELD = np.array([1.5, 2.5, -0.5], np.float32)


def array(x, n):
    a = x.asnumpy()
    return (
        a,
        abs(a),
        1 in a,
        a[0] in (0.5, n),
        Tensor([a[0], 1.0]),
        a.shape,
        a.dtype,
        a.ndim,
        a.size,
        len(a),
        isinstance(a, np.ndarray),
    )


def functions(x, n):
    a = x.asnumpy()
    return np.exp(a), np.sum(a), np.concatenate([a, a * 2]), np.stack([a, a]).T, np.linalg.norm(a)


def methods(x, n):
    a = x.asnumpy()
    return (
        a.sum(),
        a.reshape(3, 1),
        a.astype(np.float64),
        a.max(axis=0),
        a.T,
        a.tolist(),
        a.argmax(),
    )


def operators(x, n):
    a = x.asnumpy()
    return a + 1, 2 * a - a, -a, a > 0, a[1], a[::-1], a @ a, a**2, (a > 0) & (a < 1)


def with_numbers(x, n):
    a = x.asnumpy() * n
    return a + n, np.full(3, n) + a, np.maximum(a, n)


def back(x, n):
    return Tensor(np.sin(x.asnumpy())) * x, Tensor.from_numpy(x.asnumpy()) + x, x * x.asnumpy()


def of_tensors(x, n):
    return np.sin(x), np.stack([x, x + n]), np.compress([1, 0], [x, x * 2], axis=0)


def truth(x, n):
    a = x.asnumpy()
    if a[0] > 0 and (a < 100).all():
        x = x * 2
    return x * float(a[0]), bool(a.any()), int(a[2]), x if a.sum() > n else x * 3


def loops(x, n):
    s = x * 0.0
    for v in x.asnumpy():
        s = s + float(v)
    a = x.asnumpy()
    while np.abs(a).sum() < 50:
        a = a * 2
    return s, a, [v * 2 for v in a], [a * i for i in range(12)][-1]


def branches(x, n):
    a = x.asnumpy() if n > 1 else x.asnumpy() + 1
    return a * 2, f"{a}", f"{a.sum():.3f} of {n}"


def pairs(x, n):
    values, counts = np.histogram(x.asnumpy(), bins=4, range=(-2.0, 2.0))
    return values, counts, {"a": x.asnumpy()}, np.linalg.slogdet(np.eye(3) + x.asnumpy())


def lists(x, n):
    return x.tolist(), [v * n for v in x.tolist()], (x * n).tolist()[1] + n


def shapes(x, n):
    return x.reshape(x.asnumpy()[None].shape), ops.ones(x.asnumpy().shape)


def numbers(x, n):
    a = np.abs(x.asnumpy())
    k = a.astype(np.int64)
    here = [a[0], a[1]]
    same = here.index(a[1]), here.count(a[0]), (a[0], 1) == (0.5, 1), (a[0], n) in [(0.5, 2)]
    return same, ops.full((2,), a[0]), ops.add(x, a[1]), [i for i in range(k[2])], k[1] > n


def chosen(x, n):
    match x.asnumpy()[0]:
        case 1.5:
            return x
        case 0.5:
            return x * 2.0
    return x * 3.0


def array_or_tensor(x, n):
    y = x if n > 1 else HELD
    z = HELD
    for i in range(3):
        if n > i + 1:
            z = x * z
    return y, z, isinstance(y, np.ndarray), y.shape, HELD[:1] and n > 1


def array_or_tensor_in_arithmetic(x, n):
    y = x if n > 1 else HELD
    z = HELD
    while n > 0:
        z, n = x * z, n - 1
    return y * x, z * x + y, x * y.sum(), x * y[0], ops.exp(x) * z[1:].max()

import math

from minds import ops


def program(x, y, n, m, p, q):
    q = q and m % 2 == 1
    if x is None:
        return ((x * 1.25 + y) * x), (0 or m), bool(x.sum() > 0.125)
    t1 = ops.tanh(x / (1.5 + ops.sin(x) ** 2))
    for t2 in (
        ops.cos(ops.tanh(x / (1.5 + x**2))),
        ops.maximum((y * -0.75 - x), t1),
        ops.stack([ops.tanh(x / (1.5 + y**2)), x]).sum(0),
    ):
        for t4 in [
            v * p
            for v in (
                (ops.tanh(y / (1.5 + y**2)) * t1),
                ops.maximum((x - x.mean()), ops.tanh(y / (1.5 + t2**2))),
                (y - y.mean()),
            )
        ]:
            f6 = lambda t7: ops.tanh(x / (1.5 + ops.tanh(t7 / (1.5 + t4**2)) ** 2))
            if (3 > (3 - -1) <= max(m, 6)) or bool(t2.sum() < (7 / 8)):
                for i10, t9 in enumerate((ops.maximum(y, x),)):
                    t1 = ops.sigmoid(t1)
                    t1 = ops.tanh(t9 / (1.5 + (f6(f6(ops.tanh(t9 / (1.5 + y**2)))) * p) ** 2))
                    t1 -= ops.tanh(t9 / (1.5 + t2**2))
                    t1 *= ops.stack([t1, y]).sum(0)
                i11 = -3 % 7
                t1 = ops.tanh(y / (1.5 + t1**2)) * 1.25 - y
                continue
            if len(t2) < (-2 - n):
                continue
    k12 = 0
    while k12 < n:
        k12 += 1
        i13 = (-3 or (k12 and 1)) % 11
        lt14 = [
            ops.tanh(y / (1.5 + ops.stack([t1, x]).sum(0) ** 2)),
            (ops.sin(x) * -0.75 + ops.sin(y)),
        ]
        b15 = q
    return ops.sin(t1), m, (t1.shape[0] > 5)


def loss(x, y, n, m, p, q):
    out = program(x, y, n, m, p, q)
    return (out[0] * ops.cos(x)).sum()

import math

from minds import ops


def program(x, y, n, m, p, q):
    q = q and m % 2 == 1
    t1 = ops.stack([(y * y), ops.cos(y)]).sum(0)
    for k2 in range(n):
        for k3 in range(5, 0, -2):
            if bool(x.sum() > 2.0):
                return (
                    ops.tanh(ops.tanh(t1 / (1.5 + t1**2)) / (1.5 + t1**2)),
                    (1 - m),
                    bool(y.sum() > (0.125 and 0.5)),
                )
            if -(m) == 6:
                for t5, i6 in zip(
                    (
                        ops.stack([x, ops.sin(t1)]).sum(0),
                        ops.tanh(t1 / (1.5 + t1**2)),
                        (x + (2 * k3)),
                    ),
                    (m, 2, n),
                ):
                    i7 = -(k2 << 1) % 11
                    f8 = max(-4.0, min(4.0, p))
                    i7, i9 = (
                        ((k2 and i6) if (((~i6) == (-3 - 4)) or (int(n > n) != -(3))) else m) % 11,
                        int((3 if ((-1.5 + p) == f8) else n) > abs(5)) % 11,
                    )

                def f10(t11, i12):
                    t11[0] = p * -1.5
                    return ops.sigmoid(ops.tanh(t1 / (1.5 + y**2)))

                for k13 in range(m, -2, -1):
                    t1 = ops.tanh(x / (1.5 + f10(ops.sin(y), -(4)) ** 2))
                    i14 = (max(3, 2) % -3) % 11
                    t1 = ops.tanh(ops.cos((x * 0.5 - t1)) / (1.5 + y**2))
                    continue
                else:
                    if m not in (1, 2, k3):
                        break
                    i15 = sum([(k2 // (1 + abs(6))), (7 - k2)]) % 11
                    t1 = ops.sin(y)
                    i15 = ((~k3) // -2) % 7
                t4 = x * 1.25 + f10(f10((y + (k3 + 4)), (n * k2)), max(m, k2))
            else:
                t1 = ops.tanh(x / (1.5 + y**2))
                t4 = y * abs(2.0)
    else:
        t1 -= x * 0.5 - (y * 0.5 + t1)
    lt16 = [(ops.tanh(y / (1.5 + x**2)) if q else (-t1)), ops.sin((x * abs(2.0)))]
    b17 = bool(x.sum() > min(0.125, 2.0))
    return ops.tanh(x), 7, ((0 << 1) not in (1, 2, m))


def loss(x, y, n, m, p, q):
    out = program(x, y, n, m, p, q)
    return (out[0] * ops.cos(x)).sum()

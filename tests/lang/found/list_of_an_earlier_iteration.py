import math

from minds import ops


def program(x, y, n, m, p, q):
    q = q and m % 2 == 1
    for t1 in map(
        lambda v: ops.sin(v) * p,
        (
            ops.cos(y),
            ops.tanh((y - y.mean()) / (1.5 + ops.tanh(x / (1.5 + y**2)) ** 2)),
        ),
    ):
        if not ((n + -3) < (-3 * n)):
            return ops.tanh(t1 / (1.5 + t1**2)), min(m, m)
    for i4, t3 in enumerate(
        (
            ((x + int(n > n)) * float(n)),
            (y * (0.5 or 0.125)),
        )
    ):
        for k5 in range(n % 3, m):
            lt6 = [((x * x) - t3.mean()), ops.tanh(x)]

            def f7(v):
                if (0.125 * 2.0) != -(p):
                    v[0] = ops.sigmoid(x)
                v[-1] = v[0] * 0.5

            f7(lt6)
            if ((7 // 3) < (k5 // 2)) and ((6 or i4) >= m):
                break
            if ((n if ((n and k5) != (k5 * k5)) else n) < i4) and ((4 | 5) == (n + m)):
                if (3 < -(1) <= (k5 % 5)) or (7 < (k5 - i4)):
                    t8 = t3 * -0.75 + x
                else:
                    i9 = ((1 and m) - (i4 << 1)) % 7
                    return (y * y), m
            else:
                t10, *lt11 = ops.tanh(t3), ops.maximum(x, y), (x - t3.mean())
                t12 = y * x
                t10 += (t10 - t12.mean()) + (n if ((m + k5) != 0) else n)

                def f13(t14, i15):
                    i15, t16 = (n and (2 // (1 + abs(n)))) % 7, ops.maximum(t3, x)
                    t17, i18 = (
                        ops.sigmoid(
                            (
                                ops.tanh(t12 / (1.5 + t3**2))
                                if ((k5 != abs(2)) or False)
                                else ops.tanh(t14 / (1.5 + t10**2))
                            )
                        ),
                        ((n * i4) * i4) % 7,
                    )
                    return ops.tanh(x / (1.5 + ops.maximum(t14, t3) ** 2))

    def f19(t20, i21):
        i21 = (abs(i21) // 3) % 11
        i22 = ((n if (i21 >= m) else n) and (i21 % 5)) % 7
        return ops.maximum(y, t20)

    t23, t24 = (y + min(n, 4)), (ops.cos(x) * (y * (p and p)))
    return ops.tanh(
        f19((x * -0.75 - t23), (n if ((-1.5 if (t23.shape[0] > 5) else -1.5) != (0.5 - p)) else -3))
        / (1.5 + x**2)
    ), max(n, n)


def loss(x, y, n, m, p, q):
    out = program(x, y, n, m, p, q)
    return (out[0] * ops.cos(x)).sum()

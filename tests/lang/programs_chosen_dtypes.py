"""Tensors of which data choose the dtype. Each takes a tensor of three floats and an int."""

import minds as ms
from minds import Tensor, ops


def dtype_of_branches(x, n):
    if n > 2:
        y = x
    else:
        y = (x * 4.0).astype(ms.int32)
    return y + 0.5, y.astype(ms.float32).sum()


def dtype_of_returns(x, n):
    if n == 0:
        return x
    if n == 1:
        return x > 0.0
    return x.astype(ms.float16)


def an_iteration_makes_ints_floats(x, n):
    y = Tensor([7], ms.int32)
    z = Tensor([16.0])
    while z > n + 11:
        for _ in range(3):
            y = y - 1
        z = z - 1.0
        y = ops.softmax(z) + x[:1]
    for _ in range(4):
        y = y + z
    return y * x.sum()


def dtypes_take_turns(x, n):
    y, i = x, 0
    while i < n + 1:
        y = y * 0.5 if i % 2 else (y * 8.0).astype(ms.int32)
        i += 1
    return y


def a_long_loop_changes_the_dtype(x, n):
    y = x
    for i in range(12):
        y = y + 1
        if i == 3:
            y = y.astype(ms.float16)
    return y * n


def dtype_asked_for(x, n):
    y = x if n > 1 else x > 0.0
    if y.dtype == ms.bool_:
        return ops.logical_not(y).any(), 1
    return (y * 3.0).max(), 2


def dtypes_in_containers_and_functions(x, n):
    def twice(v):
        return v + v

    held = [x if n % 2 else (x * 3.0).astype(ms.int32), x]
    held.append(twice(held[0]))
    return sum(held), {"of": held[2]}


def dtypes_of_operands_and_indices(x, n):
    y = x if n % 2 else Tensor([2, 0, 1], ms.int32)
    z = y * x
    if n % 2 == 0:
        z = z + x[y]
    return z.sum(), ops.stack((y, y)).astype(ms.float32).mean(), y == y


def dtype_and_rank(x, n):
    y = x
    if n == 1:
        y = x.sum()
    elif n == 2:
        y = (x * 5.0).astype(ms.int32).reshape((3, 1))
    return (y * x).sum(), y.ndim


def dtypes_changed_in_place(x, n):
    y = x * 1.0 if n > 1 else (x * 4.0).astype(ms.int32)
    z = y
    y += 1
    return z.astype(ms.float32).sum() + y.astype(ms.float32).mean()

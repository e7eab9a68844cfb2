"""Functions with a gradient of their own, made in compiled code: of a tensor ``x`` and an int ``n``."""

import functools

import minds as ms
from minds import Tensor, nn, ops


def double_grad(x, out, dout):
    return (dout * 2.0,)


def k_inner(x, n):
    f = ops.custom_bprop(lambda v: v * v, lambda v, out, dout: (dout * v * n,))
    return f(x)


def k_decorator(x, n):
    @ops.custom_bprop(bprop=lambda v, w, out, dout: (dout * w, dout * 5.0))
    def f(v, w):
        return v * w

    return f(x, x * 2.0)


def k_def(x, n):
    scale = n * 1.0

    def fwd(v):
        return ops.sin(v)

    def bwd(v, out, dout):
        return (dout * out * scale,)

    f = ops.custom_bprop(fwd, bwd)
    y = f(x)
    return f(y)


def k_loop(x, n):
    f = ops.custom_bprop(lambda v: v * 0.5, double_grad)
    for i in range(n):
        x = f(x)
    return x


def k_branch(x, n):
    f = ops.custom_bprop(lambda v: v * 3.0, double_grad)
    return f(x) if n > 2 else x


def k_hook(x, n):
    h = ops.InsertGradientOf(lambda g: g * 3.0)
    b = ops.HookBackward(lambda g: g[0] * n)
    return h(x * 2.0) + b(x)


class Sq(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 7.0,)


def k_cell(x, n):
    return Sq()(x) * n


class Scaled(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def construct(self, x):
        return x * self.k

    def bprop(self, x, out, dout):
        return (dout * self.k * 10.0,)


def k_cell_arg(x, n):
    return Scaled(3)(Scaled(2)(x)), n


def k_vjp(x, n):
    f = ops.custom_vjp(lambda v: v * 2.0) if hasattr(ops, "custom_vjp") else None
    if f is None:
        return x
    f.defbwd(lambda v, out, dout: (dout * 4.0,))
    return f(x)


def k_grad_inside(x, n):
    f = ops.custom_bprop(lambda v: v * v, lambda v, out, dout: (dout * v * 3.0,))
    g = ms.grad(lambda v: f(v).sum())
    return g(x), n


def k_two_exits(x, n):
    def make(k):
        s = 1.0
        if n > 2:
            s = 2.0
            return ops.custom_bprop(lambda v: v * s, lambda v, out, dout: (dout * s * 3.0,))
        s = 5.0
        return ops.custom_bprop(lambda v: v * s, lambda v, out, dout: (dout * s * k,))

    f = make(n)
    return f(x)


def k_chosen(x, n):
    f = ops.custom_bprop(lambda v: v * 2.0, double_grad)
    g = ops.custom_bprop(lambda v: v * 3.0, double_grad)
    h = f if n > 2 else g
    return h(x) + f(x)

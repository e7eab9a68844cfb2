"""Gradients that do not exist."""

from harness import F, wrong

import minds as ms
from minds import nn, ops


def square_sum(x):
    return (x * x).sum()


@wrong(
    F(
        3,
    )
)
def gradient_position(x):
    return ms.grad(square_sum, 1)(x)


@wrong(
    F(
        3,
    )
)
def gradient_position_type(x):
    return ms.grad(square_sum, "x")(x)


@wrong(
    F(
        3,
    )
)
def gradient_of_no_function(x):
    return ms.grad(square_sum(x))(x)


@wrong(F(2, 3), F(2, 3))
def wrong_inside_gradient(x, y):
    def loss(a):
        return ops.matmul(a, y).sum()

    return ms.grad(loss)(x)


@wrong(
    F(
        3,
    )
)
def gradient_arguments(x):
    return ms.grad(square_sum)(x, x)


@wrong(
    F(
        3,
    )
)
class BpropCount(nn.Cell):
    def __init__(self):
        super().__init__()
        self.double = Double()

    def construct(self, x):
        return ms.grad(self.double)(x)


class Double(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return dout * 2, dout


@wrong(
    F(
        3,
    )
)
class BpropShape(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Total()

    def construct(self, x):
        return ms.grad(self.total)(x)


class Total(nn.Cell):
    def construct(self, x):
        return x.sum()

    def bprop(self, x, out, dout):
        return (dout,)


@wrong(
    F(
        3,
    )
)
def weights_are_no_parameters(x):
    return ms.grad(square_sum, None, [x])(x)


@wrong(
    F(
        3,
    )
)
def auxiliary_of_single_output(x):
    return ms.value_and_grad(square_sum, 0, None, True)(x)


@wrong(
    F(
        3,
    ),
    F(
        4,
    ),
)
def wrong_cotangent(x, dout):
    return ops.GradOperation(sens_param=True)(square_sum)(x, dout)


class Host(ops.PrimitiveWithInfer):
    """A primitive without a gradient."""

    @ops.prim_attr_register
    def __init__(self):
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x):
        return x

    def infer_dtype(self, x):
        return x

    def __call__(self, x):
        return super().__call__(x)


host = Host()


@wrong(
    F(
        3,
    )
)
def primitive_without_kernel(x):
    return host(x)


@wrong(
    F(
        3,
    )
)
def gradient_position_twice(x):
    return ms.grad(lambda a, b: (a * b).sum(), (1, 1))(x, x)


@wrong(
    F(
        3,
    )
)
def gradient_by_nothing(x):
    return ms.grad(square_sum, ())(x)


@wrong(
    F(
        3,
    )
)
def gradient_by_an_int(x):
    return ms.grad(lambda a, n: (a * n).sum(), 1)(x, 3)


@wrong(
    F(
        3,
    )
)
def gradient_neither(x):
    return ms.grad(square_sum, None)(x)


@wrong(
    F(
        3,
    )
)
def gradient_has_aux(x):
    return ms.grad(square_sum, has_aux=True)(x)


@wrong(
    F(
        3,
    )
)
def gradient_operation_flag(x):
    return ops.GradOperation(get_all=1)(square_sum)(x)


@wrong(
    F(
        3,
    ),
    F(
        4,
    ),
)
def cotangent_shape(x, v):
    return ops.GradOperation(sens_param=True)(lambda a: a * 2)(x, v)


@wrong(
    F(
        3,
    )
)
def pullback_cotangents(x):
    return ms.vjp(lambda a: (a, a), x)[1](x)


@wrong(
    F(
        3,
    ),
    F(
        4,
    ),
)
def pushforward_shape(x, v):
    return ms.jvp(lambda a: a * a, x, v)


@wrong(
    F(
        3,
    )
)
def jacobian_position(x):
    return ms.jacrev(square_sum, 1)(x)


@wrong(
    F(
        3,
    )
)
def jacobian_by_nothing(x):
    return ms.jacfwd(square_sum, None)(x)


@wrong(
    F(
        3,
    )
)
def recompute_of_a_value(x):
    return ms.recompute(x)


@wrong(
    F(
        3,
    )
)
def custom_gradient_of_nothing(x):
    return ops.custom_bprop(square_sum, 3)(x)


@wrong(
    F(
        3,
    )
)
class HookReturnsText(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.relu.register_backward_hook(lambda cell, grads, douts: ("text",))

    def construct(self, x):
        return ms.grad(self.relu)(x)


@wrong(
    F(
        3,
    )
)
class HookReturnsTooMany(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.relu.register_backward_hook(lambda cell, grads, douts: (grads[0], grads[0]))

    def construct(self, x):
        return ms.grad(self.relu)(x)

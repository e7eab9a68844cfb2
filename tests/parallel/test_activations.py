"""What a layer of a transformer keeps for its gradient, against the closed form: s b h (34 + 5 a s / h) bytes
in 16 bits (Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, 2022,
equation 2).
"""

import pytest

import minds as ms
from minds import nn, ops
from minds.parallel import plan

PLACES, ROWS, WIDTH, HEADS = 32, 64, 128, 2


class Layer(nn.Cell):
    def __init__(self, activation):
        super().__init__()
        self.before, self.between = nn.LayerNorm((WIDTH,)), nn.LayerNorm((WIDTH,))
        self.queries, self.keys, self.values = [nn.Dense(WIDTH, WIDTH) for _ in range(3)]
        self.out, self.activation = nn.Dense(WIDTH, WIDTH), activation
        self.up, self.down = nn.Dense(WIDTH, 4 * WIDTH), nn.Dense(4 * WIDTH, WIDTH)
        self.drop = nn.Dropout(p=0.1)

    def heads(self, x):
        return ops.transpose(ops.reshape(x, (ROWS, PLACES, HEADS, -1)), (0, 2, 1, 3))

    def attention(self, x):
        q, k, v = (self.heads(f(x)) for f in (self.queries, self.keys, self.values))
        scores = ops.BatchMatMul(transpose_b=True)(q, k) * (WIDTH // HEADS) ** -0.5
        mixed = ops.matmul(self.drop(ops.softmax(scores, -1)), v)
        return self.out(ops.reshape(ops.transpose(mixed, (0, 2, 1, 3)), (ROWS, PLACES, WIDTH)))

    def construct(self, x):
        x = x + self.drop(self.attention(self.before(x)))
        return x + self.drop(self.down(self.activation(self.up(self.between(x)))))


class Layers(nn.Cell):
    def __init__(self, count, activation):
        super().__init__()
        self.layers = nn.SequentialCell([Layer(activation) for _ in range(count)])

    def construct(self, x):
        return ops.sum(self.layers(x).astype(ms.float32))


def kept(count, activation):
    """Bytes of values where a step needs most memory, but for parameters and their gradients."""
    net = Layers(count, activation).set_train()
    for p in net.get_parameters():
        p.set_dtype(ms.float16)
    x = ms.Tensor(shape=(ROWS, PLACES, WIDTH), dtype=ms.float16)
    found = plan(ms.value_and_grad(net, None, net.trainable_params()), (x,), {"dp": 1})
    return sum(h.bytes for h in found.peaks[0].holders if h.loc is not None)


def unit(value):
    return value / (PLACES * ROWS * WIDTH)


@pytest.mark.parametrize("name", ("gelu", "gelu tanh", "silu", "mish", "hardswish", "elu"))
def test_a_layer(whole, name):
    if name != "gelu" and not whole:
        pytest.skip("other activations: with --whole")
    how = {"gelu tanh": lambda x: ops.gelu(x, "tanh")}
    activation = how.get(name) or getattr(ops, name)
    each = unit(kept(3, activation) - kept(2, activation))
    statistics = 2 * 2 * 2 / WIDTH  # mean and reciprocal deviation of the rows of two norms
    assert each == pytest.approx(34 + 5 * HEADS * PLACES / WIDTH + statistics, rel=1e-3)

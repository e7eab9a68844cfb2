"""The workloads in JAX: functions of arrays, jitted as a whole."""

from __future__ import annotations

import jax
import numpy as np
from cases import BERT, GPT, LSTM, MLP, data
from jax import numpy as jnp

LIMIT = 1e4


class Made:
    """Random weights."""

    def __init__(self):
        self.rng = np.random.default_rng(1)

    def __call__(self, *shape):
        return jnp.asarray(0.02 * self.rng.standard_normal(shape).astype(np.float32))


def layer_weights(made, width):
    return {
        "qkv": (made(width, 3 * width), made(3 * width)),
        "out": (made(width, width), made(width)),
        "up": (made(width, 4 * width), made(4 * width)),
        "down": (made(4 * width, width), made(width)),
        "norm1": (jnp.ones(width), jnp.zeros(width)),
        "norm2": (jnp.ones(width), jnp.zeros(width)),
    }


def encoder_weights(sizes, head):
    made, width = Made(), sizes["width"]
    return {
        "words": made(sizes["words"], width),
        "places": jnp.zeros((sizes["length"], width)),
        "layers": [layer_weights(made, width) for _ in range(sizes["layers"])],
        "norm": (jnp.ones(width), jnp.zeros(width)),
        "head": made(width, head),
    }


def dense(x, weights):
    return x @ weights[0] + weights[1]


def norm(x, weights):
    x = x - x.mean(-1, keepdims=True)
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weights[0] + weights[1]


def encode(weights, ids, heads, causal):
    x = weights["words"][ids] + weights["places"]
    for layer in weights["layers"]:
        n, t, w = x.shape
        qkv = dense(norm(x, layer["norm1"]), layer["qkv"]).reshape(n, t, 3, heads, w // heads)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        mixed = jax.nn.dot_product_attention(q, k, v, is_causal=causal)
        x = x + dense(mixed.reshape(n, t, w), layer["out"])
        up = jax.nn.gelu(dense(norm(x, layer["norm2"]), layer["up"]), approximate=False)
        x = x + dense(up, layer["down"])
    return norm(x, weights["norm"])


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


def mlp_loss(weights, x, y):
    for w, b in weights[:-1]:
        x = jax.nn.relu(x @ w + b)
    return cross_entropy(dense(x, weights[-1]), y)


def bert_loss(weights, ids, y):
    return cross_entropy(encode(weights, ids, BERT["heads"], False)[:, 0] @ weights["head"], y)


def lstm_loss(weights, x):
    wx, wh, bias = weights
    gates = x @ wx + bias  # of all steps at once

    def step(carry, gate):
        h, c = carry
        i, f, g, o = jnp.split(gate + h @ wh, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((x.shape[1], LSTM["units"]))
    _, y = jax.lax.scan(step, (zeros, zeros), gates)
    return (y * y).mean()


def chain(x):
    y = jnp.tanh(x * 0.5 + 1.0) * jax.nn.sigmoid(x) - jnp.exp(-x * x)
    return jnp.sum(y * y / (1.0 + jnp.abs(x)) + jax.nn.relu(y) * 0.1)


def grow(x, w):
    """JAX has no reverse mode through a loop that data ends: it runs 48 steps, some of them idle."""

    def step(x, _):
        moved = x + jnp.tanh(x @ w) * 0.5 + 0.01
        return jnp.where((x * x).sum() < LIMIT, moved, x), None

    x, _ = jax.lax.scan(step, x, None, length=48)
    return (x * x).sum()


def adam(weights, grads, state):
    first, second, t = state
    t = t + 1
    tree = jax.tree_util.tree_map
    first = tree(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
    second = tree(lambda v, g: 0.999 * v + 0.001 * g * g, second, grads)
    scale = 1e-4 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    weights = tree(lambda w, m, v: w - scale * m / (jnp.sqrt(v) + 1e-8), weights, first, second)
    return weights, (first, second, t)


def descent(weights, grads, state):
    return jax.tree_util.tree_map(lambda w, g: w - 0.1 * g, weights, grads), state


def training(loss, weights, update, inputs):
    @jax.jit
    def step(weights, state, *inputs):
        value, grads = jax.value_and_grad(loss)(weights, *inputs)
        return value, *update(weights, grads, state)

    zeros = jax.tree_util.tree_map(jnp.zeros_like, weights)
    held = [weights, (zeros, zeros, jnp.float32(0))]

    def run():
        value, *held[:] = step(*held, *inputs)
        return float(value)

    return run


def make(framework: str, case: str):
    """A call that does one repetition, and gives the loss where there is one."""
    inputs = [jnp.asarray(v) for v in data(case)]
    made = Made()
    if case == "mlp":
        weights = [(made(a, b), made(b)) for a, b in zip(MLP, MLP[1:])]
        return training(mlp_loss, weights, adam, inputs)
    if case == "bert":
        return training(bert_loss, encoder_weights(BERT, 2), adam, inputs)
    if case == "lstm":
        shapes = (LSTM["inputs"], 4 * LSTM["units"]), (LSTM["units"], 4 * LSTM["units"])
        weights = [*(made(*s) for s in shapes), made(4 * LSTM["units"])]
        return training(lstm_loss, weights, descent, inputs)
    if case == "gpt":
        weights = encoder_weights(GPT, GPT["words"])
        apply = jax.jit(lambda w, ids: encode(w, ids, GPT["heads"], True) @ w["head"])
        return lambda: _done(apply(weights, *inputs))
    gradient = jax.jit(jax.grad(chain) if case == "elementwise" else jax.grad(grow, (0, 1)))
    return lambda: _done(gradient(*inputs))


def _done(out) -> None:
    """Wait for a result."""
    jax.block_until_ready(out)

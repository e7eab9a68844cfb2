"""`gmm`: the log-posterior of a mixture of Gaussians with a Wishart prior on the precisions.

The precision of component k is QᵀQ; Q is lower triangular, with diagonal exp(q) and l below it,
column by column.
"""

import numpy as np

import minds as ms
from minds import ops

from .evaluation import Evaluation, plain, tensor
from .lse import logsumexp
from .sizes import constant_of, triangle

PARAMETERS = ("alpha", "mu", "q", "l")


def objective(alpha, mu, q, below, x, where, m, gamma, constant):
    """The log-posterior up to nothing: ``constant`` holds all that depends on sizes, m and gamma
    alone.
    """
    (n, d), k = x.shape, alpha.shape[0]
    diagonal = ops.exp(q)
    entries = ops.concat((diagonal, below, ops.zeros_like(diagonal[:, :1])), 1)
    factor = ops.gather(entries, where, 1).reshape(k, d, d)
    whitened = ops.matmul(x - mu.expand_dims(1), factor.transpose(0, 2, 1))
    weight = alpha + q.sum(1)
    terms = weight.expand_dims(1) - (whitened * whitened).sum(2) * 0.5
    likelihood = logsumexp(terms).sum() - logsumexp(alpha) * n
    prior = q.sum() * m - ((diagonal * diagonal).sum() + (below * below).sum()) * (
        0.5 * gamma * gamma
    )
    return likelihood + prior + constant


def prepare(data: dict) -> tuple:
    """The parameters, the data points, the layout of Q, and numbers."""
    d, k, n, m, gamma = (data[name] for name in ("d", "k", "n", "m", "gamma"))
    found = [tensor(data[name]) for name in PARAMETERS]
    found[3] = found[3].reshape(k, d * (d - 1) // 2)
    return (
        *found,
        tensor(data["x"]),
        tensor(triangle(d), np.int64),
        float(m),
        float(gamma),
        constant_of(d, k, n, m, gamma),
    )


def by_name(gradients) -> dict:
    """The gradients as the response has them."""
    return dict(zip(PARAMETERS, plain(gradients)))


FUNCTIONS = {
    "objective": Evaluation(prepare, ms.jit(objective)),
    "jacobian": Evaluation(prepare, ms.jit(ms.grad(objective, (0, 1, 2, 3))), by_name),
}

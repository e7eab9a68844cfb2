"""Variational autoencoders (Kingma and Welling, Auto-Encoding Variational Bayes, 2014)."""

from __future__ import annotations

from ... import nn, ops
from ..registry import register


@register(vae={})
class VAE(nn.Cell):
    """An encoder to a normal distribution, and a decoder of what is drawn from it.

    Args:
        inputs (int): of an example, each in [0, 1]. Default 784.
        hidden (int): Default 400.
        latent (int): Default 20.

    Inputs:
        - **x** (Tensor[(N, inputs), float])

    Outputs:
        Tuple of the logits Tensor[(N, inputs)], and mean and logarithm of the variance, Tensor[(N,
        latent)] each. While evaluating, the mean itself is decoded.

    Examples:
        >>> from minds import models, ops
        >>> [x.shape for x in models.vae(inputs=9)(ops.ones((2, 9)))]
        [(2, 9), (2, 20), (2, 20)]
    """

    def __init__(self, inputs: int = 784, hidden: int = 400, latent: int = 20):
        super().__init__()
        self.fc1 = nn.Dense(inputs, hidden)
        self.fc21, self.fc22 = nn.Dense(hidden, latent), nn.Dense(hidden, latent)
        self.fc3, self.fc4 = nn.Dense(latent, hidden), nn.Dense(hidden, inputs)

    def decode(self, z):
        """Logits of what ``z`` stands for."""
        return self.fc4(ops.relu(self.fc3(z)))

    def construct(self, x):
        h = ops.relu(self.fc1(x))
        mean, spread = self.fc21(h), self.fc22(h)
        z = mean
        if self.training:
            z = mean + ops.exp(0.5 * spread) * ops.standard_normal(mean.shape)
        return self.decode(z), mean, spread


def vae_loss(out: tuple, x):
    """The negative evidence lower bound, per example.

    Args:
        out (tuple): of `VAE`.
        x (Tensor): what was put in, in [0, 1].

    Returns:
        Tensor: a scalar.

    Examples:
        >>> from minds import models, ops
        >>> from minds.models.generative.vae import vae_loss
        >>> x = ops.ones((2, 9))
        >>> vae_loss(models.vae(inputs=9)(x), x).shape
        ()
    """
    logits, mean, spread = out
    wrong = ops.sum(ops.softplus(logits) - x * logits)
    far = 0.5 * ops.sum(ops.exp(spread) + mean * mean - 1 - spread)
    return (wrong + far) / x.shape[0]

"""Proximal policy optimisation (Schulman et al., 2017)."""

from __future__ import annotations

import numpy as np

from ... import nn, ops
from ..registry import register
from .eyes import eyes


@register(ppo={})
class ActorCritic(nn.Cell):
    """What to do, and how much reward is to come.

    Args:
        actions (int): Default 4.
        seen (int): numbers that are seen; None for images of 84×84. Default None.
        hidden (tuple[int]): dense layers for numbers. Default (64, 64).
        channels (int): of images, one of each frame. Default 4.

    Inputs:
        - **x** (Tensor[(N, channels, 84, 84), float]) - or Tensor[(N, seen)].

    Outputs:
        Tuple of logits Tensor[(N, actions)] and values Tensor[(N,)].

    Examples:
        >>> from minds import models, ops
        >>> [x.shape for x in models.ppo(seen=3)(ops.ones((2, 3)))]
        [(2, 4), (2,)]
    """

    def __init__(
        self,
        actions: int = 4,
        seen: int | None = None,
        hidden: tuple = (64, 64),
        channels: int = 4,
    ):
        super().__init__()
        self.eyes, size = eyes(seen, hidden, channels)
        self.actor, self.critic = nn.Dense(size, actions), nn.Dense(size, 1)

    def construct(self, x):
        x = self.eyes(x)
        return self.actor(x), ops.squeeze(self.critic(x), 1)


def ppo_loss(out, actions, before, advantages, returns, clip=0.2, value=0.5, entropy=0.01):
    """The clipped objective, the error of the values, and a reward for keeping options open.

    Args:
        out (tuple): of `ActorCritic`.
        actions (Tensor): ``(N,)``, what was done.
        before (Tensor): ``(N,)``, the logarithms of the probabilities that it had then.
        advantages (Tensor): ``(N,)``, of `advantages_and_returns`.
        returns (Tensor): ``(N,)``, what the values should have been.
        clip (float): how far a probability may move. Default 0.2.
        value (float), entropy (float): weights of the other parts. Default 0.5 and 0.01.

    Returns:
        Tensor: a scalar.

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> from minds.models.reinforcement.ppo import ppo_loss
        >>> ones = ops.ones((2,))
        >>> ppo_loss(models.ppo(seen=3)(ops.ones((2, 3))), ms.Tensor([1, 0]), -ones, ones, ones).shape
        ()
    """
    logits, values = out
    chances = ops.log_softmax(logits, -1)
    said = ops.squeeze(ops.gather_elements(chances, 1, ops.expand_dims(actions, 1)), 1)
    ratio = ops.exp(said - before)
    gain = ops.minimum(ratio * advantages, ops.clip(ratio, 1 - clip, 1 + clip) * advantages)
    open_ = -ops.sum(ops.exp(chances) * chances, -1)
    return value * ops.mean((values - returns) ** 2) - ops.mean(gain) - entropy * ops.mean(open_)


def advantages_and_returns(
    rewards: np.ndarray,
    values: np.ndarray,
    ended: np.ndarray,
    last: np.ndarray,
    discount: float = 0.99,
    smoothing: float = 0.95,
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimates and returns of T steps of N games.

    Args:
        rewards (numpy.ndarray), values (numpy.ndarray): ``(T, N)``.
        ended (numpy.ndarray): ``(T, N)``, 1 where the game was over behind the step.
        last (numpy.ndarray): ``(N,)``, values of what was seen at last.
        discount (float): of later rewards. Default 0.99.
        smoothing (float): λ of the estimates. Default 0.95.

    Returns:
        tuple[numpy.ndarray, numpy.ndarray]: both ``(T, N)``, of float32.

    Source: Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation,
    2016.

    Examples:
        >>> import numpy as np
        >>> from minds.models.reinforcement.ppo import advantages_and_returns
        >>> ones = np.ones((2, 1))
        >>> advantages_and_returns(ones, 0 * ones, 0 * ones, np.zeros(1), 0.5, 1.0)[0].ravel().tolist()
        [1.5, 1.0]
    """
    found, so_far, later = np.zeros_like(values, dtype=np.float32), 0.0, last
    for t in reversed(range(len(rewards))):
        goes_on = 1 - ended[t]
        surprise = rewards[t] + discount * goes_on * later - values[t]
        so_far = surprise + discount * smoothing * goes_on * so_far
        found[t], later = so_far, values[t]
    return found, (found + values).astype(np.float32)

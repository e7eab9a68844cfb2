"""Deep Q-networks (Mnih et al., Human-level control through deep reinforcement learning, 2015)."""

from __future__ import annotations

import numpy as np

from ... import nn, ops
from ...tensor import Tensor
from ..registry import register
from .eyes import eyes


@register(dqn={})
class DQN(nn.Cell):
    """How much reward each action promises.

    Args:
        actions (int): Default 4.
        seen (int): numbers that are seen; None for images of 84×84. Default None.
        hidden (tuple[int]): dense layers for numbers. Default (128, 128).
        channels (int): of images, one of each frame. Default 4.

    Inputs:
        - **x** (Tensor[(N, channels, 84, 84), float]) - or Tensor[(N, seen)].

    Outputs:
        Tensor[(N, actions)].

    Examples:
        >>> from minds import models, ops
        >>> models.dqn(seen=3)(ops.ones((2, 3))).shape
        (2, 4)
    """

    def __init__(
        self,
        actions: int = 4,
        seen: int | None = None,
        hidden: tuple = (128, 128),
        channels: int = 4,
    ):
        super().__init__()
        self.eyes, size = eyes(seen, hidden, channels)
        self.head = nn.Dense(size, actions)

    def construct(self, x):
        return self.head(self.eyes(x))


class DQNLoss(nn.Cell):
    """How far a network's values are from reward and what a second network, which is kept still, promises
    for what comes next; by double Q-learning (van Hasselt et al., 2016).

    Args:
        net (Cell): the network that learns.
        target (Cell): a copy of it, renewed by `follow` from time to time.
        discount (float): of what comes next. Default 0.99.

    Inputs:
        - **seen** (Tensor[(N, ...)]), **actions** (Tensor[(N,), int]), **rewards** (Tensor[(N,)]),
          **after** (Tensor[(N, ...)]), **ended** (Tensor[(N,)]) - 1 where nothing comes next.

    Outputs:
        Tensor, a scalar.

    Examples:
        >>> import minds as ms
        >>> from minds import models, ops
        >>> from minds.models.reinforcement.dqn import DQNLoss
        >>> x, zeros = ops.ones((2, 3)), ops.zeros((2,))
        >>> loss = DQNLoss(models.dqn(seen=3), models.dqn(seen=3))
        >>> loss(x, ms.Tensor([1, 0], ms.int32), zeros, x, zeros).shape
        ()
    """

    def __init__(self, net: nn.Cell, target: nn.Cell, discount: float = 0.99):
        super().__init__()
        self.net, self.target, self.discount = net, target, discount
        for p in target.get_parameters():
            p.requires_grad = False

    def follow(self) -> None:
        """Make the second network equal to the one that learns."""
        for mine, learned in zip(self.target.get_parameters(), self.net.get_parameters()):
            mine.set_data(learned)

    def construct(self, seen, actions, rewards, after, ended):
        said = ops.gather_elements(self.net(seen), 1, ops.expand_dims(actions, 1))
        best = ops.argmax(self.net(after), 1).astype(actions.dtype)
        promised = ops.gather_elements(self.target(after), 1, ops.expand_dims(best, 1))
        wanted = rewards + self.discount * (1 - ended) * ops.squeeze(promised, 1)
        return ops.huber_loss(ops.squeeze(said, 1), ops.stop_gradient(wanted))


class Replay:
    """The last transitions, from which batches are drawn.

    Args:
        room (int): how many are kept.
        seed (int): of the draws. Default 0.

    Examples:
        >>> import numpy as np
        >>> from minds.models.reinforcement.dqn import Replay
        >>> replay = Replay(10)
        >>> for i in range(12):
        ...     replay.add(np.zeros(3), i % 2, 1.0, np.ones(3), False)
        >>> len(replay), [x.shape for x in replay.draw(4)]
        (10, [(4, 3), (4,), (4,), (4, 3), (4,)])
    """

    def __init__(self, room: int, seed: int = 0):
        self.room, self.rows, self.next = room, [], 0
        self.rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, seen, action, reward, after, ended) -> None:
        """Keep a transition, in the place of the oldest if there is no more room."""
        row = (
            np.float32(seen),
            np.int32(action),
            np.float32(reward),
            np.float32(after),
            np.float32(ended),
        )
        if len(self.rows) < self.room:
            self.rows.append(row)
        else:
            self.rows[self.next] = row
        self.next = (self.next + 1) % self.room

    def draw(self, count: int) -> tuple:
        """A batch for `DQNLoss`."""
        chosen = [self.rows[i] for i in self.rng.integers(0, len(self.rows), count)]
        return tuple(Tensor(np.stack(column)) for column in zip(*chosen))

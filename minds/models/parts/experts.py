"""A mixture of experts: many feed-forward networks, of which a router chooses a few for each token."""

from __future__ import annotations

import math

from ... import nn, ops
from ...base.errors import complain
from ...common.initializer import Normal, initializer
from ...tensor import Parameter


class Networks(nn.Cell):
    """SwiGLU networks side by side: row i of (experts or 1, T, width) goes through the i-th."""

    def __init__(self, width: int, inner: int, experts: int):
        super().__init__()
        self.gate_up_proj = Parameter(
            initializer(Normal(0.02), [experts, 2 * inner, width]), name="gate_up_proj"
        )
        self.down_proj = Parameter(
            initializer(Normal(0.02), [experts, width, inner]), name="down_proj"
        )

    def construct(self, x):
        gates, ups = ops.chunk(ops.matmul(x, ops.transpose(self.gate_up_proj, (0, 2, 1))), 2, -1)
        return ops.matmul(ops.silu(gates) * ups, ops.transpose(self.down_proj, (0, 2, 1)))


class Experts(nn.Cell):
    """SwiGLU networks and their router.

    Each expert takes the ``room`` tokens that weigh most in it. Without a ``capacity`` there is room for
    all of them and the result is exact; with one, tokens beyond an expert's room pass it by, as in
    Switch Transformers, and the work is that of ``capacity · chosen`` networks.

    Where devices share the tokens, let there be a group of tokens for each: every group has its own room
    in an expert, so that a device chooses among its tokens alone. They travel to the devices of their
    experts and back all to all where these divide what ``experts`` takes and gives:
    ``net.experts.shard((layout("mp", "None", "None"),), (layout("None", "mp", "None"),))``.

    Args:
        width (int), inner (int): of the networks.
        experts (int): their number.
        chosen (int): how many each token goes to; their weights sum to 1.
        capacity (float): room of an expert, in multiples of its even share. Default None, all tokens.
        groups (int): into how many equal groups tokens are cut, in order. Default: 1.

    Inputs:
        - **x** (Tensor[(N, L, width), float])

    Outputs:
        Tensor[(N, L, width)].

    Source: Shazeer et al., The Sparsely-Gated Mixture-of-Experts Layer, 2017; Fedus et al., Switch
    Transformers, 2021; Jiang et al., Mixtral of Experts, 2024.

    Examples:
        >>> from minds import ops
        >>> from minds.models.parts.experts import Experts
        >>> Experts(4, 8, 3, 1)(ops.ones((2, 5, 4))).shape
        (2, 5, 4)
    """

    def __init__(
        self,
        width: int,
        inner: int,
        experts: int,
        chosen: int,
        capacity: float | None = None,
        groups: int = 1,
    ):
        super().__init__()
        self.groups = groups
        self.number, self.chosen, self.capacity = experts, chosen, capacity
        self.gate = nn.Dense(width, experts, weight_init=Normal(0.02), has_bias=False)
        self.experts = Networks(width, inner, experts)

    def routes(self, tokens):
        """Of tokens (T, width) the router's probabilities (T, experts), and the weights (T, experts), 0
        for experts that were not chosen.
        """
        chances = ops.softmax(self.gate(tokens), -1)
        best, which = ops.topk(chances, self.chosen)
        best = best / ops.sum(best, -1, True)
        hot = ops.one_hot(which, self.number).astype(best.dtype)
        return chances, ops.sum(hot * best.expand_dims(-1), 1)

    def balance(self, x):
        """The loss that keeps the experts equally busy, 1 where they are: experts · Σ (share of tokens
        · mean probability). Add a hundredth of it to the loss.
        """
        chances, weights = self.routes(ops.reshape(x, (-1, x.shape[-1])))
        shares = ops.mean((weights > 0).astype(chances.dtype), 0) / self.chosen
        return self.number * ops.sum(shares * ops.mean(chances, 0))

    def construct(self, x):
        tokens = ops.reshape(x, (-1, x.shape[-1]))
        weights = self.routes(tokens)[1]
        if self.capacity is None:
            hidden = self.experts(ops.expand_dims(tokens, 0))
            out = ops.sum(hidden * ops.transpose(weights, (1, 0)).expand_dims(-1), 0)
            return ops.reshape(out, x.shape)
        return ops.reshape(self._exchanged(tokens, weights), x.shape)

    def _exchanged(self, tokens, weights):
        """What the experts make of the tokens for which they have room."""
        (count, width), groups, number = tokens.shape, self.groups, self.number
        if count % groups:
            raise complain(
                ValueError,
                f"Experts: {count} tokens in {groups} groups",
                expected=f"a multiple of {groups}",
            )
        size = count // groups
        room = min(size, math.ceil(self.capacity * size * self.chosen / number))
        tokens = ops.reshape(tokens, (groups, size, width))
        weights = ops.transpose(ops.reshape(weights, (groups, size, number)), (0, 2, 1))
        strength, which = ops.topk(weights, room)
        places = ops.reshape(which, (groups, number * room, 1))
        places = ops.broadcast_to(places, (groups, number * room, width))
        taken = ops.reshape(ops.gather_d(tokens, 1, places), (groups, number, room, width))
        taken = ops.reshape(ops.transpose(taken, (1, 0, 2, 3)), (number, groups * room, width))
        made = ops.reshape(self.experts(taken), (number, groups, room, width))
        made = ops.transpose(made, (1, 0, 2, 3)) * strength.expand_dims(-1)
        made = ops.reshape(made, (groups, number * room, width))
        return ops.zeros_like(tokens).scatter_add(1, places, made)

"""Graph attention (Veličković et al., Graph Attention Networks, 2018)."""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import XavierUniform, initializer
from ...tensor import Parameter
from ..registry import register
from .gcn import with_loops


class GraphAttention(nn.Cell):
    """The neighbours' mean, a node itself among them, weighed by attention of several heads.

    Args:
        inputs (int), outputs (int): features; ``outputs`` are those of a head.
        heads (int): their outputs lie one behind the other.
        dropout (float): of the weights.

    Inputs:
        - **x** (Tensor[(V, inputs), float])
        - **edges** (Tensor[(2, E), int]) - with one from each node to itself.

    Outputs:
        Tensor[(V, heads · outputs)].

    Examples:
        >>> import minds as ms
        >>> from minds.models.graph.gat import GraphAttention
        >>> net = GraphAttention(4, 2, 3, 0.0)
        >>> net(ms.ops.ones((3, 4)), ms.Tensor([[0, 1, 2, 0], [0, 1, 2, 1]])).shape
        (3, 6)
    """

    def __init__(self, inputs: int, outputs: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.outputs = heads, outputs
        glorot = XavierUniform()
        self.weight = Parameter(initializer(glorot, [heads * outputs, inputs]), name="weight")
        self.att_source = Parameter(initializer(glorot, [1, heads, outputs]), name="att_source")
        self.att_target = Parameter(initializer(glorot, [1, heads, outputs]), name="att_target")
        self.bias = Parameter(initializer("zeros", [heads * outputs]), name="bias")
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x, edges):
        source, target = edges[0], edges[1]
        nodes = x.shape[0]
        x = ops.matmul(x, ops.transpose(self.weight, (1, 0)))
        x = ops.reshape(x, (nodes, self.heads, self.outputs))
        scores = ops.gather(ops.sum(x * self.att_source, -1), source, 0) + ops.gather(
            ops.sum(x * self.att_target, -1), target, 0
        )
        scores = ops.leaky_relu(scores, 0.2)
        # A softmax over the edges that end in the same node.
        highest = ops.stop_gradient(ops.unsorted_segment_max(scores, target, nodes))
        powers = ops.exp(scores - ops.gather(highest, target, 0))
        total = ops.gather(ops.unsorted_segment_sum(powers, target, nodes), target, 0)
        weights = self.dropout(powers / total)
        sent = ops.gather(x, source, 0) * ops.expand_dims(weights, -1)
        out = ops.unsorted_segment_sum(sent, target, nodes)
        return ops.reshape(out, (nodes, self.heads * self.outputs)) + self.bias


@register(gat={})
class GAT(nn.Cell):
    """Two layers of graph attention that tell the class of each node.

    Args:
        inputs (int): features of a node. Default 1433.
        num_classes (int): Default 7.
        hidden (int): of a head. Default 8.
        heads (int): of the first layer. Default 8.
        dropout (float): Default 0.6.

    Inputs:
        - **x** (Tensor[(V, inputs), float])
        - **edges** (Tensor[(2, E), int]) - in both directions, without those from a node to itself.

    Outputs:
        Tensor[(V, num_classes)].

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> models.gat(inputs=4)(ms.ops.ones((3, 4)), ms.Tensor([[0, 1], [1, 0]])).shape
        (3, 7)
    """

    def __init__(
        self,
        inputs: int = 1433,
        num_classes: int = 7,
        hidden: int = 8,
        heads: int = 8,
        dropout: float = 0.6,
    ):
        super().__init__()
        self.layer1 = GraphAttention(inputs, hidden, heads, dropout)
        self.layer2 = GraphAttention(heads * hidden, num_classes, 1, dropout)
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x, edges):
        edges = with_loops(edges, x.shape[0])
        x = ops.elu(self.layer1(self.dropout(x), edges))
        return self.layer2(self.dropout(x), edges)

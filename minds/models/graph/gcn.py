"""Graph convolutions (Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks,
2017).
"""

from __future__ import annotations

from ... import nn, ops
from ...common.initializer import XavierUniform, initializer
from ...tensor import Parameter
from ..registry import register


def with_loops(edges, nodes: int):
    """Edges (2, E), and one from each node to itself."""
    own = ops.arange(nodes).astype(edges.dtype)
    return ops.concat((edges, ops.stack((own, own), 0)), 1)


class GraphConv(nn.Cell):
    """The mean of the neighbours, a node itself among them, each edge weighed by both ends' degrees.

    Args:
        inputs (int), outputs (int): features.

    Inputs:
        - **x** (Tensor[(V, inputs), float])
        - **edges** (Tensor[(2, E), int]) - with one from each node to itself.

    Outputs:
        Tensor[(V, outputs)].

    Examples:
        >>> import minds as ms
        >>> from minds.models.graph.gcn import GraphConv
        >>> GraphConv(4, 2)(ms.ops.ones((3, 4)), ms.Tensor([[0, 1, 2, 0], [0, 1, 2, 1]])).shape
        (3, 2)
    """

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = Parameter(initializer(XavierUniform(), [outputs, inputs]), name="weight")
        self.bias = Parameter(initializer("zeros", [outputs]), name="bias")

    def construct(self, x, edges):
        source, target = edges[0], edges[1]
        nodes = x.shape[0]
        x = ops.matmul(x, ops.transpose(self.weight, (1, 0)))
        degree = ops.unsorted_segment_sum(ops.ones((edges.shape[1],), x.dtype), target, nodes)
        scale = ops.rsqrt(ops.maximum(degree, 1.0))
        strength = ops.gather(scale, source, 0) * ops.gather(scale, target, 0)
        sent = ops.gather(x, source, 0) * ops.expand_dims(strength, -1)
        return ops.unsorted_segment_sum(sent, target, nodes) + self.bias


@register(gcn={})
class GCN(nn.Cell):
    """Two graph convolutions that tell the class of each node.

    Args:
        inputs (int): features of a node. Default 1433.
        num_classes (int): Default 7.
        hidden (int): Default 16.
        dropout (float): Default 0.5.

    Inputs:
        - **x** (Tensor[(V, inputs), float])
        - **edges** (Tensor[(2, E), int]) - in both directions, without those from a node to itself.

    Outputs:
        Tensor[(V, num_classes)].

    Examples:
        >>> import minds as ms
        >>> from minds import models
        >>> models.gcn(inputs=4)(ms.ops.ones((3, 4)), ms.Tensor([[0, 1], [1, 0]])).shape
        (3, 7)
    """

    def __init__(
        self, inputs: int = 1433, num_classes: int = 7, hidden: int = 16, dropout: float = 0.5
    ):
        super().__init__()
        self.conv1, self.conv2 = GraphConv(inputs, hidden), GraphConv(hidden, num_classes)
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x, edges):
        edges = with_loops(edges, x.shape[0])
        x = ops.relu(self.conv1(self.dropout(x), edges))
        return self.conv2(self.dropout(x), edges)

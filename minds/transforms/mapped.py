"""What `vmap` and the Jacobians stand on: a function of one example, for many at once."""

from __future__ import annotations

from ..base.errors import complain
from ..frontend.values import flatten, unflatten
from ..ir import prim
from ..ir.abstract import AbstractFunction, AbstractTensor, AbstractTuple
from ..ir.node import Constant, Node
from ..jit.results import loaded
from ..ops.define import P
from .leaves import leaves_of, tensors_only, with_leaves
from .scope import scope


class Example:
    """``body`` of one example in compiled code, as a graph of its own.

    Args:
        body (Callable): takes the list of the example's nodes; numbers in its result become
            tensors.
        rows (list): the types of these nodes.
        weights (list[Parameter]): for these the last nodes stand.

    Attributes:
        graph: returns a tuple of tensors.
        value: what ``body`` returned.
    """

    def __init__(self, ip, body, rows: list, weights=()):
        self.ip, self.graph = ip, ip.graph("vmap")
        params = [self.graph.add_param(f"x{i}", a, ip.here()) for i, a in enumerate(rows)]
        stand_ins = dict(zip(map(id, weights), params[len(params) - len(weights) :]))
        # What the body writes is seen by the next example, so nothing read before serves inside.
        ip.parameters.loaded.clear()
        with scope(ip, self.graph, stand_ins) as b:
            self.value = tensors_only(loaded(ip, body(params)))
            leaves: list = []
            self._skeleton = flatten(self.value, leaves)
            self.graph.output = b.make_tuple([ip.node(v) for v in leaves])
        ip.parameters.loaded.clear()
        self.types = self.graph.ret.abstract.items

    def batched(self, given: list, n: int, shared=()):
        """The result for n examples at once (`minds.batch`).

        Args:
            given (list[Node]): the examples, along dimension 0 of each.
            shared (list[bool]): for each tensor of the result whether it is the same for all
                examples, and given once. Default: none is.
        """
        single = tuple(shared) or (False,) * len(self.types)
        types = [
            a if s else AbstractTensor((n, *a.shape), a.dtype) for a, s in zip(self.types, single)
        ]
        b = self.ip.builder
        many = b.emit(
            prim.vmap, (self.graph, n, Constant(single)), AbstractFunction(("vmap", self.graph))
        )
        return self._restored(b.emit(many, given, AbstractTuple(types)))

    def called(self, given: list):
        """The result for one example."""
        return self._restored(self.ip.builder.emit(self.graph, given, AbstractTuple(self.types)))

    def _restored(self, found: Node):
        items = [self.ip.builder.getitem(found, i) for i in range(len(self.types))]
        return unflatten(self._skeleton, iter(items))


def stacked(results: list):
    """Results of one structure as one, stacked leaf by leaf; numbers become tensors."""
    results = [tensors_only(r) for r in results]
    columns = [leaves_of(r) for r in results]
    first = [(a.shape, a.dtype) for a in columns[0]]
    for c in columns[1:]:
        found = [(a.shape, a.dtype) for a in c]
        if found != first:
            raise complain(
                TypeError,
                f"vmap: results differ: {first} and {found}",
                expected="the same structure, shapes and dtypes for each example",
            )
    rows = [
        P.concat(tuple([P.reshape(a, (1, *a.shape)) for a in column]), 0)
        for column in zip(*columns)
    ]
    return with_leaves(results[0], rows)

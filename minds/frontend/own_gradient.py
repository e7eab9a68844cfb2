"""Cells and tensors with a gradient of their own: a graph that carries the graph of its gradient."""

from __future__ import annotations

import inspect
from types import FunctionType

from ..base.errors import complain
from ..base.options import get_context
from ..ir.abstract import AbstractTensor
from ..ir.node import Node
from ..ops.rules import filled, fitted
from ..tensor import Parameter
from . import region
from .emit import EmitBuilder
from .values import flatten, leaf_abstracts, leaves_of, same, unflatten


def call_with_bprop(ip, cell, args: list, kwargs: dict):
    """A cell that defines ``bprop(*inputs, out, dout)``: a graph that carries the graph of its gradient."""
    if kwargs:
        raise complain(
            TypeError, f"{type(cell).__name__}: a cell with bprop takes positional arguments only"
        )
    _check_parameters(cell, len(args))
    given: list = []
    skeleton = flatten(tuple(args), given)
    for known in ip.activations.customs:
        if known.cell is cell and same(known.args, skeleton):
            # Its gradient calls it, perhaps through that of another one.
            return known.call(ip, given)
    custom = _Custom(cell, skeleton, [a for a in args if isinstance(a, Parameter)])
    custom.interpret(ip, args)
    return custom.call(ip, given)


def _check_parameters(cell, inputs: int) -> None:
    """That a cell's bprop takes its inputs, the output and the output's gradient."""
    fn = type(cell).bprop
    if not isinstance(fn, FunctionType):
        return
    signature = inspect.signature(fn)
    try:
        signature.bind(cell, *range(inputs + 2))
    except TypeError as e:
        said = f"{type(cell).__name__}.bprop: "
        count = len(signature.parameters) - 1
        if count < 2:
            said += "The function 'bprop' of Primitive or Cell requires at least 2 params "
            said += f"'out' and 'dout', but got only {count}."
        else:
            said += "The params of function 'bprop' of Primitive or Cell requires the forward "
            said += "inputs as well as the 'out' and 'dout'."
        of = f"of {inputs} input{'s' * (inputs != 1)}, out and dout, but it is bprop{signature}"
        raise complain(TypeError, said, expected=f"parameters {of}") from e


class _Custom:
    """A cell with its own gradient as graphs, for arguments of one skeleton. The graph takes the
    values of those that are parameters, so that they get their gradients; it reads them from the
    parameters.
    """

    def __init__(self, cell, skeleton, weights: list):
        self.cell, self.args, self.weights = cell, skeleton, weights

    def interpret(self, ip, args: list) -> None:
        """Make the graph and that of its gradient."""
        cell, skeleton = self.cell, self.args
        abstracts = leaf_abstracts(skeleton, [])
        name = type(cell).__name__

        def params(graph, wanted):
            return iter([graph.add_param(f"v{len(graph.params)}", a, ip.here()) for a in wanted])

        self.forward = forward = ip.graph(name)
        with ip.apart(EmitBuilder(ip, forward)), region.enclosed(ip):
            ins = unflatten(skeleton, params(forward, abstracts))
            params(forward, [w.abstract for w in self.weights])
            out = ip.call(cell.construct.__func__, [cell, *ins], {})
            outs: list = []
            self.result = flatten(out, outs)
            self.results = leaf_abstracts(self.result, [])
            forward.output = region.pack(ip, [ip.node(o) for o in outs])
        forward.flags["bprop"] = backward = ip.graph(f"{name}.bprop")
        ip.activations.customs.append(self)
        try:
            with ip.apart(EmitBuilder(ip, backward)), region.enclosed(ip):
                ins = unflatten(skeleton, params(backward, abstracts))
                params(backward, [w.abstract for w in self.weights])
                out, dout = (
                    self._result(ip, backward.add_param(n, region.packed(self.results), ip.here()))
                    for n in ("out", "dout")
                )
                grads = ip.call(type(cell).bprop, [cell, *ins, out, dout], {})
                backward.output = ip.builder.make_tuple(_gradients(ip, name, grads, args))
        finally:
            ip.activations.customs.pop()

    def call(self, ip, given: list):
        """A call of the graph."""
        ip.parameters.loaded.clear()  # construct may have written what was read before
        ip.builder.loc = ip.here()
        return self._result(
            ip,
            ip.builder.call(
                self.forward,
                [ip.node(v) for v in (*given, *self.weights)],
                region.packed(self.results),
            ),
        )

    def _result(self, ip, node: Node):
        """The value of `construct` that a node of its leaves stands for."""
        return unflatten(self.result, iter(region.unpack(ip, node, len(self.results))))


class _Hook:
    """An identity whose gradient is what a user's function makes of it."""

    def __init__(self, fn):
        self.fn = fn

    def construct(self, x):
        return x

    def bprop(self, x, out, dout):
        changed = self.fn(dout)
        return (dout if changed is None else changed,)


def hooked(ip, value: Node, fns) -> Node:
    """``value`` with functions that see and may replace its gradient, the first one first."""
    for fn in reversed(fns):
        value = call_with_bprop(ip, _Hook(fn), [value], {})
    return value


def _gradients(ip, name: str, grads, args: list) -> list:
    """What a user's bprop returned, as one node per leaf of the inputs, and per parameter among them."""
    grads = grads if isinstance(grads, (tuple, list)) else (grads,)
    if len(grads) != len(args):
        raise complain(
            TypeError,
            f"{name}.bprop: the gradients number: {len(grads)} is not equal to the args number: "
            f"{len(args)}.",
            expected="one gradient per input of construct",
        )
    flat: list = []
    of_parameters: list = []
    strict = get_context("check_bprop")
    for i, (g, a) in enumerate(zip(grads, args)):
        inputs = [a] if isinstance(a, Parameter) else leaves_of(a)
        found = leaves_of(g)
        if g is None or type(g) in (int, float):
            known, of = strict and g is not None, f"{name}.bprop"
            found = [ip.native(filled, g or 0, v.abstract, i, of, known) for v in inputs]
        if len(found) != len(inputs) and inputs:
            raise complain(
                TypeError, f"{name}.bprop: gradient {i} does not have the structure of input {i}"
            )
        for given, want in zip(found, inputs):
            if isinstance(want.abstract, AbstractTensor) and isinstance(
                given.abstract, AbstractTensor
            ):
                given = ip.native(fitted, ip.node(given), want.abstract, i, f"{name}.bprop", strict)
            (of_parameters if want is a and isinstance(a, Parameter) else flat).append(
                ip.node(given)
            )
    return flat + of_parameters

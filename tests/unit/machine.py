"""A reference machine for the IR: interprets a program over NumPy, with frames on an explicit
stack. Slow, and plainly right.
"""

from __future__ import annotations

import numpy as np

from minds.ir import prim
from minds.ir.abstract import AbstractScalar
from minds.ir.node import Apply, Constant, Graph, Node


class Closure:
    """A graph with the frames it sees and first arguments."""

    def __init__(self, graph: Graph, scope: dict, given: tuple = ()):
        self.graph, self.scope, self.given = graph, scope, given


class Frame:
    def __init__(self, graph: Graph, scope: dict, args, into):
        self.graph, self.values, self.into, self.at = (
            graph,
            dict(zip(graph.params, args)),
            into,
            graph.head,
        )
        self.scope = {**scope, graph: self}
        assert len(args) == len(graph.params), f"{graph}: {len(args)} arguments for {graph.params}"


def _sum(x, axis, keepdims):
    return np.sum(
        x, axis=tuple(axis) if isinstance(axis, (list, tuple)) else axis, keepdims=keepdims
    )


KERNELS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "square": np.square,
    "sqrt": np.sqrt,
    "less": np.less,
    "greater": np.greater,
    "less_equal": np.less_equal,
    "greater_equal": np.greater_equal,
    "equal": np.equal,
    "logical_not": np.logical_not,
    "pow": np.power,
    "mod": np.mod,
    "floor_divide": np.floor_divide,
    "broadcast_to": lambda x, shape: np.broadcast_to(x, shape).copy(),
    "reshape": lambda x, s: np.reshape(x, s),
    "transpose": lambda x, p: np.transpose(x, p),
    "sum": _sum,
    "copy": np.copy,
    "stop_gradient": lambda x: x,
    "matmul": lambda x, y, ta, tb: (
        (x.swapaxes(-1, -2) if ta else x) @ (y.swapaxes(-1, -2) if tb else y)
    ),
    "cast": lambda x, d: np.asarray(x).astype(d.np),
    "scalar_cast": lambda x, d: np.asarray(x).astype(d.np),
    "scalar_to_tensor": lambda x, d: np.asarray(x).astype(d.np),
    "item": lambda x, k: np.asarray(x).reshape(()).astype(k),
    "concat": lambda xs, axis: np.concatenate(xs, axis),
    "select": np.where,
    "full": lambda s, v, d: np.full(s, v, d.np),
    "maximum": np.maximum,
    "minimum": np.minimum,
    "relu": lambda x: np.maximum(x, 0),
    "split": lambda x, sizes, axis: tuple(np.split(x, np.cumsum(sizes)[:-1], axis)),
}


class Machine:
    """Runs programs. ``memory`` holds parameters, ``log`` the effects in order, ``steps`` the
    number of applies executed.
    """

    def __init__(self):
        self.log, self.steps, self.depth = [], 0, 0

    def run(self, graph: Graph, *args):
        result: list = []
        stack = [Frame(graph, {}, args, None)]
        while stack:
            f = stack[-1]
            self.depth = max(self.depth, len(stack))
            n = f.at
            if n is None:
                stack.pop()
                out = self._value(f, f.graph.ret.args[0])
                if f.into is None:
                    result.append(out)
                else:
                    frame, apply = f.into
                    frame.values[apply] = out
                continue
            f.at = n.next
            self.steps += 1
            if n.fn.__class__ is Graph or isinstance(n.fn, Node):
                callee = self._function(f, n.fn)
                values = (*callee.given, *(self._value(f, a) for a in n.args))
                tail = n.next is None and f.graph.ret.args[0] is n and f.into is not None
                if tail:
                    stack.pop()
                stack.append(Frame(callee.graph, callee.scope, values, f.into if tail else (f, n)))
            else:
                f.values[n] = self._apply(f, n)
        return result[0]

    def _function(self, f: Frame, fn) -> Closure:
        return Closure(fn, f.scope) if fn.__class__ is Graph else self._value(f, fn)

    def _value(self, f: Frame, a: Node):
        if a.__class__ is Constant:
            v = a.value
            if v.__class__ is Graph:
                return Closure(v, f.scope)
            return v.asnumpy() if hasattr(v, "asnumpy") else v
        return (f if a.graph is f.graph else f.scope[a.graph]).values[a]

    def _apply(self, f: Frame, n: Apply):
        with np.errstate(all="ignore"):
            return self._compute(f, n)

    def _compute(self, f: Frame, n: Apply):
        args = [self._value(f, a) for a in n.args]
        if n.fn is prim.make_tuple:
            return tuple(args)
        if n.fn is prim.tuple_getitem:
            return args[0][args[1]]
        if n.fn is prim.switch:
            return args[1] if args[0] else args[2]
        if n.fn is prim.partial:
            return Closure(args[0].graph, args[0].scope, (*args[0].given, *args[1:]))
        if n.fn is prim.load:
            return args[0][0]
        if n.fn is prim.assign:
            self.log.append(("assign", args[1]))
            args[0][0] = args[1]
            return args[1]
        if n.fn.name == "print_":
            self.log.append(("print", args[0]))
            return None
        out = KERNELS[n.fn.name](*args)
        a = n.abstract
        if isinstance(out, tuple):
            return out
        out = np.asarray(out)
        assert out.dtype == a.dtype.np and out.shape == a.shape, (
            f"{n!r}: got {out.dtype} {out.shape}"
        )
        return out.item() if isinstance(a, AbstractScalar) else out


def run(graph: Graph, *args):
    """The result of a program."""
    return Machine().run(graph, *args)

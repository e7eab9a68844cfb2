"""`vmap`: a function of one example as a function of a batch."""

from __future__ import annotations

from .. import eager_views, transforms
from ..base.errors import complain
from ..frontend.registry import EMITTERS
from ..ir.abstract import AbstractScalar, AbstractTensor
from ..ir.equal import equal
from ..ops.batching import moved
from ..ops.define import P
from ..ops.states import EXAMPLES, written
from ..tensor import Parameter
from .grad import _check
from .leaves import compiling, leaves_of, with_leaves
from .mapped import Example, stacked
from .transformed import Transformed


class Vmap(Transformed):
    """``fn`` over a batch; ``settings`` are (in_axes, out_axes)."""

    def __init__(self, fn, in_axes, out_axes):
        self.cells = list(fn) if _is_list(fn) else None
        super().__init__(fn, _frozen(in_axes), _frozen(out_axes))

    def _spec(self) -> tuple:
        return (*super()._spec(), None if self.cells is None else tuple(self.cells))

    def compute(self, *args):
        if compiling() is not None:
            return self.at_once(compiling(), args)
        if _ROWS and any(id(a) in _ROWS for a in args):
            return self.row_by_row(args)
        try:
            return transforms.traced.traced(self, args)
        except transforms.traced.Untraceable:
            return self.row_by_row(args)

    def at_once(self, ip, args: tuple):
        """In compiled code: a graph of one example, to be batched."""
        states = [s for a in args for s in ([a] if isinstance(a, Parameter) else leaves_of(a))]
        args = tuple([ip.read(a) if isinstance(a, Parameter) else a for a in args])
        batch, n = self._batch(args)
        given = [ip.native(moved, ip.node(x), axis, 0) for x, axis in batch if axis is not None]
        rows = [AbstractTensor(x.shape[1:], x.dtype) for x in given]

        def call(fn, params):
            example = iter(params)
            example = with_leaves(args, [x if axis is None else next(example) for x, axis in batch])
            return ip.call(fn, list(example), {})

        if self.cells is not None:
            return self._ensemble(ip, call, given, rows)
        mapped = [(s, axis) for s, (_, axis) in zip(states, batch) if axis is not None]
        changed: list = []

        def body(params):
            own = [p for p, (s, _) in zip(params, mapped) if _may_be_state(ip, s)]
            EXAMPLES.update((p, p) for p in own)
            try:
                out = call(self.fn, params)
            finally:
                ends = {p: EXAMPLES.pop(p) for p in own}
            # A function of the library says what it writes, other code changes the tensor.
            ends = {p: ip.tensors.present(p) if v is p else v for p, v in ends.items()}
            new = [(at, ends[p]) for at, p in zip(mapped, params) if ends.get(p, p) is not p]
            changed.extend(at for at, _ in new)
            return (out, tuple([v for _, v in new])) if new else out

        example = Example(ip, body, rows)
        if not changed:
            axes = _spread(self.settings[1], example.value, "out_axes")
            return ip.native(_placed, example.batched(given, n, [a is None for a in axes]), axes)
        axes = _spread(self.settings[1], example.value[0], "out_axes")
        axes += [axis for _, axis in changed]
        found = ip.native(_placed, example.batched(given, n, [a is None for a in axes]), axes)
        for (state, _), v in zip(changed, found[1]):
            ip.native(written, state, v)
        return found[0]

    def _ensemble(self, ip, call, given: list, rows: list):
        """Cells of one structure are one cell with weights for each example; others run in turn."""
        n, weights = len(self.cells), [list(c.get_parameters()) for c in self.cells]
        examples = [
            Example(
                ip, lambda params, c=c: call(c, params), [*rows, *[w.abstract for w in own]], own
            )
            for c, own in zip(self.cells, weights)
        ]
        axes = _spread(self.settings[1], examples[0].value, "out_axes")
        first, loads = examples[0], [list(map(ip.read, own)) for own in weights]
        if all(equal(first.graph, e.graph) for e in examples[1:]):
            stacks = [ip.native(_stack, column) for column in zip(*loads)]
            found = first.batched([*given, *stacks], n, [a is None for a in axes])
        else:
            found = ip.native(
                stacked,
                [
                    e.called([*[ip.native(_row, x, i) for x in given], *own])
                    for i, (e, own) in enumerate(zip(examples, loads))
                ],
            )
            found = with_leaves(
                found,
                [
                    ip.native(_row, x, 0) if axis is None else x
                    for x, axis in zip(leaves_of(found), axes)
                ],
            )
        return ip.native(_placed, found, axes)

    def row_by_row(self, args: tuple):
        """By a loop: what compiled code cannot do, and effects, which keep the order of the
        examples. What it writes into rows of parameters is written into these.
        """
        own = [a for a in args for a in ([a] if isinstance(a, Parameter) else leaves_of(a))]
        args = tuple([P.copy(a) if _is_state(a) else a for a in args])
        given, n = self._batch(args)
        cells = self.cells or [self.fn] * n
        batch = [(x, None if axis is None else _rows(x, axis, n)) for x, axis in given]
        states = [rows for a, (_, rows) in zip(own, batch) if rows is not None and _is_state(a)]
        kept = [id(r) for rows in states for r in rows]
        held = {id(rows): [r._array for r in rows] for rows in states}
        _ROWS.update(kept)
        try:
            result = stacked(
                [
                    cell(*with_leaves(args, [x if row is None else row[i] for x, row in batch]))
                    for i, cell in enumerate(cells)
                ]
            )
        finally:
            _ROWS.difference_update(kept)
        for state, (_, axis), (_, rows) in zip(own, given, batch):
            # What is written into a tensor is another array that it holds.
            if any(r._array is not a for r, a in zip(rows or (), held.get(id(rows), ()))):
                written(state, moved(_stack(rows), 0, axis))
        axes = _spread(self.settings[1], result, "out_axes")
        firsts = [_row(x, 0) if axis is None else x for x, axis in zip(leaves_of(result), axes)]
        return _placed(with_leaves(result, firsts), axes)

    def _batch(self, args: tuple) -> tuple:
        """The leaves of the arguments with their axes or None, and the number of examples."""
        in_axes = self.settings[0]
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise complain(
                ValueError, f"vmap: in_axes has {len(in_axes)} elements for {len(args)} arguments"
            )
        count = None if self.cells is None else len(self.cells)
        batch, n = _batch(args, _spread(in_axes, args, "in_axes"), count)
        if count not in (None, n):
            raise complain(
                ValueError,
                f"vmap: {count} cells for {n} examples",
                expected="one cell for each example",
            )
        return batch, n


_ROWS: set[int] = set()
"""The identities of rows of parameters in loops that run."""


def _is_state(a) -> bool:
    """Whether what is written into an argument is to be kept."""
    return isinstance(a, Parameter) or id(a) in _ROWS


def _may_be_state(ip, s) -> bool:
    """Whether what compiled code writes into an argument is to be kept."""
    return isinstance(s, Parameter) or s in EXAMPLES or ip.builder.may_be_parameter(s)


def _is_list(fn) -> bool:
    """Whether ``fn`` is a list of cells (`nn.CellList`): a sequence without a computation of its
    own.
    """
    return isinstance(fn, (list, tuple)) or hasattr(fn, "construct") and hasattr(fn, "extend")


def _frozen(axes):
    return tuple(map(_frozen, axes)) if isinstance(axes, (tuple, list)) else axes


def _spread(axes, value, what: str) -> list:
    """One axis or None per leaf of ``value``; an int or None holds for all below it."""
    if isinstance(axes, tuple):
        items = value if isinstance(value, (tuple, list)) else (value,)
        if len(items) != len(axes):
            raise complain(
                ValueError,
                f"vmap: {what} {axes} does not fit {len(items)} values",
                expected="an int or None, or one per value",
            )
        return [a for axis, v in zip(axes, items) for a in _spread(axis, v, what)]
    if axes is not None and type(axes) is not int:
        raise complain(TypeError, f"vmap: {what} holds {axes!r}", expected="ints and None")
    if axes is not None and what == "in_axes" and _has_number(value):
        raise complain(
            ValueError,
            f"vmap: in_axes is {axes} for a number, which has no dimensions",
            cure="give None: all examples share it",
        )
    return [axes] * len(leaves_of(value))


def _has_number(value) -> bool:
    """Whether a value is or holds a Python number."""
    if isinstance(value, (tuple, list)):
        return any(map(_has_number, value))
    return type(value) in (bool, int, float)


def _batch(args: tuple, axes: list, count: int | None) -> tuple:
    """The (leaf, axis) pairs, axes from 0 up, and the number of examples, ``count`` if no axis
    tells it.
    """
    leaves, sizes = leaves_of(args), {}
    pairs = []
    for x, axis in zip(leaves, axes):
        if axis is not None:
            if isinstance(x.abstract, AbstractScalar) or not -len(x.shape) <= axis < len(x.shape):
                rank = len(x.shape)
                raise complain(
                    ValueError,
                    f"vmap: in_axes {axis} is out of range for an argument of shape {x.shape}",
                    expected=f"in [{-rank}, {rank})" if rank else "None: it has no dimensions",
                )
            axis %= len(x.shape)
            sizes.setdefault(x.shape[axis], x.shape)
        pairs.append((x, axis))
    if not sizes and count is None:
        raise complain(
            ValueError, "vmap: in_axes maps no argument", expected="an axis for at least one tensor"
        )
    if len(sizes) > 1:
        shapes = ", ".join(map(str, sizes.values()))
        raise complain(
            ValueError,
            f"vmap: the mapped arguments have different lengths: shapes {shapes}",
            expected="the same number of examples in each",
        )
    (n,) = sizes or (count,)
    if n == 0:
        raise complain(
            ValueError, "vmap: there are no examples", expected="a mapped dimension of 1 or more"
        )
    return pairs, n


def _rows(x, axis: int, n: int) -> list:
    """The examples of ``x``, each a tensor of its own: a function that changes one changes no
    other, and not ``x``, as where all are computed at once.
    """
    parts = P.split(moved(x, axis, 0), (1,) * n, 0)
    rows = [_row(p, 0) for p in parts]
    eager_views.part(rows)
    return rows


def _stack(xs):
    return P.concat(tuple([P.reshape(x, (1, *x.shape)) for x in xs]), 0)


def _row(x, i: int):
    """Row ``i`` of ``x``."""
    rank = len(x.shape)
    part = P.strided_slice(x, (i,) + (0,) * (rank - 1), (i + 1, *x.shape[1:]), (1,) * rank)
    return P.reshape(part, x.shape[1:])


def _placed(result, axes: list):
    """The stacked results with the new dimension where ``out_axes`` has it."""
    placed = []
    for x, axis in zip(leaves_of(result), axes):
        rank = len(x.shape)
        if axis is not None and not -rank <= axis < rank:
            raise complain(
                ValueError,
                f"vmap: out_axes {axis} is out of range for a result of rank {rank}",
                expected=f"in [{-rank}, {rank})",
            )
        placed.append(x if axis is None else moved(x, 0, axis % rank))
    return with_leaves(result, placed)


def vmap(fn, in_axes=0, out_axes=0) -> Vmap:
    """The function that applies ``fn`` to each example of a batch.

    The function is read once and computes all examples at once: each op by its batching rule, an op
    without one row by row. Where examples take different ways through an `if`, both branches are
    computed, each on the examples that take it; a `while` runs until the last example is done, and
    those that are done keep what they have. So results and gradients are those of a loop over the
    examples, but that a matrix product or a grouped convolution may round its sums otherwise.
    Recursion that depends on an example, and functions that print, raise or write parameters, run
    example by example, in order. Random ops draw anew for each example.

    Args:
        fn (Callable): a function or Cell of one example; or a list of cells (`nn.CellList`), one
            per example. Cells of the same structure are computed at once, with stacked weights.
        in_axes (int | tuple | None): the dimension of each argument that counts examples; None for
            an argument that all share, as numbers must be. A tuple has one entry per argument,
            itself a tuple where the argument is one. With a list of cells it may be None for all:
            they share the arguments.
        out_axes (int | tuple | None): where that dimension is in the results; None for a result
            that is the same for all examples.
    Returns:
        Callable: takes the arguments of ``fn`` with an additional dimension.
    Raises:
        ValueError: an axis is out of range, the arguments have different numbers of examples, or a
            result whose axis is None depends on the example.
        TypeError: an axis is no int, or examples give results of different types.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> rows = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.vmap(lambda x, k: x.sum() * k, in_axes=(0, None))(rows, ms.Tensor(10.0)))
        [30. 70.]
    """
    for one in fn if _is_list(fn) else (fn,):
        _check(one, "vmap")
    return Vmap(fn, in_axes, out_axes)


EMITTERS[vmap] = lambda ip, *args, **kwargs: vmap(*args, **kwargs)

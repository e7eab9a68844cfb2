"""`vmap`: a function of one example as a function of a batch."""
from __future__ import annotations

from .base import dtype as dt
from .base.errors import complain
from .derivatives import Transformed
from .frontend.library import EMITTERS
from .ir.abstract import AbstractScalar
from .mapped import leaves_of, mapped, with_leaves
from .ops.define import P
from .pullback import compiling
from .tensor import Parameter
from .transforms import _check


class Vmap(Transformed):
    """``fn`` over a batch; ``settings`` are (in_axes, out_axes)."""

    def __init__(self, fn, in_axes, out_axes):
        self.cells = list(fn) if _is_list(fn) else None
        super().__init__(fn, _frozen(in_axes), _frozen(out_axes))

    def compute(self, *args):
        ip, (in_axes, out_axes) = compiling(), self.settings
        args = tuple([ip.read(a) if ip and isinstance(a, Parameter) else a for a in args])
        if isinstance(in_axes, tuple) and len(in_axes) != len(args):
            raise complain(ValueError, f"vmap: in_axes has {len(in_axes)} elements for {len(args)} arguments")
        axes = _spread(in_axes, args, "in_axes")
        batch, n = _batch(args, axes)
        cells = self.cells
        if cells is not None and len(cells) != n:
            raise complain(ValueError, f"vmap: {len(cells)} cells for {n} examples")

        def body(i):
            example = with_leaves(args, [x if row is None else row(i) for x, row in batch])
            return _call(self.fn if cells is None else cells[i], example)
        few = ip is None or cells is not None or n <= ip.options.unroll
        batch = [(x, None if axis is None else _rows(x, axis, n, few)) for x, axis in batch]
        result = mapped(n, body, unrolled=cells is not None)
        return _placed(result, _spread(out_axes, result, "out_axes"))


def _call(fn, args: tuple):
    ip = compiling()
    return fn(*args) if ip is None else ip.call(fn, list(args), {})


def _is_list(fn) -> bool:
    """Whether ``fn`` is a list of cells (`nn.CellList`): a sequence without a computation of its own."""
    return isinstance(fn, (list, tuple)) or hasattr(fn, "construct") and hasattr(fn, "extend")


def _frozen(axes):
    return tuple(map(_frozen, axes)) if isinstance(axes, (tuple, list)) else axes


def _spread(axes, value, what: str) -> list:
    """One axis or None per leaf of ``value``; an int or None holds for all below it."""
    if isinstance(axes, tuple):
        items = value if isinstance(value, (tuple, list)) else (value,)
        if len(items) != len(axes):
            raise complain(ValueError, f"vmap: {what} {axes} does not fit {len(items)} values",
                           expected="an int or None, or one per value")
        return [a for axis, v in zip(axes, items) for a in _spread(axis, v, what)]
    if axes is not None and type(axes) is not int:
        raise complain(TypeError, f"vmap: {what} holds {axes!r}", expected="ints and None")
    return [axes] * len(leaves_of(value))


def _batch(args: tuple, axes: list) -> tuple:
    """The (leaf, axis) pairs, axes from 0 up, and the number of examples."""
    leaves, sizes = leaves_of(args), {}
    pairs = []
    for x, axis in zip(leaves, axes):
        if axis is not None:
            if isinstance(x.abstract, AbstractScalar) or not -len(x.shape) <= axis < len(x.shape):
                raise complain(
                    ValueError, f"vmap: in_axes {axis} is out of range for an argument of shape {x.shape}"
                )
            axis %= len(x.shape)
            sizes.setdefault(x.shape[axis], x.shape)
        pairs.append((x, axis))
    if len(sizes) != 1:
        shapes = ", ".join(map(str, sizes.values()))
        fault = f"the mapped arguments have different lengths: shapes {shapes}"
        raise complain(ValueError, f"vmap: {fault if sizes else 'in_axes maps no argument'}")
    (n,) = sizes
    if n == 0:
        raise complain(ValueError, "vmap: there are no examples", expected="a mapped dimension of 1 or more")
    return pairs, n


def _rows(x, axis: int, n: int, few: bool):
    """i ↦ example i of ``x``."""
    x = _moved(x, axis, 0)
    if few:
        parts = P.split(x, (1,) * n, 0)
        return lambda i: P.reshape(parts[i], x.shape[1:])
    return lambda i: P.gather(x, P.scalar_to_tensor(i, dt.int64), 0)


def _moved(x, source: int, target: int):
    """``x`` with dimension ``source`` at ``target``."""
    if source == target:
        return x
    order = [d for d in range(len(x.shape)) if d != source]
    order.insert(target, source)
    return P.transpose(x, tuple(order))


def _placed(result, axes: list):
    """The stacked results with the new dimension where ``out_axes`` has it."""
    placed = []
    for x, axis in zip(leaves_of(result), axes):
        rank = len(x.shape)
        if axis is None:
            x = P.reshape(P.strided_slice(x, (0,) * rank, (1, *x.shape[1:]), (1,) * rank), x.shape[1:])
        elif not -rank <= axis < rank:
            raise complain(ValueError, f"vmap: out_axes {axis} is out of range for a result of rank {rank}")
        else:
            x = _moved(x, 0, axis % rank)
        placed.append(x)
    return with_leaves(result, placed)


def vmap(fn, in_axes=0, out_axes=0) -> Vmap:
    """The function that applies ``fn`` to each example of a batch.

    Each example is computed by itself and the results are stacked: at once by a Python loop, in a compiled
    program by a loop of the program (up to 8 examples: unrolled). So it is right for every ``fn``, whatever
    its control flow, but an op runs once per example, not once per batch. Random ops draw anew for each
    example.

    Args:
        fn (Callable): a function or Cell of one example; or a list of cells (`nn.CellList`), one per
            example.
        in_axes (int | tuple | None): the dimension of each argument that counts examples; None for an
            argument that all share. A tuple has one entry per argument, itself a tuple where the argument
            is one.
        out_axes (int | tuple | None): where that dimension is in the results; None for a result that is the
            same for all examples.
    Returns:
        Callable: takes the arguments of ``fn`` with an additional dimension.
    Raises:
        ValueError: an axis is out of range, or the arguments have different numbers of examples.
        TypeError: an axis is no int, or examples give results of different types.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> rows = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.vmap(lambda x, k: x.sum() * k, in_axes=(0, None))(rows, ms.Tensor(10.0)))
        [30. 70.]
    """
    if not _is_list(fn):
        _check(fn, "vmap")
    return Vmap(fn, in_axes, out_axes)


EMITTERS[vmap] = lambda ip, *args, **kwargs: vmap(*args, **kwargs)

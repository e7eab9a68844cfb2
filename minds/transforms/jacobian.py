"""Jacobians and Hessians: the products with each unit vector, stacked."""

from __future__ import annotations

import functools

from .. import transforms
from ..base.errors import NoSuchPosition, complain
from ..frontend.describe import describe
from ..frontend.registry import EMITTERS
from ..ir import walk
from ..ir.abstract import AbstractTensor
from ..ops.define import P
from ..tensor import Parameter
from .grad import _check, _positions
from .jvp import Pushforward
from .leaves import compiling, leaf_tensors, leaves_of, with_leaves, with_number_nodes
from .mapped import Example, stacked
from .transformed import Transformed, run_at, split_aux


class Jacobian(Transformed):
    """The Jacobian of ``fn``; ``settings`` are (positions, whether a single one stands alone,
    has_aux).
    """

    def compute(self, *args):
        if compiling() is None:
            try:
                return transforms.traced.traced(self, args)
            except transforms.traced.Untraceable:
                pass
        return self.arranged(args)

    def arranged(self, args):
        """The Jacobian in the form that was asked for."""
        positions, single, has_aux = self.settings
        ip = compiling()
        args = [ip.read(a) if ip and isinstance(a, Parameter) else a for a in args]
        args = [with_number_nodes(a) if ip else a for a in args]
        for i in positions:
            if not -len(args) <= i < len(args):
                raise complain(
                    NoSuchPosition,
                    f"jacobian: grad_position {i} is out of range for {len(args)} arguments",
                )
        positions = [i % len(args) for i in positions]
        if ip is None:
            for i in positions:
                leaf_tensors(args[i], i)
        by_output, counted, aux = self.blocks(args, positions, has_aux)
        several = isinstance(counted, (tuple, list))
        rows = []
        for row in by_output:
            parts = iter(row)
            trees = [
                with_leaves(args[i], [next(parts) for _ in leaves_of(args[i])]) for i in positions
            ]
            rows.append(trees[0] if single else tuple(trees))
        if not rows:
            name = type(self).__name__.lower()
            what = f"{name}: the result of the function is {describe(counted)}"
            raise complain(TypeError, what, expected="a tensor, or a structure of tensors")
        found = tuple(rows) if several else rows[0]
        return (found, *aux) if has_aux else found


def _units(x):
    """The unit tensors of the shape of ``x``, along a new dimension 0."""
    return P.reshape(P.eye(x.size, None, x.dtype), (x.size, *x.shape))


_FEW = 8  # so many unit vectors go through loops one by one


def _each(fn, row, units, made, graph):
    """``row`` of each of the ``units``, stacked. ``row`` takes the function that is differentiated at
    the point, which ``made`` is and ``fn`` makes anew, and one unit. In compiled code, where ``graph``
    is what is differentiated, all at once; but a loop would then have to ask each of them whether it
    goes on, although the point decides that: a few go through it one by one, and share the point.
    """
    ip, n = compiling(), units.shape[0]
    if ip is None or n == 1 or n <= _FEW and walk.recursive(graph):
        return stacked([row(made, P.gather(units, i, 0)) for i in range(n)])
    example = Example(
        ip, lambda given: row(fn(), given[0]), [AbstractTensor(units.shape[1:], units.dtype)]
    )
    return example.batched([units], n)


class Jacrev(Jacobian):
    """Row by row, by the pullback."""

    def blocks(self, args, positions, has_aux: bool):
        """(per output leaf the blocks of all input leaves, what counts of the value, () or (the
        rest,)).
        """
        at = run_at(self.fn, args, positions)
        counted, aux = split_aux(at.value, has_aux, "jacrev")
        outs = leaves_of(counted)

        def row(k: int, run, unit):
            douts = [unit if j == k else P.full(o.shape, 0, o.dtype) for j, o in enumerate(outs)]
            value = split_aux(run.value, has_aux, "jacrev")[0]
            return tuple(leaves_of(tuple(run.pull(value, tuple(douts))[0])))

        table = []
        for k, o in enumerate(outs):
            rows = _each(
                lambda: run_at(self.fn, args, positions),
                functools.partial(row, k),
                _units(o),
                at,
                at.graph,
            )
            table.append([P.reshape(b, (*o.shape, *b.shape[1:])) for b in rows])
        return table, counted, aux


class Jacfwd(Jacobian):
    """Column by column, by the pushforward."""

    def blocks(self, args, positions, has_aux: bool):
        """As of `Jacrev`."""

        def at_point():
            return Pushforward(self.fn, args, positions, has_aux, "jacfwd")

        push = at_point()
        inputs = [x for i in positions for x in leaves_of(args[i])]
        outs = leaves_of(push.value)

        def column(k: int, there, unit):
            v = [unit if j == k else P.full(x.shape, 0, x.dtype) for j, x in enumerate(inputs)]
            return tuple(leaves_of(there(tuple(v))))

        table = [[] for _ in outs]
        for k, x in enumerate(inputs):
            for row, o, b in zip(
                table,
                outs,
                _each(at_point, functools.partial(column, k), _units(x), push, push.graph),
            ):
                axes = (*range(1, len(o.shape) + 1), 0)
                row.append(P.reshape(P.transpose(b, axes), (*o.shape, *x.shape)))
        return table, push.value, push.aux


def jacrev(fn, grad_position=0, has_aux: bool = False):
    """The function that computes the Jacobian of ``fn`` by reverse mode: one pullback per output
    element.

    Args:
        fn (Callable): a function or Cell.
        grad_position (int | tuple[int]): the arguments to differentiate by.
        has_aux (bool): only the first output counts; the result is ``(Jacobian, other outputs)``.
    Returns:
        Callable: takes the arguments of ``fn``. A block has shape ``output.shape + input.shape``;
            several outputs give a tuple of blocks, several positions a tuple for each output.
    Raises:
        TypeError: ``fn`` cannot be called, or ``grad_position`` is no int or tuple.

    Examples:
        >>> import minds as ms
        >>> print(ms.jacrev(lambda x: x * x.sum())(ms.Tensor([1.0, 2.0])))
        [[4. 1.]
         [2. 5.]]
    """
    return _made(Jacrev, fn, grad_position, has_aux, "jacrev")


def jacfwd(fn, grad_position=0, has_aux: bool = False):
    """The function that computes the Jacobian of ``fn`` by forward mode: one pushforward per input
    element.

    Args:
        fn (Callable): a function or Cell.
        grad_position (int | tuple[int]): the arguments to differentiate by. Default: 0.
        has_aux (bool): only the first output counts; the result is ``(Jacobian, other outputs)``.
            Default: False.
    Returns:
        Callable: takes the arguments of ``fn``. A block has shape ``output.shape + input.shape`` and
            the input's dtype; several outputs give a tuple of blocks, several positions a tuple for
            each output.
    Raises:
        TypeError: ``fn`` cannot be called, or ``grad_position`` is no int or tuple.

    Examples:
        >>> import minds as ms
        >>> print(ms.jacfwd(lambda x: x * x.sum())(ms.Tensor([1.0, 2.0])))
        [[4. 1.]
         [2. 5.]]
    """
    return _made(Jacfwd, fn, grad_position, has_aux, "jacfwd")


def hessian(fn, grad_position=0, has_aux: bool = False):
    """The function that computes the second derivatives of ``fn``: the Jacobian of the gradient,
    both by reverse mode, whose time through loops is linear in their length.

    Args:
        fn (Callable): a function or Cell with one output, or with several and ``has_aux``.
        grad_position (int | tuple[int]): the arguments to differentiate by.
        has_aux (bool): only the first output counts; the result is ``(Hessian, other outputs)``.
    Returns:
        Callable: takes the arguments of ``fn``. A block has the shape
            ``output.shape + input.shape + input.shape``; several positions give a tuple of tuples.
    Raises:
        TypeError: ``fn`` cannot be called, or ``grad_position`` is no int or tuple.

    Examples:
        >>> import minds as ms
        >>> print(ms.hessian(lambda x: (x * x * x).sum())(ms.Tensor([1.0, 2.0])))
        [[ 6.  0.]
         [ 0. 12.]]
    """
    return jacrev(jacrev(fn, grad_position, has_aux), grad_position, has_aux)


def _made(kind, fn, grad_position, has_aux: bool, name: str):
    _check(fn, name)
    positions, single = _positions(grad_position)
    if not positions:
        raise complain(
            TypeError,
            f"{name}: grad_position is {grad_position!r}",
            expected="an int or a tuple of ints",
        )
    return kind(fn, positions, single, bool(has_aux))


for _maker in (jacrev, jacfwd, hessian):
    EMITTERS[_maker] = lambda ip, *args, _maker=_maker, **kwargs: _maker(*args, **kwargs)

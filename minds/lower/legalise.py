"""Legalise: afterwards every op has a kernel on the device, is a view, or runs on the host.

An op without a kernel is replaced by its decomposition, in place: the rule runs with a builder at
the op's position, and what it emits is legalised too.
"""

from __future__ import annotations

from ..base import devices
from ..base.errors import complain
from ..ir import prim
from ..ir.abstract import AbstractScalar, AbstractTuple
from ..ir.build import Builder, building
from ..ir.node import Apply, Constant, Graph, is_apply, replace, set_args
from ..ops.decompose import decompose_all
from ..ops.define import Op, P
from ..ops.scalar import fitting
from .kernels import has_kernel, is_the_hosts, selecting
from .select import leaves


def legalise(
    root: Graph, device: str = "cpu", on_host: set | None = None, fallback: bool = False
) -> Graph:
    """Decompose what the device has no kernel for, in every graph that runs.

    Args:
        root (Graph): the program.
        device (str): its device.
        on_host (set): gets the applies that the host is to run, as the device can run neither them
            nor what they are made of: those that draw random numbers, and with ``fallback`` all.
        fallback (bool): whether the host may run what is not random.

    Raises:
        TypeError: an op has neither a kernel for its dtype nor a decomposition; all such, at the
            user's lines.
    """
    lacking = _Lacking(device, set() if on_host is None else on_host, fallback)
    for g in reachable(root):
        n, several = g.head, False
        while n is not None:
            after = n.next
            if n.fn is P.scalar_to_tensor:
                _check_fit(n)
            if lacking.is_decomposed(n):
                several = several or type(n.abstract) is AbstractTuple
                decompose_all(n, lacking.is_decomposed)
            n = after
        if several:
            _drop_unread(g)
    if lacking.found:
        raise lacking.error()
    return root


def _check_fit(n: Apply) -> None:
    """Let an int that becomes a tensor of fewer bits fail where these do not hold it."""
    x, dtype = n.args
    if type(x.abstract) is AbstractScalar and type(x) is not Constant:
        with building(Builder(n.graph, n, n.loc)):
            set_args(n, (fitting(x, dtype.value), dtype))


def _drop_unread(g: Graph) -> None:
    """Drop what computes results of decomposed ops that nothing reads."""
    for n in list(g):
        if is_apply(n, prim.tuple_getitem) and is_apply(n.args[0], prim.make_tuple):
            item = n.args[0].args[n.args[1].value]
            replace(n, item)
            if g.output is n:
                g.output = item
    for n in reversed(list(g)):
        pure = isinstance(n.fn, Op) and not n.fn.has_effect
        if (
            not n.uses
            and n is not g.output
            and (pure or n.fn in (prim.make_tuple, prim.tuple_getitem))
        ):
            g.remove(n)


def reachable(root: Graph) -> list[Graph]:
    """``root`` and the graphs that run with it, each before those it mentions first."""
    found, stack = {root: None}, [root]
    while stack:
        g = stack.pop()
        for n in g:
            for fn in (n.fn, *n.args):
                h = fn.value if type(fn) is Constant else fn
                if type(h) is Graph and h not in found:
                    found[h] = None
                    stack.append(h)
        h = g.output.value if type(g.output) is Constant else None
        if type(h) is Graph and h not in found:
            found[h] = None
            stack.append(h)
    return list(found)


def supported(n: Apply, device: str) -> bool:
    """Whether the device runs ``n`` as it is; what changes the host's state, collectives that the device
    has no library for, and numbers of Python are the host's.
    """
    op = n.fn
    if op.kernel == "view" or op.host is not None:
        return True
    first = _selecting(n)
    if first is None:
        return True
    if device != "cpu" and (_of_numbers(n) or is_the_hosts(op, device, first)):
        device = "cpu"
    return has_kernel(op.kernel, device, first)


def _selecting(n: Apply):
    return selecting(_operands(n), leaves(n.abstract))


def _operands(n: Apply) -> list:
    return [v for i in n.fn.tensor_at for v in leaves(n.args[i].abstract)]


def _of_numbers(n: Apply) -> bool:
    return all(type(a) is AbstractScalar for a in (*_operands(n), *leaves(n.abstract)))


class _Lacking:
    """The ops that a device cannot run.

    Attributes:
        found: the applies.
    """

    def __init__(self, device: str, on_host: set, fallback: bool):
        self.device, self.on_host, self.fallback, self.found = device, on_host, fallback, []

    def is_decomposed(self, n: Apply) -> bool:
        """Whether ``n`` must be replaced by what it is made of; notes it if that is impossible."""
        if not isinstance(n.fn, Op) or supported(n, self.device):
            return False
        if n.fn.decomposes(_selecting(n)):
            return True
        if (self.fallback or n.fn.draws) and supported(n, "cpu"):
            self.on_host.add(n)
        else:
            self.found.append(n)
        return False

    def error(self) -> Exception:
        """What is found as one error."""
        n, where = self.found[0], devices.target(self.device)
        lines = {f"{m.fn.name} {_selecting(m).name} {m.loc}": m for m in self.found}
        helps = self.device != "cpu" and all(supported(m, "cpu") for m in self.found)
        cure = "set_context(host_fallback=True) lets the host run them" if helps else None
        if len(lines) == 1:
            return complain(
                TypeError,
                f"{n.fn.name}: has no kernel for {_selecting(n).name} on device '{where}'",
                loc=n.loc,
                operands=operand_texts(n),
                cure="cast the operands to a supported dtype" + (f", or {cure}" if cure else ""),
            )
        return complain(
            TypeError,
            f"{n.fn.name}: no kernel on device '{where}', the first of {len(lines)} ops without one",
            loc=n.loc,
            operands=[(m.fn.name, f"{_selecting(m).name}  {m.loc or ''}") for m in lines.values()],
            cure=cure or "cast the operands to supported dtypes",
        )


def operand_texts(n: Apply) -> list[tuple[str, str]]:
    """(name, type) of each tensor operand, as error messages show them."""
    named = ((n.fn.names[i], n.args[i].abstract) for i in n.fn.tensor_at)
    return [(name, repr(a)) for name, a in named if a is not None]

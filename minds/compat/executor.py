"""The executor of PyNative mode, as libraries drive it by hand: recording is turned off and on, and a
function that ran between `new_graph` and `end_graph` is differentiated afterwards.
"""

from __future__ import annotations

import threading

from ..ad import tape
from ..base import tree
from ..base.errors import complain
from ..ops.define import P
from ..tensor import Tensor


class _FromAllWeights(tape.Tape):
    """A tape that watches each tensor with ``requires_grad`` when it is first used."""

    def record(self, op, params: list, leaves: list, out, loc=None) -> None:
        """As of `Tape`."""
        for t in leaves:
            if getattr(t, "requires_grad", False) and not self.tracks(t):
                self.watch(t)
        super().record(op, params, leaves, out, loc)


def _tensors(v) -> list[Tensor]:
    return [t for t in tree.leaves(v) if isinstance(t, Tensor)]


class _Runs(threading.local):
    """What this thread recorded.

    Attributes:
        open: the tapes that were begun, innermost last.
        last: the tape that was ended last and the value it saw, or None.
        found: the gradients that were found last.
    """

    def __init__(self):
        self.open: list = []
        self.last = self.found = None


class _PyNativeExecutor:
    """Eager ops have run when their call returns, so there is nothing to wait for."""

    def __init__(self):
        self._runs = _Runs()

    def sync(self) -> None:
        """Return at once."""

    def set_async_for_graph(self, flag: bool) -> None:
        """Accepted: nothing runs later."""

    def set_is_run_recompute(self, status: bool) -> None:
        """Accepted: `recompute` knows it itself."""

    def enable_grad(self) -> bool:
        """Whether gradients may be taken: outside of ``_no_grad``."""
        return tape.may_record()

    def set_enable_grad(self, flag: bool) -> None:
        """Record from here on what gradients need, or nothing.

        Args:
            flag (bool): which.
        """
        tape.let_record(bool(flag))

    set_grad_flag = set_enable_grad

    def grad_flag(self) -> bool:
        """Whether a gradient is being taken."""
        return bool(tape.active())

    requires_grad = grad_flag

    def new_graph(self, obj, *args, **kwargs) -> None:
        """Record what follows, of the tensors among the arguments and of all parameters.

        Args:
            obj (Callable): what will be called.
            args, kwargs (Any): with what.
        """
        begun = _FromAllWeights()
        for t in _tensors((args, kwargs)):
            if not t.dtype.is_bool:
                begun.watch(t)
        begun.__enter__()
        self._runs.open.append(begun)

    def end_graph(self, obj, output, *args, **kwargs) -> None:
        """Record no further.

        Args:
            obj (Callable): what was called.
            output (Any): what it gave.
            args, kwargs (Any): with what.

        Raises:
            RuntimeError: nothing was begun.
        """
        if not self._runs.open:
            what = "end_graph: no graph was begun"
            raise complain(RuntimeError, what, cure="call new_graph before")
        ended = self._runs.open.pop()
        ended.__exit__(None, None, None)
        self._runs.last = ended, output

    def grad(self, obj, grad, weights, grad_position, *args):
        """The gradients of what ran last between `new_graph` and `end_graph`; if nothing did, ``obj`` runs
        now.

        Args:
            obj (Callable): what was called.
            grad (GradOperation): says what is asked for.
            weights (tuple[Tensor]): the parameters to differentiate by.
            grad_position (tuple[int]): the arguments to differentiate by, or None.
            args (Any): ``has_aux`` first, where it is given, then the arguments.

        Returns:
            tuple: as ``grad`` says.
        """
        has_aux, given = False, args
        if args and type(args[0]) is bool:
            has_aux, *given = args
        if self._runs.last is None:
            return grad(obj, weights)(*given)
        (ran, value), self._runs.last = self._runs.last, None
        sens = given[-1:] if grad.sens_param else None
        inputs = self._positions(grad, grad_position, [*given][: -1 if sens else None])
        by = [weights] if isinstance(weights, Tensor) else list(weights or ())
        wanted = [*inputs, *by]
        outs = _tensors(value[0] if has_aux else value)
        douts = _tensors(sens) if sens else [P.full(o.shape, 1, o.dtype) for o in outs]
        found = ran.gradients(outs, douts, wanted, last=True)
        found = [P.full(t.shape, 0, t.dtype) if g is None else g for t, g in zip(wanted, found)]
        first, second = tuple(found[: len(inputs)]), tuple(found[len(inputs) :])
        if not grad.get_all and grad_position is None:
            first = first[0] if first else ()
        self._runs.found = second if not inputs else (first, second) if by else first
        return self._runs.found

    @staticmethod
    def _positions(grad, positions, args: list) -> list[Tensor]:
        """The arguments to differentiate by."""
        if positions is not None:
            return [args[i] for i in ((positions,) if type(positions) is int else positions)]
        tensors = _tensors(args)
        if grad.get_all:
            return tensors
        return [] if grad.get_by_list else tensors[:1]

    def __call__(self):
        """The gradients that `grad` found last."""
        return self._runs.found

    def clear_res(self) -> None:
        """Forget what was recorded."""
        while self._runs.open:
            self._runs.open.pop().__exit__(None, None, None)
        self._runs.last = self._runs.found = None


_pynative_executor = _PyNativeExecutor()

__all__: list[str] = []

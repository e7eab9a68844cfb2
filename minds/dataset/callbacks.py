"""`DSCallback`: what runs between the rows of a `map`."""

from __future__ import annotations

from ..base.errors import complain
from .arguments import INT32, check_interval, check_type
from .nodes import PassingNode
from .pipeline import DatasetError


class DSRunContext:
    """What a callback is told.

    Args:
        cur_epoch_num (int): the epoch, from 1.
        cur_step_num_in_epoch (int): the row of the epoch, from 1; 0 before the first.
        cur_step_num (int): the row, from 1; 0 before the first.

    Examples:
        >>> from minds.dataset.callbacks import DSRunContext
        >>> DSRunContext(1, 2, 2).cur_step_num
        2
    """

    def __init__(self, cur_epoch_num: int, cur_step_num_in_epoch: int, cur_step_num: int):
        self.cur_epoch_num = cur_epoch_num
        self.cur_step_num_in_epoch = cur_step_num_in_epoch
        self.cur_step_num = cur_step_num


class DSCallback:
    """Base of callbacks of `Dataset.map`: define ``ds_begin``, ``ds_epoch_begin``, ``ds_epoch_end``,
    ``ds_step_begin`` or ``ds_step_end``, each of which gets a `DSRunContext`. They run in the thread
    that makes rows, which is ahead of the consumer.

    Attributes:
        waits (bool): whether its functions wait for the consumer, so that no thread may read ahead.

    Args:
        step_size (int): between how many rows ``ds_step_begin`` and ``ds_step_end`` are called. Default: 1.

    Raises:
        TypeError: ``step_size`` is no int.
        ValueError: it is not positive.

    Examples:
        >>> import minds.dataset as ds
        >>> seen = []
        >>> class Show(ds.DSCallback):
        ...     def ds_step_begin(self, context):
        ...         seen.append(context.cur_step_num)
        >>> d = ds.NumpySlicesDataset([5, 6, 7], shuffle=False)
        >>> for _ in d.map(lambda x: x, callbacks=[Show()]):
        ...     pass
        >>> seen
        [1, 2, 3]
    """

    waits = False

    def __init__(self, step_size: int = 1):
        check_type("step_size", step_size, (int,))
        check_interval("step_size", step_size, 1, INT32)
        self.step_size = step_size

    def ds_begin(self, ds_run_context: DSRunContext) -> None:
        """Called before the first row is taken; does nothing unless a subclass defines it.

        Args:
            ds_run_context (DSRunContext): where the pipeline is.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.DSCallback().ds_begin(None)
        """

    def ds_epoch_begin(self, ds_run_context: DSRunContext) -> None:
        """Called before the first row of an epoch; does nothing unless a subclass defines it.

        Args:
            ds_run_context (DSRunContext): where the pipeline is.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.DSCallback().ds_epoch_begin(None)
        """

    def ds_epoch_end(self, ds_run_context: DSRunContext) -> None:
        """Called after the last row of an epoch; does nothing unless a subclass defines it.

        Args:
            ds_run_context (DSRunContext): where the pipeline is.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.DSCallback().ds_epoch_end(None)
        """

    def ds_step_begin(self, ds_run_context: DSRunContext) -> None:
        """Called before a row is handed on; does nothing unless a subclass defines it.

        Args:
            ds_run_context (DSRunContext): where the pipeline is.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.DSCallback().ds_step_begin(None)
        """

    def ds_step_end(self, ds_run_context: DSRunContext) -> None:
        """Called after a row was handed on; does nothing unless a subclass defines it.

        Args:
            ds_run_context (DSRunContext): where the pipeline is.

        Examples:
            >>> import minds.dataset as ds
            >>> ds.DSCallback().ds_step_end(None)
        """


_HOOKS = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")


def _defines(callback: DSCallback, hook: str) -> bool:
    return getattr(type(callback), hook) is not getattr(DSCallback, hook)


def checked(callbacks) -> list:
    """``callbacks``, one or a list of them.

    Raises:
        TypeError: one is no `DSCallback`.
        AttributeError: one has none of the functions that are called.
    """
    if not isinstance(callbacks, (list, tuple)):
        check_type("callbacks", callbacks, (DSCallback,))
        callbacks = [callbacks]
    for i, c in enumerate(callbacks):
        check_type(f"callbacks[{i}]", c, (DSCallback,))
    for c in callbacks:
        if not any(_defines(c, hook) for hook in _HOOKS):
            raise complain(
                AttributeError,
                "Inheriting Callback class without overriding any methods: "
                f"{type(c).__name__} defines none of {', '.join(_HOOKS)}",
            )
    return list(callbacks)


class CallbackNode(PassingNode):
    """The rows of its child; tells callbacks when one is taken and when the next is asked for."""

    def __init__(self, child, callbacks: list):
        super().__init__(child)
        self._callbacks = callbacks
        self.waits = any(c.waits for c in callbacks)

    def _tell(self, name: str, context: DSRunContext, step: int | None = None) -> None:
        for c in self._callbacks:
            if _defines(c, name) and (step is None or (step - 1) % c.step_size == 0):
                try:
                    getattr(c, name)(context)
                except Exception as e:
                    kind = "RuntimeError" if isinstance(e, DatasetError) else type(e).__name__
                    said = f"{type(c).__name__}.{name} raised {kind}: {e}"
                    raise DatasetError(said) from e

    def rows(self, run):
        return self.rows_after(run, 0)

    def rows_after(self, run, skip):
        if run.is_stopped is None:  # nobody wants the rows, but what they are like
            return self.children[0].rows_after(run, skip)
        return self._told(run, skip)

    def _told(self, run, skip):
        number, part = run.of_iterator()
        size = self.size() if run.epoch else 0
        epoch, done, before = number + 1, part * size, number * run.parts * size
        if not run.epoch and not skip:
            self._tell("ds_begin", DSRunContext(0, 0, 0))
        if part == 0:
            self._tell("ds_epoch_begin", DSRunContext(epoch, skip, before + skip))
        step = done + skip
        for step, row in enumerate(self.children[0].rows_after(run, skip), done + skip + 1):
            context = DSRunContext(epoch, step, before + step)
            self._tell("ds_step_begin", context, step)
            yield row
            self._tell("ds_step_end", context, step)
        if part + 1 == run.parts:
            self._tell("ds_epoch_end", DSRunContext(epoch, step, before + step))

    def origin(self, run, index):
        return self.children[0].origin(run, index)

    def size(self):
        return self.children[0].size()

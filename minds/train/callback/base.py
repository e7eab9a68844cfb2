"""`Callback`: hooks that `Model` calls, and what they are told."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from ...base.errors import complain
from ...tensor import Tensor


class CallbackParams(dict):
    """What a hook is told, as attributes of a dict.

    In training: ``train_network``, ``network``, ``loss_fn``, ``optimizer``, ``epoch_num``,
    ``batch_num``, ``mode``, ``train_dataset``, ``list_callback``, ``dataset_sink_mode``,
    ``cur_epoch_num``, ``cur_step_num`` (both from 1), ``train_dataset_element``,
    ``net_outputs``. In evaluation: ``eval_network``, ``valid_dataset``, ``metrics``,
    ``eval_results``.

    Examples:
        >>> from minds import train
        >>> train.callback.CallbackParams(cur_step_num=3).cur_step_num
        3
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the callback's parameters have no {name!r} here") from None

    def __setattr__(self, name, value):
        self[name] = value


class RunContext:
    """Passed to every hook: what it is told, and whether the training shall end.

    Args:
        original_args (CallbackParams): what the hooks are told.

    Raises:
        TypeError: ``original_args`` is no dict.

    Examples:
        >>> from minds import train
        >>> run = train.callback.RunContext(train.callback.CallbackParams(mode="train"))
        >>> run.original_args().mode
        'train'
    """

    def __init__(self, original_args):
        if not isinstance(original_args, dict):
            raise complain(
                TypeError,
                f"RunContext: original_args has type {type(original_args).__name__}",
                expected="CallbackParams",
            )
        self._args, self._stop = original_args, False

    def original_args(self) -> CallbackParams:
        """What this hook is told.

        Returns:
            CallbackParams: names and values.

        Examples:
            >>> from minds import train
            >>> params = train.callback.CallbackParams(cur_step_num=3)
            >>> train.callback.RunContext(params).original_args().cur_step_num
            3
        """
        return self._args

    def request_stop(self) -> None:
        """End the training after this step.

        Examples:
            >>> from minds import train
            >>> run = train.callback.RunContext(train.callback.CallbackParams())
            >>> run.request_stop()
            >>> run.get_stop_requested()
            True
        """
        self._stop = True

    def get_stop_requested(self) -> bool:
        """Whether a hook asked to stop.

        Returns:
            bool: whether.

        Examples:
            >>> from minds import train
            >>> train.callback.RunContext(train.callback.CallbackParams()).get_stop_requested()
            False
        """
        return self._stop


class Callback:
    """Base of all callbacks: override hooks. A callback is also a context manager around the run.

    The hooks ``begin``, ``end``, ``epoch_begin``, ``epoch_end``, ``step_begin`` and ``step_end``
    are called in training and in evaluation alike, unless the hook of that kind with ``on_train_``
    or ``on_eval_`` is overridden.

    Examples:
        >>> from minds.train import Callback
        >>> class Stop(Callback):
        ...     def on_train_step_end(self, run_context):
        ...         if run_context.original_args().cur_step_num >= 100:
        ...             run_context.request_stop()
    """

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def begin(self, run_context):
        """Before the run.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """

    def epoch_begin(self, run_context):
        """Before each epoch.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def epoch_begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """

    def epoch_end(self, run_context):
        """After each epoch.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def epoch_end(self, run_context):
            ...         print(run_context.original_args().mode)
        """

    def step_begin(self, run_context):
        """Before each step.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def step_begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """

    def step_end(self, run_context):
        """After each step.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def step_end(self, run_context):
            ...         print(run_context.original_args().mode)
        """

    def end(self, run_context):
        """After the run.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def end(self, run_context):
            ...         print(run_context.original_args().mode)
        """

    def on_train_begin(self, run_context):
        """Before the training.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_train_begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context):
        """Before each training epoch.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_train_epoch_begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context):
        """After each training epoch, and after the evaluation that `Model.fit` does there.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_train_epoch_end(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context):
        """Before each training step.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_train_step_begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.step_begin(run_context)

    def on_train_step_end(self, run_context):
        """After each training step.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_train_step_end(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.step_end(run_context)

    def on_train_end(self, run_context):
        """After the training.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_train_end(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.end(run_context)

    def on_eval_begin(self, run_context):
        """Before an evaluation.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_eval_begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context):
        """Before the evaluation's epoch.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_eval_epoch_begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context):
        """After the evaluation's epoch.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_eval_epoch_end(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context):
        """Before each evaluation step.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_eval_step_begin(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context):
        """After each evaluation step.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_eval_step_end(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.step_end(run_context)

    def on_eval_end(self, run_context):
        """After an evaluation.

        Args:
            run_context (RunContext): what the hook is told.

        Examples:
            >>> from minds import train
            >>> class Tell(train.Callback):
            ...     def on_eval_end(self, run_context):
            ...         print(run_context.original_args().mode)
        """
        self.end(run_context)

    def state(self):
        """What the callback remembers from step to step; a training state keeps it.

        Returns:
            Any: numbers, texts, tensors, and lists, tuples and dicts of such. None: nothing.

        Examples:
            >>> from minds import train
            >>> train.Callback().state() is None
            True
        """
        return

    def restore(self, state) -> None:
        """Go on from what `state` gave; called after ``on_train_begin``.

        Args:
            state (Any): what `state` gave.

        Examples:
            >>> from minds import train
            >>> class Count(train.Callback):
            ...     steps = 0
            ...     def on_train_step_end(self, run_context):
            ...         self.steps += 1
            ...     def state(self):
            ...         return self.steps
            ...     def restore(self, state):
            ...         self.steps = state
            >>> count = Count()
            >>> count.restore(3)
            >>> count.steps
            3
        """


class CallbackList:
    """Several callbacks as one; enters and leaves them as context managers."""

    def __init__(self, callbacks):
        found = [] if callbacks is None else callbacks
        self.callbacks = list(found) if isinstance(found, (list, tuple)) else [found]
        for c in self.callbacks:
            if not isinstance(c, Callback):
                raise complain(
                    TypeError,
                    f"callbacks: an element has type {type(c).__name__}",
                    expected="Callbacks",
                )
        self._stack = ExitStack()

    def __enter__(self):
        for c in self.callbacks:
            self._stack.enter_context(c)
        return self

    def __exit__(self, *error):
        return self._stack.__exit__(*error)

    def call(self, hook: str, run_context: RunContext) -> None:
        """Call ``hook`` of each callback, in order."""
        for c in self.callbacks:
            getattr(c, hook)(run_context)

    def want_steps(self) -> bool:
        """Whether one has something to do in each step of a training."""
        return any(
            getattr(type(c), hook) is not getattr(Callback, hook)
            for c in self.callbacks
            for hook in ("on_train_step_begin", "on_train_step_end", "step_begin", "step_end")
        )


def states_of(callbacks) -> list:
    """What callbacks remember, each with the name of its class."""
    found = [(type(c).__name__, c.state()) for c in callbacks]
    return [(name, state) for name, state in found if state is not None]


def restore_states(callbacks, states) -> None:
    """Give ``states``, of `states_of`, to the callbacks of the same classes, in order."""
    left = list(states)
    for c in callbacks:
        name = type(c).__name__
        here = next((i for i, (n, _) in enumerate(left) if n == name), None)
        if here is not None:
            c.restore(left.pop(here)[1])


def loss_of(net_outputs):
    """The loss in a step's outputs, as a float: the first output, its mean; None if it is no
    number.
    """
    found = net_outputs
    while isinstance(found, (tuple, list)) and found:
        found = found[0]
    if isinstance(found, Tensor):
        found = found.asnumpy()
    if isinstance(found, (int, float, np.ndarray, np.generic)):
        return float(np.mean(found))
    return None


def as_float(value):
    """A metric's result as a float, or None if it is no single number."""
    a = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
    return float(a.reshape(())) if a.size == 1 and a.dtype.kind in "biuf" else None

"""`Metric`: something that is updated per batch and gives a value at the end."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from functools import wraps

import numpy as np

from ..base.errors import complain
from ..tensor import Tensor


def as_array(x, what: str = "an input") -> np.ndarray:
    """A Tensor, array, list or number as a NumPy array.

    Raises:
        TypeError: ``x`` is none of these.
    """
    if isinstance(x, Tensor):
        return x.asnumpy()
    if isinstance(x, (np.ndarray, np.generic, list, tuple, int, float)):
        return np.asarray(x)
    raise complain(
        TypeError, f"{what} has type {type(x).__name__}", expected="a Tensor, an array or a list"
    )


def typed(metric: str, name: str, value, kind: type) -> None:
    """Raises where an argument of a metric's constructor is not of ``kind`` itself.

    Raises:
        TypeError: it is not.
    """
    if type(value) is not kind:
        said = f"{metric}: {name} has type {type(value).__name__}"
        raise complain(TypeError, said, expected=f"a {kind.__name__}")


class Metric(metaclass=ABCMeta):
    """Base of all metrics: override `clear`, `update` and `eval`.

    Examples:
        >>> from minds.train import Metric
        >>> class Count(Metric):
        ...     def clear(self):
        ...         self.n = 0
        ...     def update(self, *inputs):
        ...         self.n += len(inputs[0])
        ...     def eval(self):
        ...         return self.n
        >>> count = Count()
        >>> count.clear()
        >>> count.update([1, 2, 3])
        >>> count.eval()
        3
    """

    def __init__(self):
        self._indexes = None

    @property
    def indexes(self) -> list[int] | None:
        """Which of the network's outputs the metric gets, or None for all.

        Examples:
            >>> from minds import train
            >>> train.Loss().set_indexes([0]).indexes
            [0]
        """
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes: list[int]) -> Metric:
        """Give the metric these of the network's outputs, in this order (see `rearrange_inputs`).

        Args:
            indexes (list[int]): the places of the outputs.

        Returns:
            Metric: this metric.

        Raises:
            ValueError: ``indexes`` is no list of ints.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> metric = train.MAE().set_indexes([2, 0])
            >>> metric(ms.Tensor([1.0]), ms.Tensor([9.0]), ms.Tensor([3.0]))
            2.0
        """
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            said = "For 'set_indexes', the argument 'indexes' must be a list and all its elements must be"
            raise complain(
                ValueError,
                f"{said} int, please check whether it is correct.",
                expected=f"a list of ints, not {indexes!r}",
            )
        self._indexes = indexes
        return self

    def _convert_data(self, data) -> np.ndarray:
        return as_array(data, f"{type(self).__name__}.update: an input")

    def _inputs(self, inputs, count: int, names: str) -> list[np.ndarray]:
        """``count`` inputs as arrays.

        Raises:
            ValueError: there are more or fewer.
        """
        if len(inputs) != count:
            raise complain(
                ValueError,
                f"{type(self).__name__}.update: {len(inputs)} inputs",
                expected=f"{count} ({names})",
            )
        return [self._convert_data(x) for x in inputs]

    def _need(self, count) -> None:
        """Refuse to evaluate without samples."""
        if not count:
            raise complain(
                RuntimeError,
                f"{type(self).__name__}: there are no samples",
                cure="call update before eval",
            )

    @abstractmethod
    def clear(self) -> None:
        """Forget all samples.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> loss = train.Loss()
            >>> loss.update(ms.Tensor(1.0))
            >>> loss.clear()
            >>> loss(ms.Tensor(3.0))
            3.0
        """

    @abstractmethod
    def eval(self):
        """The value over all samples since `clear`.

        Returns:
            float, numpy.ndarray: the value; the metric's class says which.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> loss = train.Loss()
            >>> loss.update(ms.Tensor(1.0))
            >>> loss.eval()
            1.0
        """

    @abstractmethod
    def update(self, *inputs) -> None:
        """Take the outputs of one batch.

        Args:
            inputs (Tensor, numpy.ndarray, list, number ...): the outputs; the metric's class says
                which.

        Raises:
            TypeError: an input is none of these.
            ValueError: their number or shapes do not fit.

        Examples:
            >>> import minds as ms
            >>> from minds import train
            >>> loss = train.Loss()
            >>> loss.update(ms.Tensor([1.0, 3.0]))
            >>> loss.eval()
            2.0
        """

    def __call__(self, *inputs):
        """The value over one batch alone."""
        self.clear()
        self.update(*inputs)
        return self.eval()


def rearrange_inputs(func):
    """Decorates `Metric.update`: it then gets the outputs that `Metric.set_indexes` names, in that
    order.

    Args:
        func (Callable): the method ``update(self, *inputs)``.

    Returns:
        Callable: the method that chooses.

    Examples:
        >>> from minds import train
        >>> class First(train.Metric):
        ...     def clear(self):
        ...         self.value = None
        ...     @train.rearrange_inputs
        ...     def update(self, *inputs):
        ...         self.value = inputs[0]
        ...     def eval(self):
        ...         return self.value
        >>> First().set_indexes([1])(10, 20)
        20
    """

    @wraps(func)
    def wrapper(self, *inputs):
        indexes = self.indexes
        return func(self, *(inputs if indexes is None else [inputs[i] for i in indexes]))

    return wrapper


def classes_of(label: np.ndarray, what: str) -> np.ndarray:
    """The classes that one-hot labels (N, C, …) stand for.

    Raises:
        ValueError: they are not one-hot.
    """
    if not (np.isin(label, (0, 1)).all() and (label.sum(1) == 1).all()):
        raise complain(
            ValueError,
            f"{what}: the label has the prediction's shape {label.shape} and is not one-hot",
            expected="the numbers of classes, or a single 1 per sample among zeros",
        )
    return label.argmax(1)


class EvaluationBase(Metric):
    """Base of classification metrics.

    Args:
        eval_type (str): ``"classification"``: predictions (N, C, …), labels (N, …) or one-hot (N,
            C, …). ``"multilabel"``: both of one shape (N, C, …), zeros and ones.

    Raises:
        TypeError: ``eval_type`` is unknown.

    Examples:
        >>> import minds as ms
        >>> from minds import train
        >>> isinstance(train.Accuracy(), ms.metrics.EvaluationBase)
        True
    """

    def __init__(self, eval_type: str):
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            raise complain(
                TypeError,
                f"{type(self).__name__}: eval_type is {eval_type!r}",
                expected="'classification' or 'multilabel'",
            )
        self._type, self._classes = eval_type, 0
        self.clear()

    def _pair(self, inputs) -> tuple[np.ndarray, np.ndarray]:
        """Prediction and label of one batch, of shapes that fit; a one-hot label as class ids.

        Raises:
            ValueError: the number of inputs, the shapes or the number of classes do not fit.
        """
        pred, label = self._inputs(inputs, 2, "prediction and label")
        name = f"{type(self).__name__}.update"
        if self._type == "multilabel":
            if pred.shape != label.shape or pred.ndim < 2:
                raise complain(
                    ValueError,
                    f"{name}: shapes of prediction {pred.shape}, label {label.shape}",
                    expected="one shape (N, C, …)",
                )
            if not (np.isin(pred, (0, 1)).all() and np.isin(label, (0, 1)).all()):
                raise complain(ValueError, f"{name}: values differ from 0 and 1")
        else:
            if label.ndim == pred.ndim and label.shape == pred.shape and pred.ndim > 1:
                label = classes_of(label, name)
            if pred.ndim < 2 or label.shape != pred.shape[:1] + pred.shape[2:]:
                raise complain(
                    ValueError,
                    f"{name}: the prediction has shape {pred.shape}, the label {label.shape}",
                    expected="(N, C, …) and (N, …) or one-hot (N, C, …)",
                )
        if self._classes and pred.shape[1] != self._classes:
            raise complain(
                ValueError, f"{name}: {pred.shape[1]} classes after batches of {self._classes}"
            )
        self._classes = pred.shape[1]
        return pred, label

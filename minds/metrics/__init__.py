"""Metrics of `minds.train.Model`."""

from ..base.boundary import guard as _guard
from ..base.errors import complain
from .base import EvaluationBase, Metric, rearrange_inputs
from .classification import (
    F1,
    Accuracy,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from .confusion import ConfusionMatrix, ConfusionMatrixMetric
from .occlusion import OcclusionSensitivity
from .ranking import ROC, auc
from .regression import MAE, MSE, CosineSimilarity, Dice, Loss
from .surface import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from .text import BleuScore, Perplexity

_FACTORIES = {
    "F1": F1,
    "acc": Accuracy,
    "accuracy": Accuracy,
    "auc": auc,
    "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "mean_surface_distance": MeanSurfaceDistance,
    "occlusion_sensitivity": OcclusionSensitivity,
    "root_mean_square_distance": RootMeanSquareDistance,
    "loss": Loss,
    "mae": MAE,
    "mse": MSE,
    "perplexity": Perplexity,
    "precision": Precision,
    "recall": Recall,
    "roc": ROC,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "topk": TopKCategoricalAccuracy,
}


def names() -> list[str]:
    """The names that `get_metric_fn` and `Model` know.

    Returns:
        list[str]: the names, sorted.

    Examples:
        >>> from minds import train
        >>> "accuracy" in train.names()
        True
    """
    return sorted(_FACTORIES)


def get_metric_fn(name: str, *args, **kwargs):
    """The metric called ``name``, made with the other arguments.

    Args:
        name (str): such as ``"accuracy"``; `names` lists them.
        args (Any), kwargs (Any): arguments of the metric.

    Returns:
        Metric: a new metric.

    Raises:
        KeyError: there is no such metric.

    Examples:
        >>> from minds.train import get_metric_fn
        >>> type(get_metric_fn("accuracy")).__name__
        'Accuracy'
    """
    if name not in _FACTORIES:
        raise complain(
            KeyError,
            f"get_metric_fn: there is no metric {name!r}; the names are {', '.join(names())}",
        )
    return _FACTORIES[name](*args, **kwargs)


def get_metrics(metrics) -> dict:
    """The metrics by name.

    Args:
        metrics (dict, set): name → Metric; or names and Metrics, of which one is named by its class; or
            None for none.

    Returns:
        dict[str, Metric]: the metrics.

    Raises:
        TypeError: ``metrics`` is no dict of Metrics, no set of names and Metrics, and not None.

    Examples:
        >>> import minds as ms
        >>> list(ms.metrics.get_metrics({"mse", "acc"}))
        ['acc', 'mse']
    """
    if metrics is None:
        return {}
    if isinstance(metrics, dict):
        for name, m in metrics.items():
            if not isinstance(name, str) or not isinstance(m, Metric):
                raise complain(
                    TypeError,
                    f"metrics: {name!r} has type {type(m).__name__}",
                    expected="str → Metric",
                )
        return dict(metrics)
    if isinstance(metrics, set):
        named = {type(m).__name__ if isinstance(m, Metric) else m: m for m in metrics}
        # Sorted, because the order of a set differs from run to run.
        order = sorted(named, key=str)
        return {n: m if isinstance(m := named[n], Metric) else get_metric_fn(n) for n in order}
    raise complain(
        TypeError,
        f"metrics has type {type(metrics).__name__}",
        expected="None, a dict, or a set of names and Metrics",
    )


__all__ = [
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "EvaluationBase",
    "F1",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MAE",
    "MSE",
    "MeanSurfaceDistance",
    "OcclusionSensitivity",
    "Metric",
    "Perplexity",
    "Precision",
    "ROC",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "names",
    "rearrange_inputs",
]
_guard(__name__)

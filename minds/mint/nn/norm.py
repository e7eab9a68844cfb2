"""Batch normalisation under torch's names, with torch's parameters and their names."""

from __future__ import annotations

from ...base.errors import expect
from ...nn.layer.running_norm import RunningNorm

_ARGUMENTS = """Args:
    num_features (int): C.
    eps (float): added to the variance. Default 1e-5.
    momentum (float): weight of the batch in the running statistics; None for their mean over all
        batches. Default 0.1.
    affine (bool): whether there are a ``weight`` and a ``bias``. Default True.
    track_running_stats (bool): whether there are ``running_mean``, ``running_var`` and
        ``num_batches_tracked``, by which is normalised in evaluation; else the batch's own
        statistics are used there too. Default True.{more}
    dtype (dtype): of the parameters. Default None, float32.

Inputs:
    - **input** (Tensor[{shape}, float])

Outputs:
    Tensor, of the shape and dtype of ``input``.

Raises:
    TypeError: an argument has a wrong type.
    ValueError: an argument is out of range{refused}, or the rank of ``input`` is another.

Examples:
    >>> import minds as ms
    >>> ms.mint.nn.{name}(2)(ms.ops.ones({sizes})).shape
    {sizes}
"""


def _documented(cls: type, shape: str, sizes: tuple, head: str, more: str = "", refused: str = ""):
    text = _ARGUMENTS.format(
        name=cls.__name__, shape=shape, sizes=sizes, more=more, refused=refused
    )
    cls.__doc__ = f"{head}\n\n{text}"


class BatchNorm1d(RunningNorm):
    ranks = (2, 3)


class BatchNorm2d(RunningNorm):
    ranks = (4,)


class BatchNorm3d(RunningNorm):
    ranks = (5,)


class SyncBatchNorm(RunningNorm):
    ranks, together = (2, 3, 4, 5), True

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        dtype=None,
    ):
        expect(process_group is None, "process_group", "None")
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)


_HEAD = "Batch normalisation of ``{}``: `nn.{}` with torch's parameters and their names."
for _cls, _shape, _sizes in (
    (BatchNorm1d, "(N, C, L)", (3, 2, 4)),
    (BatchNorm2d, "(N, C, H, W)", (1, 2, 3, 4)),
    (BatchNorm3d, "(N, C, D, H, W)", (1, 2, 3, 4, 5)),
):
    _documented(_cls, _shape, _sizes, _HEAD.format(_shape, _cls.__name__))
_documented(
    SyncBatchNorm,
    "(N, C, ...)",
    (3, 2, 4),
    "Batch normalisation with the statistics of all processes; see `nn.SyncBatchNorm`.",
    "\n    process_group (str): must be None, all processes.",
    ", ``process_group`` is given",
)

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]

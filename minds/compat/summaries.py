"""`train.summary.summary_record`: the summaries, and the values that they last had."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from ..base.late import late
from ..ops.summary import LISTENERS
from ..tensor import Tensor
from ..train import summary

_KINDS = {"scalar": "Scalar", "image": "Image", "tensor": "Tensor", "histogram": "Histogram"}
_last: dict[str, Tensor] = {}
_DEFAULT_EXPORT_OPTIONS = {"tensor_format": {"npy", None}}


def _keep(plugin: str, tag: str, value: np.ndarray) -> None:
    _last[f"{tag}[:{_KINDS[plugin]}]"] = Tensor(value)


LISTENERS.append(_keep)


def _cache_summary_tensor_data(values: list) -> bool:
    """Give values to the records that are open, as summary ops do.

    Args:
        values (list[dict]): each has a ``name``, ``"tag[:Scalar]"`` or with another kind, and ``data``, a
            Tensor.

    Raises:
        ValueError: a name does not end with a kind.
    """
    plugins = {kind: plugin for plugin, kind in _KINDS.items()}
    for value in values:
        tag, _, kind = value["name"].removesuffix("]").rpartition("[:")
        if kind not in plugins:
            what = f"_cache_summary_tensor_data: a name is {value['name']!r}"
            raise complain(ValueError, what, expected="'tag[:Scalar]', or another kind")
        for listen in tuple(LISTENERS):
            listen(plugins[kind], tag, np.array(value["data"].asnumpy()))
    return True


def _get_summary_tensor_data() -> dict[str, Tensor]:
    """What summary ops were given since the last call, by name and kind: ``"tag[:Tensor]"``. They are
    listened to from the import of this module on.
    """
    given = dict(_last)
    _last.clear()
    return given


__getattr__, __dir__ = late(__name__, {}, (), lambda name: getattr(summary, name, None))


__all__ = summary.__all__

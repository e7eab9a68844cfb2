"""`train.summary.enums`: what a summary holds, and when it is written."""

from __future__ import annotations

from enum import Enum


class BaseEnum(Enum):
    """Members that can be listed.

    Examples:
        >>> from minds.compat.summary_enums import ModeEnum
        >>> ModeEnum.to_list()
        ['train', 'eval']
    """

    @classmethod
    def to_list(cls) -> list[str]:
        """The values of all members.

        Returns:
            list[str]: in order.

        Examples:
            >>> from minds.compat.summary_enums import PluginEnum
            >>> "scalar" in PluginEnum.to_list()
            True
        """
        return [member.value for member in cls]


class PluginEnum(BaseEnum):
    """What a summary holds.

    Examples:
        >>> from minds.compat.summary_enums import PluginEnum
        >>> PluginEnum.SCALAR.value
        'scalar'
    """

    GRAPH = "graph"
    SCALAR = "scalar"
    IMAGE = "image"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    CUSTOM_LINEAGE_DATA = "custom_lineage_data"
    DATASET_GRAPH = "dataset_graph"
    EXPLAINER = "explainer"
    LANDSCAPE = "landscape"


class ModeEnum(BaseEnum):
    """When a summary is written.

    Examples:
        >>> from minds.compat.summary_enums import ModeEnum
        >>> ModeEnum.TRAIN.value
        'train'
    """

    TRAIN = "train"
    EVAL = "eval"


__all__ = ["BaseEnum", "ModeEnum", "PluginEnum"]

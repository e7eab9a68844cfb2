"""Classes that read the status register of Ascend devices: programs for several devices make them,
and call them there alone.
"""

from __future__ import annotations

from ...base.errors import complain
from ..faces import primitive

_NAMES = "NPUAllocFloatStatus NPUClearFloatStatus NPUGetFloatStatus"
_SECOND = "NPUClearFloatStatusV2 NPUGetFloatStatusV2"


@primitive(name=f"{_NAMES} {_SECOND}")
def _status():
    """The status register of Ascend devices, which says whether something was infinite or NaN.

    Args:
        operands (Tensor): where the status is written.

    Returns:
        Tensor: the status; on an Ascend device alone.

    Raises:
        RuntimeError: it is called; minds has `amp.all_finite` on all devices.

    Examples:
        >>> status = ops.NPUGetFloatStatus()
    """

    def call(*operands):
        raise complain(
            RuntimeError,
            "it reads the status register of Ascend devices",
            cure="use amp.all_finite",
        )

    return call

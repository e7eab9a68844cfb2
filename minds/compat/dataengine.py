"""`_c_dataengine`, MindSpore's native engine of datasets: what reaches into it can be imported, and
fails where it does.
"""

from __future__ import annotations

_CURE = "write the operation as a Python function and give it to map()"


def __getattr__(name: str):
    raise AttributeError(f"_c_dataengine: there is no attribute {name!r}; {_CURE}")

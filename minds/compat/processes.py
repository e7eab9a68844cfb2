"""`mindspore.multiprocessing`: the names of Python's module, whose processes take and give tensors, by
value.
"""

import multiprocessing


def __getattr__(name: str):
    return getattr(multiprocessing, name)


def __dir__() -> list[str]:
    return dir(multiprocessing)

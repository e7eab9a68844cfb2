"""The cases of `test_captures`: each yields a function, then changes something before each further
``yield``.
"""

CASES = {}


def case(fn):
    CASES[fn.__name__] = fn
    return fn

"""`contextlib`: managers made of generators, and some that are there. The end of a generator that is
left.
"""

from __future__ import annotations

import contextlib

from ..registry import emits, polyfill
from ..yields import throw_into


@polyfill()
def close(generator):
    """Of a generator that stands at a `yield`."""
    goes_on = False
    with contextlib.suppress(GeneratorExit):
        goes_on = throw_into(generator, GeneratorExit())
    if goes_on:
        raise RuntimeError("generator ignored GeneratorExit")


class GeneratorContext:
    """What ``contextlib.contextmanager`` makes of a generator."""

    def __init__(self, again):
        self.again, self.generator = again, again()

    def __call__(self, function):
        def inside(*args, **kwargs):
            with GeneratorContext(self.again):
                return function(*args, **kwargs)

        return inside

    def __enter__(self):
        for value in self.generator:
            return value
        raise RuntimeError("generator didn't yield")

    def __exit__(self, kind, value, traceback):
        if kind is not None:
            if throw_into(self.generator, value):
                raise RuntimeError("generator didn't stop after throw()")
            return True
        for _ in self.generator:
            raise RuntimeError("generator didn't stop")
        return False


@polyfill(contextlib.contextmanager)
def contextmanager(function):
    def manager(*args, **kwargs):
        return GeneratorContext(lambda: function(*args, **kwargs))

    return manager


@emits(contextlib.contextmanager(contextmanager).__code__)
def _managed(ip, manager, *args, **kwargs):
    """A call of what ``contextlib.contextmanager`` has made outside."""
    return ip.call(ip.call_function(contextmanager, [manager.__wrapped__], {}), list(args), kwargs)


@polyfill(contextlib.suppress)
class Suppress:
    def __init__(self, *exceptions):
        self._sees = exceptions  # no others

    def __enter__(self):
        return None

    def __exit__(self, kind, value, traceback):
        return isinstance(value, self._sees)


@polyfill(contextlib.nullcontext)
class NullContext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, kind, value, traceback):
        return None


@polyfill(contextlib.closing)
class Closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, kind, value, traceback):
        self.thing.close()


@polyfill(contextlib.ExitStack)
class ExitStack:
    def __init__(self):
        self.exits = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        left = kind
        while self.exits:
            if self.exits.pop()(left, None if left is None else value, None):
                left = None
        return kind is not None and left is None

    def enter_context(self, manager):
        value = manager.__enter__()
        self.push(manager)
        return value

    def push(self, manager):
        self.exits.append(lambda *error: manager.__exit__(*error))
        return manager

    def callback(self, function, *args, **kwargs):
        def call(*error):
            function(*args, **kwargs)

        self.exits.append(call)
        return function

    def close(self):
        self.__exit__(None, None, None)

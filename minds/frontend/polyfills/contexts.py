"""`contextlib`: managers made of generators, and some that are there. An exception ends the program,
so that none of them sees one.
"""

from __future__ import annotations

import contextlib

from ..registry import emits, polyfill


class GeneratorContext:
    """What ``contextlib.contextmanager`` makes of a generator."""

    def __init__(self, generator):
        self.generator = generator

    def __enter__(self):
        for value in self.generator:
            return value
        raise RuntimeError("generator didn't yield")

    def __exit__(self, kind, value, traceback):
        for _ in self.generator:
            raise RuntimeError("generator didn't stop")


@polyfill(contextlib.contextmanager)
def contextmanager(function):
    def manager(*args, **kwargs):
        return GeneratorContext(function(*args, **kwargs))

    return manager


@emits(contextlib.contextmanager(contextmanager).__code__)
def _managed(ip, manager, *args, **kwargs):
    """A call of what ``contextlib.contextmanager`` has made outside."""
    return ip.call(ip.call_function(contextmanager, [manager.__wrapped__], {}), list(args), kwargs)


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
        self.close()

    def enter_context(self, manager):
        value = manager.__enter__()
        self.push(manager)
        return value

    def push(self, manager):
        self.exits.append(lambda: manager.__exit__(None, None, None))
        return manager

    def callback(self, function, *args, **kwargs):
        self.exits.append(lambda: function(*args, **kwargs))
        return function

    def close(self):
        while self.exits:
            self.exits.pop()()

"""Programs with `with` around what raises depending on data, and with functions of outside that raise."""

import contextlib
import sys

from programs_try import MyError, _some

import minds as ms


class Noted:
    """Notes how it is left."""

    def __init__(self, log, name, swallow=False):
        self.log, self.name, self.swallow = (log, name, swallow)

    def __enter__(self):
        self.log.append("enter " + self.name)
        return self

    def __exit__(self, kind, value, traceback):
        known = kind is not None and issubclass(kind, ValueError)
        self.log.append(("exit " + self.name, kind is None, known))
        return self.swallow


def contexts_see_exceptions(x, n):
    log = []
    with Noted(log, "a"):
        if n > 2:
            x = x * 2.0
    with Noted(log, "b", True):
        if n > 2:
            raise ValueError("z")
        x = x + 1.0
    return (x, log)


def suppressed(x, n):
    with contextlib.suppress(ValueError, KeyError):
        x = _some(x, n)
        x = x + 1.0
    return x


def contexts_of_a_call(x, n):
    log = []

    def f():
        with Noted(log, "a"), Noted(log, "b"):
            if n > 2:
                raise ValueError("z")
            return 1

    try:
        k = f()
    except ValueError:
        k = 2
    return (x * k, log)


def context_of_a_generator(x, n):
    log = [0.0]

    @contextlib.contextmanager
    def noted(name, kind):
        log[0] += 1.0
        try:
            yield (x * 2.0)
        except kind:
            log[0] *= 3.0
        finally:
            log[0] *= 7.0

    y = x
    with noted("a", ValueError) as y, noted("b", IndexError):
        y = _some(y, n) + y
    return (y, log)


def exit_stack(x, n):
    log = []
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(Noted(log, "a"))
            stack.enter_context(Noted(log, "b", n == 3))
            stack.callback(log.append, "c")
            x = _some(x, n)
    except KeyError:
        x = x * 0.5
    return (x, log)


def _outside(x, n):
    if n == 2:
        raise ValueError(f"two {n}")
    if n == 3:
        raise KeyError("three")
    if n == 5:
        raise OSError("five")
    return x.asnumpy() * n


_host = ms.host(_outside, out=lambda x, n: (x.shape, x.dtype))


def _called_outside(x, n):
    """With a gradient that does not go through the host function."""
    return x * 2.0 + ms.ops.stop_gradient(_host(ms.ops.stop_gradient(x), n))


def host_function(x, n):
    try:
        y = _called_outside(x, n)
    except (ValueError, KeyError) as e:
        return x, str(e)
    return y, "fine"


def host_function_in_a_loop(x, n):
    y = x
    for i in range(n):
        try:
            y = y + _called_outside(y * 0.1, i)
        except ValueError:
            y = y + 1.0
        finally:
            y = y * 2.0
    return y


def host_function_in_a_context(x, n):
    count = [0]
    with contextlib.suppress(ValueError, OSError):
        x = _called_outside(x, n)
        count[0] += 1
    return x, count


def host_function_whose_error_goes_on(x, n):
    try:
        y = _called_outside(x, n)
    except ValueError as e:
        raise MyError("a") from e
    except LookupError:
        raise
    finally:
        x = x * 2.0
    return y + x


class _Expects:
    """Takes an exception, and raises where there is none."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            raise MyError("nothing was raised")
        return issubclass(kind, ZeroDivisionError)


def raises_at_its_end(x, n):
    with _Expects():
        3 // n
    return x


def contexts_of_exceptions(x, n):
    try:
        if n > 1:
            raise ValueError("a")
    except ValueError as e:
        kind, error, _ = sys.exc_info()
        try:
            raise KeyError("b")
        except KeyError as k:
            found = [k.__context__ is e, k.__cause__ is None, kind is ValueError, error is e]
            return x * sum(found)
    return x, sys.exc_info() == (None, None, None)

"""Values that are no tensors in the file of a program: its constants and the form of its result,
as JSON. Classes of errors come from a fixed list; texts have no fields that look into objects.
"""

from __future__ import annotations

import builtins
import re
import string

from ..base.errors import complain
from ..frontend.describe import describe
from ..frontend.text import ErrorMaker, Template, Text
from ..frontend.value_types import Leaf

_NAMES = """
    ArithmeticError AssertionError AttributeError BufferError EOFError Exception FloatingPointError
    ImportError IndexError KeyError LookupError MemoryError ModuleNotFoundError NameError
    NotImplementedError OSError OverflowError RecursionError ReferenceError RuntimeError
    StopIteration SyntaxError SystemError TimeoutError TypeError UnboundLocalError UnicodeError
    ValueError ZeroDivisionError BlockingIOError ChildProcessError ConnectionError FileExistsError
    FileNotFoundError InterruptedError IsADirectoryError NotADirectoryError PermissionError
    ProcessLookupError BytesWarning DeprecationWarning FutureWarning ImportWarning
    PendingDeprecationWarning ResourceWarning RuntimeWarning SyntaxWarning UnicodeWarning
    UserWarning Warning
"""
ERRORS: dict[str, type] = {name: vars(builtins)[name] for name in _NAMES.split()}
"""The classes that a program in a file can raise."""

_WIDEST = 10_000  # characters of a field


def plain(value, what: str = "returns"):
    """The skeleton of a result, or a constant of a program, as JSON.

    Raises:
        ValueError: a file cannot hold it.
    """
    if isinstance(value, Leaf):
        return "leaf"
    if value is None or type(value) in (bool, int, float, str):
        return {"is": value}
    if isinstance(value, dict) and all(type(k) in (bool, int, float, str) for k in value):
        return {"dict": [[k, plain(v, what)] for k, v in value.items()]}
    if type(value) is tuple or isinstance(value, list):
        return {"tuple" if isinstance(value, tuple) else "list": [plain(v, what) for v in value]}
    if isinstance(value, Text) and all(map(_is_form, value.forms)):
        return {"text": [value.forms, [plain(v, what) for v in value.values]]}
    if isinstance(value, Template):
        return {"template": [plain(value.skeleton, what), value.numbers]}
    if isinstance(value, ErrorMaker):
        return {"raised": [_error(value.error, ()), plain(value.args, what)]}
    if isinstance(value, Exception):
        return {"error": _error(value, [plain(a, what) for a in value.args])}
    raise complain(
        ValueError,
        f"export: the program {what} {describe(value)}, which a file cannot hold",
        expected="tensors, numbers, texts, None, and tuples, lists and dicts of them",
    )


def _error(error: Exception, args) -> list:
    """The class of an error, its arguments, and what was expected."""
    name = next(k.__name__ for k in type(error).__mro__ if ERRORS.get(k.__name__) is k)
    complaint = getattr(error, "complaint", None)
    return [name, args, None if complaint is None else [complaint.expected, complaint.cure]]


def made(value):
    """What `plain` wrote.

    Raises:
        ValueError, TypeError, …: it did not write this.
    """
    if value == "leaf":
        return Leaf(None)
    ((kind, inner),) = value.items()
    if kind == "is":
        return _checked(inner, (bool, int, float, str, type(None)))
    if kind == "dict":
        return {_checked(k, (bool, int, float, str)): made(v) for k, v in _checked(inner, (list,))}
    if kind in ("tuple", "list"):
        return (tuple if kind == "tuple" else list)(map(made, _checked(inner, (list,))))
    if kind == "error":
        return _made_error(inner)
    first, second = _checked(inner, (list,))
    if kind == "text":
        forms = tuple(map(_form, first))
        if not all(map(_is_form, forms)):
            raise ValueError(f"a text has the fields {first!r}")
        text = Text(forms, list(map(made, _checked(second, (list,)))))
        if len(text.values) != sum(type(f) is tuple for f in forms):
            raise ValueError("a text has another number of values than fields")
        return text
    if kind == "template":
        return Template.of(made(first), [_checked(n, (bool,)) for n in _checked(second, (list,))])
    if kind == "raised":
        args = made(second)
        if not isinstance(args, Template):
            raise TypeError("an error has arguments of another kind")
        return ErrorMaker(_made_error(first), args, None)
    raise ValueError(f"{kind!r} is no kind of value")


def _checked(value, kinds: tuple):
    if type(value) not in kinds:
        raise TypeError(f"{value!r:.50} stands where {kinds} is expected")
    return value


def _made_error(inner: list) -> Exception:
    name, args, said = inner
    args = list(map(made, _checked(args, (list, tuple))))
    if said is None:
        return ERRORS[name](*args)
    expected, cure = (_checked(s, (str, type(None))) for s in said)
    return complain(ERRORS[name], "".join(args[:1]), expected=expected, cure=cure)


# ---- fields of texts


def _form(f):
    """A part of a `Text`: JSON has no tuples."""
    return f if isinstance(f, str) else tuple([tuple(v) if isinstance(v, list) else v for v in f])


def _is_form(f) -> bool:
    """Whether a part of a `Text` is one that a file may hold."""
    if type(f) is str:
        return True
    if type(f) is not tuple or len(f) != 2:
        return False
    how, given = f
    if how == "{}":
        conversion, spec = given
        return conversion in (-1, 97, 114, 115) and type(spec) is str and _is_narrow(spec)
    if type(given) is not str:
        return False
    if how == "format":
        return all(map(_is_field, string.Formatter().parse(given)))
    return how == "join" or how == "%" and _is_narrow(given)


def _is_field(parsed: tuple) -> bool:
    """Whether a field of ``str.format`` shows an argument itself."""
    _, name, spec, _ = parsed
    return name is None or re.fullmatch(r"\w*", name) is not None and _is_narrow(spec)


def _is_narrow(spec: str) -> bool:
    return "{" not in spec and all(int(n) <= _WIDEST for n in re.findall(r"\d{1,9}", spec))


__all__ = ["ERRORS", "made", "plain"]

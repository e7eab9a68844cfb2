"""The boundary between users and minds: errors of public names are about their arguments.

`public` wraps a function, `guard` the functions and classes of a package. Nothing is checked while
calls succeed. When one fails, and not in a function of the user's that it called, its arguments are
held against the signature and the types in the docstring; what does not fit is the error. An
exception that is still not one for users is made into one about the arguments that the failing
line read, or else one that shows all arguments; what no argument can have caused is an `InternalError`.
"""

from __future__ import annotations

import enum
import errno
import functools
import inspect
import os
import re
import sys
import types
from collections.abc import Callable
from typing import NoReturn

import numpy as np

from . import described, kinds
from .culprits import culprits, is_ours, misplaced
from .errors import (
    CompileTimeError,
    IntegerTooLarge,
    InternalError,
    NoIndex,
    NoValues,
    as_shown,
    complain,
    is_frontend_fault,
    is_library,
    is_named,
    is_raised,
)

_RAISED = (TypeError, ValueError, IndexError, RuntimeError, OSError)
_KEPT = (NotImplementedError, RecursionError, MemoryError, OverflowError)
_LOOKUPS = (AttributeError, KeyError)
_OF_VALUES = (ArithmeticError, LookupError, StopIteration)
_COMPUTING = (
    "minds.ops",
    "minds.mint",
    "minds.numpy",
    "minds.scipy",
    "minds.tensor",
    "minds.arrays",
)
_NOT_COMPILED = ("minds.dataset", "minds.mindrecord")
_OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE}
_MANY = 100  # more elements are data, not sizes or axes
_AS_GIVEN = re.compile(r"((Callable|Cell|Primitive|str|None)( \| |, |$))+")
_OPERAND = re.compile(r"(?:operands|args)\[(\d+)\]")
_CLASS = re.compile(r"[A-Z]\w*(\.\w+)?[:(]")
_UNDER = (os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(np.__file__)))
_LIBRARIES = tuple(os.path.join(_UNDER[1], name) + os.sep for name in ("numpy", "scipy"))


def public(fn: Callable, name: str = "", section: str = "Args", doc: str | None = None) -> Callable:
    """``fn``, whose errors start with its public name and are about its arguments.

    Args:
        fn (Callable): the function.
        name (str): its public name. Default: its own.
        section (str): of the docstring, where the types of its arguments are. Default ``"Args"``.
        doc (str): the docstring. Default: None, its own.
    """
    name = name or fn.__name__

    computes = fn.__module__.startswith(_COMPUTING)
    private = name.startswith("_") and "." in name
    run = _checking(fn, name, doc) if hasattr(fn, "_checked") else fn

    @functools.wraps(fn)
    def call(*args, **kwargs):
        try:
            return run(*args, **kwargs)
        except Exception as e:
            plain = without_numpy(e, args, kwargs) if computes and called_by_user() else None
            if plain is not None:
                return call(*plain[0], **plain[1])
            called = _of_public_class(name, args[0]) if private else name
            return refuse(e, called, fn, args, kwargs, doc or fn.__doc__, section)

    call._inside, call._public_name = fn, name
    return call


def _of_public_class(name: str, self) -> str:
    """The name of a method that a private class defines, with the class of the object that users know."""
    classes = type(self).__mro__
    known = next((c for c in classes if _is_ours(c) and not c.__name__.startswith("_")), None)
    return name if known is None else f"{known.__name__}.{name.partition('.')[2]}"


def checked(fn: Callable) -> Callable:
    """Marks a public function whose arguments are held against its docstring before it runs: one that
    keeps them for later, or would change something before it fails.
    """
    fn._checked = True
    return fn


def _checking(fn, name: str, doc: str | None):
    """``fn``, whose arguments are checked first."""
    signature, texts = inspect.signature(fn), described.types(doc or fn.__doc__)

    def call(*args, **kwargs):
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError:  # the call will say so
            return fn(*args, **kwargs)
        wrong = _misfit(name, signature.parameters, arguments, texts, strictly=False)
        if wrong is not None:
            raise wrong
        return fn(*args, **kwargs)

    return call


def inside(fn):
    """The function that `public` has wrapped, or ``fn``."""
    return fn.__dict__.get("_inside", fn) if type(fn) is types.FunctionType else fn


def called_by_user() -> bool:
    """Whether it is no code of minds that has called the function that asks."""
    return not is_library(sys._getframe(2).f_code.co_filename)


def without_numpy(e: Exception, args, kwargs) -> tuple | None:
    """The arguments of a call that ended in ``e`` with Python's numbers in place of NumPy's, which
    stand for them; None if that is not why. For calls of the user's alone: what the library computes
    with NumPy's on the way may overflow.
    """
    if not isinstance(e, (TypeError, ValueError, AttributeError)) or _is_users(e):
        return None
    plain = [plain_numbers(v) for v in args], {n: plain_numbers(v) for n, v in kwargs.items()}
    new, old = (*plain[0], *plain[1].values()), (*args, *kwargs.values())
    return None if all(a is b for a, b in zip(new, old)) else plain


_PYTHONS = {bool, int, float, str, type(None)}


def plain_numbers(v, depth: int = 4):
    """``v`` with Python's numbers in place of NumPy's; itself where there are none."""
    if type(v) in _PYTHONS:
        return v
    if isinstance(v, (np.number, np.bool_)):
        return v.item()
    if depth < 4 and type(v) is np.ndarray and v.ndim == 0 and v.dtype.kind == "i":
        return v.item()
    if depth and (type(v) is tuple or isinstance(v, list)) and len(v) < _MANY:
        items = [plain_numbers(e, depth - 1) for e in v]
        same = all(a is b for a, b in zip(items, v))
        return v if same else items if isinstance(v, list) else tuple(items)
    return v


def refuse(
    e: Exception, name: str, fn, args, kwargs, doc: str | None, section="Args", kept=None
) -> NoReturn:
    """Raise the error of a call of ``name`` that ended in ``e``."""
    raise as_shown(explained(e, name, fn, args, kwargs, doc, section, kept))


def explained(
    e: Exception, name: str, fn, args, kwargs, doc: str | None, section="Args", kept=None
):
    """The error of a call of ``name`` that ended in ``e``: ``e`` itself, if it was raised by a
    function of the user's or says already what is wrong. ``kept`` gives the arguments that the object
    which is called was made with.
    """
    complaint = getattr(e, "complaint", None)
    if isinstance(e, CompileTimeError) and complaint is not None:
        return e if is_named(complaint.head) else _renamed(e, name)
    if isinstance(e, (IntegerTooLarge, NoIndex, NoValues)) and not complaint.head.startswith(name):
        return _renamed(e, name)
    inner = complaint.inner if complaint is not None else None
    if _is_of_minds(e) and not inner or _is_users(e):
        return e
    if complaint is None and is_ours(e, {**dict(enumerate(args)), **kwargs}):
        return _caused(InternalError(e, f"in a call of {name}"), e)
    said = complaint.head if complaint is not None else str(e) if is_raised(e) else ""
    if _names(said, name) and not inner:
        return e
    if complaint is not None and (complaint.kernel or is_named(said) and isinstance(e, _LOOKUPS)):
        return e
    try:
        signature = getattr(fn, "signature", None) or inspect.signature(fn)
    except (TypeError, ValueError):  # it has none
        signature = inspect.Signature()
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError as unbound:
        called = name.rpartition(".")[2]
        made = bool(args) and type(args[0]).__name__ == called  # a constructor's own object
        given = [*map(_called, args[made:]), *[f"{n}={_called(v)}" for n, v in kwargs.items()]]
        with_ = [(f"Failed calling {called} with", f'"{called}({", ".join(given)})"')]
        what = _unbound(e, name, fn) or f"{name}: {unbound}"
        return _alone(complain(TypeError, what, operands=with_, expected=f"{name}{signature}"))
    if not said or inner or is_named(said):  # else it is about an argument of this name's
        texts = described.types(doc, section)
        wrong = _misfit(
            name, signature.parameters, arguments, texts, strictly=not said or bool(inner)
        )
        if wrong is None and section == "Inputs":
            wrong = _misfit_of(getattr(fn, "__self__", arguments.get("self", fn)), name, doc)
        if wrong is not None:
            return _alone(wrong)
    if is_frontend_fault(e) or _names(said, name) or section == "Inputs" and _CLASS.match(said):
        return e  # said of a layer within
    if isinstance(e, OSError) and e.errno in _OF_THE_MACHINE:
        return _of_system(e, name, arguments)
    if not said or inner:
        texts = {**described.types(doc, section), **described.types(doc)}
        made_of = {} if kept is None else kept()
        failed = _failed(inner or e, name, {**made_of, **arguments}, texts)
        if failed is not None:
            return failed
    return _translated(e, name, arguments) if complaint is None else _renamed(e, name)


def _unbound(e: Exception, name: str, fn) -> str | None:
    """What Python says of a call that does not fit, about ``name``: programs written for MindSpore look for
    it. None where it says it of another, or where the compiler has words of its own.
    """
    own = getattr(fn, "__qualname__", "")
    rest = str(e).removeprefix(f"{own}()")
    if type(e) is not TypeError or rest == str(e) or not fn.__module__.startswith(_NOT_COMPILED):
        return None
    return f"{own if own.startswith(name) else name}(){rest}"


def _called(v) -> str:
    """The type of an argument, as it stands in the call that is shown."""
    return "Tensor" if hasattr(type(v), "abstract") else type(v).__name__


def _failed(e: Exception, name: str, arguments: dict, texts: dict) -> Exception | None:
    """The error about the arguments that an operation inside of minds failed on, if it is known which
    these are.
    """
    kind, why = _kind(e), (str(e).splitlines() or [type(e).__name__])[0]
    wrong = misplaced(e)
    if wrong is not None:
        return _caused(complain(TypeError, f"{name}: {wrong}"), e)
    found = culprits(e, arguments)
    if not found or kind is MemoryError:
        return None
    found = [(_documented(n, texts), v) for n, v in found]
    given = [*found, *arguments.items()]
    wrong = [p for p in given if p[0] in texts and not kinds.fits(texts[p[0]], p[1], True)]
    found = wrong[:1] or found
    what = " and ".join([f"{n} is {kinds.shown(v)}" for n, v in found])
    types = {n: t for n, _ in found if (t := texts.get(n.partition("[")[0])) is not None}
    expected = "; ".join(
        types.values() if len(found) == 1 else [f"{n}: {t}" for n, t in types.items()]
    )
    return _caused(complain(kind, f"{name}: {what} ({why})", expected=expected or None), e)


def _names(said: str, name: str) -> bool:
    """Whether a first line starts with a public name, for a method also that of its class."""
    return said.startswith(tuple([n + c for n in (name, *name.split(".")) for c in ":(."]))


def _alone(error: Exception) -> Exception:
    """``error``, to be shown without the one that it explains."""
    error.__cause__ = None
    return error


def _is_of_minds(e: Exception) -> bool:
    """Whether an exception is of a class that minds defines, and so is what it must be."""
    module = type(e).__module__
    return module.startswith("minds.") and not module.startswith("minds._core")


def _misfit(name: str, parameters, arguments: dict, texts: dict, strictly: bool):
    """The error about an argument that is not of its kind, or None: first of what is not even loosely."""
    for loosely in (True, False)[: 1 + strictly]:
        for n, value in arguments.items():
            text, p = texts.get(n), parameters[n]
            unknown = text is None or p.kind is inspect.Parameter.VAR_KEYWORD
            if unknown or value is p.default or p.default is None and value is None:
                continue
            many = p.kind is inspect.Parameter.VAR_POSITIONAL
            for i, v in enumerate(value if many else (value,)):
                if not kinds.fits(text, v, loosely):
                    at = f"{n}[{i}]" if many else n
                    head = f"{name}: {at} is {kinds.shown(v)}"
                    kind = ValueError if not loosely and hasattr(v, "shape") else TypeError
                    return complain(kind, head, expected=text)
    return None


def _misfit_of(called, name: str, doc: str | None):
    """The error about what the constructor of the object that was called has kept as it was given
    and is not of its kind, or None.
    """
    said = described.types(doc)
    texts = {n: t for n, t in said.items() if n in vars(called) and _AS_GIVEN.fullmatch(t)}
    parameters = inspect.signature(type(called)).parameters
    held = {n: vars(called)[n] for n in texts if n in parameters}
    return _misfit(name, parameters, held, texts, strictly=True)


def _renamed(e: Exception, name: str) -> Exception:
    """An error about what ``name`` calls, with its name in front."""
    said = e.complaint.within or e.complaint.head
    e.complaint.within = said
    e.complaint.head = said if _names(said, name) else f"{name}: {said}"
    return e


def _translated(e: Exception, name: str, arguments: dict) -> Exception:
    """An exception from inside as one of the call."""
    if isinstance(e, OSError) and type(e).__module__ == "builtins":
        return _of_system(e, name, arguments)
    kind, text = _kind(e), str(e) or type(e).__name__
    shown = [
        (n, kinds.shown(v)) for n, v in arguments.items() if n != "self" or hasattr(v, "abstract")
    ]
    return _caused(complain(kind, f"{name}: {text}", operands=shown), e)


def _of_system(e: OSError, name: str, arguments: dict) -> Exception:
    """What the system said of a file, with the argument that is the file's name."""
    of = next((n for n, v in arguments.items() if v is not None and v == e.filename), None)
    at = f"{of} is {e.filename!r}: {e.strerror}" if of is not None else str(e)
    error = _caused(complain(type(e), f"{name}: {at}"), e)
    error.errno, error.strerror, error.filename = e.errno, e.strerror, e.filename
    return error


def _kind(e: Exception) -> type:
    """The class of the error that a call ends in for an exception from inside. What asks a shape for a
    dimension that it has not got was given a wrong value.
    """
    if type(e) is IndexError and str(e) == "tuple index out of range":
        return ValueError
    kind = next((k for k in (*_KEPT, *_RAISED) if isinstance(e, k)), None)
    return kind or (ValueError if isinstance(e, _OF_VALUES) else TypeError)


def _documented(n: str, texts: dict) -> str:
    """The name that the docstring has for an argument of a function that takes any."""
    at = _OPERAND.fullmatch(n)
    return list(texts)[int(at[1])] if at and int(at[1]) < len(texts) else n


def _caused(error: Exception, e: Exception) -> Exception:
    """``error``, which ``e`` has led to."""
    error.__cause__ = e
    return error


def _is_users(e: Exception) -> bool:
    """Whether an exception comes from code that is not of minds or of a library under it, or is of a
    class of the user's.
    """
    at = e.__traceback__
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if not is_library(file) and not file.startswith("<frozen") and not _is_under(file):
            return True
        at = at.tb_next
    top = type(e).__module__.partition(".")[0]
    return top not in sys.stdlib_module_names and top not in ("numpy", "scipy", "minds")


def _is_under(file: str) -> bool:
    if file.startswith(_LIBRARIES):
        return True
    in_python = file.startswith(_UNDER[0]) and "site-packages" not in file
    return in_python or file.endswith(".pyx")


def is_offered(cls: type) -> bool:
    """Whether a class is of minds: what its methods raise is about their arguments."""
    return _is_ours(cls)


# ---- packages


def guard(module: str) -> None:
    """Called at the end of a package: what it gives out is `offered`."""
    names = vars(sys.modules[module])
    given = names.get("__all__") or [n for n in names if not n.startswith("_")]
    names.update({n: offered(n, names[n]) for n in given if n in names})


def offered(name: str, value):
    """A public name's value: a function wrapped, a class with wrapped methods."""
    if type(value) is types.FunctionType and _is_ours(value):
        return value if "_inside" in value.__dict__ else _wrapped(name, value)
    if isinstance(value, type) and _is_ours(value):
        _wrap_methods(value)
    return value


def _is_ours(value) -> bool:
    return (value.__module__ or "").partition(".")[0] == __name__.partition(".")[0]


def _wrapped(name: str, fn):
    """`public`, the same one at each place that offers a function by one name."""
    made = fn.__dict__.setdefault("_offered", {})
    if name not in made:
        made[name] = public(fn, name)
    return made[name]


def _wrap_methods(cls: type) -> None:
    """Wrap what users call of a class: its constructor and its documented methods. A class that is
    one part of a larger one says so in ``_part_of``.
    """
    if issubclass(cls, (enum.Enum, BaseException, tuple)) or "_offered" in cls.__dict__:
        return
    for base in cls.__mro__[1:]:
        if _is_ours(base):
            _wrap_methods(base)
    called = vars(cls).get("_part_of", cls.__name__)
    for n, method in list(vars(cls).items()):
        kind = type(method) if isinstance(method, (staticmethod, classmethod)) else None
        fn = method.__func__ if kind else method
        if type(fn) is not types.FunctionType or "_inside" in fn.__dict__:
            continue
        if n == "__init__":
            setattr(cls, n, _of_object(fn, cls, "Args"))
        elif n == "__call__" and not hasattr(cls, "construct"):
            setattr(cls, n, _of_object(fn, cls, "Inputs"))
        elif not n.startswith("_") and n not in ("construct", "bprop"):
            doc = inspect.getdoc(getattr(cls, n))
            setattr(cls, n, (kind or _itself)(public(fn, f"{called}.{n}", doc=doc)))
    cls._offered = True


def _of_object(fn, cls: type, section: str):
    """`public` for what has the name of the class of the object: its constructor, its call."""
    run = _checking(fn, cls.__name__, cls.__doc__) if hasattr(fn, "_checked") else fn
    keeps = section == "Args" and hasattr(cls, "construct")  # a layer computes with them later

    @functools.wraps(fn)
    def call(self, *args, **kwargs):
        if keeps and (args or kwargs):
            args = [plain_numbers(v) for v in args]
            kwargs = {n: plain_numbers(v) for n, v in kwargs.items()}
        try:
            return run(self, *args, **kwargs)
        except Exception as e:
            plain = without_numpy(e, args, kwargs) if called_by_user() else None
            if plain is not None:
                return call(self, *plain[0], **plain[1])
            if section == "Args" and _has_own_constructor(type(self), fn):
                raise  # which will explain it
            of = type(self) if _is_ours(type(self)) else cls
            doc = of.__doc__ or fn.__doc__
            return refuse(e, of.__name__, fn, (self, *args), kwargs, doc, section)

    call._inside, call._public_name = fn, cls.__name__
    return call


def _has_own_constructor(cls: type, fn) -> bool:
    """Whether a class of minds calls ``fn``, the constructor of a base, from its own."""
    return _is_ours(cls) and inside(cls.__init__) is not fn


def _itself(fn):
    return fn


__all__ = [
    "called_by_user",
    "checked",
    "explained",
    "guard",
    "inside",
    "is_offered",
    "offered",
    "plain_numbers",
    "public",
    "refuse",
    "without_numpy",
]

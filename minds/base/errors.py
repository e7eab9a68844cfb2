"""Errors as users see them: what is wrong, their line with a caret, the operands, what was
expected, what to do.

An error is a builtin exception (or a subclass of one) that carries a `Complaint`. Whoever knows
more adds to the complaint and raises again; `str(error)` always renders what is known.
"""

from __future__ import annotations

import contextlib
import opcode
import os
import re
import sys
import time
from dataclasses import dataclass, field, replace
from types import FunctionType, TracebackType
from typing import NoReturn

from .loc import Loc

_PYTHONS = os.path.dirname(os.__file__)
_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclass
class Complaint:
    """The parts of an error message.

    Attributes:
        head: the fault and its values, one line, starting with the op or the construct.
        within: the head as what a public function has called says it, if ``head`` is of the former.
        kernel: whether a kernel found the fault in its operands' elements.
        loc: the user's source span.
        operands: (name, description) of each operand.
        expected: what would have been right.
        cure: what to do.
        refused: whether it is minds that cannot do it, and CPython may.
        inner: the exception whose text the head is, if an operation inside of minds raised it; the text
            is not meant for users.
    """

    head: str
    loc: Loc | None = None
    operands: list[tuple[str, str]] = field(default_factory=list)
    expected: str | None = None
    cure: str | None = None
    within: str | None = None
    kernel: bool = False
    refused: bool = False
    inner: Exception | None = None

    def render(self) -> str:
        """The message in the house format."""
        lines = [self.head]
        if self.loc is not None:
            lines.append(self.loc.excerpt())
        width = max((len(n) for n, _ in self.operands), default=0)
        lines += [f"  {n:<{width}}  {d}" for n, d in self.operands]
        if self.expected:
            lines.append(f"  expected {self.expected}" + (f"; {self.cure}" if self.cure else ""))
        elif self.cure:
            lines.append(f"  {self.cure}")
        if self.loc is not None and self.loc.caller is not None:
            lines.append(f"  called from: {_calls(self.loc.chain())}")
        return "\n".join(lines)


def _calls(chain: list[Loc]) -> str:
    """A chain of calls; the middle of a long one (a recursion) is left out."""
    shown = [f"{os.path.basename(c.file)}:{c.line} {c.function}" for c in chain]
    if len(shown) > 8:
        shown[5:-2] = [f"… {len(shown) - 7} more …"]
    return " > ".join(shown)


class UserError(Exception):
    """Mixed into every exception class that `complain` makes: what is wrong with the user's program.
    Renders its complaint on `str`.
    """

    complaint: Complaint

    def __str__(self) -> str:
        c = self.complaint
        if c.loc is not None or self.__traceback__ is None:
            return c.render()
        loc, called = _raised_at(self.__traceback__)
        return replace(c, loc=loc, head=_with_name(c.head, called)).render()


def _raised_at(traceback) -> tuple[Loc | None, str]:
    """The innermost place of a traceback outside of minds and Python's library, and the function of
    minds that was called there.

    For errors of library code that runs eagerly.
    """
    found = None
    while traceback is not None:
        if not _is_inside(traceback):
            found = traceback
        traceback = traceback.tb_next
    if found is None:
        return None, ""
    loc, called = frame_loc(found.tb_frame, found.tb_lasti, found.tb_lineno), found.tb_next
    while called is not None and _is_boundary(called):
        called = called.tb_next
    return loc, called.tb_frame.f_code.co_name if called is not None else ""


def _is_inside(at: TracebackType) -> bool:
    """Whether a place of a traceback is in minds or in Python's library."""
    file = at.tb_frame.f_code.co_filename
    return file.startswith(_HOME) or os.path.dirname(file) == _PYTHONS


def _is_boundary(at: TracebackType) -> bool:
    """Whether a place of a traceback is where calls of the user's arrive (`boundary`)."""
    return at.tb_frame.f_code.co_filename.endswith("boundary.py")


def _with_name(head: str, name: str) -> str:
    """A first line that starts with the name of an op, a class or a function."""
    if not name.isidentifier() or name.startswith(("_", "getitem", "setitem")) or is_named(head):
        return head
    return f"{name}: {head}"


def is_named(head: str) -> bool:
    """Whether a first line starts with the name of an op, a class or a function."""
    return _NAMED.match(head) is not None


class ParseError(UserError, SyntaxError, RuntimeError):
    """A construct that minds does not compile. MindSpore's callers expect a RuntimeError."""

    def __init__(self, message: str = ""):
        super().__init__(message)
        self.complaint = Complaint(message)


class CompileTimeError(TypeError, RuntimeError):
    """A run-time value stands where only one that is known while compiling can. MindSpore's callers
    expect a TypeError, or a RuntimeError.

    Attributes:
        needs: the nodes of these values, as far as they are known.
        numbers: the leaves among the arguments from which alone they are computed; None if not only
            from leaves.
        captured: the paths of the places outside where such leaves stand.
        changed: those of places that must be read when the program runs.
    """

    needs: tuple = ()
    numbers: set | None = None
    captured: list | tuple = ()
    changed: list | tuple = ()


def needing(error: CompileTimeError, nodes) -> CompileTimeError:
    """``error``, which is about these nodes."""
    error.needs = tuple(nodes)
    return error


class IntegerTooLarge(OverflowError, ValueError, RuntimeError):
    """An int does not fit 64 bits. MindSpore's callers expect a ValueError or RuntimeError."""


class NoValues(TypeError):
    """A tensor that only declares a shape and a dtype is asked for values."""


class StrategyError(ValueError, RuntimeError):
    """A program cannot be divided as a strategy says. MindSpore's callers expect a RuntimeError."""


class NoSuchKey(KeyError, ValueError):
    """A name that nothing has."""


class NoIndex(IndexError, TypeError):
    """What indexes a tensor is of a type that cannot."""


class NoItem(IndexError, ValueError):
    """An item of an empty sequence is asked for in compiled code, where MindSpore has a ValueError."""


class NoSuchMask(IndexError, ValueError):
    """A mask is not of the shape of what it chooses from. MindSpore has a ValueError where it writes."""


class NoSuchPosition(IndexError, ValueError, RuntimeError):
    """There is no argument at a place. MindSpore's callers expect an IndexError, or a RuntimeError."""


class NoSuchElement(IndexError, RuntimeError):
    """A position among data is out of range, which is known when they are. MindSpore has a
    RuntimeError.
    """


class NotGradients(TypeError, RuntimeError):
    """What an optimiser is given are no gradients. MindSpore has one or the other, by the optimiser."""


class NoSuchAttribute(AttributeError, RuntimeError):
    """An object is not what it must be yet, or lacks what its class should define."""


class OutOfMemory(MemoryError, RuntimeError):
    """A tensor is larger than the memory."""


class NoGradient(TypeError, RuntimeError):
    """An op or primitive without a gradient stands where one is taken. MindSpore's callers expect a
    RuntimeError.
    """


class BackendError(RuntimeError):
    """A device or a library is missing or failed.

    Examples:
        >>> from minds.base import errors
        >>> issubclass(errors.BackendError, RuntimeError)
        True
    """


def _new_file(text: str) -> str:
    """The path of a new file of this user's with a text. `tempfile` would be a part of each import."""
    name = f"minds-fault-{os.getpid()}-{time.time_ns():x}.txt"
    path = os.path.join(os.environ.get("TMPDIR") or "/tmp", name)
    with open(path, "x", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
        file.write(text)
    return path


class InternalError(RuntimeError):
    """A fault of minds, not of the user's program.

    Attributes:
        step: what was being done.
        program: the program as it was then, as text; None where there was none yet.
        file: where it was written, or None.
    """

    def __init__(self, fault: Exception, step: str, program: str | None = None):
        self.step, self.program, self.file = step, program, None
        if program is not None:
            with contextlib.suppress(OSError):
                self.file = _new_file(program)
        inside = "" if self.file is None else f"; the program is in {self.file}"
        super().__init__(
            f"internal error of minds, {step}: {type(fault).__name__}: {fault}\n"
            f"  this is a fault of minds, not of your program: please report it{inside}"
        )


def is_fault(error: Exception) -> bool:
    """Whether an exception of a step that runs no code of the user's is a fault of minds.

    What minds says to the user is a `UserError`; the native core has errors of its own; a lack of
    memory or stack is nobody's fault.
    """
    said = isinstance(error, (UserError, InternalError, RecursionError, MemoryError))
    return not said and type(error).__module__ != "minds._core"


def performed(fn, /, *args, **kwargs):
    """``fn(*args, **kwargs)``, an operation of the user's program on values that are known while it is
    interpreted: what it raises is what CPython would.
    """
    return fn(*args, **kwargs)


def raise_users(error: Exception) -> NoReturn:
    """Raise what the user's program raises, perhaps of a class of its own."""
    raise error


def is_frontend_fault(error: Exception) -> bool:
    """`is_fault`, while the user's source is interpreted. There minds does what the program says with
    values of the user's, but only by `performed`: what a line of the frontend itself raises is a
    fault, as is all that is raised below the frontend.
    """
    if not is_fault(error) or error.__traceback__ is None:
        return False
    outer, at = None, error.__traceback__
    while at.tb_next is not None:
        outer, at = at, at.tb_next
    floor = _floor(at)
    if floor is None:  # of the user, but for a handler that the frontend calls itself
        return outer is not None and _floor(outer) == "frontend" and _is_dispatch(outer)
    # Below, sizes are the user's numbers too.
    return floor == "frontend" or floor in _COMPILER and not isinstance(error, ArithmeticError)


_COMPILER = ("ad", "batch", "ir", "jit", "lower", "passes", "transforms")


def _floor(at) -> str | None:
    """The package of minds whose code is at a place of a traceback; None for other code."""
    file = at.tb_frame.f_code.co_filename
    return file[len(_HOME) :].split(os.sep)[0] if file.startswith(_HOME) else None


def _is_dispatch(at) -> bool:
    """Whether a place is the one where the interpreter calls what emits a call."""
    return at.tb_frame.f_code.co_name == "call" and at.tb_frame.f_code.co_filename.endswith(
        "calls.py"
    )


def is_raised(error: Exception) -> bool:
    """Whether an exception comes from a ``raise`` or an ``assert``, not from an operation that failed."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_code[at.tb_lasti] == _RAISE


_RAISE = opcode.opmap["RAISE_VARARGS"]


_classes: dict[type, type] = {ParseError: ParseError}
_INSTEAD = {
    AttributeError: NoSuchAttribute,
    KeyError: NoSuchKey,
    MemoryError: OutOfMemory,
    OverflowError: IntegerTooLarge,
}
"""RuntimeErrors too, as callers expect."""


def complain(
    kind: type,
    head: str,
    *,
    loc: Loc | None = None,
    operands=(),
    expected: str | None = None,
    cure: str | None = None,
) -> Exception:
    """An exception of builtin type ``kind`` that renders as a house error."""
    cls = _classes.get(kind)
    if cls is None:
        cls = _INSTEAD.get(kind, kind)
        if issubclass(kind, OSError):
            cls = type(kind.__name__, (kind, RuntimeError), {})
        if not issubclass(kind, UserError):
            shown = IndexError if kind is NoSuchElement else kind
            about = {"__module__": shown.__module__, "__doc__": shown.__doc__}
            cls = type(shown.__name__, (UserError, cls), about)
        _classes[kind] = cls
    error = cls(head)
    error.complaint = Complaint(head, loc, list(operands), expected, cure)
    return error


def refuse(kind: type, head: str, **more) -> Exception:
    """`complain` of what CPython may run and minds cannot compile: an error while compiling, even
    where data decide whether the program gets there.
    """
    error = complain(kind, head, **more)
    error.complaint.refused = True
    return error


def locate(error: Exception, loc: Loc | None, operands=()) -> Exception:
    """``error`` with its place and operands filled in where they are still unknown."""
    complaint = getattr(error, "complaint", None)
    if isinstance(error, InternalError):
        return error
    if complaint is None and isinstance(type(error).__init__, FunctionType):
        return placed(error, loc)  # its arguments are no message
    if complaint is None:
        text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        kind = class_told(error)
        try:
            located = complain(kind, text or kind.__name__, loc=loc, operands=operands)
            located.complaint.kernel = kind not in (type(error), MemoryError)
            told = located.complaint.kernel or error.__traceback__ is None or is_raised(error)
            located.complaint.inner = None if told else error
        except TypeError:  # a class that is made of something else than a message
            return placed(error, loc)
        located.__cause__, located.__suppress_context__ = (
            error.__cause__,
            error.__suppress_context__,
        )
        return located
    if complaint.loc is None:
        complaint.loc = loc
    if not complaint.operands:
        complaint.operands = list(operands)
    return error


def class_told(error: Exception) -> type:
    """The class that the user sees for ``error``: of what the core raises a builtin one, or
    NoSuchElement.
    """
    kind = type(error)
    if kind.__module__ != "minds._core":
        return kind
    kind = next(k for k in kind.__mro__ if k.__module__ == "builtins")
    return NoSuchElement if kind is IndexError else kind


def placed(error: Exception, loc: Loc | None) -> Exception:
    """``error``, raised by a Python function that a program called at ``loc``: one of ours gets the
    place, another one stays as it is, with the place as a note.
    """
    complaint = getattr(error, "complaint", None)
    if complaint is not None:
        complaint.loc = complaint.loc or loc
    elif loc is not None and hasattr(error, "add_note") and not hasattr(error, "__notes__"):
        error.add_note(f"called from compiled code:\n{loc.excerpt()}")
    return error


def expect(
    condition: bool,
    name: str,
    expected: str,
    kind: type = ValueError,
    got: object = None,
    cure: str | None = None,
) -> None:
    """Raise ``kind`` unless ``condition``: argument ``name`` should have been ``expected``.

    For users' mistakes; a mistake of ours is an `assert`.
    """
    if not condition:
        shown = "" if got is None else f", got {got}"
        raise complain(kind, f"{name} must be {expected}{shown}", cure=cure)


def named(error: Exception, name: str) -> Exception:
    """``error`` as the fault of a call of ``name``: its first line starts with a name."""
    complaint = getattr(error, "complaint", None)
    if complaint is None and isinstance(error, (AttributeError, KeyError)):
        # A library function met an argument of a kind that it does not know.
        return unfit(name, error)
    if complaint is None or complaint.loc is None:
        error = locate(error, None)
        error.complaint.head = _with_name(error.complaint.head, name)
    return error


def unfit(name: str, why: Exception) -> Exception:
    """The error of a call of ``name`` whose arguments have no attribute, or no key, that it reads."""
    complaint = getattr(why, "complaint", None)
    said = why if complaint is None else complaint.head
    kind = ValueError if isinstance(why, KeyError) else TypeError
    error = complain(kind, f"{name}: the arguments do not fit: {said}")
    error.complaint.inner = why
    return error


_NAMED = re.compile(r"[A-Za-z_][\w.]*(\(\))?[: ]*: |[a-z_]\w*\(\)")


def class_of(v) -> str:
    """The name of the class of ``v``; with its library, where that has tensors of its own."""
    kind = type(v)
    library = kind.__module__.partition(".")[0]
    own = kind.__name__ in ("Tensor", "Parameter") and library != "minds"
    return f"{library}.{kind.__name__}" if own else kind.__name__


def user_loc() -> Loc | None:
    """The place in the user's code that is running now: the innermost frame outside minds, with its
    caller chain.
    """
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HOME):
        frame = frame.f_back
    return None if frame is None else frame_loc(frame)


def is_library(file: str) -> bool:
    """Whether a source file belongs to minds itself, so that errors point at who called it."""
    return file.startswith(_HOME)


def as_shown(e: Exception) -> Exception:
    """``e``, whose traceback has the user's calls, and of minds what they called: what that called in turn
    says nothing to a user. A fault of minds keeps all, and so does each error with MINDS_FULL_TRACEBACK=1.
    """
    if not isinstance(e, UserError) or os.environ.get("MINDS_FULL_TRACEBACK"):
        return e
    kept, at, inside = [], e.__traceback__, False
    while at is not None:
        library = _is_inside(at)
        if not (library and (inside or _is_boundary(at))):
            kept.append(at)
            inside = library
        at = at.tb_next
    for t in reversed(kept):
        at = TracebackType(at, t.tb_frame, t.tb_lasti, t.tb_lineno)
    return e.with_traceback(at)


def frame_loc(frame, instruction: int | None = None, line: int | None = None) -> Loc:
    """The span that ``frame`` is executing, or that it executed at ``instruction`` on ``line``."""
    line = frame.f_lineno if line is None else line
    instruction = frame.f_lasti if instruction is None else instruction
    code, end, col, end_col = frame.f_code, line, 0, 0
    if hasattr(code, "co_positions"):
        for i, span in enumerate(code.co_positions()):
            if i == instruction // 2 and None not in span:
                line, end, col, end_col = span
    return Loc(
        code.co_filename, line, col, end, end_col, getattr(code, "co_qualname", code.co_name)
    )


def ambiguous(a) -> Exception:
    """The error of a truth that a tensor of abstract value ``a`` does not have."""
    count = "more than one element" if a.size else "no element"
    what = f"The truth value of an array with {count} is ambiguous. It is {a!r}"
    error = complain(ValueError, what, expected="one element", cure="use .any() or .all()")
    error.complaint.inner = error  # inside of a function of minds, it is about an argument of that
    return error


def no_scalar(a, kind: str) -> Exception:
    """The error of a call of ``kind``, such as int, with a tensor of abstract value ``a``."""
    what = f"Only one element tensors can be converted to Python scalars: {kind}()"
    return complain(ValueError, f"{what} of {a!r}")


def no_index(a) -> Exception:
    """The error of a tensor of abstract value ``a`` as an index, a bound of a slice or of a range."""
    cure = "convert it with int()" if a.dtype.is_float else None
    return complain(TypeError, f"{a!r} cannot be an index", expected="one integer", cure=cure)

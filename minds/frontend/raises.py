"""Where exceptions of the program go.

What would raise in CPython raises when the program gets there. At a place that the program reaches
for certain that is now: an error while compiling. On a path that data choose, the path ends in a
`raise` of the program. What only minds cannot do (`CompileTimeError`, `ParseError`, whatever
`errors.refuse` made) is an error while compiling, wherever it stands.

A `Catcher` around the place may take the exception instead. `Protected` statements (`try`, `with`)
keep the path that raises, to go on from it in a handler. So that this path can leave the calls and
loops between, their regions are *open*: they end in tail calls, as behind a `return`.
"""

from __future__ import annotations

from ..base.boundary import explained
from ..base.errors import (
    BackendError,
    CompileTimeError,
    InternalError,
    NoGradient,
    ParseError,
    complain,
    is_library,
    locate,
    raise_users,
)
from ..ir.dim import current
from .emit import Control, Raised
from .flow import die, stop, to_start
from .text import holds_runtime, plain_class, raising
from .value_types import Thrown, attributes_of, is_made

_REFUSALS = (
    BackendError,
    CompileTimeError,
    InternalError,
    MemoryError,
    NoGradient,
    NotImplementedError,
    ParseError,
    RecursionError,
)


def is_certain(ip) -> bool:
    """Whether the program gets here, whatever the data."""
    flow = ip.flow
    graph, nested, raised = flow.trunk
    return flow.builder.graph is graph and flow.nested == nested and raised in (None, flow.raised)


def is_of_program(error: Exception) -> bool:
    """Whether CPython would raise ``error``, as far as minds knows."""
    complaint = getattr(error, "complaint", None)
    if isinstance(error, _REFUSALS) or complaint is not None and complaint.refused:
        return False
    scope = current()  # sizes that the run finds may turn out to fit
    return scope is None or scope.doubted() is None


def diverted(ip, error: Exception, place=None) -> bool:
    """Whether ``error``, raised here or at ``place``, is one of the run, with which this path has ended."""
    place = place or _place(ip, error)
    held = (error.args, list(attributes_of(error).values()) if is_made(error) else ())
    sure, kind = is_certain(ip) and not holds_runtime(held), plain_class(error)
    if id(error) not in ip.activations.raised:
        error.__context__ = _handled(ip, error)
    for catcher in reversed(ip.activations.catches):
        if issubclass(kind, catcher.kind):
            if sure and catcher.trunk is not ip.flow.trunk:
                return False  # the trunk may be tried in another way, where it is not certain
            if catcher.take(ip, Thrown(error, place)):
                return True
            break
    if sure:
        return False
    ip.flow.raised += 1
    in_library = ip.activations.public and is_library(ip.frames[-1].source.file)
    if in_library and not holds_runtime(error.args):
        error = explained(error, *ip.activations.public[-1])
    raising(ip, error, place)
    die(ip)
    return True


def _handled(ip, error: Exception) -> BaseException | None:
    """The exception whose handler is interpreted where ``error`` is raised; None where the run chooses it."""
    if not ip.activations.handling:
        return None
    frame, name = ip.activations.handling[-1]
    handled = getattr(frame.vars.get(name), "error", None)
    return None if handled is error else handled


def _place(ip, error: Exception):
    """Where an exception was raised first."""
    known = ip.activations.raised.get(id(error))
    return ip.here() if known is None else known.place


def throw(ip, error: Exception, place=None) -> None:
    """Raise ``error`` here: now, or as one of the run, with which this path ends."""
    if not diverted(ip, error, place):
        raise_users(locate(error, place or ip.here()))


def check_fails(ip, error: Exception) -> None:
    """A check of the program has failed, in a branch that ends otherwise unless ``error`` is caught."""
    if is_of_program(error) and awaited(ip, plain_class(error)):
        raise ip.failed(error)
    ip.flow.raised += 1
    raising(ip, error, ip.here())


def awaited(ip, kind: type) -> bool:
    """Whether something waits for an exception of this kind."""
    return any(issubclass(kind, catcher.kind) for catcher in ip.activations.catches)


def caught(ip) -> int:
    """How many paths lead to what waits for exceptions."""
    return sum(len(catcher.thrown) for catcher in ip.activations.catches)


def attempted(ip, run):
    """``run()``, where what it raises may be an exception of the program at the present place."""
    try:
        return run()
    except Control:
        raise
    except Exception as e:
        raise ip.failed(e) from e.__cause__


class Escapes(Control):
    """A path leads to a handler out of a region that hands values back: the loop whose region that
    is must be interpreted as an open one.
    """

    def __init__(self, region):
        super().__init__(region)
        self.region = region


class Catcher:
    """What waits for exceptions, as long as it is among the interpreter's ``catches``.

    Attributes:
        kind: their class, or classes.
        trunk: that of the place where it stands.
        thrown: (path, `Thrown`) of what it has caught.
    """

    def __init__(self, ip, kind):
        self.ip, self.kind, self.trunk = ip, kind, ip.flow.trunk
        self.depth, self.graph = len(ip.flow.tails), ip.builder.graph
        self.thrown: list = []

    def __enter__(self):
        self.ip.activations.catches.append(self)
        return self

    def __exit__(self, *error):
        self.ip.activations.catches.remove(self)

    def take(self, ip, thrown: Thrown) -> bool:
        """Whether it stops ``thrown`` on the way to others; then the present path has ended."""
        self.thrown.append((self.stop(ip), thrown))
        ip.activations.raised[id(thrown.error)] = thrown
        ip.flow.live = False
        return True

    def stop(self, ip):
        """The present path, which leaves the calls and loops between."""
        for region in ip.flow.tails[self.depth :]:
            if region.sealed:
                raise Escapes(region)
            region.open = True
        return stop(ip)

    def caught(self) -> list:
        """What it has caught on paths that there are."""
        return self.there(self.thrown)

    def there(self, ways: list) -> list:
        """Of pairs of a path and a value those whose path there is: attempts that were dropped are
        gone.
        """
        graphs = {self.graph, *self.ip.graphs}
        return [(path, value) for path, value in ways if path.builder.graph in graphs]


class Barrier(Catcher):
    """Around code that becomes a graph of its own: paths do not lead out of it."""

    def __init__(self, ip):
        super().__init__(ip, outer_kinds(ip))

    def take(self, ip, thrown):
        what = "an exception of a function that is differentiated or mapped is caught outside of it"
        raise complain(ParseError, what, cure="catch it inside of the function")


def is_caught_here(ip) -> bool:
    """Whether something waits for exceptions that paths from here can lead to."""
    catches = ip.activations.catches
    return bool(catches) and not any(isinstance(catcher, Barrier) for catcher in catches)


def outer_kinds(ip) -> tuple:
    """The classes of all exceptions that something waits for, those of the innermost first."""
    kinds = [catcher.kind for catcher in reversed(ip.activations.catches)]
    return tuple(k for kind in kinds for k in (kind if isinstance(kind, tuple) else (kind,)))


class Catching(Catcher):
    """Within, an exception of ``kind`` that the source raises for certain is raised as what it is."""

    def __enter__(self):
        self.state, self.nested = (self.ip.flow.unrolled, self.ip.live), self.ip.flow.nested
        return super().__enter__()

    def __exit__(self, kind, e, trace):
        super().__exit__()
        if isinstance(e, Raised) and isinstance(e.error, self.kind):
            self.ip.flow.unrolled, self.ip.flow.live = self.state
            self.ip.activations.raised[id(e.error)] = Thrown(e.error, self.ip.here())
            raise_users(e.error)

    def take(self, ip, thrown):
        """As of `Catcher`.

        Raises:
            Raised: it does, for certain.
            CompileTimeError: it does, but only run-time data decides whether it is raised.
        """
        if (self.nested, self.graph) == (ip.flow.nested, ip.builder.graph):
            raise Raised(thrown.error)
        if isinstance(thrown.error, (IndexError, StopIteration)):
            raise complain(
                CompileTimeError,
                "where this iterator ends depends on run-time data",
                cure="give it a length that is known, or loop with while",
            )
        return False


class Protected(Catcher):
    """Statements of a function that something is done for on the ways out of them: ``leave()``
    where `return`, `break` or `continue` lead out.

    Attributes:
        once: whether that is done once for each kind of these, where all such paths meet: it
            leaves by itself, and so would double the ways out at each statement around.
        left: (path, (what it leaves by, whether the function)) of these paths.
        of_loop: whether it is a loop that it protects, which `continue` does not leave.
    """

    def __init__(self, ip, kind, leave, once: bool = False, of_loop: bool = False):
        super().__init__(ip, kind)
        self.leave, self.frame, self.loop = leave, ip.frames[-1], ip.frames[-1].loop
        self.once, self.left, self.of_loop = once, [], of_loop

    def ways(self) -> dict:
        """The paths that lead out, by what they leave by."""
        found: dict = {}
        for path, by in self.there(self.left):
            found.setdefault(by, []).append(path)
        return found


def leaving(ip, go, value=None, whole: bool = False) -> None:
    """Do ``go(ip, value)``, with which control leaves the innermost loop of a function, or the
    ``whole`` function, behind what is to be done on the way out, innermost first.
    """
    catches, frame = ip.activations.catches, ip.frames[-1]

    def inside() -> bool:
        last = catches[-1] if catches else None
        return (
            type(last) is Protected
            and last.frame is frame
            and (whole or last.loop is frame.loop)
            and not (last.of_loop and go is to_start)
        )

    if not inside():
        go(ip, value)
        return
    kept = list(catches)
    frame.vars[LEAVING] = value
    try:
        while ip.live and inside():
            guard = catches.pop()
            if guard.once:
                guard.left.append((guard.stop(ip), (go, whole)))
                ip.flow.live = False
            else:
                guard.leave()
    finally:
        catches[:] = kept
    if ip.live:
        go(ip, frame.vars.pop(LEAVING))


LEAVING = "<leaving>"
"""The variable that holds what a function returns meanwhile."""

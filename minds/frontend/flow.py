"""Where the interpreter is: the position at which nodes are emitted, and the paths that wait.

Interpretation goes on at one position, a builder and a version of the store. A `Path` is a position
to which it comes back. A `Region` is a function body, or a loop whose body does not return: it
collects the paths that leave it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field

from .store import Bindings, Version, clock


class Uncarried(BaseException):
    """Where paths meet, something is asked for that they did not carry on: all is interpreted anew.

    Attributes:
        what: what is to be among `Flow.carried`.
    """

    def __init__(self, what: tuple):
        super().__init__(what)
        self.what = what


class Flow:
    """The present position, and what is around it.

    Attributes:
        builder: where nodes go.
        live: whether the position can be reached.
        nested: the number of branches and loops of the program that are open.
        unrolled: how often the position is interpreted because of loops around it that are
            unrolled.
        unrollable: the loops (syntax) that were unrolled because they do not roll, and why.
        emitted: how many nodes were made so far.
        tails: the regions around it.
        fails: the region of the whole program, where all ways out of it raise.
        enclosure: the graph around it whose results alone are known outside; None for the program.
        trunk: (graph, nested, raised) of the places that are reached whatever the data; None for
            any number of ``raised``.
        raised: how many places were met where the program may raise.
        attempts: the interpretations of loops of the program that are under way, outermost first.
        stacking: whether lists become rows of tensors for what is done at places of the run;
            ``stacked`` counts those that did.
        twice, in_place: the types of tensors that may be two elements of such a list, and of those
            that are changed in place.
        carried: what paths carry on to where they meet: (identity of a function's syntax, name) of
            variables that are read behind loops which may not set them; `chosen.CHOICES`.
        snapshots: by identity of a list, (list, what its elements were, rows of them): per path.
    """

    def __init__(self, builder, store, carried=()):
        self.builder, self.live, self.nested, self.unrolled = builder, True, 0, 1
        self.unrollable: dict = {}
        self.carried = frozenset(carried)
        self.emitted = 0
        self.enclosure = None
        self.tails: list[Region] = []
        self.fails: Region | None = None
        self.raised = 0
        self.trunk = (builder.graph, 0, 0)
        self.attempts: list = []
        self.twice, self.in_place = set(), set()
        self.stacking, self.stacked, self.snapshots = True, 0, Bindings(store)


@dataclass(eq=False)
class Region:
    """The ways out of a region.

    Attributes:
        base: the builder at its start.
        made, born: how many graphs there were when it started, and when; younger graphs and
            containers are its own.
        start: the version where its paths part first; None while there is one path.
        exits: (path, value, place) of each way out with a value.
        pending: (graph, node) of tail calls, whose type is the region's, unknown until all ways out
            are.
        dead: builders of paths that end in `raise`, whose graphs must return something all the
            same.
        sealed: whether its graph hands values back to where control goes on behind it.
        open: whether paths lead out of it to a handler, so that control goes on inside of it.
    """

    base: object
    made: int
    born: int = field(default_factory=clock)
    start: Version | None = None
    exits: list = field(default_factory=list)
    pending: list = field(default_factory=list)
    dead: list = field(default_factory=list)
    sealed: bool = False
    open: bool = False


@dataclass(eq=False)
class Path:
    """A position from which interpretation can go on: where nodes go, and what is held there."""

    builder: object
    version: Version


def here(ip) -> Path:
    """The present position, from which interpretation goes on now and later."""
    return Path(ip.builder, ip.store.version())


def stop(ip) -> Path:
    """The present position, from which interpretation goes on later."""
    return Path(ip.builder, ip.store.now)


def fork(ip) -> Path:
    """The present position, where the paths of the region part."""
    path, tails = here(ip), ip.flow.tails
    if tails and tails[-1].start is None:
        tails[-1].start = path.version
    return path


def resume(ip, path: Path) -> None:
    """Go on from a position."""
    ip.flow.builder, ip.flow.live = path.builder, True
    if path.version is not ip.store.now:
        ip.store.go(path.version)


@contextmanager
def at(ip, path: Path):
    """Emit at the end of a path, for a while."""
    live, saved = ip.live, here(ip)
    resume(ip, path)
    try:
        yield
    finally:
        resume(ip, saved)
        ip.flow.live = live


@contextmanager
def nested(ip):
    """Inside of a branch or loop of the program."""
    ip.flow.nested += 1
    try:
        yield
    finally:
        ip.flow.nested -= 1


@contextmanager
def inside(ip, region: Region):
    """Inside of a region."""
    ip.flow.tails.append(region)
    try:
        yield
    finally:
        ip.flow.tails.pop()


def leave(ip, value) -> None:
    """Leave the function with a value."""
    ip.frames[-1].region.exits.append((stop(ip), value, ip.here()))
    ip.flow.live = False


def to_end(ip, _=None) -> None:
    """Leave the innermost loop."""
    ip.frames[-1].loop.breaks.append(stop(ip))
    ip.flow.live = False


def to_start(ip, _=None) -> None:
    """Go on with the next iteration of the innermost loop."""
    ip.frames[-1].loop.continues.append(stop(ip))
    ip.flow.live = False


def die(ip) -> None:
    """The present position raises: nothing behind it is reached."""
    ip.flow.tails[-1].dead.append(ip.builder)
    ip.flow.live = False

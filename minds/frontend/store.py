"""The store: everything that differs between the paths of a program, in versions.

What a list, a dict, a set or a frame's variables hold is kept in the object itself (a *cell*), for
the version that is present. The versions form a tree; each remembers, for the cells that changed
in it, what they hold at the other end of its edge to its parent. So making a version costs nothing,
and going to another one exchanges what differs on the way (Baker's rerooting).

Invariant: on the way from the root to the present version the edges have what cells held before;
all other edges have what they hold behind. A cell that is younger than the present version is not
noted, since no earlier version knows it.
"""

from __future__ import annotations

import itertools

_times = itertools.count(1)


def clock() -> int:
    """A time: later than the birth of every cell there is."""
    return next(_times)


class StoreCell:
    """What the store keeps: a container that is changed in place.

    Attributes:
        born: orders cells by age.
    """

    __slots__ = ()

    def saved(self):
        """What it holds, to be put back."""
        return self.copy()

    def put(self, contents) -> None:
        """Hold what was saved, or other contents. To be called by the store."""
        self.clear()
        (self.extend if isinstance(self, list) else self.update)(contents)


class Bindings(StoreCell, dict):
    """A dict that notes its own changes: the variables of a frame, what was loaded."""

    __slots__ = ("born", "store")
    __hash__ = object.__hash__

    def __init__(self, store: Store, items=()):
        super().__init__(items)
        self.store, self.born = store, next(_times)

    def copy(self) -> dict:
        """What it holds."""
        return dict(self)

    def put(self, contents) -> None:
        dict.clear(self)
        dict.update(self, contents)

    def __setitem__(self, key, value) -> None:
        self.store.note(self)
        dict.__setitem__(self, key, value)

    def update(self, *items) -> None:
        """As of dict."""
        self.store.note(self)
        dict.update(self, *items)

    def replace(self, items) -> None:
        """Hold other items."""
        self.store.set(self, dict(items))

    def setdefault(self, key, value):
        """As of dict."""
        if key not in self:
            self[key] = value
        return self[key]

    def pop(self, key, *default):
        """As of dict."""
        self.store.note(self)
        return dict.pop(self, key, *default)

    def clear(self) -> None:
        """As of dict."""
        self.store.note(self)
        dict.clear(self)


class Version:
    """A state of the store; immutable once there is a later one.

    Attributes:
        parent, depth: the version that it goes on from, and how many are before it.
        began, ended: when; cells that are born later than ``ended`` are not known in it.
        other: identity of a cell → (cell, what it holds at the other end of the edge).
    """

    __slots__ = ("began", "depth", "ended", "other", "parent")

    def __init__(self, parent: Version | None):
        self.parent, self.depth = parent, 0 if parent is None else parent.depth + 1
        self.began, self.ended, self.other = next(_times), None, {}


class Store:
    """The present contents of all cells, and the way to those of other versions.

    Attributes:
        now: the version that changes are noted in.
        log: the cells that were noted, on whatever path.
    """

    __slots__ = ("log", "now")

    def __init__(self):
        self.now, self.log = Version(None), []

    def note(self, cell: StoreCell) -> None:
        """To be called before a cell changes."""
        now = self.now
        if cell.born < now.began and id(cell) not in now.other:
            now.other[id(cell)] = (cell, cell.saved())
            self.log.append(cell)

    def set(self, cell: StoreCell, contents) -> None:
        """Give a cell other contents."""
        self.note(cell)
        cell.put(contents)

    def version(self) -> Version:
        """The present state, to come back to: O(1)."""
        done, self.now = self.now, Version(self.now)
        done.ended = self.now.began
        return done

    def go(self, version: Version) -> None:
        """Make a version present again; what changes from now on is a new version behind it."""
        at, down = self.now, []
        at.ended = at.ended or clock()
        while at is not version:
            if at.depth >= version.depth:
                _cross(at)
                at = at.parent
            else:
                down.append(version)
                version = version.parent
        for v in reversed(down):
            _cross(v)
            at = v
        self.now = Version(at)

    def drop(self, version: Version) -> None:
        """Nobody comes back to ``version``: changes from now on are noted with those before it."""
        if self.now.parent is version:
            for key, entry in self.now.other.items():
                if entry[0].born < version.began:
                    version.other.setdefault(key, entry)
            self.now, version.ended = version, None

    @staticmethod
    def changed(since: Version, version: Version) -> dict:
        """identity → cell of those known in ``since`` or behind it that changed up to ``version``."""
        found: dict = {}
        while version is not since:
            found.update((key, cell) for key, (cell, _) in version.other.items())
            version = version.parent
        return found


def _cross(edge: Version) -> None:
    """Bring the cells to the other end of an edge."""
    for key, (cell, contents) in edge.other.items():
        edge.other[key] = (cell, cell.saved())
        cell.put(contents)


def common(versions: list) -> Version:
    """The latest version that all of them go on from."""
    first, *rest = versions
    for v in rest:
        while first is not v:
            if first.depth >= v.depth:
                first = first.parent
            else:
                v = v.parent
    return first

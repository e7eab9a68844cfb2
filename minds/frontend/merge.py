"""What the program's state is where several paths meet.

A path brings the values of places (variables, a result) and the contents of the lists and dicts
that were changed on it. Joined are the values of each place, and the contents of each container: a
container that all paths have in a place stays the same object; where they have different ones there
is a new object for each combination, so that names that were one list on every path are one list
behind. Such an object may be an alias of what it came from: changing one of them makes the others
*stale*, and a stale container cannot be read (`Interp.touch`). So an alias is right or refused.
"""

from __future__ import annotations

from ..base.errors import refuse
from ..ir.abstract import INT
from ..ir.node import Node
from ..tensor import Tensor
from . import list_types
from .aliases import OUTSIDE
from .function_types import Bound, Missing, UnionValue
from .imports import is_outside
from .source import inner_names, walrus_names
from .structure import expect_few_places, mapped, parts
from .value_types import (
    CONTAINERS,
    LOCAL,
    Box,
    Leaf,
    LocalDict,
    LocalList,
    LocalSet,
    Same,
    Window,
    record,
)
from .values import Mismatch, difference, extract, join, join_unset, leaf_abstracts, unflatten

_EMPTY = {list: LocalList, dict: LocalDict, set: LocalSet}


def family(v) -> type | None:
    """list, dict or set for what has an identity that matters, else None."""
    return CONTAINERS.get(type(v))


class End:
    """The end of a path, as the join sees it.

    Attributes:
        vars: the variables of the function.
        heap: identity → contents of the lists and dicts that changed on any of the paths.
        loaded, written: those of the interpreter and of its tensors.
        known: the identities of the lists and dicts that can be named, where some changed.
    """

    def __init__(self, ip, path, changed: dict, since: int):
        ip.store.go(path.version)
        tensors = ip.tensors
        self.vars = dict(ip.frames[-1].vars)
        for name, v in self.vars.items() if tensors.written else ():
            why = tensors.stale(v)
            if why is not None:
                self.vars[name] = tensors.missing(name, why)
        self.heap = {k: c.saved() for k, c in changed.items() if isinstance(c, LOCAL)}
        older = any(changed[k].born < since for k in self.heap)
        self.known = reachable(ip) if older else set()
        self.loaded, self.written = dict(ip.parameters.loaded), dict(tensors.written)


class Merge:
    """The state behind several paths. The store is at ``base`` again when it is made.

    Args:
        paths: positions; all go on from the version ``base``.
        born: containers older than this may be known elsewhere; younger ones only to the places
            that are joined.
        inner: whether a node cannot be seen behind the paths, even if all of them have it.
        ending: of an `End` what values become as the path ends.
        lenient: whether containers without a common form are stale behind the paths.

    Raises:
        TypeError: an older container has contents on two paths that have no common form.
    """

    def __init__(self, ip, paths: list, base, born=0, inner=None, ending=None, lenient=False):
        self.ip, self.born, self.inner = ip, born or base.ended, inner
        self.places: list = []  # (skeleton, value on each path)
        self.contents: dict = {}  # identity → (container, skeleton, contents on each path)
        self.boxes: dict = {}  # identities on the paths → the new container, or why there is none
        self.sources: list = []  # (new container, the container on each path)
        self.handed: list = []  # leaves of each path
        self.index: list = []  # of each place for a leaf, its number
        self.chosen: dict = {}  # number of a leaf → that of which parameter it is, what it may be
        self.copied: dict = {}  # identity of a copy → the container on its path
        changed: dict = {}
        for p in paths:
            changed.update(ip.store.changed(base, p.version))
        self.paths = [End(ip, p, changed, self.born) for p in paths]
        self.ends = None if ending is None else list(map(ending, self.paths))
        ip.store.go(base)
        ip.tensors.join([end.written for end in self.paths])
        self._keep_loaded()
        known = set.intersection(*[p.known for p in self.paths])
        for key in self.paths[0].heap:
            c = changed[key]
            if c.born < self.born and (key in known or is_outside(c)) and self._is_seen(c):
                try:
                    self._keep(c)
                except Mismatch as e:
                    if not lenient:
                        raise self._different(e) from None
                    self._give_up(c, e)

    def _give_up(self, c, why: Mismatch) -> None:
        """``c`` cannot be read behind the paths."""
        empty = [_EMPTY[family(c)]() for _ in (None, *self.paths)]
        empty[0].stale = f"it is {why}"
        self.contents[id(c)] = (c, empty[0], empty[1:])

    def _keep_loaded(self) -> None:
        """What was loaded before is still so where no path has written it."""
        loaded = self.ip.parameters.loaded
        for end in self.paths:
            for k in [k for k, n in loaded.items() if end.loaded.get(k) is not n]:
                loaded.pop(k)

    def _is_seen(self, c) -> bool:
        """Whether the tensor of a box, if ``c`` is one, is known behind the paths."""
        of = c.of if type(c) is Box else None
        return not (isinstance(of, Node) and self.inner is not None and self.inner(of))

    def _different(self, why: Mismatch) -> Exception:
        return refuse(
            TypeError,
            f"a list or dict is changed differently on two paths: {why}",
            cure="append or insert the same number of elements on every path",
        )

    # ---- joining

    def place(self, alike: list):
        """The skeleton of a place that holds these values.

        Raises:
            Mismatch: they have no common form.
        """
        if tuple in map(type, alike):
            expect_few_places(alike)
        if self.ends is not None:
            alike = [end(v) for end, v in zip(self.ends, alike)]
        alike = self._apart(alike)
        skeleton = self.join(alike)
        self.places.append((skeleton, alike))
        return skeleton

    def _apart(self, alike: list) -> list:
        """The values of a place; where they are of different kinds, with copies of the lists and dicts
        that they hold, as these are at the end of each path: objects that run-time data chooses hold
        no others.
        """
        if all(v is alike[0] for v in alike):
            return alike
        if set(map(type, alike)) == {tuple} and alike[0] and len(set(map(len, alike))) == 1:
            columns = [self._apart(list(column)) for column in zip(*alike)]
            return [
                own if any(a is not b for a, b in zip(own, v)) else v
                for own, v in zip(map(tuple, zip(*columns)), alike)
            ]
        if not any(type(v) is UnionValue for v in alike) and _of_one_form(alike):
            return alike
        return [self._held(p, v) for p, v in zip(self.paths, alike)]

    def _held(self, path, v):
        """``v`` with copies of the lists and dicts that objects in it hold."""
        if isinstance(v, (Node, Tensor)):
            return v
        if family(v) is not None:
            held = path.heap.get(id(v), v)
            if getattr(held, "stale", None) is not None:
                raise Mismatch(held.stale)
            copy = held.copy()
            self.copied[id(copy)] = v
            for k in (
                range(len(copy)) if isinstance(copy, list) else parts(copy).items and list(copy)
            ):
                copy[k] = self._held(path, copy[k])
            return copy
        return mapped(v, lambda e: self._held(path, e))

    def variables(self) -> list:
        """Join the variables of the paths; their names in order. What has no common form is a `Missing`."""
        variants = [p.vars for p in self.paths]
        names = list(dict.fromkeys(n for vars in variants for n in vars))
        for name in names:
            alike = [vars.get(name, _UNSET) for vars in variants]
            known = [v for v in alike if not _is_unset(v)]
            if len(known) < len(alike):
                alike = [None if _is_unset(v) else v for v in alike]
                self.places.append((self._unset(name, known), alike))
                continue
            try:
                self.place(alike)
            except Mismatch as e:
                self.places.append((no_common(name, e), alike))
        return names

    def _unset(self, name: str, known: list):
        """The skeleton of a variable that only some paths have set."""
        try:
            tree = self.ip.frames[-1].source.tree
            late = (id(tree), name) in self.ip.flow.carried
            if known and (late or name in inner_names(tree) or name in walrus_names(tree)):
                return join_unset(known)
        except Mismatch:
            pass
        return Missing(
            NameError,
            f"{name!r} has no value on some path to here",
            f"assign {name!r} before the condition or loop",
        )

    def join(self, alike):
        """The skeleton of values that stand in one place, one per path."""
        first, kind = alike[0], type(alike[0])
        shared = family(first)
        if shared is not None and all(family(v) is shared for v in alike):
            return Same(self._container(alike))
        if _is_open(first):
            held = [parts(v) for v in alike if type(v) is kind]
            known = all(p is not None and p.head == held[0].head for p in held)
            if len(held) == len(alike) and known:
                joined = self._columns([p.items for p in held])
                whole = all(v is first for v in alike) and all(
                    j is v for j, v in zip(joined, held[0].items)
                )
                return first if whole else held[0].remake(joined)
        skeleton = first
        for v in alike[1:]:
            skeleton = join(skeleton, v)
        return skeleton if self.inner is None else self._shown(skeleton)

    def _columns(self, items: list) -> list:
        """The skeletons of values in order; what is missing on one path is so behind."""
        return [
            next((v for v in column if isinstance(v, Missing)), None) or self.join(column)
            for column in zip(*items)
        ]

    def _shown(self, v):
        """A skeleton in which the nodes that cannot be seen behind the paths are leaves."""
        if isinstance(v, Node) and self.inner(v):
            return Leaf(v.abstract)
        if isinstance(v, Same):
            inner = self._shown(v.value)
            return inner if leaf_abstracts(inner, []) else v
        return mapped(v, self._shown)

    def _container(self, alike):
        """The container behind the paths, for those on the paths."""
        if self._is_kept(alike):
            self._keep(alike[0])
            return alike[0]
        key = tuple(map(id, alike))
        made = self.boxes.get(key)
        if made is None:
            made = self.boxes[key] = self._new(alike)
            entry = (made, alike)
            self.sources.append(entry)
            try:
                self._hold(made, alike)
            except Mismatch as e:
                self.boxes[key] = e
                self.sources = [s for s in self.sources if s is not entry]
                raise
        elif isinstance(made, Mismatch):
            raise made
        return made

    def _is_kept(self, alike) -> bool:
        return all(v is alike[0] for v in alike)

    def _new(self, alike):
        return _EMPTY[family(alike[0])]((), getattr(alike[0], "kind", None))

    def _keep(self, c) -> None:
        """Join what ``c`` holds on the paths, if that can differ."""
        if type(c) in (list, dict) or id(c) in self.contents:
            return
        if c.born >= self.born or any(id(c) in p.heap for p in self.paths):
            self._hold(c, [c] * len(self.paths))

    def _hold(self, container, alike) -> None:
        held = [p.heap.get(id(c), c) for p, c in zip(self.paths, alike)]
        self.contents[id(container)] = None  # it may hold itself
        empty = _EMPTY[family(container)]
        stale = next((h.stale for h in held if getattr(h, "stale", None)), None)
        try:
            if stale is not None:
                skeleton, held = empty(), [empty()] * len(held)
                skeleton.stale = stale
            else:
                if len({type(getattr(h, "held", None)) is Window for h in held}) > 1:
                    held = [list_types.plain(h, p.heap) for h, p in zip(held, self.paths)]
                all_parts = [parts(h) for h in held]
                other = [h for h, p in zip(held, all_parts) if p.head != all_parts[0].head]
                if other:
                    skeleton = self._of_lengths(held, other[0])
                else:
                    items = [self._ended(i, p.items) for i, p in enumerate(all_parts)]
                    items = list(zip(*[self._apart(list(v)) for v in zip(*items)])) or items
                    held = [p.remake(own) for p, own in zip(all_parts, items)]
                    skeleton = all_parts[0].remake(self._columns(items))
        except Mismatch:
            del self.contents[id(container)]
            raise
        self.contents[id(container)] = (container, skeleton, held)

    def _of_lengths(self, held: list, other):
        """The skeleton of what differs in its structure, as ``other`` from the first: lists may
        have different lengths.
        """
        what = difference(held[0], other)
        if any(family(h) is not list for h in held):
            raise Mismatch(what)
        try:
            return list_types.joined(self.ip, held)
        except Mismatch as e:
            raise Mismatch(f"{what} ({e})") from None

    def _ended(self, i: int, items: list) -> list:
        return items if self.ends is None else [self.ends[i](v) for v in items]

    # ---- leaves

    def abstracts(self) -> list:
        """The types of what the paths hand over. Places that hold one tensor on every path share a leaf."""
        wanted: list = []
        handed: list = [[] for _ in self.paths]
        contents = {id(s) for c, s, _ in self.contents.values() if type(c) is Box}
        boxed: set = set()  # the numbers of what tensors hold: no tensors themselves
        for skeleton, alike in (
            *self.places,
            *((s, held) for _, s, held in self.contents.values()),
        ):
            before = len(wanted)
            leaf_abstracts(skeleton, wanted)
            if id(skeleton) in contents:
                boxed.update(range(before, len(wanted)))
            for v, out in zip(alike, handed):
                extract(skeleton, v, out)
        numbers: dict = {}
        first: list = []
        for j, column in enumerate(zip(*handed)):
            key = sharing(column, j) if j not in boxed else j
            if key not in numbers:
                numbers[key] = len(first)
                first.append(j)
            self.index.append(numbers[key])
        self.boxed = {k for k, j in enumerate(first) if j in boxed}
        self.handed = [[out[j] for j in first] for out in handed]
        return [wanted[j] for j in first] + self._choices()

    def _choices(self) -> list:
        """The types of more leaves, that tell which parameter is handed over."""
        chosen, count = self.ip.parameters.chosen, len(self.handed[0])
        for k, column in enumerate(list(zip(*self.handed))) if chosen.known else ():
            params = () if k in self.boxed else chosen.joined(column)
            if params:
                self.chosen[k] = (len(self.handed[0]), params)
                for out, v in zip(self.handed, column):
                    out.append(chosen.number(v))
        return [INT] * (len(self.handed[0]) - count)

    def choose(self, nodes: list) -> None:
        """``nodes`` stand for the leaves: note which of them are parameters that the run chooses."""
        for k, (at, params) in self.chosen.items():
            self.ip.parameters.chosen.note(nodes[k], nodes[at], params)

    def chosen_from(self) -> dict:
        """Of which parameters the leaves are that the run chooses: their identities."""
        return {k: list(map(id, params)) for k, (_, params) in self.chosen.items()}

    def fill(self, nodes: list) -> list:
        """`put`; what the new containers and nodes may be is known from now on."""
        found = self.put(nodes)
        self.link()
        for value, (skeleton, alike) in zip(found, self.places):
            if not isinstance(skeleton, Same):
                self._link_inner(value, alike)
        for container, _, held in self.contents.values():
            if type(container) in (LocalList, LocalDict):
                columns = [parts(v).items for v in (container, *held)]
                if len(set(map(len, columns))) == 1:
                    for item, *column in zip(*columns):
                        self._link_inner(item, column)
        for k, (node, alike) in enumerate(zip(nodes, zip(*self.handed))):
            if k not in self.boxed:
                self.ip.tensors.may_be(node, alike)
        self.choose(nodes)
        return found

    def put(self, nodes: list) -> list:
        """Give the containers their contents; the values of the places, in order. ``nodes`` stand
        for the leaves.
        """
        rest = iter([nodes[k] for k in self.index])
        found = [unflatten(skeleton, rest) for skeleton, _ in self.places]
        for container, skeleton, _ in self.contents.values():
            contents = unflatten(skeleton, rest)
            contents.stale = skeleton.stale
            self.ip.store.set(container, contents)
        return found

    def link(self) -> None:
        """Tell the interpreter which containers the new ones may be: those that something else may know."""
        uses: dict = {}
        kept = [(c, [c] * len(self.paths)) for c, _, _ in self.contents.values()]
        made = {id(c) for c, _ in self.sources}
        for c, alike in [*self.sources, *(e for e in kept if id(e[0]) not in made)]:
            for i, v in enumerate(alike):
                uses.setdefault((i, id(v)), set()).add(id(c))
        for c, alike in self.sources:
            origins: set = set()
            for i, v in enumerate(alike):
                fixed = OUTSIDE if type(v) in (list, dict) else v.fixed
                if fixed is not None:
                    c.fixed = fixed
                else:
                    origins |= self._origins(v, len(uses[i, id(v)]) > 1)
                    self.ip.aliases.know(v)
            self.ip.aliases.add(c, origins)

    def _link_inner(self, value, alike) -> None:
        """Lists and dicts that functions hold, and objects of which the run chooses one, were joined by
        structure: they are copies.
        """
        new = held_by_functions(value, [])
        if not new:
            return
        if type(value) is tuple and all(type(v) is tuple for v in alike):
            for item, *column in zip(value, *alike):
                self._link_inner(item, column)
            return
        chosen = type(value) is UnionValue
        old = [self.copied.get(id(c), c) for v in alike for c in held_by_functions(v, [], chosen)]
        known = {id(c) for c in old}
        for c in new:
            if id(c) not in known and known:
                c.fixed = (
                    "of a value that is chosen at run time cannot be changed",
                    "copy it first",
                )
                for v in old:
                    self.ip.aliases.know(v)
                self.ip.aliases.add(c, known)

    def _origins(self, v, shared: bool) -> set:
        """What a container made from ``v`` may be."""
        if v.origins is not None:
            return set(v.origins)
        return {id(v)} if shared or v.born < self.born else set()


def no_common(name: str, why: Mismatch) -> Missing:
    """What stands for a variable whose values have no common form."""
    return Missing(
        TypeError,
        f"Cannot join the return values of different branches: {name!r} has no common "
        f"type here: {why}",
        "give it the same type, dtype and shape on every path",
        str(why),
    )


def _of_one_form(alike: list) -> bool:
    """Whether values are joined place by place. Others are chosen among: values of several classes, objects
    of which compiled code made one and another stands outside, functions of different definitions.
    """
    shared = family(alike[0])
    if shared is not None:
        return all(family(v) is shared for v in alike)
    if len(set(map(type, alike))) > 1:
        return False
    heads = [p and p.head for p in map(parts, alike)]
    return all(head == heads[0] for head in heads)


def _is_open(v) -> bool:
    """Whether what ``v`` holds is joined place by place."""
    return (
        isinstance(v, (tuple, Bound)) or record(v) is not None or getattr(type(v), "joined", False)
    )


def held_by_functions(v, out: list, inside: bool = False) -> list:
    """The lists and dicts that functions hold which a value is or consists of."""
    if family(v) is not None and not inside:
        return out  # its contents are joined apart
    if inside and type(v) in LOCAL:
        out.append(v)
    p = parts(v)
    if p is not None:
        deeper = inside or not _is_open(v)
        for e in p.items:
            held_by_functions(e, out, deeper)
    return out


def sharing(column, j: int):
    """What tells the leaf ``j`` from others: the tensors it is on each path, or for other values itself."""
    return tuple(map(id, column)) if all(isinstance(v, (Node, Tensor)) for v in column) else j


def reachable(ip) -> set:
    """The identities of the lists, dicts and tensors that can be named from here, and of boxes."""
    found: set = set()
    boxes, ways = ip.tensors.boxes, ip.tensors.views.ways
    frames = [*ip.frames, *ip.activations.classes.values()]
    work = [v for f in frames for v in f.vars.values()]
    work += [*ip.tensors.arguments, *ip.imports.attributes.values()]
    work += [*ip.parameters.stand_ins.values(), *ip.parameters.cast]
    while work:
        v = work.pop()
        if isinstance(v, (Node, Tensor)):
            found.add(id(v))
            if id(v) in boxes:
                found.add(id(boxes[id(v)]))
            if id(v) in ways:
                work.append(ways[id(v)][1])
            continue
        if type(v) in CONTAINERS:
            if id(v) in found:
                continue
            found.add(id(v))
        elif id(v) in boxes:  # an array
            found.add(id(boxes[id(v)]))
        p = parts(v)
        if p is not None:
            work += p.items
    return found


_UNSET = object()


def _is_unset(v) -> bool:
    """Whether a variable has no value: none was given, or, on some path to here, none."""
    return v is _UNSET or isinstance(v, Missing) and v.kind is NameError

"""What an iteration of a loop finds: the join of the loop's entry and of every way back.

A `Header` is assumed while the body is interpreted: each of its leaves is a parameter of the loop's
header graph. The ways back are then joined with what was assumed; that is the next `Header`, and
the loop is a fixpoint where both are the same.
"""

from __future__ import annotations

import numpy as np

from ..base.errors import CompileTimeError, complain
from ..ir.node import Node
from ..tensor import Parameter, Tensor
from . import recursive_closures
from .function_types import Missing, UnionValue
from .merge import Merge, family, no_common, reachable
from .store import clock
from .structure import Walk
from .value_types import Leaf, LocalList, RunArray, RunList, Same, record
from .values import (
    Mismatch,
    difference,
    form,
    is_function,
    join_unset,
    leaf_abstracts,
    of_array,
    options,
    same,
    widen,
)


class Header(Merge):
    """The state at the start of an iteration. The first path is the one assumed, for which the
    entry hands over its leaves; the others are ways back. A container that the loop made for a
    place serves that place again; every other combination gets a new one.

    Attributes:
        names: the variables that the loop changes, whose places come first.
        wanted: the types of the leaves.
        entries: identity of a container that the loop made for a place → the one that stands there
            before the loop.
        sizes: found by the run, of what an iteration may leave in another size.
        lost: what an iteration adds to `Tensors.written`.
        origins: by identity of the containers, what they may be.
        exact: whether lists must keep a length that is known.
    """

    def __init__(
        self, ip, paths: list, entry, born: int, assumed: Header | None, graph, token, exact=False
    ):
        self.names, self.lost, self.token = [], {}, token
        self.exact = exact if assumed is None else assumed.exact
        self.entries = {} if assumed is None else assumed.entries
        self.sizes = set() if assumed is None else assumed.sizes
        # What every iteration hands on as it was is a param of the header all the same.
        super().__init__(ip, paths, entry.version, born, lambda n: n.graph is graph)
        self.vars = dict(ip.frames[-1].vars)  # at the entry

    @staticmethod
    def first(ip, entry, changed: set, stored: set, token, exact: bool) -> Header:
        """What the loop changes for all that its syntax says, as it is before the loop: the
        variables that it binds, and the tensors of which it sets items.
        """
        new = Header(ip, [entry], entry, 0, None, None, token, exact)
        for name, v in new.vars.items():
            if name in changed:
                new.add(name, widened(v), [v])
        for name in stored:
            v = ip.tensors.views.root(new.vars.get(name))
            if name not in changed and is_changeable(v):
                box = ip.tensors.box(v)
                new.contents[id(box)] = (box, LocalList([Leaf(box[0].abstract)]), [box])
        new.close(new)
        return new

    def add(self, name: str, skeleton, alike: list) -> None:
        """A variable that the loop changes."""
        self.names.append(name)
        self.places.append((skeleton, alike))

    def next(self, assumed: Header) -> None:
        """Join the variables and the contents of containers."""
        known = {name: s for name, (s, _) in zip(assumed.names, assumed.places)}
        start, *back = self.paths
        names = [n for n in self.vars if n not in known]
        names = [n for n in names if any(p.vars.get(n) is not self.vars[n] for p in back)]
        for name in (*known, *names):
            alike = [p.vars.get(name) for p in self.paths]
            skeleton = known.get(name)
            if not isinstance(skeleton, Missing):
                skeleton, alike = self._variable(name, alike)
            self.add(name, skeleton, [self.vars.get(name), *alike[1:]])
        for name in self._first_set(back):
            alike = [p.vars.get(name) for p in back]
            skeleton = widened(join_unset([v for v in alike if v is not None]))
            self.add(name, skeleton, [None, *alike])
        self.link()
        made = {id(c): assumed.entries.get(id(alike[0]), alike[0]) for c, alike in self.sources}
        self.entries = made
        for p in back:
            for identity, entry in p.written.items():
                if start.written.get(identity) is not entry:
                    self.lost[identity] = entry
        outer = reachable(self.ip) if self.lost else ()
        self.lost = assumed.lost | {k: w for k, w in self.lost.items() if k in outer}
        self.close(assumed)

    def _first_set(self, back: list) -> list:
        """The variables that have no value yet, get one in the loop, and are read behind it."""
        tree = self.ip.frames[-1].source.tree
        names = [n for where, n in self.ip.flow.carried if where == id(tree) and n not in self.vars]
        return sorted(n for n in names if any(p.vars.get(n) is not None for p in back))

    def close(self, assumed: Header) -> None:
        """All places are there: find what each path hands over."""
        for key in (*assumed.contents, *self.contents):
            if key in self.contents:  # in the order in which they were assumed
                c, skeleton, held = self.contents.pop(key)
                before = self.entries.get(key, c) if skeleton.stale is None else skeleton
                self.contents[key] = (c, skeleton, [before, *held[1:]])
        self.wanted = self.abstracts()
        self.origins = {k: c.origins for k, (c, _, _) in self.contents.items()}
        for leaves in self.handed:
            for v, a in zip(leaves, self.wanted):
                if recursive_closures.is_open(a) and is_function(v):
                    recursive_closures.admit(self.ip, v, a.key)

    def begin(self, params: list) -> None:
        """The variables and containers hold what an iteration finds."""
        ip, variables = self.ip, self.put(params)
        ip.frames[-1].vars.update(zip(self.names, variables))
        for value, (skeleton, alike) in zip(variables, self.places):
            if not isinstance(skeleton, Same):
                self._link_inner(value, alike)
        for identity, (writer, _, why) in self.lost.items():
            ip.tensors.written[identity] = (writer, clock(), why)
        ip.parameters.loaded.clear()
        refs = ip.parameters.refs
        for k, (param, alike) in enumerate(zip(params, zip(*self.handed)) if refs else ()):
            if k not in self.boxed and not ip.tensors.families(map(id, alike)).isdisjoint(refs):
                ip.tensors.may_be(param, alike)
        self.choose(params)

    def is_like(self, assumed: Header) -> bool:
        """Whether the assumption holds where this is what follows from it."""
        return (
            self.names == assumed.names
            and all(
                same(s, t) or isinstance(s, Missing) and isinstance(t, Missing)
                for (s, _), (t, _) in zip(self.places, assumed.places)
            )
            and self.contents.keys() == assumed.contents.keys()
            and all(
                same(self.contents[k][1], s)
                and (self.contents[k][1].stale is None) == (s.stale is None)
                and c.origins == assumed.origins[k]
                for k, (c, s, _) in assumed.contents.items()
            )
            and self.index == assumed.index
            and self.chosen_from() == assumed.chosen_from()
            and self.lost.keys() == assumed.lost.keys()
        )

    def label(self, leaf: int) -> str:
        """The variable in which a leaf stands."""
        names = [n for n, (s, _) in zip(self.names, self.places) for _ in leaf_abstracts(s, [])]
        at = self.index.index(leaf)
        return names[at] if at < len(names) else "of a list or dict"

    # ---- joining

    def join(self, alike):
        """As of `Merge`; but a tensor to which iterations give more and more forms has none, nor has
        one of several forms in a loop that can be unrolled. An array of NumPy that iterations make
        anew has items of the run.
        """
        arrays = {id(o): o for v in alike for o in options(v)}.values()
        if len(arrays) > ARRAYS and all(map(of_array, arrays)):
            first, other, *_ = arrays
            kinds = set(map(of_array, arrays))
            settled = type(alike[0]) is RunArray and any(type(v) is UnionValue for v in alike)
            if self.exact or settled or len(kinds) > 1:
                raise Mismatch(difference(first, other))
            return RunArray(np.ndarray, Leaf(kinds.pop()))
        tensors = {forms: v for v in alike if (forms := _forms(v))}
        if len(tensors) > 1 and (self.exact or len(frozenset().union(*tensors)) > FORMS):
            first, other, *_ = tensors.values()
            raise Mismatch(difference(first, other))
        return super().join(alike)

    def _variable(self, name: str, alike: list) -> tuple:
        """(the skeleton of a variable, or a `Missing`; its values)."""
        try:
            alike = self._apart(alike)
            return widened(self.join(alike)), alike
        except Mismatch as e:
            return no_common(name, e), alike

    def _different(self, why: Mismatch) -> Exception:
        return complain(
            CompileTimeError,
            f"a list or dict changes its structure in a loop: {why}",
            cure="give the loop a length that is known when the program is compiled",
        )

    def _of_lengths(self, held: list, other):
        lengths = {v.size if type(v) is RunList else len(v) for v in held}
        if self.exact and len(lengths) > 1:
            raise Mismatch(difference(held[0], other))
        return super()._of_lengths(held, other)

    def _held(self, path, v):
        if id(v) in self.entries:
            raise Mismatch("it holds the one of the iteration before, which holds another in turn")
        return super()._held(path, v)

    def _keep(self, c) -> None:
        if id(c) not in self.entries:
            super()._keep(c)

    def _new(self, alike):
        first = alike[0]
        again = id(first) in self.entries and id(first) not in self.contents
        return first if again else super()._new(alike)

    def _is_kept(self, alike) -> bool:
        return super()._is_kept(alike) and id(alike[0]) not in self.entries

    def _origins(self, v, shared: bool) -> set:
        """Containers of the body do not live on to the next interpretation: one token stands for them."""
        if v.born < self.born:
            return super()._origins(v, shared)
        groups = self.ip.aliases.groups
        old = {o for o in v.origins or () if o in groups and groups[o][0].born < self.born}
        return old | {self.token} if shared else old


ARRAYS = 4
"""Among so many arrays of NumPy may a loop choose."""

FORMS = 3
"""So many forms (`values.form`) may a tensor have that a loop changes."""


def _forms(v) -> frozenset:
    """The forms that a tensor may have, which is perhaps one of several."""
    options = v.options if type(v) is UnionValue else (v,)
    return frozenset([f for o in options if (f := form(o)) is not None])


def is_changeable(v) -> bool:
    """Whether ``v`` is a tensor that may be changed in place."""
    return isinstance(v, (Node, Tensor)) and not isinstance(v, Parameter)


def widened(v, walk: Walk | None = None):
    """The skeleton of a variable that a loop changes: `widen`, but lists and dicts stay what they are."""
    if isinstance(v, Same):
        return v if family(v.value) is not None else widened(v.value, walk)
    if isinstance(v, Missing):
        return v
    if family(v) is not None:
        return Same(v)
    if isinstance(v, tuple) or record(v) is not None:
        walk = walk or Walk(v)
        p = walk.parts(v)
        return p.remake([widened(e, walk) for e in p.items])
    return widen(v)

"""A compiled program: what runs it, and what of the caller's it changes."""

from __future__ import annotations

from .. import eager_views, sharding
from ..base.errors import complain, user_loc
from ..base.options import LAID, narrowed
from ..frontend.value_types import Leaf, containers_of
from ..frontend.values import leaf_abstracts
from ..ir.abstract import AbstractScalar
from ..ops import tensor_hooks as hooks
from ..tensor import Tensor
from .arguments import scalar_array
from .divided import divided
from .guards import Guards
from .results import number, restored


def arrays_of(parameters: list, laid=None) -> list:
    """The arrays that a program takes for its parameters; ``laid`` says how they lie (`sharding.parts`),
    None that all are to be whole.
    """
    if laid is None and LAID not in narrowed:
        return [p._array for p in parameters]
    return sharding.parts.boxes(parameters, laid)


class Program:
    """One compiled specialisation.

    Attributes:
        out: the skeleton of the result.
        given: (number, skeleton) of the lists and dicts that change, those of the arguments and
            those that were made outside behind them; None if there are none at all.
        stored: the numbers of the leaves, those of outside too, that change.
        lies: how its parameters lie, if it is divided among processes.
    """

    __slots__ = ("executable", "guards", "given", "lies", "out", "stored", "wrap")

    def __init__(self, executable, out, given, stored: list, guards: Guards, lies=None):
        self.executable, self.guards = executable, guards
        self.out, self.given, self.stored = out, given, stored
        results = [a for s in (out, *[s for _, s in given or ()]) for a in leaf_abstracts(s, [])]
        self.wrap = [number if isinstance(a, AbstractScalar) else Tensor._wrap for a in results]
        self.wrap += [Tensor._wrap] * len(stored)
        self.lies = lies
        if lies is not None:
            divided.note(guards.parameters, lies)
        executable.bind(arrays_of(guards.parameters, self.lies))
        if LAID in narrowed:
            guards.assume("lies")

    parameters = property(lambda self: self.guards.parameters)

    def __call__(self, leaves: list, held: list, args: tuple, kwargs: dict):
        """Run for these ``leaves``. What changes as the program says are tensors among these, and
        lists and dicts in the arguments of the call, and ``held``, those outside.

        Raises:
            ValueError: what changes is passed twice.
        """
        changing = self.given is not None or self.stored
        given = self._changed((args, *kwargs.values()), leaves, held) if changing else ()
        arrays = []
        for v in leaves:
            arrays.append(v._array if isinstance(v, Tensor) else scalar_array(v))
        found = []
        for wrap, array in zip(self.wrap, self.executable(arrays)):
            found.append(wrap(array))
        if self.guards.writes:
            self.outdate()
        if not changing and type(self.out) is Leaf:
            return found[0]
        values = iter(found)
        result = restored(self.out, values, given)
        for i, skeleton in self.given or ():
            now = restored(skeleton, values, given)
            given[i].clear()
            given[i].extend(now) if hasattr(now, "extend") else given[i].update(now)
        for i in self.stored:
            _hold(leaves[i], next(values))
        return result

    def can_sink(self) -> bool:
        """Whether its runs may follow one another without Python: it changes nothing but parameters,
        and gives no list of the caller's.
        """
        outs = self.out if type(self.out) is tuple else (self.out,)
        plain = self.given is None or all(type(v) is Leaf for v in outs)
        return plain and not (self.given or self.stored or hooks.registered)

    def sink(self, feed, rest: list) -> tuple:
        """Run for each batch of ``feed``, whose leaves ``rest`` follow.

        Returns:
            tuple: (what the last run gave, how many there were).
        """
        arrays = [v._array if isinstance(v, Tensor) else scalar_array(v) for v in rest]
        try:
            found, count = self.executable.sink(feed, arrays)
        finally:
            if self.guards.writes:
                self.outdate()
        leaves = [wrap(array) for wrap, array in zip(self.wrap, found)]
        return restored(self.out, iter(leaves), ()) if count else None, count

    def outdate(self) -> None:
        """Views of the parameters are out of date, since the program writes some."""
        if self.lies is not None:
            sharding.parts.outdate(self.parameters)
        for p in self.parameters:
            if p._shares is not None:
                eager_views.outdate(p)

    def _changed(self, args: tuple, leaves: list, held: list) -> list:
        """What may change or stay in what changes: lists and dicts of the caller and of outside,
        then the leaves. What changes must not be passed twice.
        """
        given = []
        if self.given is not None:
            outside = self.guards.imports
            given = containers_of(args, [])
            given += [held[v] if type(v) is int else v for v in outside]
        if self.given or self.stored:
            _expect_once(given if self.given else (), "list or dict")
            _expect_once(
                [t for t in leaves if isinstance(t, Tensor)] if self.stored else (), "tensor"
            )
            _expect_apart(leaves, self.stored)
        return given + leaves


def _expect_once(values, what: str) -> None:
    if len(set(map(id, values))) < len(values):
        raise complain(
            ValueError,
            f"a {what} that compiled code changes is passed twice",
            loc=user_loc(),
            cure="pass a copy",
        )


def _expect_apart(leaves: list, stored: list) -> None:
    """Raise if a tensor that changes shares elements with another."""
    roots = [eager_views.of(t) for t in leaves if isinstance(t, Tensor)]
    for i in stored:
        if sum(r is eager_views.of(leaves[i]) for r in roots) > 1:
            raise complain(
                ValueError,
                "a tensor that compiled code changes shares its elements with another that it is "
                "given: one is a view of the other",
                loc=user_loc(),
                cure="pass a copy: x[0].copy()",
            )


def _hold(x: Tensor, new: Tensor) -> None:
    """``x`` has the value of ``new`` behind the program, and so have its views."""
    if x._shares is None:
        x._array, x._abstract = new._array, None
    else:
        x.copy_(new)

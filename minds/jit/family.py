"""One compilation for many sizes: parsed, differentiated and optimised once, lowered for each size.

A `Family` is found in up to two ways. First in general: for example sizes that are equal to
nothing, so that what is found holds for nearly all sizes, and conditions of the user's on sizes are
left to the run. Where that fails, or does not hold for the sizes at hand, for these: what is asked
of sizes is answered as they are, and the family is for sizes of which the same holds. Where that
fails too the caller compiles for the sizes alone, which says what is wrong with them.
"""

from __future__ import annotations

from .. import lower
from ..base.errors import UserError
from ..base.options import freeze
from ..frontend.imports import Captures
from ..frontend.structure import parts
from ..frontend.value_types import Leaf
from ..ir import dim
from ..ir.abstract import FLOAT, INT, AbstractTensor
from ..ir.bind import bind
from ..ir.dim import Dim
from ..ir.shape_env import Respecialise, ShapeEnv
from ..ir.sizes import bound, sizes_of
from ..passes.driver import run_steps
from . import steps
from .arguments import Numbers
from .guards import Guards
from .program import Program

KEPT = 256
"""So many programs of one family are kept, the latest made."""


class Family:
    """The optimised graph of a function whose arguments have open dimensions.

    Attributes:
        graph: typed and closed; it is copied for each binding.
        out, given, stored: as of a `Program`, with open dimensions.
        types: the abstract values of the leaves among the arguments.
        scope: what was assumed of sizes.
        guards: what was found outside of the arguments, on which it depends; `reads` as it was read.
        programs: the key of the arguments of each program that was made, in order.
    """

    __slots__ = (
        "guards",
        "given",
        "graph",
        "options",
        "out",
        "programs",
        "reads",
        "scope",
        "stored",
        "types",
    )

    def __init__(self, graph, out, given, stored, types, scope, guards, reads, options):
        self.graph, self.out, self.given, self.stored = graph, out, given, stored
        self.types, self.scope = types, scope
        self.guards, self.reads, self.options, self.programs = guards, reads, options, []

    def sizes(self, leaves: list) -> dict | None:
        """The value of each variable for arguments with these leaves; None if the family is not for
        them.
        """
        env = self.binding(leaves)
        return env if env is not None and self.scope.holds(env) else None

    def binding(self, leaves: list) -> dict | None:
        """`sizes`, whatever was assumed of them."""
        pairs = []
        for a, v in zip(self.types, leaves):
            if dim.is_size(a):
                pairs.append((a, v))
            if type(a) is not AbstractTensor:
                continue
            if a.dtype is not v.dtype or a.ndim != v.ndim:
                return None
            pairs += zip(a.shape, v.shape)
        env, wrong = sizes_of(pairs)
        return env if wrong is None else None

    def program(self, env: dict) -> Program:
        """The program for a binding."""
        with steps.quietly():
            executable = lower.program.lower(
                bind(self.graph, env), self.options, bool(self.scope.found)
            )
        given = self.given and [(i, _bound(skeleton, env)) for i, skeleton in self.given]
        out = _bound(self.out, env)
        return Program(
            executable, out, given, self.stored, self.guards, self.graph.flags.get("lies")
        )


def build_family(
    fn,
    args: tuple,
    kwargs: dict,
    types: list,
    taken: Numbers | None,
    leaves: list,
    general: bool,
    captures: Captures | None,
    unify: bool = False,
) -> tuple:
    """Compile ``fn`` for arguments like these whose leaves have ``types``, which contain open
    dimensions.

    Args:
        types (list): per leaf its abstract value with `Dim`, a `Dim` for a number that is an open
            size, or None for the abstract value of the leaf itself.
        taken (Numbers | None), leaves (list): how numbers are taken, and the leaves that follow
        from it.
        general (bool): for example sizes; else for those of the arguments.
        captures (Captures | None): how what is read outside is taken; None for constants.
        unify (bool): whether sizes that must be equal for the program to fit are made equal.
    Returns:
        (Family or None if there is none for the sizes at hand, what it had to assume as text or
        None).
    """
    actual, _ = sizes_of(
        [
            p
            for a, v in zip(types, leaves)
            if a is not None
            for p in ([(a, v)] if dim.is_size(a) else zip(a.shape, v.shape))
        ]
    )
    example = (
        {x: _general(x, i, n) for i, (x, n) in enumerate(actual.items())} if general else actual
    )
    known, why = {}, None
    while True:
        scope = ShapeEnv(example, general, known)
        try:
            with scope:
                now = [_type(a, v, known) for a, v in zip(types, leaves)]
                family = _attempt(fn, args, kwargs, now, scope, taken, captures)
        except Respecialise as e:
            why = e.why
            more = _equal(scope, unify) if e.known is None else e.known
            if more is None:
                return None, why
            known = dim.narrowed(known, more)
            continue
        except UserError as e:
            more = _equal(scope, unify)
            if more is None:
                # What is refused for open dimensions may be right for these sizes, and if not, is
                # told for them.
                return None, e.complaint.head
            why, known = why or e.complaint.head, dim.narrowed(known, more)
            continue
        if family.sizes(leaves) is not None:
            return family, why
        more = _equal(scope, unify)
        if more is None:
            return None, None
        known = dim.narrowed(known, more)


def _equal(scope: ShapeEnv, unify: bool) -> dict | None:
    """Two sizes that the program takes to be equal, as far as it was interpreted."""
    equation = scope.denied() if unify else None
    return None if equation is None else dict([equation])


def _general(x: dim.Var, i: int, actual: int) -> int:
    """A size that equals nothing by chance, or the actual one where the bounds are narrow."""
    made_up = x.low + 1009 + 210 * i if x.low >= 0 else 7 + 4 * i
    return made_up if made_up <= x.high else actual


def _type(a, v, known: dict):
    """The abstract value of a leaf: with open dimensions, as far as they are not ``known``."""
    if a is None:
        return v.abstract if hasattr(v, "abstract") else INT if type(v) is int else FLOAT
    if dim.is_size(a):
        return dim.replaced(a, known)
    return AbstractTensor([dim.replaced(d, known) for d in a.shape], a.dtype)


def _attempt(fn, args, kwargs, types: list, scope: ShapeEnv, taken, captures) -> Family:
    options = freeze()
    with steps.quietly():
        ip, out = steps.parse(
            fn, args, kwargs, options, taken, types, itself=True, captures=captures
        )
        graph = run_steps(ip.root, steps.STEPS, options)
    return Family(
        graph,
        out,
        ip.imports.given,
        ip.tensors.stored(),
        types,
        scope,
        Guards.of(ip),
        [*ip.imports.reads.values()],
        options,
    )


def _bound(skeleton, env: dict):
    """The skeleton of a result with the sizes of a binding."""
    kind = type(skeleton)
    if kind is Leaf:
        return Leaf(bound(skeleton.abstract, env))
    if kind is Dim:
        return dim.evaluate(skeleton, env)
    held = parts(skeleton)
    return skeleton if held is None else held.remake([_bound(v, env) for v in held.items])


__all__ = ["KEPT", "Family", "build_family"]

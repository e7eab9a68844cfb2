"""The `match` statement.

What a value consists of is known while compiling, numbers and tensors in it perhaps not: a pattern
is a condition, known now or at run time, and the names that it binds.
"""

from __future__ import annotations

import gast

from ..base.errors import complain
from ..ir.node import Node
from .access import getattr_
from .compare import as_key, compared, contains, fold
from .conditions import runtime_if
from .describe import describe, need_static
from .raises import attempted
from .registry import stmt
from .scalars import truth_scalar
from .value_types import LocalDict, LocalList
from .variables import assign_name

_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose only positional pattern is for the whole value."""


@stmt(gast.Match)
def _match(ip, node):
    subject = ip.eval(node.subject)

    def case(k: int) -> None:
        if k == len(node.cases):
            return
        clause = node.cases[k]
        found: dict = {}
        test = matches(ip, clause.pattern, subject, found)
        if test is not False and clause.guard is not None:

            def guard():
                _bind(ip, found)
                return truth_scalar(ip, ip.eval(clause.guard))

            test = guard() if test is True else runtime_if(ip, test, guard, lambda: False, "case")

        def body():
            _bind(ip, found)
            ip.block(clause.body)

        if isinstance(test, Node):
            runtime_if(ip, test, body, lambda: case(k + 1), "case")
        elif test:
            body()
        else:
            case(k + 1)

    case(0)


def known_case(ip, node, holds) -> int | None:
    """The number of the first case that the subject takes, its names bound; None if there is none.
    ``holds(test)`` gives a test, which only the run may know, as a bool.
    """
    subject = ip.eval(node.subject)
    for k, clause in enumerate(node.cases):
        found: dict = {}
        if holds(matches(ip, clause.pattern, subject, found)):
            _bind(ip, found)
            if clause.guard is None or holds(truth_scalar(ip, ip.eval(clause.guard))):
                return k
    return None


def matches(ip, pattern, v, found: dict):
    """Whether ``v`` has the form of ``pattern``, now or at run time; ``found`` gets its names."""
    frame = ip.frames[-1]
    outer, frame.node = frame.node, pattern
    try:
        return attempted(ip, lambda: _KINDS[type(pattern)](ip, pattern, v, found))
    finally:
        frame.node = outer


def _as(ip, pattern, v, found):
    test = True if pattern.pattern is None else matches(ip, pattern.pattern, v, found)
    if pattern.name is not None:
        found[pattern.name] = v
    return test


def _all(ip, pairs, found):
    """Whether all of some values have the forms of their patterns."""
    return fold(ip, (matches(ip, pattern, v, found) for pattern, v in pairs), True)


def _sequence(ip, pattern, v, found):
    if not isinstance(v, (list, tuple, range)):
        return False
    patterns, items = pattern.patterns, list(v)
    at = next((k for k, p in enumerate(patterns) if isinstance(p, gast.MatchStar)), None)
    if at is None:
        return len(items) == len(patterns) and _all(ip, zip(patterns, items), found)
    after = len(patterns) - at - 1
    if len(items) < len(patterns) - 1:
        return False
    if patterns[at].name is not None:
        found[patterns[at].name] = LocalList(items[at : len(items) - after])
    outer = [*zip(patterns[:at], items), *zip(patterns[at + 1 :], items[len(items) - after :])]
    return _all(ip, outer, found)


def _mapping(ip, pattern, v, found):
    if not isinstance(v, dict):
        return False
    keys = [as_key(ip, ip.eval(k)) for k in pattern.keys]
    if not all(contains(ip, k, v) for k in keys):
        return False
    if pattern.rest is not None:
        found[pattern.rest] = LocalDict((k, e) for k, e in v.items() if k not in keys)
    return _all(ip, [(p, v[k]) for k, p in zip(keys, pattern.patterns)], found)


def _class(ip, pattern, v, found):
    cls = ip.eval(pattern.cls)
    if not isinstance(cls, type):
        raise complain(TypeError, f"called match pattern must be a class, not {describe(cls)}")
    if not need_static(ip.call(isinstance, [v, cls], {}), "the class of the value that is matched"):
        return False
    pairs = list(zip(pattern.kwd_attrs, pattern.kwd_patterns))
    places = pattern.patterns
    if places and cls in _WHOLE:
        places, pairs = places[1:], [(None, places[0]), *pairs]
    names = getattr(cls, "__match_args__", ())[: len(places)]
    if len(names) < len(places):
        most = len(getattr(cls, "__match_args__", ())) or int(cls in _WHOLE)
        what = f"{cls.__name__}() accepts {most} positional sub-pattern{'s' * (most != 1)}"
        raise complain(TypeError, f"{what} ({len(pattern.patterns)} given)")
    held = []
    for name, p in [*zip(names, places), *pairs]:
        if name is not None and not ip.call(hasattr, [v, name], {}):
            return False
        held.append((p, v if name is None else getattr_(ip, v, name)))
    return _all(ip, held, found)


def _or(ip, pattern, v, found):
    ways: list = []
    for p in pattern.patterns:
        names: dict = {}
        test = matches(ip, p, v, names)
        if test is not False:
            ways.append((test, names))
        if test is True:
            break
    if ways:
        found.update(_first(ip, ways))
    return fold(ip, [test for test, _ in ways], False)


def _first(ip, ways: list) -> dict:
    """What the names of the first alternative that matches stand for."""
    (test, names), *others = ways
    if not others or not names:
        return names
    order = sorted(names)

    def held(known: dict) -> tuple:
        return tuple([known[n] for n in order])

    values = runtime_if(ip, test, lambda: held(names), lambda: held(_first(ip, others)), "case")
    return dict(zip(order, values))


_KINDS = {
    gast.MatchValue: lambda ip, pattern, v, found: truth_scalar(
        ip, compared(ip, gast.Eq(), v, ip.eval(pattern.value))
    ),
    gast.MatchSingleton: lambda ip, pattern, v, found: truth_scalar(
        ip, compared(ip, gast.Is(), v, pattern.value)
    ),
    gast.MatchAs: _as,
    gast.MatchSequence: _sequence,
    gast.MatchMapping: _mapping,
    gast.MatchClass: _class,
    gast.MatchOr: _or,
}


def _bind(ip, found: dict) -> None:
    """Give the names of a pattern their values."""
    for name, value in found.items():
        assign_name(ip, name, value)

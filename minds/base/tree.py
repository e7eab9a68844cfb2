"""Trees: values made of nested containers, taken apart and put together again.

A *tree* is a leaf, or a node of a registered kind that holds trees. Tuples, named tuples, lists,
dicts and dataclasses are registered here; other modules register theirs with `register`. Everything
else is a leaf, None too. `flatten` splits a tree into its leaves, in order, and a `TreeDef`, which
says how to put others in their places:

    leaves, treedef = flatten({"w": x, "rest": (y, 3)})    # [x, y, 3]
    unflatten(treedef, [1, 2, 3])                          # {"w": 1, "rest": (2, 3)}

Where only some leaves count, ``only`` tells them; the others are constants of the treedef:

    leaves, treedef = flatten((x, "sum", 3), only=is_tensor)   # [x]; "sum" and 3 are in the treedef

Invariants: ``unflatten(treedef, leaves)`` is equal to the tree, and the treedefs of two trees are
equal if and only if the trees have the same kinds, keys and constants in the same places. Treedefs are
nested tuples, so that they are hashed and compared in C: they are keys of caches. All functions are
linear in the size of the tree. One that holds itself is a RecursionError.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from dataclasses import fields, is_dataclass

from .errors import complain


class TreeDef(tuple):
    """The structure of a tree: ``(kind, aux, *children)`` of a node. Opaque, hashable, comparable.

    Attributes:
        count: the number of leaves, in linear time.
    """

    __slots__ = ()

    @property
    def count(self) -> int:
        """The number of leaves."""
        if self == LEAF:
            return 1
        return 0 if self[0] == _CONSTANT else sum([child.count for child in self[2:]])

    def __repr__(self) -> str:
        if self == LEAF:
            return "*"
        kind, aux, *children = self
        if kind == _CONSTANT:
            return repr(children[0])
        inner = ", ".join(f"{_how(kind).key(aux, i)}: {c!r}" for i, c in enumerate(children))
        return f"{kind.__name__}({inner})"


_CONSTANT = "constant"
LEAF = TreeDef(("leaf",))
"""The treedef of a leaf."""


class _Kind:
    """How the nodes of a type are taken apart and made."""

    __slots__ = ("apart", "key", "remake")

    def __init__(self, apart, remake, key):
        self.apart, self.remake, self.key = apart, remake, key


def register(kind: type, apart, remake, key=None) -> None:
    """Make the objects of a type nodes of trees; those of its subclasses too that have no kind of
    their own.

    Args:
        kind (type): the type.
        apart (Callable): of an object, ``(aux, children)``: what it is besides its children, which is
            hashable, and the sequence of these. None for an object that is a leaf all the same.
        remake (Callable): ``remake(type, aux, children)``: the object again.
        key (Callable): ``key(aux, i)``: how child number i is reached, for messages. Default:
            ``[i]``.
    """
    _set(kind, _Kind(apart, remake, key or _index))


def register_leaf(kind: type) -> None:
    """Make the objects of a type leaves, though it is a dataclass, or derived from a type with a
    kind.
    """
    _set(kind, None)


def flatten(tree, is_leaf=None, only=None) -> tuple[list, TreeDef]:
    """The leaves of a tree, in order, and its structure.

    Args:
        tree: any value.
        is_leaf (Callable): tells a node that is taken for a leaf as it is.
        only (Callable): tells the leaves that count; the others become constants of the structure.
            Default: all count.

    Returns:
        tuple: ``(leaves, treedef)``.

    Raises:
        RecursionError: the tree holds itself, or is nested too deep.

    Examples:
        >>> from minds.base import tree
        >>> tree.flatten({"a": 1, "b": (2, None)})
        ([1, 2, None], dict(['a']: *, ['b']: tuple([0]: *, [1]: *)))
        >>> tree.flatten([1, "x"], only=lambda v: type(v) is int)
        ([1], list([0]: *, [1]: 'x'))
    """
    found: list = []
    try:
        return found, _flatten(tree, found, is_leaf, only)
    except RecursionError:
        _refuse_cycle(tree)
        raise


def _flatten(tree, found: list, is_leaf, only) -> TreeDef:
    kind = type(tree)
    how = _how(kind)
    if how is not None and (is_leaf is None or not is_leaf(tree)):
        held = how.apart(tree)
        if held is not None:
            children = [_flatten(child, found, is_leaf, only) for child in held[1]]
            return TreeDef((kind, held[0], *children))
    if only is None or only(tree):
        found.append(tree)
        return LEAF
    return TreeDef((_CONSTANT, kind, tree if kind in _BY_VALUE else _Constant(tree)))


def leaves(tree, is_leaf=None, only=None) -> list:
    """The leaves of a tree, in order; arguments as of `flatten`."""
    found: list = []
    try:
        _collect(tree, found, is_leaf, only)
    except RecursionError:
        _refuse_cycle(tree)
        raise
    return found


def _collect(tree, found: list, is_leaf, only) -> None:
    held = None if is_leaf is not None and is_leaf(tree) else children(tree)
    if held is not None:
        for child in held:
            _collect(child, found, is_leaf, only)
    elif only is None or only(tree):
        found.append(tree)


def structure(tree, is_leaf=None, only=None) -> TreeDef:
    """The treedef of a tree; arguments as of `flatten`."""
    return flatten(tree, is_leaf, only)[1]


def unflatten(treedef: TreeDef, leaves):
    """The tree of a structure with these leaves: the inverse of `flatten`.

    Args:
        treedef (TreeDef): the structure.
        leaves (Iterable): as many as it has. An iterator may have more, which it keeps.

    Raises:
        ValueError: there are too few leaves, or a sequence has too many.

    Examples:
        >>> from minds.base import tree
        >>> tree.unflatten(tree.structure((0, [0])), "ab")
        ('a', ['b'])
    """
    given = iter(leaves)
    try:
        made = _unflatten(treedef, given)
    except StopIteration:
        raise ValueError(f"{treedef!r} has more leaves than are given") from None
    if given is not leaves and next(given, LEAF) is not LEAF:
        raise ValueError(f"{treedef!r} has fewer leaves than are given")
    return made


def _unflatten(treedef: TreeDef, given):
    if treedef == LEAF:
        return next(given)
    kind, aux, *held = treedef
    if kind == _CONSTANT:
        return held[0].value if type(held[0]) is _Constant else held[0]
    return _how(kind).remake(kind, aux, [_unflatten(child, given) for child in held])


def map(fn, tree, *rest, is_leaf=None):
    """``fn`` of each leaf of a tree, in the tree's structure.

    Args:
        fn (Callable): of a leaf, and of the leaves of ``rest`` in the same place.
        tree: any value.
        *rest: trees of the same structure; where ``tree`` has a leaf they may have anything.
        is_leaf (Callable): as of `flatten`.

    Raises:
        ValueError: one of ``rest`` has another structure.

    Examples:
        >>> from minds.base import tree
        >>> tree.map(lambda a, b: a + b, {"w": 1, "b": (2,)}, {"w": 10, "b": (20,)})
        {'w': 11, 'b': (22,)}
    """
    held = None if is_leaf is not None and is_leaf(tree) else node(tree)
    if held is None:
        return fn(tree, *rest)
    kind, aux, items = held
    others = [node(t) for t in rest]
    for other in others:
        if other is None or other[:2] != held[:2] or len(other[2]) != len(items):
            raise ValueError(f"a tree is {structure(tree)!r}, another one {structure(rest[0])!r}")
    made = [map(fn, *parts, is_leaf=is_leaf) for parts in zip(items, *[o[2] for o in others])]
    return _how(kind).remake(kind, aux, made)


def paths(tree, root: str = "", is_leaf=None) -> list[tuple[str, object]]:
    """(how it is reached, leaf) for each leaf of a tree, for messages.

    Args:
        tree: any value.
        root (str): the name of the tree.
        is_leaf (Callable): as of `flatten`.

    Examples:
        >>> from minds.base import tree
        >>> tree.paths([{"w": 1}, 2], "args")
        [("args[0]['w']", 1), ('args[1]', 2)]
    """
    found: list = []
    try:
        _paths(tree, root, is_leaf, found)
    except RecursionError:
        _refuse_cycle(tree)
        raise
    return found


def _paths(tree, at: str, is_leaf, found: list) -> None:
    held = None if is_leaf is not None and is_leaf(tree) else node(tree)
    if held is None:
        found.append((at, tree))
        return
    kind, aux, items = held
    for i, child in enumerate(items):
        _paths(child, at + _how(kind).key(aux, i), is_leaf, found)


def node(value) -> tuple | None:
    """``(kind, aux, children)`` of a node: one level of a tree; None for a leaf."""
    kind = type(value)
    how = _how(kind)
    held = None if how is None else how.apart(value)
    return None if held is None else (kind, *held)


def children(value):
    """What a node holds; None for a leaf."""
    kind = type(value)
    how = _how(kind)
    held = None if how is None else how.apart(value)
    return None if held is None else held[1]


def remade(node: tuple, children):
    """The value of a `node` with other children."""
    kind, aux, _ = node
    return _how(kind).remake(kind, aux, children)


def _refuse_cycle(tree) -> None:
    """Raise RecursionError if a tree holds itself: no larger stack would help."""
    above, pending = [tree], [iter(children(tree) or ())]
    while pending:
        child = next(pending[-1], pending)
        held = None if child is pending else children(child)
        if child is pending:
            pending.pop(), above.pop()
        elif any(child is a for a in above):
            what = f"a {type(child).__name__} holds itself"
            raise complain(RecursionError, what, expected="values without cycles") from None
        elif held is not None:
            above.append(child)
            pending.append(iter(held))


class _Constant:
    """A constant of a treedef that is equal to itself only; a float, to one that is written alike."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other) -> bool:
        if type(other) is not _Constant:
            return False
        a, b = self.value, other.value
        return a is b or type(a) is type(b) is float and repr(a) == repr(b)

    def __hash__(self) -> int:
        return hash(self.value) if type(self.value) is float else id(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


_BY_VALUE = {bool, int, str, bytes, type(None), type}
"""The types of constants that are compared by value. Floats are not: 0.0 == -0.0."""


# ---- kinds


def _index(aux, i: int) -> str:
    return f"[{i}]"


def _sequence(kind: type, aux, children):
    return kind(children)


def _named_tuple(kind: type, aux, children):
    return kind(*children)


def _dict(kind: type, keys: tuple, children):
    return kind(zip(keys, children))


def _default_dict(kind: type, aux: tuple, children):
    return kind(aux[0], zip(aux[1], children))


def record(kind: type, names: tuple, children):
    """An object of a class with these attributes, of which nothing is called."""
    new = object.__new__(kind)
    for name, child in zip(names, children):
        object.__setattr__(new, name, child)
    return new


def _fields_of(value) -> tuple[tuple, list]:
    names = tuple([f.name for f in fields(value) if hasattr(value, f.name)])
    return names, [getattr(value, n) for n in names]


def _dict_key(keys: tuple, i: int) -> str:
    return f"[{keys[i]!r}]"


_KINDS: dict[type, _Kind | None] = {
    tuple: _Kind(lambda v: (None, v), _sequence, _index),
    list: _Kind(lambda v: (None, v), _sequence, _index),
    dict: _Kind(lambda v: (tuple(v), v.values()), _dict, _dict_key),
    defaultdict: _Kind(
        lambda v: ((v.default_factory, tuple(v)), v.values()),
        _default_dict,
        lambda aux, i: f"[{aux[1][i]!r}]",
    ),
}
"""By type; None for leaves."""

_met: dict[int, tuple[_Kind | None, weakref.ref]] = {}
"""By identity, those that were not registered themselves, while they live."""

_DATACLASS = _Kind(_fields_of, record, lambda names, i: f".{names[i]}")


def _set(kind: type, how: _Kind | None) -> None:
    _met.clear()
    _KINDS[kind] = how


def _how(kind: type) -> _Kind | None:
    """How values of a type are taken apart; None for leaves."""
    if kind in _KINDS:
        return _KINDS[kind]
    key = id(kind)
    found = _met.get(key)
    if found is None or found[1]() is not kind:
        found = _resolved(kind), weakref.ref(kind, lambda _: _met.pop(key, None))
        _met[key] = found
    return found[0]


def _resolved(kind: type) -> _Kind | None:
    """The kind of a type that is not registered."""
    base = next((b for b in kind.__mro__ if b in _KINDS), None)
    how = None if base is None else _KINDS[base]
    if base is tuple and hasattr(kind, "_fields"):
        names = kind._fields
        return _Kind(how.apart, _named_tuple, lambda aux, i: f".{names[i]}")
    if base is None and is_dataclass(kind) and not kind.__module__.startswith("minds."):
        return _DATACLASS
    return how


__all__ = [
    "LEAF",
    "TreeDef",
    "children",
    "flatten",
    "leaves",
    "map",
    "node",
    "paths",
    "register",
    "register_leaf",
    "remade",
    "structure",
    "unflatten",
]

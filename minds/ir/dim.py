"""`Dim`: a size that is an integer expression of sizes which a call tells, and what compilation
assumes of them.

An expression is a polynomial over atoms (declared dimensions, and quotients and remainders that do
not divide out) in one normal form, interned: equal polynomials are one object. Comparisons are
decided where bounds decide them. What is left is asked of the `ShapeEnv` of the compilation, which
answers for the sizes that it was given as example and notes the answer: the program holds for all
sizes that would have been answered alike. So nothing that is computed from a `Dim` can be wrong for
the sizes a program is used with.
"""

from __future__ import annotations

import math
import threading
from collections import Counter

from ..base.errors import complain
from .abstract import INT

_INF = math.inf
state = threading.local()
_vars: dict[tuple, Var] = {}
_atoms: dict[tuple, Quotient] = {}
_dims: dict[frozenset, Dim] = {}


class Var:
    """A size that a call tells: ``factor`` times it plus ``rest`` is the dimension that was
    declared as ``name``.
    """

    __slots__ = ("factor", "high", "low", "name", "order", "rest")

    def __new__(cls, name: str, low=0, high=_INF, factor=1, rest=0):
        key = (cls, name, low, high, factor, rest)
        found = _vars.get(key)
        if found is None:
            found = _vars[key] = object.__new__(cls)
            _, found.name, found.low, found.high, found.factor, found.rest = key
            found.order = (len(_vars), 0)
        return found

    def value(self, env: dict) -> int:
        return env[self]

    def bounds(self) -> tuple:
        return self.low, self.high

    def __repr__(self) -> str:
        return self.name if (self.factor, self.rest) == (1, 0) else f"({self.name}//{self.factor})"


class Unbacked(Var):
    """A size that a call does not tell: an op finds it when it runs, from the contents of its
    operands.
    """

    __slots__ = ()


class Quotient:
    """``a // b``, or with ``mod`` ``a % b``, that does not divide out."""

    __slots__ = ("a", "b", "mod", "order")

    def __new__(cls, a, b, mod: bool):
        key = (a, b, mod)
        found = _atoms.get(key)
        if found is None:
            found = _atoms[key] = object.__new__(cls)
            found.a, found.b, found.mod = key
            found.order = (len(_atoms), 1)
        return found

    def value(self, env: dict) -> int:
        a, b = evaluate(self.a, env), evaluate(self.b, env)
        return a % b if self.mod else a // b

    def bounds(self) -> tuple:
        (low, high), (least, most) = bounds(self.a), bounds(self.b)
        if least <= 0:
            return -_INF, _INF
        if self.mod:
            return 0, most - 1
        corners = [_floor(e, d) for e in (low, high) for d in (least, most)]
        return min(corners), max(corners)

    def replaced(self, known: dict):
        return _divide(replaced(self.a, known), replaced(self.b, known))[self.mod]

    def __repr__(self) -> str:
        return f"({self.a!r} {'%' if self.mod else '//'} {self.b!r})"


def _floor(a, b):
    """``a // b`` for ``b`` above 0, also at infinity."""
    if a in (_INF, -_INF):
        return a
    return a // b if b != _INF else (0 if a >= 0 else -1)


class Least:
    """The lesser of two sizes, where the run decides which that is."""

    __slots__ = ("a", "b", "order")

    def __new__(cls, a, b):
        key = (cls, a, b)
        found = _atoms.get(key)
        if found is None:
            found = _atoms[key] = object.__new__(cls)
            _, found.a, found.b = key
            found.order = (len(_atoms), 2)
        return found

    def value(self, env: dict) -> int:
        return min(evaluate(self.a, env), evaluate(self.b, env))

    def bounds(self) -> tuple:
        (low, high), (least, most) = bounds(self.a), bounds(self.b)
        return min(low, least), min(high, most)

    def replaced(self, known: dict):
        return least(replaced(self.a, known), replaced(self.b, known))

    def __repr__(self) -> str:
        return f"min({self.a!r}, {self.b!r})"


class Dim:
    """A dimension whose size is known only when a program is called.

    Declared in the shape of a `Tensor` without values, it makes one program serve all sizes:
    ``Tensor(shape=[Dim("n"), 28], dtype=ms.float32)``. Equal names mean equal sizes. Dims can be
    added, multiplied and divided.

    Args:
        name (str): what messages call it.
        min (int): the least size. Default: 0.
        max (int | None): the largest size. Default: None.
        divisor (int): the size is a multiple of it, plus ``remainder``. Default: 1.
        remainder (int): below ``divisor``. Default: 0.

    Raises:
        TypeError: ``name`` is no str, or a number is no int.
        ValueError: no size satisfies the bounds.

    Examples:
        >>> import minds as ms
        >>> n = ms.Dim("n")
        >>> @ms.jit(input_signature=(ms.Tensor(shape=[n, 2], dtype=ms.float32),))
        ... def total(x):
        ...     return x.sum() / x.shape[0]
        >>> float(total(ms.ops.ones((3, 2)))), float(total(ms.ops.ones((5, 2))))
        (2.0, 2.0)
        >>> len(ms.recompiles(total))
        1
    """

    __slots__ = ("_hash", "terms")

    def __new__(
        cls, name: str, min: int = 0, max: int | None = None, divisor: int = 1, remainder: int = 0
    ):
        numbers = (min, divisor, remainder) if max is None else (min, max, divisor, remainder)
        if not isinstance(name, str) or not name or any(type(v) is not int for v in numbers):
            raise complain(TypeError, f"Dim: got {(name, *numbers)!r}", expected="a name and ints")
        least = -((remainder - (min if min > 0 else 0)) // divisor) if divisor > 0 else 0
        most = _INF if max is None else (max - remainder) // _most(divisor, 1)
        if divisor < 1 or not 0 <= remainder < divisor or most < least:
            raise complain(
                ValueError,
                f"Dim: no size of {name!r} is at least {min}, at most {max}, and "
                f"{divisor} * k + {remainder}",
                expected="bounds that leave a size",
            )
        return of_var(Var(name, _most(least, 0), most, divisor, remainder))

    # What the compiler asks of numbers among values.
    abstract = INT

    def __hash__(self) -> int:
        return self._hash

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

    def __reduce__(self):
        raise TypeError("a Dim lives in its process")

    def __add__(self, other):
        return _sum(self, other, 1) if is_size(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        return _sum(self, other, -1) if is_size(other) else NotImplemented

    def __rsub__(self, other):
        return _sum(other, self, -1) if is_size(other) else NotImplemented

    def __mul__(self, other):
        return _product(self, other) if is_size(other) else NotImplemented

    __rmul__ = __mul__

    def __pow__(self, other):
        if type(other) is not int or other < 0:
            return self.__index__() ** other
        return _product(self, self ** (other - 1)) if other else 1

    def __neg__(self):
        return _product(self, -1)

    def __pos__(self):
        return self

    def __floordiv__(self, other):
        return _divide(self, other)[0] if is_size(other) else NotImplemented

    def __rfloordiv__(self, other):
        return _divide(other, self)[0] if is_size(other) else NotImplemented

    def __mod__(self, other):
        return _divide(self, other)[1] if is_size(other) else NotImplemented

    def __rmod__(self, other):
        return _divide(other, self)[1] if is_size(other) else NotImplemented

    def __divmod__(self, other):
        return _divide(self, other) if is_size(other) else NotImplemented

    def __abs__(self):
        return -self if self < 0 else self

    def __eq__(self, other):
        if type(other) is float:
            return float(self) == other
        return self is other or is_size(other) and settle("eq", self - other)

    def __ne__(self, other):
        return not self == other

    def __lt__(self, other):
        return settle("lt", self - other) if is_size(other) else NotImplemented

    def __ge__(self, other):
        return not settle("lt", self - other) if is_size(other) else NotImplemented

    def __gt__(self, other):
        return settle("lt", other - self) if is_size(other) else NotImplemented

    def __le__(self, other):
        return not settle("lt", other - self) if is_size(other) else NotImplemented

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        """The number itself: the compilation is made for it."""
        scope = current()
        if scope is None:
            raise complain(
                TypeError,
                f"the size {self!r} is known only when a program is called",
                cure="compute with it inside of compiled code",
            )
        return scope.number(self)

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __truediv__(self, other):
        return (
            self.__index__() / other if is_size(other) or type(other) is float else NotImplemented
        )

    def __rtruediv__(self, other):
        return other / self.__index__()

    def __repr__(self) -> str:
        whole = [v for v in variables(self) if v.factor != 1 and of_var(v) is self]
        if whole:
            return whole[0].name
        return " + ".join(_term(m, c) for m, c in self.terms.items()).replace("+ -", "- ")


_most = max  # `Dim.__new__` has a parameter of that name


def _term(monomial: tuple, c: int) -> str:
    factors = ([] if c in (1, -1) and monomial else [str(c)]) + [repr(a) for a in monomial]
    return ("-" if c == -1 and monomial else "") + "*".join(factors)


def is_size(v) -> bool:
    """Whether ``v`` can be a size: an int (no bool), or a `Dim`."""
    return type(v) is int or type(v) is Dim


# ---- polynomials: dicts of monomial (atoms in order) to coefficient


def _terms(v) -> dict:
    return v.terms if type(v) is Dim else {(): v}


def _made(terms: dict):
    """The int or `Dim` of a polynomial."""
    terms = {m: c for m, c in terms.items() if c}
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return terms[()]
    key = frozenset(terms.items())
    found = _dims.get(key)
    if found is None:
        found = _dims[key] = object.__new__(Dim)
        order = sorted(terms, key=lambda m: (-len(m), [a.order for a in m]))
        found.terms, found._hash = {m: terms[m] for m in order}, hash(("dim", key))
    return found


def of_var(v: Var):
    """The dimension that ``v`` was declared as."""
    return _made({(v,): v.factor, (): v.rest})


def of_atom(atom):
    """A variable, quotient or the like as a dimension by itself."""
    return _made({(atom,): 1})


def _sum(a, b, sign: int):
    terms = dict(_terms(a))
    for m, c in _terms(b).items():
        terms[m] = terms.get(m, 0) + sign * c
    return _made(terms)


def _product(a, b):
    terms: dict = {}
    for m, c in _terms(a).items():
        for n, d in _terms(b).items():
            k = tuple(sorted(m + n, key=lambda atom: atom.order))
            terms[k] = terms.get(k, 0) + c * d
    return _made(terms)


def _divide(a, b) -> tuple:
    """(``a // b``, ``a % b``): what divides out is divided."""
    if type(b) is int and b < 0:
        q, r = _divide(-a, -b)
        return q, -r
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    terms = _terms(b)
    if len(terms) > 1:
        return (1, 0) if a is b else (_atom(a, b, False), _atom(a, b, True))
    ((divisor, k),) = terms.items()
    whole, left, need = {}, {}, Counter(divisor)
    for m, c in _terms(a).items():
        have = Counter(m)
        if all(have[x] >= n for x, n in need.items()) and (k > 0 or c % k == 0):
            have -= need
            rest = tuple(sorted(have.elements(), key=lambda atom: atom.order))
            whole[rest] = whole.get(rest, 0) + c // k
            c %= k
        left[m] = c
    rest = _made(left)
    low, high = bounds(rest)
    if low == high == 0 or low >= 0 and high < bounds(b)[0]:
        return _made(whole), rest
    return _sum(_made(whole), _atom(rest, b, False), 1), _atom(rest, b, True)


def _atom(a, b, mod: bool):
    if type(a) is int and type(b) is int:
        return a % b if mod else a // b
    return _made({(Quotient(a, b, mod),): 1})


def bounds(v) -> tuple:
    """The least and the largest value that ``v`` can have."""
    if type(v) is not Dim:
        return v, v
    low = high = 0
    for m, c in v.terms.items():
        least, most = c, c
        for atom in m:
            corners = [_times(x, y) for x in (least, most) for y in atom.bounds()]
            least, most = min(corners), max(corners)
        low, high = low + least, high + most
    return low, high


def _times(x, y):
    return 0 if x == 0 or y == 0 else x * y


def evaluate(v, env: dict) -> int:
    """The value of a size where ``env`` tells those of its variables."""
    if type(v) is int:
        return v
    total = 0
    for m, c in v.terms.items():
        for atom in m:
            c *= atom.value(env)
        total += c
    return total


def replaced(v, known: dict):
    """A size in which variables, and other atoms that ``known`` has, are replaced by other
    sizes.
    """
    if type(v) is int:
        return v
    total = 0
    for m, c in v.terms.items():
        for atom in m:
            part = known.get(atom)
            if part is None:
                part = _made({(atom,): 1}) if isinstance(atom, Var) else atom.replaced(known)
            c = c * part
        total = total + c
    return total


def variables(v) -> list[Var]:
    """The variables of a size."""
    found: dict = {}
    stack = [v]
    while stack:
        v = stack.pop()
        for m in v.terms if type(v) is Dim else ():
            for atom in m:
                if isinstance(atom, Var):
                    found[atom] = None
                else:
                    stack += (atom.a, atom.b)
    return list(found)


def least(a, b):
    """The lesser of two sizes; the run decides it where they depend on sizes that it finds."""
    greater = decided("lt", b - a)
    if greater is None and all(type(x) is not Unbacked for v in (a, b) for x in variables(v)):
        greater = settle("lt", b - a)
    if greater is not None:
        return b if greater else a
    return _made({(Least(*sorted((a, b), key=repr)),): 1})


def most(a, b):
    """The greater of two sizes."""
    return a + b - least(b, a)


def lone(v) -> Var | None:
    """The variable of a size that has no other; None if it has several, or none."""
    found = variables(v)
    return found[0] if len(found) == 1 else None


def constant_of(v) -> int:
    """The part of a size that depends on nothing."""
    return _terms(v).get((), 0)


def solved(v, value, wanted: Var | None = None) -> tuple | None:
    """(variable, size) that makes ``v`` equal to ``value``, where one variable stands for itself in
    it; the ``wanted`` one, or any.
    """
    rest = v - value
    for m, c in _terms(rest).items():
        if len(m) == 1 and isinstance(m[0], Var) and wanted in (None, m[0]):
            others = _sum(rest, _made({m: c}), -1)
            if m[0] not in variables(others):
                size, left = _divide(-others, c)
                if type(left) is int and left == 0:
                    return m[0], size
    return None


def eliminated(v, name: Dim) -> tuple | None:
    """(atom, size): what one atom of ``v`` is if ``v`` is called ``name``: the quotient or the like
    that was made last, which is part of no other, or else a variable.
    """

    def age(term):
        return [(isinstance(atom, Var), -atom.order[0]) for atom in term[0]]

    for m, c in sorted(v.terms.items(), key=age):
        if len(m) == 1 and c in (1, -1):
            rest = v - _made({m: c})
            if m[0] not in variables(rest):
                return m[0], (name - rest) * c
    return None


def narrowed(known: dict, more: dict) -> dict:
    """What is known of variables, and more that was learnt of them and of those that stand for
    them.
    """
    return {**{x: replaced(size, more) for x, size in known.items()}, **more}


# ---- what a compilation assumes


def current():
    """The `ir.shape_env.ShapeEnv` of the compilation that this thread runs, or None."""
    return getattr(state, "scope", None)


def decided(kind: str, v) -> bool | None:
    """Whether ``v < 0`` (``lt``) or ``v == 0`` (``eq``) for all sizes; None if that depends."""
    low, high = bounds(v)
    if kind == "lt":
        return True if high < 0 else False if low >= 0 else None
    return False if low > 0 or high < 0 else True if low == high == 0 else None


def settle(kind: str, v) -> bool:
    """`decided`, or else what the scope answers; without a scope sizes are equal if they are the
    same.
    """
    found = decided(kind, v)
    if found is not None:
        return found
    scope = current()
    if scope is None:
        if kind == "eq":
            return False
        raise complain(TypeError, f"the sign of {v!r} is known only when a program is called")
    return scope.ask(kind, v)


__all__ = [
    "Dim",
    "Unbacked",
    "Quotient",
    "Var",
    "bounds",
    "constant_of",
    "current",
    "decided",
    "eliminated",
    "evaluate",
    "is_size",
    "least",
    "lone",
    "most",
    "narrowed",
    "of_atom",
    "of_var",
    "replaced",
    "settle",
    "solved",
    "variables",
]

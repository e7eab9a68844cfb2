"""Abstract values: what is known of a value before it runs. Immutable and interned: equal means
``is``.

A dimension is an int, or a `Dim` symbol where the user declared it dynamic.
"""

from __future__ import annotations

from itertools import count
from weakref import WeakValueDictionary

from ..base import dtype as dt

_interned: dict[tuple, Abstract] = {}
# Types of functions name graphs, so they must not outlive them: these are found by the identity of
# what they are made of.
_of_functions: WeakValueDictionary[tuple, Abstract] = WeakValueDictionary()


class Abstract:
    """Base of all abstract values; make them by calling the class, equal arguments give the same
    object.
    """

    __slots__ = ()

    def __new__(cls, *args):
        key = (cls, *args)
        found = _interned.get(key)
        if found is None:
            found = object.__new__(cls)
            found._fill(*args)
            _interned[key] = found
        return found

    def __reduce__(self):
        return (type(self), tuple(getattr(self, s) for s in self.__slots__))

    def __deepcopy__(self, memo):
        return self


class AbstractTensor(Abstract):
    """A tensor of known shape and dtype."""

    __slots__ = ("shape", "dtype", "_size")

    def __new__(cls, shape, dtype):
        return Abstract.__new__(cls, tuple(shape), dtype)

    def _fill(self, shape, dtype):
        if bool in map(type, shape):  # True is found as 1: what is kept must serve both
            shape = tuple([int(d) if type(d) is bool else d for d in shape])
        self.shape, self.dtype, self._size = shape, dtype, None

    def __reduce__(self):
        return (AbstractTensor, (self.shape, self.dtype))

    ndim = property(lambda self: len(self.shape))

    @property
    def size(self) -> int:
        n = self._size
        if n is None:
            n = 1
            for d in self.shape:
                n *= d
            self._size = n
        return n

    def __repr__(self) -> str:
        return f"Tensor[{self.shape}, {self.dtype.name}]"


class AbstractScalar(Abstract):
    """A Python ``bool``, ``int`` or ``float`` known only at run time: int64, float64 or bool of
    rank 0. In promotion also the kind of a ``complex``, which is always known.
    """

    __slots__ = ("kind",)
    _DTYPES = {bool: dt.bool_, int: dt.int64, float: dt.float64}

    def _fill(self, kind):
        self.kind = kind

    dtype = property(lambda self: self._DTYPES[self.kind])
    shape = property(lambda self: ())
    ndim = property(lambda self: 0)
    size = property(lambda self: 1)

    def __repr__(self) -> str:
        return self.kind.__name__


class AbstractTuple(Abstract):
    """A fixed number of abstract values."""

    __slots__ = ("items", "has_function", "__weakref__")

    def __new__(cls, items):
        items = tuple(items)
        if not any(
            i.__class__ is AbstractFunction or i.__class__ is AbstractTuple and i.has_function
            for i in items
        ):
            return Abstract.__new__(cls, items)
        key = (cls, *map(id, items))
        found = _of_functions.get(key)
        if found is None:
            found = _of_functions[key] = object.__new__(cls)
            found.items, found.has_function = items, True
        return found

    def _fill(self, items):
        self.items, self.has_function = items, False

    def __reduce__(self):
        return (AbstractTuple, (self.items,))

    def __repr__(self) -> str:
        return "(" + ", ".join(map(repr, self.items)) + ("," if len(self.items) == 1 else "") + ")"


class AbstractFunction(Abstract):
    """A function value: the type of its result is all a caller needs, since arguments were typed
    when it was made.

    Nominal: ``key`` identifies the set of functions it may be (for a backpropagator, the graph it
    belongs to), so that recursive functions have finite types. ``signature`` is a mutable cell
    ``[params, result]`` filled when known. ``constant`` tells a function that captured nothing a
        gradient could flow to: those that
    J makes to start and to add cotangents.
    """

    __slots__ = ("key", "signature", "constant", "__weakref__")

    def __new__(cls, key):
        identity = (cls, _identity(key))
        found = _of_functions.get(identity)
        if found is None:
            found = _of_functions[identity] = object.__new__(cls)
            found.key, found.signature, found.constant = key, [None, None], _is_constant(key)
        return found

    def __reduce__(self):
        return (type(self), (self.key,))

    def __repr__(self) -> str:
        return f"Function[{getattr(self.key, 'name', self.key)}]"


def _is_constant(key) -> bool:
    """Whether a key is ("zero", k), ("add", k), or ("dual", such a key)."""
    while key.__class__ is tuple and key and key[0].__class__ is str:
        if key[0] in ("zero", "add"):
            return True
        if key[0] != "dual":
            break
        key = key[1]
    return False


def _identity(key):
    """What tells a function's key from others: values of words and numbers, otherwise identity."""
    if key.__class__ is tuple:
        return tuple(map(_identity, key))
    return key if key.__class__ in (str, int) else ("object", id(key))


_serial = count()


def continuation(name: str) -> AbstractFunction:
    """A new type of functions that `passes.continuations` makes data of: of every value of such a type
    the program shows which graph it is.
    """
    return AbstractFunction(("continuation", name, next(_serial)))


def is_continuation(a) -> bool:
    """Whether ``a`` is a type that `continuation` made."""
    return (
        a.__class__ is AbstractFunction and a.key.__class__ is tuple and a.key[0] == "continuation"
    )


class AbstractRef(Abstract):
    """A mutable parameter: read by ``load``, written by ``assign``. ``value`` is the AbstractTensor
    it holds.
    """

    __slots__ = ("value",)

    def _fill(self, value):
        self.value = value

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)
    ndim = property(lambda self: len(self.value.shape))

    def __repr__(self) -> str:
        return f"Ref[{self.value!r}]"


class AbstractNone(Abstract):
    """No value: what a statement such as ``print`` returns."""

    __slots__ = ()

    def _fill(self):
        pass

    def __repr__(self) -> str:
        return "None"


NONE = AbstractNone()
STACK = AbstractFunction("stack")
"""The type of stacks of records (`ir.stack`): to call one has no effect."""

BOOL, INT, FLOAT = AbstractScalar(bool), AbstractScalar(int), AbstractScalar(float)

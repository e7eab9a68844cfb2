"""What users' classes compute when an attribute, an element or a string of them is asked for is
interpreted: run-time data may decide in it. Functions of a tensor ``x`` and an int ``n``.
"""

import dataclasses
import functools

from minds import Tensor


class Holder:
    """Properties and ``__getattr__`` that decide by run-time data."""

    def __init__(self, v, k=0):
        self.v, self.k = v, k

    @property
    def positive(self):
        if self.v.sum() > self.k:
            return self.v * 2.0
        return self.v

    @property
    def both(self):
        return [self.v, self.k]

    @functools.cached_property
    def kept(self):
        return self.v * 3.0 if self.k > 2 else self.v

    def __getattr__(self, name):
        if name == "found":
            return self.v * 5.0 if self.k > 1 else self.v
        raise AttributeError(name)

    def __repr__(self):
        return f"Holder({self.k})"


class Shifted:
    """A descriptor."""

    def __get__(self, owner, kind=None):
        return owner.v * 2.0 if owner.k > 2 else owner.v

    def __set__(self, owner, value):
        owner.v = value + 1.0


class Shift:
    """Has a descriptor."""

    d = Shifted()

    def __init__(self, v, k):
        self.v, self.k = v, k


class Steps:
    """An iterator."""

    def __init__(self, k):
        self.i, self.k = 0, k

    def __iter__(self):
        return self

    def __next__(self):
        self.i += 1
        if self.i > self.k:
            raise StopIteration
        return self.i


class Doubled:
    """An iterator over another."""

    def __init__(self, values):
        self.it = iter(values)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.it) * 2


@dataclasses.dataclass
class Plain:
    """Its text is written by `dataclass`."""

    a: object
    b: object = None


@dataclasses.dataclass(frozen=True)
class Checked:
    """Looks at its field."""

    a: int
    b: int = 2

    def __post_init__(self):
        if self.a < 0:
            raise ValueError("negative")
        object.__setattr__(self, "b", self.a * 2)


def property_that_decides(x, n):
    return Holder(x, n).positive


def property_that_makes_a_list(x, n):
    xs = Holder(x, n).both
    xs.append(1)
    return xs


def cached_property_that_decides(x, n):
    h = Holder(x, n)
    return h.kept, h.kept


def attribute_computed_by_getattr(x, n):
    h = Holder(x, n)
    return h.found, getattr(h, "found"), getattr(h, "other", 7), hasattr(h, "nothing")


def descriptor(x, n):
    s = Shift(x, n)
    a = s.d
    s.d = x * n
    return a, s.v, s.d


def iterator_of_a_class(x, n):
    return (
        sum(v * n for v in Steps(3)) * x,
        list(Steps(2)),
        list(Doubled([1, n, x])),
        next(iter(Steps(1))),
    )


def text_of_an_object(x, n):
    h = Holder(x, n)
    return str(h), f"{h} {[h]} {Plain(n, 'a')}", "%s" % h, repr(Plain(1, n)), x


def fields_that_are_checked(x, n):
    c = Checked(n)
    return x * c.a, c.b


def classes_of_values(x, n):
    return (
        x.__class__ is Tensor,
        n.__class__ is int,
        [].__class__ is list,
        Holder(x).__class__.__name__,
        x,
    )


def extremes_of_equal_ones(x, n):
    a, b = x * 1.0, x + 0.0
    return max(a[0], b[0]) * 2.0 + min(a[1], b[1], x[1]) * 3.0 + max(b)


def extremes_with_nan(x, n):
    nan = float("nan") * (n + 1.0)
    return [str(v) for v in (max(nan, 1.0), max(1.0, nan), min(nan, 1.0), min(0.5, nan, 0.25))], x


class Private:
    """Its private names are those of the class, also in a function within a method."""

    __factor = 2.0

    def __init__(self, v):
        self.__v = v
        self.__dunder__ = 1.0

    def __twice(self, __k=2):
        return self.__v * __k

    def total(self, x):
        def inside():
            return self.__v + Private.__factor

        self.__seen = inside()
        return self.__twice() * x + self.__seen + self.__dunder__, hasattr(self, "_Private__v")


class PrivateBelow(Private):
    def __init__(self, v):
        super().__init__(v)
        self.__v = v + 1.0

    def both(self, x):
        return self.__v * x, self._Private__v


def private_names(x, n):
    below = PrivateBelow(n + 1.0)
    return Private(n + 1.0).total(x), below.total(x), below.both(x)


class Table:
    """``__getattr__`` that has no default."""

    def __init__(self, **entries):
        self.entries = entries

    def __getattr__(self, name):
        if name in self.entries:
            return self.entries[name]
        raise AttributeError(f"no entry {name}")


TABLE = Table(k=2.0)


def missing_by_getattr(x, n):
    made = Table(v=x)
    results = []
    for owner, name in ((made, "v"), (made, "w"), (TABLE, "k"), (TABLE, "q")):
        results.append((hasattr(owner, name), getattr(owner, name, None)))
    try:
        y = made.v * made.other
    except AttributeError as e:
        y = made.v * len(str(e))
    try:
        if x.sum() > n:
            y = y + TABLE.none
    except AttributeError:
        y = y - n
    return results, y


class Doubles:
    """Stores what it is given in its own way."""

    def __init__(self):
        super().__setattr__("kept", {})
        object.__setattr__(self, "plain", 1)

    def __setattr__(self, name, value):
        if name == "plain":
            super().__setattr__(name, value * 2)
        else:
            self.kept[name] = value

    def __getattr__(self, name):
        return self.kept[name]

    def __delattr__(self, name):
        del self.kept[name]


def own_setattr(x, n):
    d = Doubles()
    d.a, d.plain = x * n, n
    setattr(d, "b", n)
    del d.b
    return d.a, d.plain, "b" in d.kept, sorted(vars(d))


def keywords_of_a_partial(x, n):
    p = functools.partial(lambda a, b, c: a * b + c, x, c=n)
    return p(2.0), p.args, p.keywords

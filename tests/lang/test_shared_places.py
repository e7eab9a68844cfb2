"""Lists, tuples and objects that hold one another twice, and so on: what few things have so many
places that no walk ends is compiled where nothing takes it apart, else refused; never a hang.
"""

import time

import pytest
from agreement import agree

import minds as ms
from minds import Tensor

DEPTH = 25
X = Tensor([1.0, 2.0])


class Link:
    def __init__(self, value, left, right):
        self.value = value
        self.left = left
        self.right = right


def links(x, depth):
    n = Link(x * 1.0, None, None)
    for _ in range(depth):
        n = Link(1.0, n, n)
    return n


def tuples(x, depth):
    n = (x * 1.0, None)
    for _ in range(depth):
        n = (n, n)
    return n


def lists(x, depth):
    n = [x * 1.0, None]
    for _ in range(depth):
        n = [n, n]
    return n


def walked_down(x):
    def down(p, x):
        if p is None:
            return x
        if x.sum() > 1e9:
            return x
        return down(p.left, x + p.value)

    return down(links(x, DEPTH), x)


def chosen_object(x):
    p = links(x, DEPTH) if x.sum() > 0.0 else links(x + 1.0, DEPTH)
    p.left.value = 3.0
    return p.right.value * x


def replaced_in_a_loop(x):
    n = lists(x, DEPTH)
    while x.sum() < 50.0:
        x = x + 1.0
        n = [n[1], n[0]]
    return x


def made_by_recursion(x):
    def made(x, k):
        if k == 0:
            return x * 2.0
        n = made(x + 1.0, k - 1)
        return (n, n)

    n = made(x, DEPTH)
    while isinstance(n, tuple):
        n = n[1]
    return n


@pytest.mark.parametrize(
    "program",
    [walked_down, chosen_object, replaced_in_a_loop, made_by_recursion],
    ids=lambda f: f.__name__,
)
def test_shared_parts_compile(program):
    start = time.monotonic()
    agree(program, X)
    assert time.monotonic() - start < 20.0


def handed_to_the_run(make):
    def program(x):
        n = make(x, DEPTH)

        def down(p, x):
            if x.sum() > 100.0:
                return x
            return down(p, x + 1.0)

        return down(n, x)

    return program


def returned_by_the_run(x):
    def made(x):
        if x.sum() > 30.0:
            return lists(x, DEPTH)
        return made(x + 1.0)

    n = made(x)
    while isinstance(n, list):
        n = n[0]
    return n


def chosen_tuple(x):
    n = tuples(x, DEPTH) if x.sum() > 0.0 else tuples(x + 1.0, DEPTH)
    return n[0] is n[1]


def tuple_of_a_loop(x):
    n = tuples(x, DEPTH)
    while x.sum() < 50.0:
        x = x + 1.0
        n = tuples(x, DEPTH)
    return x


REFUSED = {
    "objects": handed_to_the_run(links),
    "lists": handed_to_the_run(lists),
    "tuples": handed_to_the_run(tuples),
    "returned": returned_by_the_run,
    "chosen": chosen_tuple,
    "loop": tuple_of_a_loop,
}


@pytest.mark.parametrize("name", REFUSED)
def test_too_many_places_are_refused(name):
    start = time.monotonic()
    with pytest.raises(TypeError, match="places of one value"):
        ms.jit(REFUSED[name])(X)
    assert time.monotonic() - start < 20.0


@pytest.mark.parametrize("make", [lists, tuples], ids=["lists", "tuples"])
def test_an_argument_of_too_many_places_is_refused(make):
    with pytest.raises(ValueError, match="numbers and tensors"):
        ms.jit(lambda n, x: x)(make(X, DEPTH), X)
    assert ms.jit(lambda n, x: n[0][0][0] + x)(make(X, 2), X).tolist() == [2.0, 4.0]


def test_wide_values_are_no_shared_ones():
    def program(x):
        rows = [[float(i + j) for j in range(60)] for i in range(60)]

        def down(rows, x):
            if x.sum() > 100.0:
                return x
            return down(rows, x + rows[59][59])

        return down(rows, x)

    agree(program, X)

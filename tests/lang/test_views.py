"""Views share their elements with what they are views of: a table of views and of changes in both
modes, against NumPy's arrays, which have storage, and derivatives by complex steps of these.
"""

import weakref

import numpy as np
import pytest

import minds as ms
from minds import Tensor, ops

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]
SHAPE = (2, 3, 4)
START = np.linspace(-1.0, 1.5, 24).reshape(SHAPE)


class Array(np.ndarray):
    """NumPy's array under the names of tensors."""

    def add_(self, v):
        self += v
        return self

    def mul_(self, v):
        self *= v
        return self

    def copy_(self, v):
        self[...] = v
        return self

    def fill_(self, v):
        self[...] = v
        return self

    def zero_(self):
        return self.fill_(0.0)

    def masked_fill_(self, mask, v):
        self[mask] = v
        return self


VIEWS = {
    "x[1]": (lambda x: x[1],) * 2,
    "x[-1]": (lambda x: x[-1],) * 2,
    "x[1, 2]": (lambda x: x[1, 2],) * 2,
    "x[0][1]": (lambda x: x[0][1],) * 2,
    "x[1:]": (lambda x: x[1:],) * 2,
    "x[:, ::2]": (lambda x: x[:, ::2],) * 2,
    "x[::-1, 1, ::-2]": (lambda x: x[::-1, 1, ::-2],) * 2,
    "x[..., 1]": (lambda x: x[..., 1],) * 2,
    "x[:, None, 1:, 0]": (lambda x: x[:, None, 1:, 0],) * 2,
    "x[...]": (lambda x: x[...],) * 2,
    "list(x)[1]": (lambda x: list(x)[1],) * 2,
    "reshape": (lambda x: x.reshape(4, 6),) * 2,
    "reshape of a slice": (lambda x: x[:, 1:2].reshape(2, 4),) * 2,
    "reshape that copies": (lambda x: x.swapaxes(0, 1).reshape(6, 4),) * 2,
    "view": (lambda x: x.view(6, 4), lambda x: x.reshape(6, 4)),
    "T": (lambda x: x[0].T,) * 2,
    "transpose": (lambda x: x.transpose(2, 0, 1),) * 2,
    "permute": (lambda x: ops.permute(x, (1, 2, 0)), lambda x: x.transpose(1, 2, 0)),
    "swapaxes": (lambda x: x.swapaxes(0, 2),) * 2,
    "movedim": (lambda x: x.movedim(0, 2), lambda x: np.moveaxis(x, 0, 2)),
    "expand_dims": (lambda x: ops.expand_dims(x, 1), lambda x: np.expand_dims(x, 1)),
    "squeeze": (lambda x: x[:1].squeeze(0),) * 2,
    "narrow": (lambda x: x.narrow(2, 1, 2), lambda x: x[..., 1:3]),
    "split": (lambda x: x.split(2, 2)[1], lambda x: np.split(x, 2, 2)[1]),
    "chunk": (lambda x: ops.chunk(x, 2)[1], lambda x: np.split(x, 2)[1]),
    "tensor_split": (lambda x: x.tensor_split(2, 1)[0], lambda x: x[:, :2]),
    "unbind": (lambda x: x.unbind(1)[2], lambda x: x[:, 2]),
    "unstack": (lambda x: ops.unstack(x, 2)[0], lambda x: x[..., 0]),
    "diagonal": (lambda x: x[1].diagonal(), lambda x: x[1].reshape(-1)[::5]),
    "diagonal above": (lambda x: ops.diagonal(x[0], 1), lambda x: x[0].reshape(-1)[1::5]),
    "broadcast_to itself": (lambda x: x.broadcast_to((1, 2, 3, 4)), lambda x: x[None]),
    "flatten": (lambda x: x.flatten(), lambda x: x.reshape(-1)),
    "ravel": (lambda x: x.ravel(),) * 2,
    "steps": (lambda x: x[1:].reshape(3, 4).T[::2, 1:].reshape(2, 1, 2)[0],) * 2,
}


def write_view(x, view):
    """A view is changed twice, and read through what it is a view of."""
    y = view(x)
    y[...] = y * 2.0 + 1.0
    z = view(x)
    z.add_(x[0, 0, 0])
    return x, y, z


def write_base(x, view):
    """What it is a view of is changed, and read through the view."""
    y = view(x)
    x[0, 1] = x[1, 2] * 3.0
    x.mul_(2.0)
    return x * 1.0, y * y


def write_both(x, view):
    """Changes by turns."""
    y, other = view(x), x[:, 1]
    y.masked_fill_(y > 0.5, -2.0)
    other.copy_(other * y.sum())
    x[1] *= 0.5
    y[...] = 0.25 * other.sum()
    return x, y, other * 1.0


def write_part(x, view):
    """A view of a view."""
    y = view(x)
    part = y[..., None]
    part[0] = part[0] * x[1, 1, 1] + 1.5
    return x * x, y, part


PROGRAMS = [write_view, write_base, write_both, write_part]


def chosen(x, n):
    """Only one branch changes a view."""
    y = x[0]
    if n > 2:
        y[0] = x[1, 1] * 2.0
    else:
        x[0] = 7.0
    if n > 9:
        x[0, 0] = y[1]
    return x, y


def made_in_branches(x, n):
    """A view that is made and changed where data decide."""
    if n > 2:
        y = x[0]
        y[1] = y[0] * 3.0
    else:
        z = x[1]
        z[0] = 1.0
    return x, x[0] * 1.0


def before_a_loop(x, n):
    """A view that is older than the loop that changes it."""
    y = x[0]
    for i in range(n):
        y[1] = y[1] * 0.5 + y[0] * i
    return x, y


def both_in_a_loop(x, n):
    """A loop changes the view and what it is of."""
    y, i = x[0, 1:], 0
    while i < n:
        y[0] = y[0] * 0.5 + x[1, 0]
        x[0, 1, 2] = x[0, 1, 2] + y[0, 2] * 0.1
        i = i + 1
    return x, y


def made_in_a_loop(x, n):
    """A row that the run finds is changed in place."""
    for i in range(n):
        row = x[i % 2]
        row[1] = row[0] * 0.5 + i
        x[i % 2, 2][3] = row[1, 3]
    return x, x[0] * 1.0


def of_a_carried_tensor(x, n):
    """A view of what each iteration makes anew."""
    for i in range(n):
        x = x * 0.5
        x[0][1] = x[1, 2] + i
    return x, x * x


def rows(x, n):
    """What is iterated are views."""
    for matrix in x:
        for row in matrix:
            row[0] = row[1] * 2.0
    return x, x * 1.0


def elements_by_position(x, n):
    """Positions that the run finds."""
    k = n % 2
    y = x[k, k + 1]
    y.mul_(2.0)
    z = x[k]
    z[k, k:] = y[k:] + 1.0
    return x, y, z


def closures_and_containers(x, n):
    """A view is changed by functions, and out of lists, dicts and tuples."""
    held, parts = {"y": x[0], "t": (x[1, 0],)}, [x[0, 2], x[1, 2]]

    def change(v, k):
        v[k] = v[k] * 2.0 + x[1, 1, 1]

    change(held["y"], 1)
    change(held["t"][0], 2)
    for v in parts:
        change(v, 3)
    parts[0].copy_(parts[1] * 0.5)
    return x, held["y"], parts[0] * 1.0


def early(x, n):
    """A path leaves behind a change."""

    def inner(v):
        for i in range(n):
            v[i % 3] = v[i % 3] * 0.5 + 1.0
            if i == 3:
                return v[0] * 2.0
        return v[1] * 1.0

    found = inner(x[0])
    return x, found * x[0, 1]


def deep(x, n):
    """A recursive function changes a part of what it gets."""

    def inner(v, k):
        if k > 0:
            v[0] = v[0] * 0.5 + 1.0
            return inner(v, k - 1)
        return v.sum()

    return x, inner(x[0], n) * x[1]


def swapped(x, n):
    """What stands on the right of a swap are views, too."""
    x[0], x[1] = x[1], x[0]
    y, z = x[0, 0], x[0, 1]
    y[:], z[:] = z * 2.0, y * 3.0
    return x, y, z


CONTROL = [
    chosen,
    made_in_branches,
    before_a_loop,
    both_in_a_loop,
    made_in_a_loop,
    of_a_carried_tensor,
    rows,
    elements_by_position,
    closures_and_containers,
    early,
    deep,
    swapped,
]


def numbers(results):
    """One number that all the results matter to."""
    weighed = [(r * r * (k + 1.0)).sum() + r.sum() for k, r in enumerate(results)]
    return sum(weighed)


def by_complex_steps(program) -> np.ndarray:
    """The derivative of what NumPy computes: its imaginary part behind a tiny imaginary step."""
    found = np.zeros(START.size)
    for i in range(START.size):
        x = START.astype(complex)
        x.flat[i] += 1e-30j
        found[i] = numbers(program(x.view(Array))).imag / 1e-30
    return found.reshape(SHAPE)


def agrees(program, theirs) -> None:
    """Both modes find the values and derivatives that NumPy does; ``theirs`` is its program."""
    wanted = [np.array(v) for v in theirs(START.copy().view(Array))]
    slope = by_complex_steps(theirs)

    def run(x):
        return program(x * 1.0)

    def loss(x):
        return numbers(program(x * 1.0))

    for mode in MODES:
        ms.set_context(mode=mode)
        compiled = ms.jit if mode == ms.GRAPH_MODE else lambda f: f
        got = compiled(run)(Tensor(START))
        for w, g in zip(wanted, got, strict=True):
            np.testing.assert_allclose(np.array(g), w, rtol=1e-12, atol=1e-12)
        dx = compiled(ms.grad(loss))(Tensor(START)).asnumpy()
        np.testing.assert_allclose(dx, slope, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shares_its_elements(name, program):
    ours, theirs = VIEWS[name]
    agrees(lambda x: program(x, ours), lambda x: program(x, theirs))


@pytest.mark.parametrize("n", [1, 5, 12])
@pytest.mark.parametrize("program", CONTROL)
def test_views_on_all_paths(program, n):
    agrees(lambda x: program(x, n), lambda x: program(x, n))
    ms.set_context(mode=ms.GRAPH_MODE)
    wanted = program(START.copy().view(Array), n)
    for w, g in zip(wanted, ms.jit(lambda x, n: program(x * 1.0, n))(Tensor(START), n)):
        np.testing.assert_allclose(g.asnumpy(), w, rtol=1e-12, atol=1e-12)
    dx = ms.jit(ms.grad(lambda x, n: numbers(program(x * 1.0, n))))(Tensor(START), n)
    slope = by_complex_steps(lambda x: program(x, n))
    np.testing.assert_allclose(dx.asnumpy(), slope, rtol=1e-12, atol=1e-12)


# ---- what is no view, and where views end


COPIES = {
    "a list": lambda x: x[[0, 1]],
    "a tensor of positions": lambda x: x[Tensor([0, 1])],
    "a mask": lambda x: x[x > -9.0],
    "gather": lambda x: ops.gather(x, Tensor(0), 0),
    "tile": lambda x: ops.tile(x, (1, 1)),
    "repeat_interleave": lambda x: x.repeat_interleave(1, 0),
    "roll": lambda x: ops.roll(x, 0, 0),
    "rot90": lambda x: ops.rot90(x, 0, (0, 1)),
    "copy": lambda x: x.copy(),
    "reshape of a transposed one": lambda x: x.T.reshape(-1),
    "arithmetic": lambda x: x * 1.0,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", COPIES)
def test_what_is_a_copy(name, mode):
    def changed(x):
        x = x * 1.0
        y = COPIES[name](x)
        y[...] = 9.0
        z = COPIES[name](x)
        x[0] = 7.0
        return x, z

    ms.set_context(mode=mode)
    start = np.arange(6.0).reshape(2, 3)
    x, z = (ms.jit(changed) if mode == ms.GRAPH_MODE else changed)(Tensor(start))
    assert x.tolist() == [[7, 7, 7], [3, 4, 5]]
    assert sorted(np.unique(z.asnumpy())) == [0, 1, 2, 3, 4, 5][: len(np.unique(z.asnumpy()))]


@pytest.mark.parametrize("mode", MODES)
def test_what_was_broadcast_is_not_changed(mode):
    def changed(x):
        y = x.broadcast_to((2, 3))
        y[0] = 1.0
        return y

    ms.set_context(mode=mode)
    with pytest.raises(RuntimeError, match="broadcast cannot be changed in place"):
        (ms.jit(changed) if mode == ms.GRAPH_MODE else changed)(Tensor([1.0, 2.0, 3.0]))


def test_views_of_an_argument_that_a_program_changes():
    @ms.jit
    def changed(x):
        x[0] = 5.0
        return x.sum()

    x = Tensor(np.arange(6.0).reshape(2, 3))
    row, turned = x[0], x.T
    changed(x)
    assert row.tolist() == [5, 5, 5] and turned.tolist() == [[5, 3], [5, 4], [5, 5]]
    changed(x.reshape(3, 2))
    assert x.tolist() == [[5, 5, 5], [3, 4, 5]]
    changed(turned)
    assert x.tolist() == [[5, 5, 5], [5, 4, 5]] and row.tolist() == [5, 5, 5]


def test_arguments_that_share_their_elements():
    @ms.jit
    def changed(x, y):
        x[0] = 5.0
        return y * 1.0

    x = Tensor(np.arange(6.0).reshape(2, 3))
    with pytest.raises(ValueError, match="shares its elements with another"):
        changed(x, x[0])
    assert changed(x, x[0].copy()).tolist() == [0, 1, 2]
    assert ms.jit(lambda x, y: x[0] + y)(x, x[1]).tolist() == [8, 9, 10]


def test_views_of_a_parameter_behind_a_program():
    p = ms.Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="p")

    @ms.jit
    def step(t):
        ops.assign_add(p, t)
        row = p[1]
        row[0] = 9.0
        return row * 1.0

    for k in range(1, 5):
        row = p[0]
        assert step(ops.ones((2, 2))).tolist() == [9, 4 + k]
        assert row.tolist() == [1 + k, 2 + k]
    assert p.tolist() == [[5, 6], [9, 8]]


def test_a_view_that_is_read_under_another_tape():
    ms.set_context(mode=ms.PYNATIVE_MODE)

    def inner(v):
        return (v * v).sum()

    def outer(x):
        x = x * 1.0
        y = x[0]
        x[0] = x[1] * 3.0
        return (ms.grad(inner)(y) * y).sum()

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert ms.grad(outer)(x).tolist() == [[0, 0], [108, 144]]
    assert ms.jit(ms.grad(outer))(x).tolist() == [[0, 0], [108, 144]]


def test_gradients_share_nothing():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x, y = Tensor([[1.0, 2.0]]), Tensor([[1.0], [2.0]])
    dx, dy = ms.grad(lambda x, y: (x.reshape(2, 1) + y).sum(), (0, 1))(x, y)
    dx[0] = 7.0
    assert dy.tolist() == [[1], [1]]


def test_views_mapped():
    def changed(m):
        m = m * 1.0
        row = m[0]
        row[1] = 9.0
        m[1][0] = row[1] + m[0, 0]
        return m

    x = np.arange(12.0).reshape(3, 2, 2)
    wanted = [[[m[0, 0], 9.0], [9.0 + m[0, 0], m[1, 1]]] for m in x]
    for mode in MODES:
        ms.set_context(mode=mode)
        mapped = ms.vmap(changed)
        assert (ms.jit(mapped) if mode else mapped)(Tensor(x)).tolist() == wanted


def test_views_cost_no_memory_that_is_kept():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = Tensor(np.zeros((4, 4)))
    for _ in range(1000):
        x[0].reshape(2, 2)
    assert len(x._shares) < 100
    gone = weakref.ref(x)
    row = x[1]
    del x
    assert gone() is not None
    del row
    assert gone() is None


# ---- what transformations give

POINT = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)


def mapped(x):
    y = ms.vmap(lambda r: r)(x)
    y[0] = 0.0
    return (y * x * x).sum()


def mapped_part(x):
    y = ms.vmap(lambda r: r[1:])(x)
    y[0] = 0.0
    return (y.sum() * x).sum()


def pulled_back(x):
    y, _ = ms.vjp(lambda t: t[0], x)
    y[0] = 0.0
    return (y.sum() * x).sum()


def pushed_forward(x):
    y, dy = ms.jvp(lambda t: t, (x,), (x,))
    y[0], dy[0] = 0.0, 0.0
    return (y.sum() * x * dy.sum()).sum()


# Each with its value and its gradient at POINT, by hand: x has the sum 21, its last row 15.
TRANSFORMED = [
    (mapped, 405.0, [[0.0, 0.0, 0.0], [48.0, 75.0, 108.0]]),
    (mapped_part, 231.0, [[11.0, 11.0, 11.0], [11.0, 32.0, 32.0]]),
    (pulled_back, 105.0, [[5.0, 26.0, 26.0], [5.0, 5.0, 5.0]]),
    (pushed_forward, 4725.0, [[225.0] * 3, [855.0] * 3]),
]


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("case", TRANSFORMED, ids=lambda c: c[0].__name__)
def test_a_result_of_a_transformation_is_no_view_of_its_operand(case, compiled):
    fn, value, slope = case
    run = ms.value_and_grad(fn)
    x = Tensor(POINT)
    found, gradient = (ms.jit(run) if compiled else run)(x)
    np.testing.assert_array_equal(found.asnumpy(), value)
    np.testing.assert_array_equal(gradient.asnumpy(), slope)
    np.testing.assert_array_equal(x.asnumpy(), POINT)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_gradients_are_tensors_of_their_own(compiled):
    x, y, v = Tensor(POINT), Tensor(POINT), Tensor(2 * POINT)
    runs = {
        "grad": lambda x, y, v: ms.grad(lambda a, b: ((a + b) * v).sum(), (0, 1))(x, y),
        "vjp": lambda x, y, v: ms.vjp(lambda a, b: a + b, x, y)[1](v),
        "jvp": lambda x, y, v: ms.jvp(lambda a: (a, a), (x,), (v,))[1],
    }
    for run in runs.values():
        first, second = (ms.jit(run) if compiled else run)(x, y, v)
        first[0] = 7.0
        np.testing.assert_array_equal(second.asnumpy(), 2 * POINT)
        np.testing.assert_array_equal(v.asnumpy(), 2 * POINT)
        second *= 0.5
        np.testing.assert_array_equal(first.asnumpy()[1], 2 * POINT[1])


def test_what_is_contiguous():
    """Compiled code knows in which order a view sees its root, and copies where eager code does."""

    def orders(x):
        doubled = (x * 2.0).T.contiguous()
        return x.T.stride(), x.T.is_contiguous(), x[1].is_contiguous(), doubled.is_contiguous()

    def changed(x):
        y, z = x.T.contiguous(), x[1].contiguous()
        y[0, 0] = 100.0
        z += 1.0
        return x, y, z

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert ms.jit(orders)(Tensor(x)) == orders(Tensor(x)) == ([1, 3], False, True, True)
    for got, want in zip(ms.jit(changed)(Tensor(x)), changed(Tensor(x)), strict=True):
        np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())
    assert changed(Tensor(x))[0].asnumpy()[0, 0] == 0.0

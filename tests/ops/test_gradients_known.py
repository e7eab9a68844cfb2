"""Gradients that are known, and those that are an error: each against differences in both modes,
nothing is zero in silence.
"""

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, ops
from minds.base.errors import NoGradient
from minds.scipy import linalg
from minds.transforms.check_grad import check_grad

RNG = np.random.default_rng(7)
A, TALL, BATCH = (RNG.standard_normal(s) for s in ((3, 3), (4, 3), (2, 3, 3)))
POSITIVE = RNG.uniform(0.5, 3, (2, 4))
APART = np.array([2.0, 1.0, 2.5, 3.0, 1.5, 5.0])
PIVOTS = Tensor([2, 3, 3], ms.int32)


def _packed(x):
    return [t.asnumpy() for t in ops.geqrf(Tensor(x))]


def _floats(out):
    out = out if isinstance(out, tuple) else (out,)
    return tuple([o for o in out if o is not None and o.dtype.is_float])


KNOWN = {
    "igamma": (ops.igamma, [POSITIVE[0], POSITIVE[1]]),
    "igammac": (ops.igammac, [POSITIVE[0], POSITIVE[1]]),
    "betainc": (
        lambda x: ops.Betainc()(Tensor(POSITIVE[0]), Tensor(POSITIVE[1]), x),
        [POSITIVE[1] / 4],
    ),
    "zeta": (lambda q: ops.zeta(Tensor(POSITIVE[0] + 1), q), [POSITIVE[1]]),
    "nextafter": (lambda x: ops.nextafter(x, x + 1), [A]),
    "lu_factor": (lambda x: linalg.lu_factor(x)[0], [A]),
    "lu_factor of a batch": (lambda x: linalg.lu_factor(x)[0], [BATCH]),
    "lu": (linalg.lu, [A]),
    "lu_unpack": (lambda x: ops.lu_unpack(x, PIVOTS), [A]),
    "lu_unpack of more rows": (lambda x: ops.lu_unpack(x, PIVOTS), [TALL]),
    "lu_solve": (lambda b, x: ops.lu_solve(b, x, PIVOTS), [TALL.T[:, :2], A + 4 * np.eye(3)]),
    "orgqr": (ops.orgqr, _packed(TALL)),
    "orgqr of a batch": (ops.orgqr, _packed(BATCH)),
    "ormqr": (ops.ormqr, [*_packed(TALL), RNG.standard_normal((4, 2))]),
    "ormqr from the right": (
        lambda a, tau, x: ops.ormqr(a, tau, x, False, True),
        [*_packed(TALL), RNG.standard_normal((2, 4))],
    ),
    "unique": (lambda x: ops.unique(x)[0], [APART]),
    "mint.unique": (lambda x: mint.unique(x, return_inverse=True), [APART]),
    "mint.unique of rows": (lambda x: mint.unique(x, dim=0), [TALL]),
    "unique_consecutive": (lambda x: ops.unique_consecutive(x), [APART]),
    "unique_consecutive of columns": (lambda x: ops.unique_consecutive(x, dim=1), [TALL]),
    "unique_with_pad": (lambda x: ops.unique_with_pad(x, 0.0)[0], [APART]),
    "bincount": (lambda w: ops.bincount(Tensor([0, 2, 2]), w), [POSITIVE[0][:3]]),
    "one_hot": (lambda a, b: ops.one_hot(Tensor([0, 2]), 3, a, b), [np.array(2.0), np.array(0.5)]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known(name):
    fn, operands = KNOWN[name]
    order = 1 if name in ("igamma", "igammac") else 2
    check_grad(lambda *xs: _floats(fn(*xs)), operands, order=order, rtol=1e-4, atol=1e-6)
    tensors = [Tensor(x) for x in operands]

    def sums(*xs):
        return sum([(o * o).sum() for o in _floats(fn(*xs))])

    eager = ms.grad(sums, tuple(range(len(tensors))))
    for e, c in zip(eager(*tensors), ms.jit(eager)(*tensors), strict=True):
        np.testing.assert_allclose(c.asnumpy(), e.asnumpy(), rtol=1e-9, atol=1e-12)


def test_the_first_of_equal_elements_has_the_gradient():
    for run in (lambda f: f, ms.jit):
        slope = run(ms.grad(lambda x: ops.unique(x)[0].sum()))
        assert slope(Tensor([2.0, 1.0, 2.0, 1.0])).tolist() == [1.0, 1.0, 0.0, 0.0]


def test_samples_of_the_gamma_distribution():
    """The share below a sample stays what it is: one of shape 1 is -log(1 - u)."""
    alpha = Tensor([1.0, 1.0, 1.0], ms.float64)
    sample, slope = ms.value_and_grad(lambda a: ops.random_gamma((), a, 3))(alpha)
    u, h = 1 - np.exp(-sample.asnumpy()), 1e-5
    special = pytest.importorskip("scipy.special")
    near = (special.gammaincinv(1 + h, u) - special.gammaincinv(1 - h, u)) / (2 * h)
    np.testing.assert_allclose(slope.asnumpy(), near, rtol=1e-5)


UNKNOWN = {
    "geqrf": (lambda x: ops.geqrf(x)[0], A),
    "zeta": (lambda x: ops.zeta(x, 2.0), POSITIVE[0] + 1),
    "betainc": (lambda a: ops.Betainc()(a, a, a * 0 + 0.5), POSITIVE[0]),
    "ctc_greedy_decoder": (
        lambda x: ops.ctc_greedy_decoder(x, Tensor([3], ms.int32))[3],
        A[:, None],
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown(name):
    fn, x = UNKNOWN[name]
    for run in (lambda f: f, ms.jit):
        with pytest.raises(NoGradient, match=f"{name}: has no gradient"):
            run(ms.grad(fn))(Tensor(x))


def test_what_numpy_computes_has_no_gradient():
    """In PyNative mode alone: the values leave minds for it."""
    for fn in (
        lambda x: ms.numpy.pad(x, 1, "linear_ramp"),
        lambda x: ms.numpy.setdiff1d(x, Tensor([1.0])),
        lambda x: ms.numpy.histogram(x, 3)[1],
    ):
        with pytest.raises(NoGradient, match="has no gradient with respect to what it is made of"):
            ms.grad(fn)(Tensor([1.0, 2.0, 4.0]))


OVERWRITTEN = {
    "zero_": (),
    "fill_": (2.0,),
    "floor_": (),
    "ceil_": (),
    "trunc_": (),
    "sign_": (),
    "uniform_": (),
    "normal_": (),
    "random_": (0, 9),
    "bernoulli_": (),
    "exponential_": (),
    "copy_": (Tensor([1.0, 2.0]),),
}


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_what_is_overwritten_in_place_passes_nothing_on(name):
    def after(x, y):
        z = x * 3.0
        getattr(z, name)(*OVERWRITTEN[name])
        return (z * y).sum() + x.sum()

    def direct(x):
        getattr(x, name)(*OVERWRITTEN[name])
        return x.sum()

    x, y = Tensor([1.5, -2.5]), Tensor([4.0, 5.0])
    for run in (lambda f: f, ms.jit):
        assert run(ms.grad(after))(x, y).tolist() == [1.0, 1.0]
        assert run(ms.grad(direct))(Tensor([1.5, -2.5])).tolist() == [0.0, 0.0]


def test_copies_and_assignments_pass_it_to_their_source():
    def copied(x, source):
        z = x * 2.0
        z.copy_(source * 3.0)
        return (z * x).sum()

    def assigned(x, source):
        z = x * 2.0
        ops.assign(z, source * 3.0)
        return (z * x).sum()

    def constant(x, source):
        z = x * 2.0
        ops.assign(z, Tensor([7.0, 8.0]))
        return (z * x).sum()

    x, source = Tensor([1.5, -2.5]), Tensor([4.0, 5.0])
    for run in (lambda f: f, ms.jit):
        for fn in (copied, assigned):
            dx, dsource = run(ms.grad(fn, (0, 1)))(x, source)
            assert dx.tolist() == [12.0, 15.0] and dsource.tolist() == [4.5, -7.5]
        assert run(ms.grad(constant))(x, source).tolist() == [7.0, 8.0]

"""Distributions and bijectors against SciPy: densities, moments, entropies, divergences, samples;
compiled as in PyNative mode; gradients against differences.
"""

import numpy as np
import pytest
from scipy import integrate, stats

import minds as ms
import minds.nn.probability.bijector as msb
import minds.nn.probability.distribution as msd
from minds import Tensor, nn, ops

A, B = np.array([0.5, 1.5, 2.5]), np.array([1.5, 2.0, 0.7])
P, Q = np.array([0.2, 0.5, 0.7]), np.array([0.4, 0.3, 0.9])
REAL, POSITIVE = np.linspace(-2.0, 4.0, 7), np.linspace(0.1, 4.0, 7)
UNIT, WHOLE = np.linspace(0.05, 0.95, 7), np.arange(-1.0, 6.0)
CONTINUOUS = {
    "Normal": ((A, B), (B, A), REAL, lambda m, s: stats.norm(m, s)),
    "HalfNormal": ((A, B), None, REAL, lambda m, s: stats.halfnorm(m, s)),
    "Laplace": ((A, B), None, REAL, lambda m, s: stats.laplace(m, s)),
    "Cauchy": ((A, B), (B, A), REAL, lambda m, s: stats.cauchy(m, s)),
    "Exponential": ((A,), (B,), REAL, lambda r: stats.expon(0, 1 / r)),
    "Uniform": ((A, A + B), (A - 1, A + B + 1), REAL, lambda a, b: stats.uniform(a, b - a)),
    "Logistic": ((A, B), None, REAL, lambda m, s: stats.logistic(m, s)),
    "Gamma": ((A, B), (B, A), POSITIVE, lambda a, b: stats.gamma(a, 0, 1 / b)),
    "Beta": ((A + 1, B + 1), (B, A), UNIT, lambda a, b: stats.beta(a, b)),
    "StudentT": ((A + 2, A, B), None, REAL, lambda n, m, s: stats.t(n, m, s)),
    "Gumbel": ((A, B), (B, A), REAL, lambda m, s: stats.gumbel_r(m, s)),
    "LogNormal": ((A, B / 2), (B, A), POSITIVE, lambda m, s: stats.lognorm(s, 0, np.exp(m))),
}
DISCRETE = {
    "Bernoulli": ((P,), (Q,), np.array([0.0, 1.0, 1.0]), lambda p: stats.bernoulli(p)),
    "Geometric": ((P,), (Q,), WHOLE, lambda p: stats.geom(p, -1)),
    "Poisson": ((A,), None, WHOLE, lambda r: stats.poisson(r)),
}
ALL = {**CONTINUOUS, **DISCRETE}
WITHOUT = {"Beta": {"cdf"}, "StudentT": {"cdf", "entropy"}, "Poisson": {"entropy"}}
MODES = pytest.mark.parametrize(
    "mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"]
)


class Call(nn.Cell):
    """A function of a distribution, compiled in graph mode."""

    def __init__(self, of, name):
        super().__init__()
        self.of, self.name = of, name

    def construct(self, *args):
        return getattr(self.of, self.name)(*args)


def tensor(x):
    return Tensor(np.asarray(x), ms.float32)


def made(name):
    return getattr(msd, name)(*[v.tolist() for v in ALL[name][0]])


def close(got, want, tolerance=2e-5):
    np.testing.assert_allclose(got.asnumpy(), want, rtol=tolerance, atol=tolerance)


@MODES
@pytest.mark.parametrize("name", ALL)
def test_densities(name, mode):
    ms.set_context(mode=mode)
    given, _, places, reference = ALL[name]
    x = places[:, None] + np.zeros(3)
    true = reference(*given)
    density = true.pmf if name in DISCRETE else true.pdf
    with np.errstate(divide="ignore"):
        log_density = np.log(density(x))
    close(Call(made(name), "prob")(tensor(x)), density(x))
    close(Call(made(name), "log_prob")(tensor(x)), log_density, 1e-4)
    if "cdf" not in WITHOUT.get(name, ()):
        close(Call(made(name), "cdf")(tensor(x)), true.cdf(x))
        close(Call(made(name), "survival_function")(tensor(x)), true.sf(x))
        with np.errstate(divide="ignore"):
            close(Call(made(name), "log_cdf")(tensor(x)), np.log(true.cdf(x)), 1e-3)
    # Parameters of the call take the place of those of the object.
    bare = getattr(msd, name)(*([1.0, 1.0] if name == "Gumbel" else []))
    if name != "Gumbel":
        close(Call(bare, "prob")(tensor(x), *map(tensor, given)), density(x))


@MODES
@pytest.mark.parametrize("name", ALL)
def test_moments_and_entropy(name, mode):
    ms.set_context(mode=mode)
    given, _, _, reference = ALL[name]
    true = reference(*given)
    if name != "Cauchy":
        close(Call(made(name), "mean")(), true.mean())
        close(Call(made(name), "var")(), true.var(), 1e-4)
        close(Call(made(name), "sd")(), true.std(), 1e-4)
    if "entropy" not in WITHOUT.get(name, ()):
        want = [reference(*v).entropy() for v in zip(*given)]
        close(Call(made(name), "entropy")(), want)


@MODES
@pytest.mark.parametrize("name", [n for n, row in ALL.items() if row[1] is not None])
def test_divergence(name, mode):
    """The integral, or the sum, of p (log p - log q)."""
    ms.set_context(mode=mode)
    given, other, _, reference = ALL[name]
    want = []
    for a, b in zip(zip(*given), zip(*other)):
        p, q = reference(*a), reference(*b)
        if name in DISCRETE:
            k = np.arange(2 if name == "Bernoulli" else 400)
            want.append(np.sum(p.pmf(k) * (p.logpmf(k) - q.logpmf(k))))
        else:
            # By the quantiles of p, which bring every range to [0, 1].
            want.append(
                integrate.quad(
                    lambda u, p=p, q=q: p.logpdf(p.ppf(u)) - q.logpdf(p.ppf(u)), 0, 1, limit=400
                )[0]
            )
    divergence = Call(made(name), "kl_loss")(name, *map(tensor, other))
    close(divergence, want, 2e-3)
    entropy = made(name).entropy()
    close(
        Call(made(name), "cross_entropy")(name, *map(tensor, other)), want + entropy.asnumpy(), 2e-3
    )
    if name != "Gumbel":
        again = made(name).kl_loss(name, *map(tensor, other), *map(tensor, other))
        close(again, np.zeros(3), 1e-5)
    with pytest.raises(ValueError, match="expected " + name):
        made(name).kl_loss("Other", *map(tensor, other))


@pytest.mark.parametrize("name", ALL)
def test_samples(name):
    ms.set_seed(1)
    given, _, _, reference = ALL[name]
    drawn = made(name).sample((4000,))
    assert drawn.shape == (4000, 3) and drawn.dtype == made(name).dtype
    for i, one in enumerate(zip(*given)):
        found, true = drawn.asnumpy()[:, i].astype(np.float64), reference(*one)
        if name in DISCRETE:
            k = np.arange(12)
            share = (found[:, None] == k).mean(0)
            assert np.abs(share - true.pmf(k)).max() < 0.03
        else:
            assert stats.kstest(found, true.cdf).pvalue > 1e-3
    assert made(name).sample().shape == (3,) and made(name).sample((2, 4)).shape == (2, 4, 3)
    ms.set_seed(1)
    compiled = Call(made(name), "sample")
    ms.set_context(mode=ms.GRAPH_MODE)
    if name not in ("Gamma", "Beta", "StudentT", "Poisson"):
        np.testing.assert_array_equal(compiled((4000,)).asnumpy(), drawn.asnumpy())


@MODES
def test_categorical(mode):
    ms.set_context(mode=mode)
    p, q = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]), np.array([0.3, 0.3, 0.4])
    one = msd.Categorical(p.tolist())
    k = np.arange(3)
    mean = p @ k
    close(Call(one, "prob")(tensor([[0, 1], [2, 2], [5, -1]])), [[0.2, 0.1], [0.5, 0.8], [0, 0]])
    close(Call(one, "cdf")(tensor([[0, 1], [2, 9], [-1, 0]])), [[0.2, 0.2], [1, 1], [0, 0.1]])
    close(Call(one, "mean")(), mean[:, None])
    close(Call(one, "var")(), (p @ k**2 - mean**2)[:, None])
    assert Call(one, "mode")().asnumpy().tolist() == [2, 2]
    close(Call(one, "entropy")(), stats.entropy(p, axis=-1))
    close(Call(one, "kl_loss")("Categorical", tensor(q)), stats.entropy(p, q[None], axis=-1))
    ms.set_seed(3)
    drawn = one.sample((5000,)).asnumpy()
    assert drawn.shape == (5000, 2)
    share = (drawn[:, :, None] == k).mean(0)
    assert np.abs(share - p).max() < 0.03


@MODES
@pytest.mark.parametrize(
    "map_, x",
    [
        (msb.Exp(), REAL),
        (msb.PowerTransform(0.5), POSITIVE),
        (msb.PowerTransform([0.0, 0.5, 2.0]), np.array([0.3, 0.4, 0.5])),
        (msb.ScalarAffine(-2.0, 0.5), REAL),
        (msb.Softplus(1.5), REAL),
        (msb.GumbelCDF(0.3, 1.2), REAL),
        (msb.Invert(msb.Exp()), POSITIVE),
        (msb.Invert(msb.Softplus()), POSITIVE),
    ],
    ids=lambda v: v.name if isinstance(v, msb.Bijector) else "",
)
def test_bijectors(map_, x, mode):
    """The inverse undoes the map, and the logarithms are those of its derivative by `grad`."""
    ms.set_context(mode=mode)
    x = tensor(x)
    y = Call(map_, "forward")(x)
    close(Call(map_, "inverse")(y), x.asnumpy(), 1e-4)
    slope = ms.grad(lambda v: map_.forward(v).sum())(x)
    want = np.log(np.abs(slope.asnumpy()))
    close(ops.broadcast_to(Call(map_, "forward_log_jacobian")(x), x.shape), want, 1e-4)
    close(ops.broadcast_to(Call(map_, "inverse_log_jacobian")(y), x.shape), -want, 1e-4)


@MODES
def test_transformed(mode):
    ms.set_context(mode=mode)
    for slope in (2.0, -2.0):
        line = msb.ScalarAffine(slope, 1.0)(msd.Logistic(0.5, 1.5))
        true = stats.logistic(0.5 * slope + 1, 1.5 * 2)
        assert isinstance(line, msd.TransformedDistribution) and line.is_linear_transformation
        for name, want in (
            ("log_prob", true.logpdf),
            ("cdf", true.cdf),
            ("log_survival", true.logsf),
        ):
            close(Call(line, name)(tensor(REAL)), want(REAL), 1e-4)
        close(Call(line, "mean")(), true.mean())
        close(Call(line, "entropy")(), true.entropy())
    bent = msd.TransformedDistribution(msb.Softplus(), msd.Normal(0.0, 1.0))
    with pytest.raises(ValueError, match="not linear"):
        bent.mean()
    ms.set_seed(1)
    drawn = bent.sample((3000,)).asnumpy()
    expected = stats.kstest(np.log(np.expm1(drawn.astype(np.float64))), stats.norm.cdf)
    assert expected.pvalue > 1e-3


@MODES
@pytest.mark.parametrize("name", ["Normal", "Gamma", "Beta", "Bernoulli", "Gumbel"])
def test_gradients_of_parameters(name, mode):
    """d log p / d parameters, against central differences of SciPy's."""
    ms.set_context(mode=mode)
    given, _, places, reference = ALL[name]
    x = places[-3:]
    parameters = [ms.Parameter(tensor(v), name=f"p{i}") for i, v in enumerate(given)]
    of = getattr(msd, name)(*parameters)
    step = ms.value_and_grad(Call(of, "log_prob"), None, parameters)
    _, slopes = step(tensor(x))
    log = (
        (lambda *v: reference(*v).logpmf(x))
        if name in DISCRETE
        else lambda *v: reference(*v).logpdf(x)
    )
    for i, slope in enumerate(slopes):
        low, high = ([v + d * (i == j) for j, v in enumerate(given)] for d in (-1e-5, 1e-5))
        close(slope, (log(*high) - log(*low)) / 2e-5, 1e-3)


@MODES
def test_called_by_name(mode):
    ms.set_context(mode=mode)
    normal = msd.Normal(0.0, 1.0)
    close(normal("log_prob", tensor(REAL)), stats.norm.logpdf(REAL))
    close(normal("kl_loss", "Normal", tensor([1.0]), tensor([1.0])), [0.5])
    close(msb.Exp()("inverse", tensor(POSITIVE)), np.log(POSITIVE))
    with pytest.raises(NotImplementedError, match="other is not implemented for Normal"):
        normal("other", tensor(REAL))
    assert normal.get_dist_type() == "Normal"
    assert [float(v) for v in normal.get_dist_args()] == [0, 1]
    assert repr(normal) == "Normal(mean = 0.0, standard deviation = 1.0)"
    assert repr(msd.Normal([0.0, 1.0], 1.0)) == "Normal(batch_shape = (2,))"


def test_refusals():
    for call, error, text in (
        (lambda: msd.Normal(0.0, 0.0), ValueError, "standard deviation must be greater than zero"),
        (lambda: msd.Bernoulli(1.5), ValueError, "less than one"),
        (lambda: msd.Uniform(2.0, 1.0), ValueError, "low must be less than high"),
        (lambda: msd.Categorical([0.5, 0.2]), ValueError, "does not sum to 1"),
        (lambda: msd.Categorical(0.5), ValueError, "rank 0"),
        (lambda: msd.Normal([0.0, 1.0], [1.0, 1.0, 1.0]), ValueError, "shapes that broadcast"),
        (lambda: msd.Normal(0.0, 1.0, dtype=ms.int32), TypeError, "floating point"),
        (lambda: msd.Normal(0.0, 1.0, name=3), TypeError, "name has type int"),
        (lambda: msd.Normal(0.0, 1.0, seed="a"), TypeError, "seed"),
        (lambda: msd.Normal(0.0, 1.0, seed=-1), ValueError, "seed is -1"),
        (lambda: msd.Normal("a", 1.0), TypeError, "type str"),
        (lambda: msd.Normal(True, 1.0), TypeError, "type bool"),
        (lambda: msd.Normal().mean(), TypeError, "mean must be a Tensor: it was not given"),
        (lambda: msd.Normal(0.0, 1.0).prob(1.0), TypeError, "value must be a Tensor"),
        (lambda: msd.Normal(0.0, 1.0).sample(3), TypeError, "shape must be a tuple"),
        (lambda: msd.Cauchy(0.0, 1.0).mean(), ValueError, "mean is undefined for Cauchy"),
        (lambda: msd.StudentT(1.0, 0.0, 1.0).cdf(Tensor([0.0])), NotImplementedError, "cdf"),
        (lambda: msb.Softplus(0.0), ValueError, "sharpness must be greater than zero"),
        (lambda: msb.PowerTransform(-1.0), ValueError, "greater or equal to zero"),
        (lambda: msb.Invert(3), TypeError, "expected a Bijector"),
        (lambda: msb.Exp().forward(1.0), TypeError, "must be a Tensor"),
        (lambda: msb.Exp().forward(Tensor([1])), TypeError, "floating point"),
        (lambda: msd.TransformedDistribution(3, msd.Normal(0.0, 1.0)), TypeError, "a Bijector"),
        (lambda: msd.TransformedDistribution(msb.Exp(), 3), TypeError, "a Distribution"),
    ):
        with pytest.raises(error, match=text):
            call()

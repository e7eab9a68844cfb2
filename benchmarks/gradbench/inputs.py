"""Inputs of the protocol's form, drawn at random, for measurements and tests. NumPy alone: the
peers read them too.
"""

from __future__ import annotations

import numpy as np


def _listed(**arrays) -> dict:
    """Arrays as lists."""
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in arrays.items()}


def hello(rng):
    """A number."""
    return 3.0


def llsq(rng, n=64, m=128):
    """m coefficients, n points."""
    return _listed(x=rng.random(m), n=n)


def lse(rng, n=1000):
    """A vector."""
    return _listed(x=rng.standard_normal(n) * 3)


def ode(rng, n=1000, s=100):
    """n equations, s steps."""
    return _listed(x=rng.random(n), s=s)


def det(rng, ell=6):
    """A matrix."""
    return _listed(A=rng.random(ell * ell), ell=ell)


def kmeans(rng, n=1000, k=10, d=8):
    """The centroids are points: no cluster is empty."""
    points = rng.random((n, d))
    return _listed(points=points, centroids=points[-k:])


def gmm(rng, d=10, k=25, n=1000, m=0, gamma=1.0):
    """k components in d dimensions, n points."""
    return _listed(
        d=d,
        k=k,
        n=n,
        m=m,
        gamma=gamma,
        x=rng.standard_normal((n, d)),
        mu=rng.random((k, d)),
        q=rng.standard_normal((k, d)),
        l=rng.standard_normal((k, d * (d - 1) // 2)),
        alpha=rng.standard_normal(k),
    )


def ba(rng, n=21, m=500, p=2000):
    """n cameras, m points, p observations."""
    camera = np.concatenate(
        [rng.standard_normal(3) * 0.3, rng.standard_normal(3), [500.0, 3.0, -2.0], [0.01, -0.002]]
    )
    return _listed(
        n=n,
        m=m,
        p=p,
        cam=camera,
        x=np.array([0.5, -0.25, 6.0]),
        w=0.9,
        feat=np.array([20.0, -35.0]),
    )


def lstm(rng, layers=2, c=1024, b=14):
    """Layers, characters, bits of a character."""
    return _listed(
        main_params=rng.standard_normal((2 * layers, 4 * b)),
        extra_params=rng.standard_normal((3, b)),
        state=rng.standard_normal((2 * layers, b)) * 0.5,
        sequence=(rng.random((c, b)) < 0.3).astype(float),
    )


def ht(rng, vertices=544, correspondences=100, complicated=False, mirrored=False):
    """A hand of 22 bones in five chains: no real one, but of its structure."""
    parents = [-1, 0, *(1 if j == 0 else 1 + 4 * f + j for f in range(5) for j in range(4))]
    relatives = np.tile(np.eye(4), (22, 1, 1))
    relatives[:, :3, 3] = rng.standard_normal((22, 3))
    absolutes = []
    for i, parent in enumerate(parents):
        absolutes.append(relatives[i] if parent < 0 else absolutes[parent] @ relatives[i])
    weights = rng.random((vertices, 22)) * (rng.random((vertices, 22)) < 0.15)
    model = _listed(
        bone_count=22,
        bone_names=[f"bone {i}" for i in range(22)],
        parents=parents,
        base_relatives=relatives,
        inverse_base_absolutes=np.linalg.inv(np.array(absolutes)),
        base_positions=np.concatenate(
            [rng.standard_normal((vertices, 3)), np.ones((vertices, 1))], 1
        ),
        weights=weights,
        triangles=rng.integers(0, vertices, (2 * vertices, 3)),
        is_mirrored=mirrored,
    )
    data = _listed(
        correspondences=rng.integers(0, vertices, correspondences),
        points=rng.standard_normal((correspondences, 3)),
    )
    us = rng.random((correspondences, 2)) * 0.5 if complicated else np.zeros(0)
    return _listed(theta=rng.standard_normal(26) * 0.4, data={"model": model, **data}, us=us)


def saddle(rng):
    """The start of the benchmark."""
    return {"start": [1.0, 1.0]}


def particle(rng):
    """The start of the benchmark."""
    return {"w": 0.0}


def draw(name: str, **sizes):
    """The input of an objective, always the same."""
    return globals()[name](np.random.default_rng(31337), **sizes)

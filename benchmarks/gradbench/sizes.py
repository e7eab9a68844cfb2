"""What follows from sizes alone, by NumPy: constants and places of elements. The peers use it
too.
"""

from __future__ import annotations

import math

import numpy as np


def triangle(d: int) -> np.ndarray:
    """For each element of Q its place among the d of the diagonal, those below it and, last, a
    zero.
    """
    below = d * (d - 1) // 2
    where = np.full((d, d), d + below)
    np.fill_diagonal(where, range(d))
    columns, rows = np.triu_indices(d, 1)
    where[rows, columns] = d + np.arange(below)
    return where.ravel()


def constant_of(d: int, k: int, n: int, m: int, gamma: float) -> float:
    """The normalisations of the Gaussians and of the Wishart prior with d + m + 1 degrees of
    freedom.
    """
    freedom = d + m + 1
    gammas = sum(math.lgamma(0.5 * (freedom - j)) for j in range(d))
    wishart = (
        freedom * d * (math.log(gamma) - 0.5 * math.log(2))
        - 0.25 * d * (d - 1) * math.log(math.pi)
        - gammas
    )
    return k * wishart - 0.5 * n * d * math.log(2 * math.pi)


def pose_places(bones: int) -> np.ndarray:
    """For each bone, and its angles about x, z and y, the place in theta; 26 stands for an angle of
    zero.
    """
    places = np.full((bones, 3), 26)
    place = 6
    for finger in range(5):
        for joint in range(3):
            bone = 2 + 4 * finger + joint
            places[bone, 0] = place
            place += 1
            if joint == 0:
                places[bone, 1] = place
                place += 1
    return places


def chains(parents, pose: np.ndarray) -> np.ndarray:
    """(fingers, bones): 1 where a bone hangs on the finger; ``pose`` has four angles of each finger."""
    found = np.zeros((5, len(parents)))
    for bone, parent in enumerate(parents):
        own = pose[bone][pose[bone] < 20]
        if len(own):
            found[own[0] // 4, bone] = 1
        elif parent >= 0:
            found[:, bone] = found[:, parent]
    return found

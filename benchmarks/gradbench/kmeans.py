"""`kmeans`: the cost of a clustering, and Newton's direction by its gradient and its diagonal
Hessian.
"""

import minds as ms
from minds import ops

from .evaluation import Evaluation, tensor


def squared_distances(points, centroids):
    """Of points (n, d) to centroids (k, d): (n, k), without the n k d differences."""
    of_points, of_centroids = (
        (points * points).sum(-1, keepdims=True),
        (centroids * centroids).sum(-1),
    )
    return of_points + of_centroids - ops.matmul(points, centroids.T) * 2.0


def cost(points, centroids):
    """The sum of squared distances of points to the nearest of the centroids."""
    return squared_distances(points, centroids).min(axis=-1).sum()


def direction(points, centroids):
    """Gradient over Hessian. The Hessian is diagonal, so its product with ones is the diagonal."""
    gradient, diagonal = ms.jvp(
        ms.grad(lambda c: cost(points, c)), centroids, ops.ones_like(centroids)
    )
    return gradient / diagonal


def prepare(data: dict) -> tuple:
    """Points and centroids."""
    return tensor(data["points"]), tensor(data["centroids"])


FUNCTIONS = {
    "cost": Evaluation(prepare, ms.jit(cost)),
    "dir": Evaluation(prepare, ms.jit(direction)),
}

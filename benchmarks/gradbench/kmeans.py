"""`kmeans`: the cost of a clustering, and Newton's direction by its gradient and its diagonal Hessian."""
import minds as ms
from minds import ops

from .evaluation import Evaluation, tensor


def cost(points, centroids):
    """The sum of squared distances of points (n, d) to the nearest of the centroids (k, d)."""
    difference = points.expand_dims(1) - centroids
    return (difference * difference).sum(-1).min(-1).sum()


def direction(points, centroids):
    """Gradient over Hessian. The Hessian is diagonal, so its product with ones is the diagonal."""
    gradient, diagonal = ms.jvp(ms.grad(lambda c: cost(points, c)), centroids, ops.ones_like(centroids))
    return gradient / diagonal


def prepare(data: dict) -> tuple:
    """Points and centroids."""
    return tensor(data["points"]), tensor(data["centroids"])


FUNCTIONS = {"cost": Evaluation(prepare, ms.jit(cost)), "dir": Evaluation(prepare, ms.jit(direction))}

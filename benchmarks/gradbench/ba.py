"""`ba`: bundle adjustment, the errors of P observations of points by cameras, and their sparse
Jacobian.

A camera is (rotation 3, centre 3, focal length, principal point 2, radial distortion 2); the
rotation is a vector along the axis, as long as the angle. The errors of an observation depend on
its own camera, point and weight only: one pullback of ones per coordinate gives the blocks of all
observations at once.
"""

import numpy as np

import minds as ms
from minds import ops

from .evaluation import Evaluation, tensor


def cross(a, b):
    """Of rows."""
    return ops.stack(
        (
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ),
        1,
    )


def rotate(rotation, x):
    """Rodrigues' formula, row by row; small angles are taken to first order."""
    squared = (rotation * rotation).sum(1, keepdims=True)
    still = squared == 0.0
    angle = ops.sqrt(ops.where(still, ops.ones_like(squared), squared))
    axis = rotation / angle
    cosine = ops.cos(angle)
    along = (axis * x).sum(1, keepdims=True) * (1.0 - cosine)
    turned = x * cosine + cross(axis, x) * ops.sin(angle) + axis * along
    return ops.where(still, x + cross(rotation, x), turned)


def project(camera, x):
    """Points (P, 3) in the pictures of cameras (P, 11)."""
    seen = rotate(camera[:, :3], x - camera[:, 3:6])
    flat = seen[:, :2] / seen[:, 2:]
    squared = (flat * flat).sum(1, keepdims=True)
    distorted = flat * (1.0 + camera[:, 9:10] * squared + camera[:, 10:] * squared * squared)
    return distorted * camera[:, 6:7] + camera[:, 7:9]


def reprojection(camera, x, weight, feature):
    """Weighted errors (P, 2)."""
    return (project(camera, x) - feature) * weight.expand_dims(1)


def weight_error(weight):
    """1 - w²."""
    return 1.0 - weight * weight


def objective(cameras, points, weight, feature, camera_index, point_index):
    """The errors of all observations, (P, 2) and (P,)."""
    camera, x = ops.gather(cameras, camera_index, 0), ops.gather(points, point_index, 0)
    return reprojection(camera, x, weight, feature), weight_error(weight)


def jacobian(cameras, points, weight, feature, camera_index, point_index):
    """The blocks (P, 2, 15) by camera, point and weight, and (P,) by weight."""
    camera, x = ops.gather(cameras, camera_index, 0), ops.gather(points, point_index, 0)

    def row(i):
        """The derivatives of coordinate i."""
        by_camera, by_point, by_weight = ms.grad(
            lambda c, p, w: reprojection(c, p, w, feature)[:, i].sum(), (0, 1, 2)
        )(camera, x, weight)
        return ops.concat((by_camera, by_point, by_weight.expand_dims(1)), 1)

    return ops.stack((row(0), row(1)), 1), ms.grad(lambda w: weight_error(w).sum())(weight)


def prepare(data: dict) -> tuple:
    """One camera, point, weight and feature, repeated; the observations go round cameras and
    points.
    """
    n, m, p = data["n"], data["m"], data["p"]
    each = np.arange(p)
    return (
        tensor(np.tile(data["cam"], (n, 1))),
        tensor(np.tile(data["x"], (m, 1))),
        tensor(np.full(p, data["w"])),
        tensor(np.tile(data["feat"], (p, 1))),
        tensor(each % n, np.int64),
        tensor(each % m, np.int64),
    )


def errors(found) -> dict:
    """The errors of the first observation, for all are alike."""
    reprojected, of_weight = (t.asnumpy() for t in found)
    return {
        "reproj_error": {"elements": reprojected[0].tolist(), "repeated": len(reprojected)},
        "w_err": {"element": float(of_weight[0]), "repeated": len(of_weight)},
    }


def sparse(n: int, m: int, blocks: np.ndarray, of_weight: np.ndarray) -> tuple:
    """(rows, columns, values) of the compressed Jacobian: 2 P rows of 15 elements, then P of
    one.
    """
    p = len(of_weight)
    each = np.arange(p)
    columns = np.concatenate(
        [
            (each % n * 11)[:, None] + np.arange(11),
            (11 * n + each % m * 3)[:, None] + np.arange(3),
            (11 * n + 3 * m + each)[:, None],
        ],
        1,
    )
    rows = np.concatenate([np.arange(2 * p) * 15, 30 * p + np.arange(p + 1)])
    return (
        rows,
        np.concatenate([np.repeat(columns, 2, 0).ravel(), columns[:, -1]]),
        np.concatenate([blocks.ravel(), of_weight]),
    )


def first_and_last(found) -> dict:
    """What the protocol wants of the Jacobian: the first 30 elements of each array and the last
    one.
    """
    blocks, of_weight, n, m = found
    rows, columns, values = sparse(int(n), int(m), blocks.asnumpy(), of_weight.asnumpy())
    return {
        name: [*a[:30].tolist(), a[-1].item()]
        for name, a in (("rows", rows), ("cols", columns), ("vals", values))
    }


compiled = ms.jit(jacobian)


def with_sizes(*args) -> tuple:
    """The Jacobian, and the numbers of cameras and points that its columns depend on."""
    return (*compiled(*args), args[0].shape[0], args[1].shape[0])


FUNCTIONS = {
    "objective": Evaluation(prepare, ms.jit(objective), errors),
    "jacobian": Evaluation(prepare, with_sizes, first_and_last),
}

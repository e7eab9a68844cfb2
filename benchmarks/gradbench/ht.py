"""`ht`: hand tracking, distances of measured points to a skinned mesh that bones move.

theta holds the global rotation and translation, then for each of five fingers two angles of the
first bone and one of each of two others. With ``us``, a point corresponds to a place inside a
triangle, by barycentric coordinates.
"""

import functools

import numpy as np

import minds as ms
from minds import ops

from .evaluation import Evaluation, flat, tensor
from .sizes import pose_places


def axis_angle(rotation):
    """The rotation matrix of a vector along the axis, as long as the angle."""
    angle = ops.sqrt((rotation * rotation).sum())
    if angle < 1e-4:
        return ops.eye(3, 3, ms.float64)
    x, y, z = rotation / angle
    s, c = ops.sin(angle), ops.cos(angle)
    return ops.stack(
        (
            x * x + (1.0 - x * x) * c,
            x * y * (1.0 - c) - z * s,
            x * z * (1.0 - c) + y * s,
            x * y * (1.0 - c) + z * s,
            y * y + (1.0 - y * y) * c,
            y * z * (1.0 - c) - x * s,
            x * z * (1.0 - c) - y * s,
            z * y * (1.0 - c) + x * s,
            z * z + (1.0 - z * z) * c,
        )
    ).reshape(3, 3)


def turns(angles):
    """The 4 × 4 matrices Rz Ry Rx of rows of angles about x, z and y."""
    (sx, sz, sy), (cx, cz, cy) = ops.sin(angles).T, ops.cos(angles).T
    zero, one = ops.zeros_like(sx), ops.ones_like(sx)
    return ops.stack(
        (
            cz * cy,
            cz * sy * sx - sz * cx,
            cz * sy * cx + sz * sx,
            zero,
            sz * cy,
            sz * sy * sx + cz * cx,
            sz * sy * cx - cz * sx,
            zero,
            -sy,
            cy * sx,
            cy * cx,
            zero,
            zero,
            zero,
            zero,
            one,
        ),
        1,
    ).reshape(-1, 4, 4)


def objective(theta, us, hand, parents, mirrored: bool):
    """Errors (C, 3); ``us`` is (C, 2), or None if points correspond to vertices."""
    angles = ops.gather(ops.concat((theta, theta[:1] * 0.0)), hand["pose"], 0)
    relative = ops.matmul(hand["base_relatives"], turns(angles))
    absolute = []
    for bone, parent in enumerate(parents):
        absolute.append(relative[bone] if parent == -1 else absolute[parent] @ relative[bone])
    moved = ops.matmul(ops.stack(absolute), hand["inverse_base_absolutes"])[:, :3]
    positions = (
        ops.matmul(moved, hand["base_positions"].T) * hand["weights"].T.expand_dims(1)
    ).sum(0)
    if mirrored:
        positions = ops.concat((-positions[:1], positions[1:]))
    vertices = ops.matmul(axis_angle(theta[:3]), positions).T + theta[3:6]
    if us is None:
        return hand["points"] - ops.gather(vertices, hand["corners"], 0)
    corners = ops.gather(vertices, hand["corners"], 0)
    first, second = us[:, :1], us[:, 1:]
    return (
        hand["points"]
        - corners[:, 0] * first
        - corners[:, 1] * second
        - corners[:, 2] * (1.0 - first - second)
    )


def jacobian(theta, us, hand, parents, mirrored: bool):
    """(3 C, 26), or (3 C, 2 + 26): an error has its own u, so one direction serves all first
    u's.
    """
    by_theta = ms.jacfwd(lambda t: objective(t, us, hand, parents, mirrored))(theta).reshape(
        -1, theta.shape[0]
    )
    if us is None:
        return by_theta
    along = [
        ms.jvp(lambda u: objective(theta, u, hand, parents, mirrored), us, seed)[1].reshape(-1, 1)
        for seed in hand["seeds"]
    ]
    return ops.concat((*along, by_theta), 1)


@functools.lru_cache(None)
def program(function, parents: tuple, mirrored: bool):
    """``function`` for hands of one structure: the bones are known while it is compiled."""
    return ms.jit(lambda theta, us, hand: function(theta, us, hand, parents, mirrored))


def prepare(function, data: dict) -> tuple:
    """The program for this hand, and its arguments."""
    model, correspondences = data["data"]["model"], np.array(data["data"]["correspondences"])
    us = np.array(data["us"], float).reshape(-1, 2) if len(data["us"]) else None
    hand = {
        name: tensor(model[name])
        for name in ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")
    }
    hand["points"] = tensor(data["data"]["points"])
    hand["pose"] = tensor(pose_places(len(model["parents"])), np.int64)
    hand["corners"] = tensor(
        correspondences if us is None else np.array(model["triangles"])[correspondences], np.int64
    )
    if us is not None:
        hand["seeds"] = tuple(tensor(np.tile(unit, (len(us), 1))) for unit in np.eye(2))
    return (
        program(function, tuple(model["parents"]), bool(model["is_mirrored"])),
        tensor(data["theta"]),
        None if us is None else tensor(us),
        hand,
    )


def call(fn, *args):
    """The program on its arguments."""
    return fn(*args)


FUNCTIONS = {
    "objective": Evaluation(functools.partial(prepare, objective), call, flat),
    "jacobian": Evaluation(functools.partial(prepare, jacobian), call),
}

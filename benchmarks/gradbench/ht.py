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
from .sizes import chains, pose_places


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


def bones(angles, hand, parents):
    """What each bone does to a point of the mesh, (bones, 3, 4); ``angles`` are those of the fingers."""
    angles = ops.gather(ops.concat((angles, angles[:1] * 0.0)), hand["pose"], 0)
    relative = ops.matmul(hand["base_relatives"], turns(angles))
    absolute = []
    for bone, parent in enumerate(parents):
        absolute.append(relative[bone] if parent == -1 else absolute[parent] @ relative[bone])
    return ops.matmul(ops.stack(absolute), hand["inverse_base_absolutes"])[:, :3]


def skin(moved, hand, mirrored: bool):
    """Where bones move their shares of the points, (..., bones, 3, V)."""
    shares = ops.matmul(moved, hand["mesh"].T) * hand["weights"].T.expand_dims(1)
    return shares * hand["mirror"] if mirrored else shares


def errors(corners, us, hand):
    """From points of the mesh, (V, 3), to the measured ones, (C, 3)."""
    if us is None:
        return hand["points"] - corners
    return hand["points"] - between(corners, us)


def between(corners, us):
    """Places inside of triangles: ``corners`` is (..., 3 C, 3), ``us`` is (C, 2)."""
    first, second = us[:, :1], us[:, 1:]
    corners = corners.reshape(*corners.shape[:-2], -1, 3, 3)
    last = 1.0 - first - second
    return corners[..., 0, :] * first + corners[..., 1, :] * second + corners[..., 2, :] * last


def objective(theta, us, hand, parents, mirrored: bool):
    """Errors (C, 3); ``us`` is (C, 2), or None if points correspond to vertices."""
    positions = skin(bones(theta[6:], hand, parents), hand, mirrored).sum(0)
    return errors(ops.matmul(axis_angle(theta[:3]), positions).T + theta[3:6], us, hand)


def jacobian(theta, us, hand, parents, mirrored: bool):
    """(3 C, 26), or (3 C, 2 + 26). Only what moves is seeded: one direction bends the same joint of all
    fingers, as no bone belongs to two, and one serves all first u's, as an error has its own.
    """
    rotation = axis_angle(theta[:3])
    positions = skin(bones(theta[6:], hand, parents), hand, mirrored).sum(0)
    bent = ms.vmap(lambda by: ms.jvp(lambda t: bones(t, hand, parents), theta[6:], by)[1])
    shares = skin(bent(hand["bends"]), hand, mirrored)  # (joints, bones, 3, V)
    joints, _, _, size = shares.shape
    fingers = ops.matmul(hand["fingers"], shares.reshape(joints, -1, 3 * size))
    fingers = fingers.swapaxes(0, 1).reshape(-1, 3, size)
    turned = ms.jacfwd(axis_angle)(theta[:3]).transpose(2, 0, 1)
    moves = ops.concat((ops.matmul(turned, positions), ops.matmul(rotation, fingers)))
    moves = moves.swapaxes(1, 2)  # (3 + 20, V, 3)
    shifts = ops.broadcast_to(ops.eye(3, 3, ms.float64).expand_dims(1), (3, size, 3))
    moves = ops.concat((moves[:3], shifts, moves[3:]))
    moves = moves if us is None else between(moves, us)
    by_theta = -moves.reshape(theta.shape[0], -1).T
    if us is None:
        return by_theta
    corners = ops.matmul(rotation, positions).T + theta[3:6]
    along = [
        ms.jvp(lambda u: errors(corners, u, hand), us, seed)[1].reshape(-1, 1)
        for seed in hand["seeds"]
    ]
    return ops.concat((*along, by_theta), 1)


@functools.lru_cache(None)
def program(function, parents: tuple, mirrored: bool):
    """``function`` for hands of one structure: the bones are known while it is compiled."""
    return ms.jit(lambda theta, us, hand: function(theta, us, hand, parents, mirrored))


def prepare(function, data: dict) -> tuple:
    """The program for this hand, and its arguments."""
    model, places = data["data"]["model"], np.array(data["data"]["correspondences"])
    us = np.array(data["us"], float).reshape(-1, 2) if len(data["us"]) else None
    if us is not None:
        places = np.array(model["triangles"])[places].ravel()
    hand = {name: tensor(model[name]) for name in ("base_relatives", "inverse_base_absolutes")}
    hand["mesh"], hand["weights"] = (
        tensor(np.array(model[name])[places]) for name in ("base_positions", "weights")
    )
    hand["mirror"] = tensor(np.array([[-1.0], [1.0], [1.0]]))
    hand["points"] = tensor(data["data"]["points"])
    pose = pose_places(len(model["parents"])) - 6
    hand["pose"] = tensor(pose, np.int64)
    hand["bends"] = tensor(np.tile(np.eye(4), 5))
    hand["fingers"] = tensor(chains(model["parents"], pose))
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

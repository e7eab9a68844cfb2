"""The objectives in eager torch, formulated as ours are: whole tensors where ours are, loops where
ours loop.

Only for comparison, with an interpreter that has torch; `OBJECTIVES` maps names to functions of the
protocol's input that return, by name, what to time.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import func


def tensor(values, dtype=torch.float64):
    """A tensor of numbers from JSON."""
    return torch.tensor(np.array(values), dtype=dtype)


def gradient(f, positions=(0,)):
    """The function that computes the gradients of ``f``."""

    def run(*args):
        args = [
            a.detach().requires_grad_(i in positions) if isinstance(a, torch.Tensor) else a
            for i, a in enumerate(args)
        ]
        return torch.autograd.grad(f(*args), [args[i] for i in positions])

    return run


def llsq(data):
    """Linear least squares."""
    x, t = tensor(data["x"]), tensor(np.linspace(-1, 1, data["n"]))

    def primal(x):
        polynomial = torch.zeros_like(t)
        for j in range(len(x)):
            polynomial = polynomial * t + x[-1 - j]
        residual = torch.sign(t) - polynomial
        return (residual * residual).sum() * 0.5

    return {"primal": lambda: primal(x), "gradient": lambda: gradient(primal)(x)}


def logsumexp(x, axis=0):
    """From its parts."""
    largest = x.amax(axis, keepdim=True)
    return (largest + torch.log(torch.exp(x - largest).sum(axis, keepdim=True))).squeeze(axis)


def lse(data):
    """The logarithm of a sum of exponentials."""
    x = tensor(data["x"])
    return {"primal": lambda: logsumexp(x), "gradient": lambda: gradient(logsumexp)(x)}


def ode(data):
    """Runge and Kutta's method."""
    x, s = tensor(data["x"]), data["s"]

    def slope(x, y):
        return torch.cat((x[:1], x[1:] * y[:-1]))

    def primal(x):
        h, y = 2.0 / s, torch.zeros_like(x)
        for _ in range(s):
            k1 = slope(x, y)
            k2 = slope(x, y + k1 * (h / 2.0))
            k3 = slope(x, y + k2 * (h / 2.0))
            k4 = slope(x, y + k3 * h)
            y = y + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)
        return y

    return {"primal": lambda: primal(x), "gradient": lambda: gradient(lambda x: primal(x)[-1])(x)}


def det(data):
    """Expansion by minors."""
    size = data["ell"]
    a = tensor(data["A"]).reshape(size, size)

    def minor(a, row, used):
        if row == size:
            return 1.0
        total, sign = 0.0, 1.0
        for column in range(size):
            if used & (1 << column) == 0:
                total = total + a[row, column] * sign * minor(a, row + 1, used | (1 << column))
                sign = -sign
        return total

    return {
        "primal": lambda: minor(a, 0, 0),
        "gradient": lambda: gradient(lambda a: minor(a, 0, 0))(a),
    }


def kmeans(data):
    """Newton's direction, its Hessian product by reverse over reverse."""
    points, centroids = tensor(data["points"]), tensor(data["centroids"])

    def cost(c):
        squared = (points**2).sum(-1, keepdim=True) + (c**2).sum(-1) - points @ c.T * 2.0
        return squared.amin(-1).sum()

    def direction():
        c = centroids.detach().requires_grad_()
        (first,) = torch.autograd.grad(cost(c), c, create_graph=True)
        return first.detach() / torch.autograd.grad(first.sum(), c)[0]

    return {"cost": lambda: cost(centroids), "dir": direction}


def gmm(data):
    """Mixture of Gaussians."""
    from benchmarks.gradbench.sizes import constant_of, triangle

    d, k, n, m, gamma = (data[name] for name in ("d", "k", "n", "m", "gamma"))
    args = [tensor(data[name]) for name in ("alpha", "mu", "q", "l")]
    x, where, constant = (
        tensor(data["x"]),
        tensor(triangle(d), torch.int64),
        constant_of(d, k, n, m, gamma),
    )

    def objective(alpha, mu, q, below):
        diagonal = torch.exp(q)
        entries = torch.cat((diagonal, below, torch.zeros_like(diagonal[:, :1])), 1)
        factor = entries[:, where].reshape(k, d, d)
        whitened = (x - mu.unsqueeze(1)) @ factor.transpose(1, 2)
        terms = (alpha + q.sum(1)).unsqueeze(1) - (whitened * whitened).sum(2) * 0.5
        prior = q.sum() * m - ((diagonal * diagonal).sum() + (below * below).sum()) * (
            0.5 * gamma * gamma
        )
        return logsumexp(terms).sum() - logsumexp(alpha) * n + prior + constant

    return {
        "objective": lambda: objective(*args),
        "jacobian": lambda: gradient(objective, range(4))(*args),
    }


def ba(data):
    """Bundle adjustment."""
    n, m, p = data["n"], data["m"], data["p"]
    each = torch.arange(p)
    cameras, points = tensor(np.tile(data["cam"], (n, 1))), tensor(np.tile(data["x"], (m, 1)))
    weight, feature = tensor(np.full(p, data["w"])), tensor(np.tile(data["feat"], (p, 1)))

    def rotate(rotation, x):
        squared = (rotation * rotation).sum(1, keepdim=True)
        still = squared == 0.0
        angle = torch.sqrt(torch.where(still, torch.ones_like(squared), squared))
        axis = rotation / angle
        cosine = torch.cos(angle)
        along = (axis * x).sum(1, keepdim=True) * (1.0 - cosine)
        turned = x * cosine + torch.linalg.cross(axis, x) * torch.sin(angle) + axis * along
        return torch.where(still, x + torch.linalg.cross(rotation, x), turned)

    def reprojection(camera, x, weight):
        seen = rotate(camera[:, :3], x - camera[:, 3:6])
        flat = seen[:, :2] / seen[:, 2:]
        squared = (flat * flat).sum(1, keepdim=True)
        distorted = flat * (1.0 + camera[:, 9:10] * squared + camera[:, 10:] * squared * squared)
        return (distorted * camera[:, 6:7] + camera[:, 7:9] - feature) * weight.unsqueeze(1)

    def objective():
        return reprojection(cameras[each % n], points[each % m], weight), 1.0 - weight * weight

    def jacobian():
        args = [a.detach().requires_grad_() for a in (cameras[each % n], points[each % m], weight)]
        out = reprojection(*args)
        rows = []
        for i in range(2):
            c, x, w = torch.autograd.grad(out[:, i].sum(), args, retain_graph=i == 0)
            rows.append(torch.cat((c, x, w.unsqueeze(1)), 1))
        return torch.stack(rows, 1), gradient(lambda w: (1.0 - w * w).sum())(weight)

    return {"objective": objective, "jacobian": jacobian}


def lstm(data):
    """LSTM layers with diagonal weights."""
    main, extra, start, sequence = (
        tensor(data[k]) for k in ("main_params", "extra_params", "state", "sequence")
    )
    layers, (length, width) = len(main) // 2, sequence.shape

    def cell(weight, bias, hidden, state, x):
        forget = torch.sigmoid(x * weight[0] + bias[0])
        ingate = torch.sigmoid(hidden * weight[1] + bias[1])
        outgate = torch.sigmoid(x * weight[2] + bias[2])
        change = torch.tanh(hidden * weight[3] + bias[3])
        state = state * forget + ingate * change
        return outgate * torch.tanh(state), state

    def objective(main, extra):
        gates = [[part.unbind() for part in layer] for layer in main.reshape(layers, 2, 4, width)]
        states = [(start[2 * i], start[2 * i + 1]) for i in range(layers)]
        total = 0.0
        for t in range(length - 1):
            x = sequence[t] * extra[0]
            after = []
            for i in range(layers):
                x, state = cell(*gates[i], states[i][0], states[i][1], x)
                after.append((x, state))
            states = after
            out = x * extra[1] + extra[2]
            total = total + (sequence[t + 1] * (out - torch.log(torch.exp(out).sum() + 2.0))).sum()
        return -total / ((length - 1) * width)

    return {
        "objective": lambda: objective(main, extra),
        "jacobian": lambda: gradient(objective, (0, 1))(main, extra),
    }


def ht(data):
    """Hand tracking; the Jacobian by forward mode, all directions at once (vmap)."""
    from benchmarks.gradbench.sizes import pose_places

    model, correspondences = data["data"]["model"], np.array(data["data"]["correspondences"])
    us = tensor(data["us"]).reshape(-1, 2) if len(data["us"]) else None
    theta, points, parents = tensor(data["theta"]), tensor(data["data"]["points"]), model["parents"]
    base, inverse, mesh, weights = (
        tensor(model[k])
        for k in ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")
    )
    pose = tensor(pose_places(len(parents)), torch.int64)
    corners = tensor(
        correspondences if us is None else np.array(model["triangles"])[correspondences],
        torch.int64,
    )

    def axis_angle(rotation):
        angle = torch.sqrt((rotation * rotation).sum())
        x, y, z = rotation / angle
        s, c = torch.sin(angle), torch.cos(angle)
        return torch.stack(
            (
                x * x + (1 - x * x) * c,
                x * y * (1 - c) - z * s,
                x * z * (1 - c) + y * s,
                x * y * (1 - c) + z * s,
                y * y + (1 - y * y) * c,
                y * z * (1 - c) - x * s,
                x * z * (1 - c) - y * s,
                z * y * (1 - c) + x * s,
                z * z + (1 - z * z) * c,
            )
        ).reshape(3, 3)

    def turns(angles):
        (sx, sz, sy), (cx, cz, cy) = torch.sin(angles).T, torch.cos(angles).T
        zero, one = torch.zeros_like(sx), torch.ones_like(sx)
        return torch.stack(
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

    def objective(theta, us):
        relative = base @ turns(torch.cat((theta, theta[:1] * 0.0))[pose])
        absolute = []
        for bone, parent in enumerate(parents):
            absolute.append(relative[bone] if parent == -1 else absolute[parent] @ relative[bone])
        moved = (torch.stack(absolute) @ inverse)[:, :3]
        positions = ((moved @ mesh.T) * weights.T.unsqueeze(1)).sum(0)
        if model["is_mirrored"]:
            positions = torch.cat((-positions[:1], positions[1:]))
        vertices = (axis_angle(theta[:3]) @ positions).T + theta[3:6]
        if us is None:
            return points - vertices[corners]
        at = vertices[corners]
        return (
            points
            - at[:, 0] * us[:, :1]
            - at[:, 1] * us[:, 1:]
            - at[:, 2] * (1.0 - us[:, :1] - us[:, 1:])
        )

    def jacobian():
        by_theta = func.jacfwd(lambda t: objective(t, us))(theta).reshape(-1, len(theta))
        if us is None:
            return by_theta
        seeds = [tensor(np.tile(unit, (len(us), 1))) for unit in np.eye(2)]
        along = [
            func.jvp(lambda u: objective(theta, u), (us,), (v,))[1].reshape(-1, 1) for v in seeds
        ]
        return torch.cat((*along, by_theta), 1)

    return {"objective": lambda: objective(theta, us), "jacobian": jacobian}


def slope_of(f, x):
    """The gradient of ``f``; differentiable again where a gradient is being taken around it."""
    nested = torch.is_grad_enabled()
    with torch.enable_grad():
        v = x if x.requires_grad else x.detach().requires_grad_()
        return torch.autograd.grad(f(v), v, create_graph=nested)[0]


def argmin(f, x):
    """The descent of `descent.argmin`; the values of ``f`` are for comparisons only."""

    def at(x):
        with torch.no_grad():
            return f(x)

    value, slope, rate, steps = at(x), slope_of(f, x), 1e-5, 0
    while torch.sqrt((slope * slope).sum()) > 1e-5:
        if steps == 10:
            rate, steps = rate * 2.0, 0
        else:
            there = x - slope * rate
            if torch.sqrt(((x - there) ** 2).sum()) <= 1e-5:
                break
            value_there = at(there)
            if value_there < value:
                x, value, slope, steps = there, value_there, slope_of(f, there), steps + 1
            else:
                rate, steps = rate / 2.0, 0
    return x


def saddle(data):
    """A saddle point."""
    start = tensor(data["start"])

    def f(x, y):
        return (x * x).sum() - (y * y).sum()

    @torch.no_grad()
    def solve():
        x = argmin(lambda x: f(x, argmin(lambda y: -f(x, y), start)), start)
        return torch.cat((x, argmin(lambda y: -f(x, y), start)))

    return {"rr": solve}


def particle(data):
    """The control of a field."""

    def potential(x, charges):
        total = 0.0
        for charge in charges:
            total = total + 1.0 / torch.sqrt(((x - charge) ** 2).sum())
        return total

    def miss(w):
        charges = torch.stack(
            (torch.cat((w * 0.0 + 10.0, 10.0 - w)), torch.cat((w * 0.0 + 10.0, w * 0.0)))
        )
        x, velocity = tensor([0.0, 8.0]), tensor([0.75, 0.0])
        there = x + velocity * 0.1
        while there[1] > 0.0:
            force = -slope_of(lambda y: potential(y, charges), x)
            x, velocity = there, velocity + force * 0.1
            there = x + velocity * 0.1
        at = x[0] - velocity[0] * x[1] / velocity[1]
        return at * at

    @torch.no_grad()
    def solve():
        return argmin(miss, tensor([data["w"]]))[0]

    return {"rr": solve}


OBJECTIVES = {
    f.__name__: f for f in (llsq, lse, ode, det, kmeans, gmm, ba, lstm, ht, saddle, particle)
}

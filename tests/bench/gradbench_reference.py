"""The objectives of GradBench once more, in NumPy and SciPy, in other words than the benchmark's:
scalar loops where that has whole arrays, library functions where that has formulas. Derivatives are
central differences.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, special, stats
from scipy.spatial.transform import Rotation


def slopes(f, x, step: float = 1e-5) -> np.ndarray:
    """d f / d x, of shape f + x."""
    x = np.array(x, float)
    columns = []
    for i in range(x.size):
        moved = [x.copy(), x.copy()]
        moved[0].flat[i] += step
        moved[1].flat[i] -= step
        columns.append((np.asarray(f(moved[0])) - np.asarray(f(moved[1]))) / (2 * step))
    return np.stack(columns, -1).reshape(np.shape(columns[0]) + x.shape)


def llsq(x, data):
    """The sum over points of squared residuals."""
    t = np.linspace(-1, 1, data["n"])
    return 0.5 * sum((np.sign(ti) - np.polynomial.polynomial.polyval(ti, x)) ** 2 for ti in t)


def ode(x, data):
    """Four stages that are powers of one matrix and vector: y' = A y + b."""
    n, h = len(x), 2.0 / data["s"]
    a, b, y = np.diag(x[1:], -1), np.eye(n)[0] * x[0], np.zeros(n)
    ha = h * a
    phi = np.eye(n) + ha / 2 + ha @ ha / 6 + ha @ ha @ ha / 24
    for _ in range(data["s"]):
        y = y + h * phi @ (a @ y + b)
    return y


def kmeans(centroids, data):
    """The sum over points of the least squared distance."""
    return sum(min(np.sum((p - c) ** 2) for c in centroids) for p in np.array(data["points"]))


def gmm(parameters, data):
    """By SciPy's normal and Wishart distributions."""
    d, k, m, gamma = data["d"], data["k"], data["m"], data["gamma"]
    alpha, mu, q, below = parameters
    logs, prior = [], 0.0
    for i in range(k):
        factor = np.diag(np.exp(q[i]))
        factor.T[np.triu_indices(d, 1)] = below[i]
        precision = factor.T @ factor
        normal = stats.multivariate_normal(mu[i], np.linalg.inv(precision))
        logs.append(special.log_softmax(alpha)[i] + normal.logpdf(np.array(data["x"])))
        prior += stats.wishart(d + m + 1, np.eye(d) / gamma**2).logpdf(precision)
    return special.logsumexp(logs, axis=0).sum() + prior


def ba(camera, x, weight, feature):
    """One observation: its two errors."""
    seen = Rotation.from_rotvec(camera[:3]).apply(x - camera[3:6])
    flat = seen[:2] / seen[2]
    r = flat @ flat
    return weight * (
        flat * (1 + camera[9] * r + camera[10] * r**2) * camera[6] + camera[7:9] - feature
    )


def lstm(main, extra, data):
    """Scalar by scalar."""
    state, sequence = np.array(data["state"]), np.array(data["sequence"])
    width, total = sequence.shape[1], 0.0
    for t in range(len(sequence) - 1):
        out = sequence[t] * extra[0]
        for layer in range(len(main) // 2):
            (wf, wi, wo, wc), (bf, bi, bo, bc) = (
                main[2 * layer].reshape(4, -1),
                main[2 * layer + 1].reshape(4, -1),
            )
            hidden = state[2 * layer]
            cell = state[2 * layer + 1] * special.expit(wf * out + bf) + special.expit(
                hidden * wi + bi
            ) * np.tanh(hidden * wc + bc)
            out = special.expit(out * wo + bo) * np.tanh(cell)
            state[2 * layer : 2 * layer + 2] = out, cell
        predicted = out * extra[1] + extra[2]
        total += sequence[t + 1] @ (predicted - np.log(2 + np.exp(predicted).sum()))
    return -total / (width * (len(sequence) - 1))


def ht(theta, us, data):
    """Bone by bone and vertex by vertex."""
    model = {k: np.array(v) for k, v in data["data"]["model"].items()}
    places = iter(theta[6:])
    angles = np.zeros((22, 3))
    for finger in range(5):
        for joint in range(3):
            angles[2 + 4 * finger + joint, 0] = next(places)
            if joint == 0:
                angles[2 + 4 * finger, 1] = next(places)
    absolute, vertices = [], np.zeros((len(model["weights"]), 3))
    for bone, parent in enumerate(model["parents"]):
        relative = model["base_relatives"][bone] @ linalg.block_diag(
            Rotation.from_euler("ZYX", angles[bone][[1, 2, 0]]).as_matrix(), 1
        )
        absolute.append(relative if parent < 0 else absolute[parent] @ relative)
        transform = absolute[bone] @ model["inverse_base_absolutes"][bone]
        for v, at in enumerate(model["base_positions"]):
            vertices[v] += (transform @ at)[:3] * model["weights"][v, bone]
    if model["is_mirrored"]:
        vertices[:, 0] *= -1
    vertices = Rotation.from_rotvec(theta[:3]).apply(vertices) + theta[3:6]
    errors = []
    for i, (c, point) in enumerate(zip(data["data"]["correspondences"], data["data"]["points"])):
        at = vertices[c]
        if len(us):
            at = (
                np.array([us[i][0], us[i][1], 1 - us[i][0] - us[i][1]])
                @ vertices[model["triangles"][c]]
            )
        errors.append(point - at)
    return np.concatenate(errors)

"""Sizes that the run finds: what a mask chooses, positions, distinct elements. Programs run on
masks that choose nothing, one, some and all rows; compiled and eager results and gradients must
agree to the bit.
"""

import numpy as np
import pytest
from agreement import assert_same

import minds as ms
from minds import Tensor, nn, ops

RANDOM = np.random.default_rng(7)
X = Tensor(RANDOM.standard_normal((6, 5)).astype(np.float32))
W = Tensor(RANDOM.standard_normal((5, 3)).astype(np.float32))
LABELS = Tensor(RANDOM.integers(0, 3, 6).astype(np.int32))
MASKS = [
    Tensor(np.array(m))
    for m in ([False] * 6, [False, True] + [False] * 4, [True, False] * 3, [True] * 6)
]


def until_settled(x, m):
    y = x[m]
    while y.shape[0] > 0 and y.sum() < 100:
        y = y * 2 + 1
    return y


def filtered(x, m):
    y = x[m]
    for k in range(3):
        y = y[y.sum(1) > k - 2.0]
    return y * y


def by_branches(x, m):
    if x.sum() > 0:
        y = x[m]
    else:
        y = x[x[:, 0] > 0]
    return y * 2


def of_static_or_found(x, m):
    y = x
    if x[0, 0] > 0:
        y = x[m]
    return y.sum(0)


def in_a_closure(x, m):
    y = x[m]

    def scaled(k):
        return (y * k).sum(1)

    return scaled(2.0) + scaled(3.0)


def in_containers(x, m):
    parts = {"in": x[m], "out": x[~m]}
    return ops.concat([parts["out"], parts["in"]])


def assigned(x, m):
    y = x * 1
    y[m] = y[m] * 2
    return y


def beside_positions(x, m):
    y = x * 1
    y[m, Tensor([1])] = 3.0
    return y


def by_number(x, m):
    n = x[m].shape[0]
    return x * n if n > 2 else x + n


def behind_ways_out(x, m):
    y, s = x[m], x.sum()
    for _ in range(2):
        if y.shape[0] < 2:
            continue
        s = s + len(y)
    return s * y


def in_rows(x, m):
    total = x.sum() * 0
    for row in x[m]:
        total = total + (row * row).sum()
    return total


def nested(x, m):
    y = x[m]
    return y[y[:, 0] > 0][:, 1:3]


def scattered(x, m):
    return ops.tensor_scatter_add(ops.zeros((6, 5)), ops.nonzero(m), x[m] * x[m])


PROGRAMS = [
    lambda x, m: x[m],
    lambda x, m: x[m] * x[m].sum(1, keepdims=True) + x[0],
    lambda x, m: x[m] * (x * x)[m],
    lambda x, m: ops.softmax(x[m], -1),
    lambda x, m: ops.matmul(x[m], W),
    lambda x, m: ops.matmul(x[m], x[m].T),
    lambda x, m: ops.cross_entropy(ops.matmul(x, W)[m], LABELS[m]),
    lambda x, m: x[m].mean(0),
    lambda x, m: x[m].std(0),
    lambda x, m: ops.sort(x[m], 0)[0],
    lambda x, m: ops.cumsum(x[m], 0),
    lambda x, m: ops.concat((x[m], x), 0),
    lambda x, m: ops.stack((x[m], x[m] + 1)),
    lambda x, m: x[m].reshape(-1),
    lambda x, m: x[m][::-1],
    lambda x, m: x[m][1:3],
    lambda x, m: x[m][-2:],
    lambda x, m: x[m, 1],
    lambda x, m: x[m][:, x.sum(0) > 0],
    lambda x, m: ops.zeros_like(x[m]) + ops.arange(x[m].shape[0]).reshape(-1, 1),
    lambda x, m: ops.masked_select(x, x > 0),
    lambda x, m: x[ops.nonzero(m)[:, 0]],
    lambda x, m: x[ops.nonzero(x > 0, as_tuple=True)],
    lambda x, m: ops.tile(x[m], (2, 1)),
    lambda x, m: x * ops.stop_gradient(x[m].sum()),
    until_settled,
    filtered,
    by_branches,
    of_static_or_found,
    in_a_closure,
    in_containers,
    assigned,
    behind_ways_out,
    beside_positions,
    by_number,
    in_rows,
    nested,
    scattered,
]


@pytest.mark.parametrize("fn", PROGRAMS, ids=range(len(PROGRAMS)))
def test_chosen_by_a_mask(fn):
    def total(x, m):
        return ops.sin(fn(x, m)).sum()

    compiled, gradient = ms.jit(fn), ms.jit(ms.grad(total))
    for m in MASKS:
        assert_same(compiled(X, m), fn(X, m))
        assert_same(gradient(X, m), ms.grad(total)(X, m))
    assert len(ms.recompiles(compiled)) == 1


@pytest.mark.parametrize(
    "fn",
    [
        lambda v: ops.unique(v),
        lambda v: ops.unique_consecutive(v, True, True),
        lambda v: ops.unique_with_pad(v, 0),
        lambda v: ops.bincount(v),
        lambda v: ops.sequence_mask(v),
        lambda v: ops.nonzero(v),
        lambda v: ops.argwhere(v),
        lambda v: v.unique(),
        lambda v: (v[v > 1].shape[0], len(v[v > 1]) * 2),
    ],
    ids=range(9),
)
def test_found_in_whole_numbers(fn):
    compiled = ms.jit(fn)
    for values in ([3, 1, 3, 0, 1, 1], [2, 2, 2, 2, 2, 2], [0, 1, 2, 3, 4, 5]):
        v = Tensor(values, ms.int32)
        assert_same(compiled(v), fn(v))


def test_values_are_those_of_numpy():
    x, m = X.asnumpy(), np.array([True, False] * 3)
    np.testing.assert_array_equal(ms.jit(lambda x, m: x[m])(X, Tensor(m)).asnumpy(), x[m])
    slope = ms.jit(ms.grad(lambda x, m: (x[m] ** 2).sum() / x[m].shape[0]))(X, Tensor(m)).asnumpy()
    np.testing.assert_allclose(slope, np.where(m[:, None], 2 * x / m.sum(), 0), rtol=1e-6)


def overlap(box, others):
    low, high = ops.maximum(box[:2], others[:, :2]), ops.minimum(box[2:], others[:, 2:])
    inside = ops.relu(high - low).prod(1)
    return inside / ((box[2:] - box[:2]).prod() + (others[:, 2:] - others[:, :2]).prod(1) - inside)


def suppressed(boxes, scores, limit):
    boxes = boxes[ops.argsort(-scores)]
    total, count = boxes.sum() * 0, 0
    while boxes.shape[0] > 0:
        best, boxes = boxes[0], boxes[1:]
        total, count = total + best.sum(), count + 1
        boxes = boxes[overlap(best, boxes) <= limit]
    return total, count


def test_non_maximum_suppression():
    """A loop whose tensor shrinks, by how much the data say."""
    corner = RANDOM.random((12, 2), np.float32)
    boxes = Tensor(
        np.concatenate([corner, corner + 0.3 + 0.3 * RANDOM.random((12, 2), np.float32)], 1)
    )
    scores = Tensor(RANDOM.random(12, np.float32))
    compiled = ms.jit(suppressed)
    assert_same(compiled(boxes, scores, 0.3), suppressed(boxes, scores, 0.3))
    assert compiled(boxes, scores, 1.0)[1] == 12
    slope = ms.grad(lambda b: suppressed(b, scores, 0.3)[0])
    assert_same(ms.jit(slope)(boxes), slope(boxes))


def quicksort(x):
    if x.shape[0] <= 1:
        return x
    pivot, rest = x[0], x[1:]
    return ops.concat((quicksort(rest[rest < pivot]), x[:1], quicksort(rest[rest >= pivot])))


def test_recursion_on_what_masks_choose():
    x = Tensor(RANDOM.permutation(20).astype(np.float32))
    np.testing.assert_array_equal(ms.jit(quicksort)(x).asnumpy(), np.arange(20))
    slope = ms.jit(ms.grad(lambda x: (quicksort(x) * ops.arange(20)).sum()))(x)
    np.testing.assert_array_equal(slope.asnumpy(), x.asnumpy())


def sieve(x):
    primes = x[:0]
    while x.shape[0] > 0:
        primes, x = ops.concat((primes, x[:1])), x[x % x[0] != 0]
    return primes


def test_a_tensor_that_grows_beside_one_that_shrinks():
    assert ms.jit(sieve)(ops.arange(2, 30)).tolist() == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


def decode(x):
    tokens = x[:1]
    while tokens.sum() < 3:
        tokens = ops.cat([tokens, ((tokens * tokens).sum() * 0.3 + 0.2).reshape(1)])
    return tokens


def cropped(x):
    if x.sum() > 2:
        x = x[1:]
    if x.sum() > 1:
        x = x[1:]
    return x * x


def two_of_equal_size(x):
    a = x[:2] if x[0] > 0 else x[:4]
    b = x[1:3] if x[0] > 0 else x[1:5]
    return a * b


def grows_by_what_grows(x):
    while x.sum() < 20:
        y = x[:1]
        while y.sum() < 2:
            y = ops.cat([y, y])
        x = ops.cat([x, y])
    return x


def grows_in_some_iterations(x):
    for _ in range(6):
        if x.sum() < 4:
            x = ops.cat([x, x[-1:]])
    return x


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("f", [decode, cropped, two_of_equal_size, grows_in_some_iterations])
def test_another_size_on_each_path(f, sign):
    _like_eager(f, Tensor(sign * np.linspace(0.1, 1, 5), ms.float32) + (1 - sign) / 2)


def test_loops_that_grow_what_grows():
    _like_eager(grows_by_what_grows, Tensor(np.linspace(0.1, 1, 5), ms.float32))


def _like_eager(f, x):
    """Values to the bit, gradients to rounding."""
    np.testing.assert_array_equal(ms.jit(f)(x).asnumpy(), f(x).asnumpy())
    slope = ms.grad(lambda x: f(x).sum())
    np.testing.assert_allclose(ms.jit(slope)(x).asnumpy(), slope(x).asnumpy(), rtol=1e-6)


def test_second_order():
    def cubed(x):
        y = x[x > 0]
        return (y * y * y).sum()

    hessian = ms.jit(ms.grad(lambda x: ms.grad(cubed)(x).sum()))(Tensor([1.0, -2.0, 3.0]))
    np.testing.assert_array_equal(hessian.asnumpy(), [6, 0, 18])


def test_second_order_through_a_branch():
    def inner(x):
        y = x[x > 0]
        return ms.grad(lambda t: (t * y.sum()).sum() if x.sum() > 0 else (t * t).sum())(y).sum()

    slope = ms.grad(inner)
    for x in (Tensor([1.0, -2.0, 3.0]), Tensor([1.0, -5.0, 3.0])):
        assert_same(ms.jit(slope)(x), slope(x))


def test_each_example_has_its_own_size():
    total = ms.vmap(lambda row: row[row > 0].sum())
    expected = np.where(X.asnumpy() > 0, X.asnumpy(), 0).sum(1)
    np.testing.assert_allclose(ms.jit(total)(X).asnumpy(), expected, rtol=1e-6)


def test_in_a_training_step():
    net = nn.Dense(5, 3)
    step = nn.TrainOneStepCell(Masked(net), nn.Adam(net.trainable_params(), 0.05))
    ms.set_context(mode=ms.GRAPH_MODE)
    first = [float(step(X, LABELS, m)) for m in MASKS[1:]]
    for _ in range(20):
        last = [float(step(X, LABELS, m)) for m in MASKS[1:]]
    assert sum(last) < 0.5 * sum(first)


class Masked(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, labels, m):
        return ops.cross_entropy(self.net(x)[m], labels[m])


def test_beside_declared_dimensions():
    n = ms.Dim("n")

    @ms.jit(input_signature=(Tensor(shape=[n, 2], dtype=ms.float32),))
    def chosen(x):
        return x[x[:, 0] > 0] * x.shape[0]

    for k in (1, 4, 6):
        x = X[:k, :2].copy()
        np.testing.assert_array_equal(
            chosen(x).asnumpy(), x.asnumpy()[x.asnumpy()[:, 0] > 0] * np.float32(k)
        )
    assert len(ms.recompiles(chosen)) == 1


def test_sizes_that_must_be_equal():
    """What compiles as if they were is checked when it runs."""
    compiled = ms.jit(lambda x, m, n: x[m] + x[n])
    np.testing.assert_array_equal(
        compiled(X, MASKS[2], ~MASKS[2]).asnumpy(), X.asnumpy()[::2] + X.asnumpy()[1::2]
    )
    with pytest.raises(ValueError, match="add: shapes .3, 5. and .6, 5. do not broadcast"):
        compiled(X, MASKS[2], MASKS[3])
    with pytest.raises(ValueError, match="sizes differ that must be equal"):
        compiled(X, MASKS[1], MASKS[3])  # one row, which add would broadcast


def test_an_error_for_the_size_that_was_found():
    with pytest.raises(ValueError, match="amax: the reduced part must be not empty"):
        ms.jit(lambda x, m: x[m].max(axis=0))(X, MASKS[0])


def test_a_size_that_must_be_known_is_refused():
    with pytest.raises(TypeError, match="known only at run time"):
        ms.jit(lambda x, m: ops.unstack(x[m]))(X, MASKS[2])


def test_a_list_of_rows_that_the_run_counts():
    found = ms.jit(lambda x: [v * 2 for v in x[x > 0]])(Tensor([1.0, -2.0, 3.0]))
    assert [float(v) for v in found] == [2.0, 6.0]


def squares(x):
    if x.shape[0] == 0:
        return Tensor(0.0)
    return x[0] * x[0] + squares(x[1:])


def grown(x, n=3):
    if n <= 0 or x.sum() > 100:
        return x
    return grown(ops.cat([x, x[:1] * 0.5]), n - 1)


@pytest.mark.parametrize("f", [squares, grown])
def test_recursion_on_other_sizes(f):
    _like_eager(f, Tensor(np.linspace(0.1, 1, 60), ms.float32))


def grows_in_turns(x, y, k):
    """The list has other room in each turn of the outer loop."""
    scaled, c, log = x * 1.0, 0, []
    while c < k:
        c += 1
        i = 0
        while i < 5 and y.sum() > 0.1:
            i += 1
            if c == 3:
                scaled = y * 0.5
            log.append(4)
    return (scaled * scaled * x).sum() * len(log)


@pytest.mark.parametrize("k", [0, 2, 5])
def test_second_order_of_sizes_that_each_turn_finds(k):
    x, y = Tensor([0.0, 1.0, 2.0]), Tensor([1.0, 2.0, 3.0])

    def product(v):
        return (ms.grad(grows_in_turns)(v, y, k) * y).sum()

    found = ms.jit(lambda v: ms.grad(product)(v))(x)
    assert_same(ms.grad(product)(x), found)
    # sum(x^3) * 5k has the second derivative 6x * 5k; from the third turn on it is linear in x.
    wanted = 30 * k * x.asnumpy() * y.asnumpy() if k < 3 else np.zeros(3)
    np.testing.assert_allclose(found.asnumpy(), wanted)

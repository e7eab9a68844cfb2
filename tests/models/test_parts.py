"""What the zoo's networks are made of: caches, sampling, experts, boxes, targets and samplers, against what
is written out in NumPy here.
"""

from __future__ import annotations

import numpy as np
import pytest

import minds as ms
from minds import Tensor, models, ops
from minds.models.detection import rcnn, ssd
from minds.models.detection.centernet import centernet_detections, heat
from minds.models.generative.ddpm import Diffusion
from minds.models.parts import anchors, boxes, cells
from minds.models.parts.experts import Experts
from minds.models.parts.generation import generate, sample
from minds.models.reinforcement.ppo import advantages_and_returns
from minds.models.speech.conformer import by_place
from minds.models.text.t5 import buckets

TINY = {"layers": 2, "width": 16, "heads": 4, "vocabulary": 20}
MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "eager"])


@pytest.fixture(autouse=True)
def pynative():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def some_boxes(rng, *shape: int, size: float = 100.0) -> np.ndarray:
    corners = np.sort(rng.uniform(0, size, (*shape, 2, 2)), -2)
    return corners.reshape(*shape, 4).astype(np.float32)


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    w = max(min(a[2], b[2]) - max(a[0], b[0]), 0)
    h = max(min(a[3], b[3]) - max(a[1], b[1]), 0)
    areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
    return w * h / (sum(areas) - w * h)


@MODES
@pytest.mark.parametrize(
    "name, settings", [("gpt2", {}), ("llama_15m", {"inner": 24, "kv_heads": 2})]
)
def test_cache_gives_what_the_whole_sequence_gives(name, settings, mode):
    ms.set_context(mode=mode)
    ms.set_seed(1)
    net = models.create(name, **TINY, **settings).set_train(False)
    ids = np.random.RandomState(0).randint(0, 20, (2, 7)).astype(np.int32)
    wanted = net(Tensor(ids)).asnumpy()
    logits, cache = net(Tensor(ids[:, :4]), Tensor(0, ms.int32), net.empty_cache(2, 9))
    found = [logits.asnumpy()]
    for place in range(4, 7):
        one = Tensor(ids[:, place : place + 1])
        logits, cache = net(one, Tensor(place, ms.int32), cache)
        found.append(logits.asnumpy())
    np.testing.assert_allclose(np.concatenate(found, 1), wanted, atol=1e-5)


def test_generation_takes_the_likeliest_or_draws():
    ms.set_seed(1)
    net = models.gpt2(**TINY).set_train(False)
    prompt = Tensor(np.array([[3, 4]], np.int32))
    ids = generate(net, prompt, 5, temperature=0)
    logits = net(Tensor(ids[:, :-1])).asnumpy()
    assert ids[0, 2:].tolist() == logits[0, 1:].argmax(-1).tolist()
    assert (generate(net, prompt, 5, seed=1) != generate(net, prompt, 5, seed=2)).any()


def test_samples_are_as_frequent_as_they_are_likely():
    chances = np.array([0.1, 0.5, 0.15, 0.25])
    logits = np.log(np.tile(chances, (20000, 1)))

    def shares(**how):
        drawn = sample(logits, np.random.default_rng(1), **how)
        return np.bincount(drawn, minlength=4) / len(drawn)

    np.testing.assert_allclose(shares(), chances, atol=0.015)
    np.testing.assert_allclose(shares(top_k=2), [0, 2 / 3, 0, 1 / 3], atol=0.015)
    np.testing.assert_allclose(shares(top_p=0.7), [0, 2 / 3, 0, 1 / 3], atol=0.015)
    flat = chances**0.5 / (chances**0.5).sum()
    np.testing.assert_allclose(shares(temperature=2.0), flat, atol=0.015)


def test_experts():
    """Room for all tokens changes nothing; with less, the tokens that weigh least pass an expert by."""
    ms.set_seed(1)
    exact = Experts(8, 16, 4, 2)
    x = Tensor(np.random.RandomState(0).randn(2, 6, 8).astype(np.float32))
    limited = Experts(8, 16, 4, 2, capacity=2.0)
    ms.load_param_into_net(limited, {p.name: p for p in exact.get_parameters()})
    np.testing.assert_allclose(limited(x).asnumpy(), exact(x).asnumpy(), atol=1e-6)
    limited.capacity = 1 / 6  # room for one token
    weights = exact.routes(x.reshape(-1, 8))[1].asnumpy()
    alone = (weights == weights.max(0)) & (weights > 0)
    zero = np.abs(limited(x).asnumpy()).sum(-1).ravel() == 0
    assert zero.tolist() == (~alone.any(1)).tolist()
    assert float(exact.balance(x)) >= 0.9


def test_relative_places():
    scores = np.random.RandomState(0).randn(1, 2, 4, 7).astype(np.float32)
    found = by_place(Tensor(scores)).asnumpy()
    for i in range(4):
        for j in range(4):  # distances run from 3 down to -3
            assert (found[..., i, j] == scores[..., i, 3 - (i - j)]).all()
    assert buckets(3, 3, True).asnumpy().tolist() == [[0, 17, 18], [1, 0, 17], [2, 1, 0]]


@MODES
def test_boxes(mode):
    ms.set_context(mode=mode)
    rng = np.random.RandomState(0)
    a, b = some_boxes(rng, 5), some_boxes(rng, 7)
    found = ms.jit(boxes.iou)(Tensor(a), Tensor(b)).asnumpy()
    np.testing.assert_allclose(found, [[overlap(p, q) for q in b] for p in a], atol=1e-5)
    there = boxes.encode(Tensor(b[:5]), Tensor(a), ssd.WEIGHTS)
    back = boxes.decode(there, Tensor(a), ssd.WEIGHTS).asnumpy()
    np.testing.assert_allclose(back, b[:5], rtol=1e-3, atol=1e-2)
    same = boxes.complete_iou(Tensor(a), Tensor(a)).asnumpy()
    np.testing.assert_allclose(same, np.ones(5), atol=1e-4)


def test_suppression():
    rng = np.random.RandomState(0)
    rows, scores = some_boxes(rng, 30), rng.rand(30)
    kept = []
    for i in np.argsort(-scores):
        if all(overlap(rows[i], rows[j]) <= 0.3 for j in kept):
            kept.append(i)
    assert boxes.suppress(rows, scores, 0.3).tolist() == kept
    found, left = rcnn.strongest(Tensor(rows), Tensor(scores.astype(np.float32)), 30, 0.3)
    assert (left.asnumpy() > -1).sum() == len(kept)
    np.testing.assert_array_equal(found.asnumpy()[left.asnumpy() > -1], rows[kept])


def test_matching():
    rng = np.random.RandomState(0)
    rows, wanted = some_boxes(rng, 40), some_boxes(rng, 1, 3)
    labels = np.array([[2, 0, -1]], np.int32)
    found = anchors.match(Tensor(rows), Tensor(wanted), Tensor(labels), 0.5, 0.3)
    number, stands, none = (x.asnumpy()[0] for x in found)
    much = np.array([[overlap(r, w) for w in wanted[0, :2]] for r in rows])
    best = much == much.max(0)
    np.testing.assert_array_equal(stands, (much.max(1) >= 0.5) | best.any(1))
    np.testing.assert_array_equal(none, (much.max(1) < 0.3) & ~best.any(1))
    np.testing.assert_array_equal(number[stands], much.argmax(1)[stands])


def test_looking_into_boxes():
    """As ROI align of the level that fits a box's size."""
    rng = np.random.RandomState(0)
    levels = [Tensor(rng.randn(2, 3, s, s).astype(np.float32)) for s in (64, 32, 16, 8)]
    rows = some_boxes(rng, 2, 6, size=256)
    rows[0, 0], rows[0, 1] = [3, 3, 200, 256], [0, 0, 256, 256]
    found = rcnn.look(levels, Tensor(rows), (256, 256), 7).asnumpy()
    for i, row in enumerate(rows.reshape(-1, 4)):
        side = np.sqrt((row[2] - row[0]) * (row[3] - row[1]))
        level = int(np.clip(np.floor(4 + np.log2(side / 224)), 2, 5)) - 2
        roi = Tensor(np.array([[i // 6, *row]], np.float32))
        wanted = ops.ROIAlign(7, 7, 0.25 / 2**level, 2, 0)(levels[level], roi).asnumpy()
        np.testing.assert_allclose(found[i : i + 1], wanted, atol=2e-5)


def test_sampling_of_proposals():
    stands = np.zeros((1, 50), bool)
    stands[0, 10:20] = True
    places, yes, no = rcnn.sample(Tensor(stands), Tensor(~stands), 16, 0.25)
    chosen, used = places.asnumpy()[0], np.concatenate((yes.asnumpy(), no.asnumpy()), 1)[0]
    assert used.sum() == 16 and yes.asnumpy().sum() == 4
    assert len(set(chosen[used])) == 16
    assert stands[0, chosen[:4]].all() and not stands[0, chosen[4:][used[4:]]].any()
    few = np.zeros((1, 50), bool)
    _, yes, no = rcnn.sample(Tensor(few), Tensor(~few), 16, 0.25)
    assert yes.asnumpy().sum() == 0 and no.asnumpy().sum() == 16


def test_cells_of_objects():
    grid = cells.Cells((((8, 8), (30, 30)), ((60, 60), (100, 20))), (8, 16), (64, 96))
    rows = np.array([[[10, 10, 19, 17], [0, 0, 64, 60], [30, 20, 60, 50]]], np.float32)
    places, there = cells.best_shapes(grid, Tensor(rows), Tensor(np.array([[0, 1, -1]])))
    table = cells.standing((((8, 8), (30, 30)), ((60, 60), (100, 20))), (8, 16), (64, 96)).asnumpy()
    assert there.asnumpy().tolist() == [[True, True, False]]
    assert table[places.asnumpy()[0]].tolist() == [
        [1, 1, 8, 8, 8],
        [2, 1, 16, 60, 60],
        [5, 4, 8, 30, 30],
    ]
    places, counts = cells.near_shapes(grid, Tensor(rows[:, 1:2]), Tensor(np.array([[1]])))
    near = table[places.asnumpy()[counts.asnumpy()]]
    # 64×60 is at most four times 30×30, 60×60 and 100×20; the middle is at (32, 30).
    assert {tuple(row) for row in near[near[:, 2] == 16].tolist()} == {
        (x, y, 16, *form) for form in ((60, 60), (100, 20)) for x, y in ((2, 1), (1, 1), (2, 2))
    }
    assert {tuple(row) for row in near[near[:, 2] == 8].tolist()} == {
        (x, y, 8, 30, 30) for x, y in ((4, 3), (3, 3), (4, 4))
    }


def test_middles_of_objects():
    labels = Tensor(np.array([[1, 1, -1]], np.int32))
    centre = Tensor(np.array([[[3.4, 5.6], [9.0, 2.0], [0, 0]]], np.float32))
    size = Tensor(np.array([[[6.0, 4.0], [8, 8], [0, 0]]], np.float32))
    hills = heat(centre, size, labels, 3, 8, 12).asnumpy()[0]
    assert np.argwhere(hills == 1).tolist() == [[1, 2, 9], [1, 5, 3]]
    assert hills[0].max() == hills[2].max() == 0 and 0 < hills[1, 5, 4] < 1
    logits = np.log(np.maximum(hills, 1e-6) / np.maximum(1 - hills, 1e-3))[None]
    sizes = np.broadcast_to(np.array([6.0, 4.0]).reshape(1, 2, 1, 1), (1, 2, 8, 12))
    out = [Tensor(x.astype(np.float32)) for x in (logits, sizes, 0 * sizes)]
    ((rows, scores, kinds),) = centernet_detections(out, least=0.9)
    assert kinds.tolist() == [1, 1] and (scores > 0.99).all()
    assert sorted(rows.tolist()) == [[0, 12, 24, 28], [24, 0, 48, 16]]


def test_diffusion():
    """Noise that is told exactly leads back to the image; a step is the paper's."""
    diffusion = Diffusion(50)
    image = np.random.RandomState(0).uniform(-1, 1, (2, 1, 4, 4))

    def told(x, times):
        left = diffusion.left[times.asnumpy()[0]]
        return Tensor(
            ((x.asnumpy() - np.sqrt(left) * image) / np.sqrt(1 - left)).astype(np.float32)
        )

    for every in (1, 7):
        np.testing.assert_allclose(diffusion.sample(told, image.shape, 3, every), image, atol=1e-3)
    x, times, noise = diffusion.noisy(image, np.random.default_rng(0))
    np.testing.assert_allclose(told(x, times[:1]).asnumpy()[0], noise.asnumpy()[0], atol=1e-3)
    beta, left = diffusion.betas[9], diffusion.left[9]
    zero = type("Zero", (), {"standard_normal": staticmethod(np.zeros)})
    found = diffusion._less_noisy(0.1 * image, 0.05 * image, left, diffusion.left[8], zero)
    wanted = (0.1 * image - beta / np.sqrt(1 - left) * 0.05 * image) / np.sqrt(1 - beta)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_advantages():
    rng = np.random.RandomState(0)
    rewards, values, last = rng.randn(6, 2), rng.randn(6, 2), rng.randn(2)
    ended = (rng.rand(6, 2) < 0.3).astype(float)
    found, returns = advantages_and_returns(rewards, values, ended, last, 0.9, 1.0)
    for game in range(2):  # with λ = 1 the return is the discounted sum up to the end
        for t in range(6):
            total, factor = 0.0, 1.0
            for s in range(t, 6):
                total += factor * rewards[s, game]
                factor *= 0.9 * (1 - ended[s, game])
            total += factor * last[game]
            assert abs(returns[t, game] - total) < 1e-5
            assert abs(found[t, game] - (total - values[t, game])) < 1e-5

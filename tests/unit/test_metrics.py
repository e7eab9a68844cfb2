"""Metrics against scikit-learn, SciPy and formulas, in several batches."""

import numpy as np
import pytest
from sklearn import metrics as sk

import minds as ms
from minds import metrics, train

RNG = np.random.default_rng(0)
PROB = RNG.dirichlet(np.ones(4), 60).astype(np.float32)
LABEL = RNG.integers(0, 4, 60).astype(np.int32)
ANSWER = PROB.argmax(1)
MASK, TRUTH = RNG.integers(0, 2, (2, 12, 3, 5)).astype(np.float32)


def over_batches(metric, *inputs, n=3):
    """The metric's value after ``n`` updates, as tensors; cleared first, because metrics are used
    again.
    """
    metric.update(*[ms.Tensor(x[:4]) for x in inputs])
    metric.clear()
    for parts in zip(*(np.array_split(x, n) for x in inputs)):
        metric.update(*map(ms.Tensor, parts))
    return metric.eval()


def test_accuracy():
    assert over_batches(train.Accuracy(), PROB, LABEL) == sk.accuracy_score(LABEL, ANSWER)
    assert over_batches(train.Accuracy(), PROB, np.eye(4)[LABEL]) == sk.accuracy_score(
        LABEL, ANSWER
    )
    a, b = MASK[..., 0], TRUTH[..., 0]
    assert over_batches(train.Accuracy("multilabel"), a, b) == sk.accuracy_score(b, a)


def test_precision_recall_fbeta():
    p, r, f, _ = sk.precision_recall_fscore_support(LABEL, ANSWER, beta=2)
    np.testing.assert_allclose(over_batches(train.Precision(), PROB, LABEL), p)
    np.testing.assert_allclose(over_batches(train.Recall(), PROB, LABEL), r)
    fbeta = train.Fbeta(2)
    np.testing.assert_allclose(over_batches(fbeta, PROB, LABEL), f)
    assert fbeta.eval(True) == pytest.approx(f.mean())
    np.testing.assert_allclose(
        over_batches(train.F1(), PROB, LABEL), sk.f1_score(LABEL, ANSWER, average=None)
    )


def test_multilabel_is_per_sample():
    a, b = MASK[..., 0], TRUTH[..., 0]
    a[0] = 0
    hits = (a * b).sum(1)
    np.testing.assert_allclose(
        over_batches(train.Precision("multilabel"), a, b),
        np.where(a.sum(1) > 0, hits / np.maximum(a.sum(1), 1), 0),
    )
    np.testing.assert_allclose(
        over_batches(train.Recall("multilabel"), a, b),
        np.where(b.sum(1) > 0, hits / np.maximum(b.sum(1), 1), 0),
    )


def test_top_k():
    for k in (1, 2, 4):
        found = sk.top_k_accuracy_score(LABEL, PROB, k=k) if k < 4 else 1.0
        assert over_batches(train.TopKCategoricalAccuracy(k), PROB, LABEL) == pytest.approx(found)
    assert over_batches(
        train.Top1CategoricalAccuracy(), PROB, np.eye(4)[LABEL]
    ) == sk.accuracy_score(LABEL, ANSWER)
    assert over_batches(train.Top5CategoricalAccuracy(), PROB, LABEL) == 1.0


def test_errors_and_losses():
    a, b = RNG.random((2, 30))
    assert over_batches(train.MAE(), a, b) == pytest.approx(sk.mean_absolute_error(a, b))
    assert over_batches(train.MSE(), a, b) == pytest.approx(sk.mean_squared_error(a, b))
    # Elements are summed, samples averaged.
    assert train.MSE()(np.zeros((2, 3)), np.full((2, 3), 2.0)) == 12
    loss = train.Loss()
    for v in (1.0, [4.0]):
        loss.update(ms.Tensor(v))
    assert loss.eval() == 2.5


def test_dice():
    # The example of MindSpore's documentation of Dice.
    x, y = np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), np.array([[0, 1], [1, 0], [0, 1]])
    assert train.Dice()(x, y) == pytest.approx(2 * 1.4 / 4.56001 / 3)


def test_cosine_similarity():
    rows = PROB[:5]
    expected = sk.pairwise.cosine_similarity(rows)
    np.testing.assert_allclose(
        train.CosineSimilarity(zero_diagonal=False)(rows), expected, rtol=1e-5
    )
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(
        train.CosineSimilarity(reduction="mean")(rows), expected.mean(1), rtol=1e-5
    )
    np.testing.assert_allclose(
        train.CosineSimilarity("dot", "sum", False)(rows), (rows @ rows.T).sum(1), rtol=1e-5
    )


def test_perplexity():
    picked = PROB[np.arange(60), LABEL].astype(np.float64)
    assert over_batches(train.Perplexity(), PROB, LABEL) == pytest.approx(
        np.exp(-np.log(picked).mean())
    )
    kept = picked[LABEL != 2]
    assert over_batches(train.Perplexity(2), PROB, LABEL) == pytest.approx(
        np.exp(-np.log(kept).mean())
    )


CANDIDATES = [["i", "have", "a", "pen", "on", "my", "desk"], ["a", "b"]]
REFERENCES = [
    [
        ["i", "have", "a", "pen", "in", "my", "desk"],
        ["there", "is", "a", "pen", "on", "the", "desk"],
    ],
    [["a", "c", "b"]],
]


def test_bleu():
    # By hand: 7/7 words, 4/6, 2/5 and 1/4 longer grams are found ("a pen on" in the second
    # reference); no penalty.
    assert train.BleuScore()(CANDIDATES[:1], REFERENCES[:1]) == pytest.approx(
        (1 * 5 / 6 * 3 / 5 * 1 / 4) ** 0.25
    )
    both = train.BleuScore(2, smooth=True)
    both.update(CANDIDATES[:1], REFERENCES[:1])
    both.update(CANDIDATES[1:], REFERENCES[1:])
    assert both.eval() == pytest.approx((9 / 9 * 6 / 8) ** 0.5 * np.exp(1 - 10 / 9))
    assert train.BleuScore()([["x"]], [[["y"]]]) == 0


def test_confusion_matrix():
    expected = sk.confusion_matrix(LABEL, ANSWER)
    np.testing.assert_array_equal(over_batches(train.ConfusionMatrix(4), PROB, LABEL), expected)
    np.testing.assert_array_equal(over_batches(train.ConfusionMatrix(4), ANSWER, LABEL), expected)
    for ours, theirs in (("target", "true"), ("prediction", "pred"), ("all", "all")):
        np.testing.assert_allclose(
            over_batches(train.ConfusionMatrix(4, ours), PROB, LABEL),
            sk.confusion_matrix(LABEL, ANSWER, normalize=theirs),
        )
    two = train.ConfusionMatrix(2, threshold=0.4)(np.array([0.3, 0.45, 0.9]), np.array([0, 0, 1]))
    assert two.tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize(
    "name, alias, formula",
    [
        ("sensitivity", "tpr", lambda a, b: sk.recall_score(b, a)),
        ("specificity", "tnr", lambda a, b: sk.recall_score(1 - b, 1 - a)),
        ("precision", "ppv", lambda a, b: sk.precision_score(b, a)),
        ("negative_predictive_value", "npv", lambda a, b: sk.precision_score(1 - b, 1 - a)),
        ("miss_rate", "fnr", lambda a, b: 1 - sk.recall_score(b, a)),
        ("fall_out", "fpr", lambda a, b: 1 - sk.recall_score(1 - b, 1 - a)),
        ("false_discovery_rate", "fdr", lambda a, b: 1 - sk.precision_score(b, a)),
        ("false_omission_rate", "for", lambda a, b: 1 - sk.precision_score(1 - b, 1 - a)),
        ("threat_score", "csi", lambda a, b: sk.jaccard_score(b, a)),
        ("accuracy", "acc", lambda a, b: sk.accuracy_score(b, a)),
        ("balanced_accuracy", "ba", lambda a, b: sk.balanced_accuracy_score(b, a)),
        ("f1 score", "f1", lambda a, b: sk.f1_score(b, a)),
        ("matthews_correlation_coefficient", "mcc", lambda a, b: sk.matthews_corrcoef(b, a)),
        (
            "fowlkes_mallows_index",
            "fm",
            lambda a, b: np.sqrt(sk.recall_score(b, a) * sk.precision_score(b, a)),
        ),
        (
            "informedness",
            "bm",
            lambda a, b: sk.recall_score(b, a) + sk.recall_score(1 - b, 1 - a) - 1,
        ),
        (
            "markedness",
            "mk",
            lambda a, b: sk.precision_score(b, a) + sk.precision_score(1 - b, 1 - a) - 1,
        ),
    ],
)
def test_confusion_matrix_metric(name, alias, formula):
    expected = formula(MASK.ravel().astype(int), TRUTH.ravel().astype(int))
    for called in (name, alias):
        got = over_batches(train.ConfusionMatrixMetric(True, called), MASK, TRUTH)
        np.testing.assert_allclose(got, [expected])
    expected = formula(MASK[:, 1:].ravel().astype(int), TRUTH[:, 1:].ravel().astype(int))
    np.testing.assert_allclose(
        over_batches(train.ConfusionMatrixMetric(False, name), MASK, TRUTH), [expected]
    )


def test_confusion_matrix_metric_reductions():
    with np.errstate(invalid="ignore"):
        each = (MASK * TRUTH).sum(2, dtype=np.float64) / TRUTH.sum(2)
    for how, expected in (
        ("none", each),
        ("mean", np.nanmean(each)),
        ("sum", np.nansum(each)),
        ("mean_batch", np.nanmean(each, 0)),
        ("sum_channel", np.nansum(each, 1)),
    ):
        got = over_batches(train.ConfusionMatrixMetric(True, "tpr", True, how), MASK, TRUTH)
        np.testing.assert_allclose(got, expected)


def test_roc_and_auc():
    score, label = RNG.random(50).round(1), RNG.integers(0, 2, 50)
    fpr, tpr, thresholds = over_batches(train.ROC(), score, label)
    expected = sk.roc_curve(label, score, drop_intermediate=False)
    np.testing.assert_allclose(fpr, expected[0])
    np.testing.assert_allclose(tpr, expected[1])
    np.testing.assert_allclose(thresholds[1:], expected[2][1:])
    assert train.auc(fpr, tpr) == pytest.approx(sk.roc_auc_score(label, score))
    per_class = over_batches(train.ROC(class_num=4), PROB, LABEL)
    for c in range(4):
        expected = sk.roc_curve(c == LABEL, PROB[:, c], drop_intermediate=False)
        np.testing.assert_allclose(per_class[0][c], expected[0])
        np.testing.assert_allclose(per_class[1][c], expected[1])
    assert (
        train.auc([1, 0.5, 0], [1, 0.75, 0]) == 0.625
        and train.auc([0, 1, 0.5], [0, 1, 0.75], True) == 0.625
    )


def surface(mask):
    """Points of a mask that have a neighbour outside, also beyond the edge of the image."""
    inside = np.pad(mask, 1)
    core = inside[:-2, 1:-1] & inside[2:, 1:-1] & inside[1:-1, :-2] & inside[1:-1, 2:]
    return np.argwhere(mask & ~core)


@pytest.mark.parametrize("name, order", [("euclidean", 2), ("chessboard", np.inf), ("taxicab", 1)])
def test_surface_distances(name, order):
    a, b = np.zeros((2, 9, 12), int)
    a[1:7, 2:9], a[3, 3], b[0:5, 4:12], b[7:9, 0:2] = 1, 2, 1, 1
    points = surface(a == 1), surface(b == 1)
    between = np.linalg.norm(points[0][:, None] - points[1][None], order, axis=-1)
    there, back = between.min(1), between.min(0)
    assert train.HausdorffDistance(name)(a, b, 1) == pytest.approx(max(there.max(), back.max()))
    assert train.HausdorffDistance(name, directed=True)(a, b, 1) == pytest.approx(there.max())
    assert train.HausdorffDistance(name, 75.0)(a, b, 1) == pytest.approx(
        max(np.percentile(there, 75), np.percentile(back, 75))
    )
    assert train.MeanSurfaceDistance(False, name)(a, b, 1) == pytest.approx(there.mean())
    assert train.MeanSurfaceDistance(True, name)(a, b, 1) == pytest.approx(
        (there.mean() + back.mean()) / 2
    )
    squares = (there**2).mean(), (back**2).mean()
    assert train.RootMeanSquareDistance(False, name)(a, b, 1) == pytest.approx(np.sqrt(squares[0]))
    assert train.RootMeanSquareDistance(True, name)(a, b, 1) == pytest.approx(
        np.sqrt(np.mean(squares))
    )


def test_surface_of_nothing():
    a, b = np.zeros((2, 4, 4), int)
    a[0, 0] = 1
    assert train.HausdorffDistance()(a, b, 1) == np.inf and np.isnan(
        train.MeanSurfaceDistance()(b, a, 1)
    )


def test_names_and_indexes():
    for name in train.names():
        if name in (
            "accuracy",
            "loss",
            "mae",
            "mse",
            "F1",
            "precision",
            "recall",
            "roc",
            "dice",
            "perplexity",
        ):
            assert isinstance(train.get_metric_fn(name), train.Metric)
    assert train.get_metric_fn("topk", 3).k == 3
    swapped = train.Accuracy().set_indexes([2, 0])
    swapped.update(ms.Tensor(LABEL), ms.Tensor(0.0), ms.Tensor(PROB))
    assert swapped.eval() == sk.accuracy_score(LABEL, ANSWER)


@pytest.mark.parametrize(
    "make",
    [
        train.Accuracy,
        train.Precision,
        train.Recall,
        train.F1,
        train.Loss,
        train.MAE,
        train.MSE,
        train.Dice,
        train.ROC,
        train.Perplexity,
        train.BleuScore,
        train.CosineSimilarity,
        train.Top1CategoricalAccuracy,
        lambda: train.ConfusionMatrix(2),
        train.ConfusionMatrixMetric,
    ],
)
def test_evaluation_needs_samples(make):
    with pytest.raises(RuntimeError, match="no samples"):
        make().eval()


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: train.Accuracy("x"), TypeError),
        (lambda: train.Accuracy().update(PROB), ValueError),
        (lambda: train.Accuracy().update(PROB, LABEL[:3]), ValueError),
        (lambda: train.Accuracy().update("a", "b"), TypeError),
        (lambda: train.Accuracy("multilabel").update(MASK + 2, TRUTH), ValueError),
        (lambda: train.Precision().update(PROB, LABEL + 1), ValueError),
        (lambda: train.Precision().update(PROB, LABEL - 1), ValueError),
        (
            lambda: (lambda m: (m.update(PROB, LABEL), m.update(PROB[:, :3], LABEL)))(
                train.Recall()
            ),
            ValueError,
        ),
        (lambda: train.Fbeta(0), ValueError),
        (lambda: train.TopKCategoricalAccuracy(0), ValueError),
        (lambda: train.TopKCategoricalAccuracy(1.5), TypeError),
        (lambda: train.MSE().update([1.0], [1.0, 2.0]), ValueError),
        (lambda: train.Loss().update(np.ones((2, 2))), ValueError),
        (lambda: train.Dice(0.0), ValueError),
        (lambda: train.Dice(1), TypeError),
        (lambda: train.HausdorffDistance(percentile=50), TypeError),
        (lambda: train.MeanSurfaceDistance(1), TypeError),
        (lambda: train.OcclusionSensitivity(1), TypeError),
        (lambda: train.ConfusionMatrix("a"), TypeError),
        (lambda: train.ConfusionMatrix(2, "x"), ValueError),
        (lambda: train.ConfusionMatrix(2).update(LABEL, LABEL), ValueError),
        (lambda: train.ConfusionMatrixMetric(metric_name="x"), NotImplementedError),
        (lambda: train.ConfusionMatrixMetric(decrease="x"), ValueError),
        (lambda: train.ConfusionMatrixMetric(skip_channel=1), TypeError),
        (lambda: train.BleuScore(5), ValueError),
        (lambda: train.BleuScore().update([["a"]], []), ValueError),
        (lambda: train.auc([0, 1, 0.5], [0, 1, 1]), ValueError),
        (lambda: train.ROC()(np.array([0.1, 0.2]), np.array([1, 1])), ValueError),
        (lambda: train.Perplexity().update(PROB, LABEL + 4), ValueError),
        (lambda: train.Loss().set_indexes(3), ValueError),
        (lambda: train.get_metric_fn("x"), KeyError),
        (lambda: train.HausdorffDistance("x"), ValueError),
        (lambda: train.HausdorffDistance(percentile=101.0), ValueError),
        (lambda: train.MeanSurfaceDistance().update(PROB, PROB), ValueError),
        (lambda: train.MeanSurfaceDistance().update(PROB, PROB, "a"), TypeError),
        (lambda: train.MeanSurfaceDistance().update(PROB, LABEL, 1), ValueError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error):
        call()


def test_metrics_of_a_model_by_name_and_by_class():
    found = metrics.get_metrics({"mse", train.Loss(), train.Accuracy()})
    assert list(found) == ["Accuracy", "Loss", "mse"]
    assert isinstance(found["mse"], train.MSE) and isinstance(found["Loss"], train.Loss)


@pytest.mark.parametrize(
    "make", [train.Accuracy, train.Precision, train.F1, train.Top1CategoricalAccuracy]
)
@pytest.mark.parametrize("label", [np.ones, np.zeros, lambda s: np.full(s, 0.5)])
def test_labels_that_are_not_one_hot(make, label):
    with pytest.raises(ValueError, match="is not one-hot"):
        make()(PROB, label(PROB.shape))

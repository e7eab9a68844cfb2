"""Rows that are written into the memory of their batch, and calls of several rows."""

import numpy as np
import pytest

import minds.dataset as ds
from minds.dataset import vision
from minds.dataset.inplace import BatchMemory
from minds.dataset.pipeline import DatasetError
from minds.dataset.workers import ordered_map

IMAGES = np.random.default_rng(0).integers(0, 256, (11, 24, 30, 3)).astype(np.uint8)


def rows(steps, workers=1, batch=4, images=IMAGES, **how):
    data = ds.NumpySlicesDataset({"x": list(images), "n": np.arange(len(images))}, shuffle=False)
    data = data.map(steps, "x", num_parallel_workers=workers).batch(batch, **how)
    return [
        (x.copy(), n.tolist())
        for x, n in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "steps",
    [
        lambda: [vision.Resize((9, 7)), vision.HorizontalFlip(), vision.HWC2CHW()],
        lambda: [vision.Resize((9, 7)), vision.Normalize([1.0] * 3, [2.0] * 3), vision.HWC2CHW()],
        lambda: [vision.Resize((9, 7))],
        # Twice of one size: what comes between takes no row of the batch.
        lambda: [vision.HorizontalFlip(), vision.Crop((0, 0), (24, 30)), vision.VerticalFlip()],
    ],
)
def test_batches_hold_what_rows_are(steps, workers):
    made = steps()
    single = [x for image in IMAGES for x in [image]]
    for step in made:
        single = [step(x) for x in single]
    found = rows(made, workers)
    assert [n for _, n in found] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]
    np.testing.assert_array_equal(np.concatenate([x for x, _ in found]), np.stack(single))


def test_last_transform_writes_into_the_batch(monkeypatch):
    given = []
    place = BatchMemory.place
    monkeypatch.setattr(BatchMemory, "place", lambda *a: given.append(place(*a)) or given[-1])
    (first, _), *_ = rows([vision.Resize((9, 7)), vision.HWC2CHW()])
    assert len(given) == 11
    assert given[0].base is given[3].base and given[0].base is not given[4].base
    np.testing.assert_array_equal(first[2], given[2])


def test_rows_of_different_shapes_are_an_error_as_ever():
    images = [IMAGES[0], IMAGES[1][:20]]
    with pytest.raises(DatasetError, match="different shapes"):
        rows([vision.HorizontalFlip(), vision.VerticalFlip()], images=images)


def test_a_batch_of_any_size_is_not_reserved():
    found = rows([vision.Resize((9, 7))], batch=2**30)
    assert len(found) == 1 and found[0][0].shape == (11, 9, 7, 3)


def test_user_functions_keep_their_own_arrays():
    kept = []

    def last(x):
        kept.append(vision.Resize((9, 7))(x))
        return kept[-1]

    found = rows([last])
    assert all(not np.shares_memory(k, x) for k in kept for x, _ in found)


@pytest.mark.parametrize(
    "mode", [ds.config.ErrorSamplesMode.SKIP, ds.config.ErrorSamplesMode.REPLACE]
)
def test_rows_that_fail_leave_no_hole(mode):
    good = vision.encode_jpeg(IMAGES[0]), vision.encode_jpeg(IMAGES[1])
    files = [good[0], good[1][:40], good[1], good[0]]
    data = ds.GeneratorDataset([(f,) for f in files], ["x"], shuffle=False)
    before = ds.config.get_error_samples_mode()
    ds.config.set_error_samples_mode(mode)
    try:
        data = data.map([vision.Decode(), vision.Resize((9, 7))], "x").batch(2)
        (found,) = zip(*data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    finally:
        ds.config.set_error_samples_mode(before)
    wanted = [vision.Resize((9, 7))(vision.Decode()(f)) for f in (files[0], files[2], files[3])]
    if mode is ds.config.ErrorSamplesMode.REPLACE:
        wanted.append(wanted[0])
    np.testing.assert_array_equal(np.concatenate(found), np.stack(wanted))


def test_cheap_calls_travel_together_in_order():
    assert list(ordered_map(lambda x: x * x, range(5000), 3)) == [x * x for x in range(5000)]


def test_an_error_comes_at_its_place():
    def call(x):
        if x == 3000:
            raise KeyError(x)
        return x

    found = []
    with pytest.raises(KeyError):
        for x in ordered_map(call, range(5000), 3):
            found.append(x)
    assert found == list(range(3000))

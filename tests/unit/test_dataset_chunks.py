"""Rows of text that are made many at a time, and padded batches of them."""

import numpy as np
import pytest

import minds.dataset as ds
from minds.dataset import text
from minds.dataset.padding import pad_list

LINES = [" ".join(f"w{(i * k) % 7}" for k in range(i % 5 + 1)) for i in range(150)]


def rows(dataset):
    return [x for (x,) in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def lines(extra=()):
    return ds.NumpySlicesDataset([*LINES, *extra], "text", shuffle=False)


@pytest.mark.parametrize("workers", [1, 3])
def test_many_rows_at_once_are_what_each_gives_alone(workers):
    vocab = text.Vocab.from_list([f"w{i}" for i in range(6)], ["<u>"], True)
    steps = [text.WhitespaceTokenizer(), text.Lookup(vocab, "<u>")]
    got = rows(lines().map(steps, "text", num_parallel_workers=workers))
    known = vocab.vocab()
    assert [a.tolist() for a in got] == [[known.get(w, 0) for w in s.split()] for s in LINES]
    assert {a.dtype for a in got} == {np.dtype(np.int32)}
    got[0][:] = 99
    assert 99 not in got[1]


@pytest.mark.parametrize("workers", [1, 3])
def test_rows_before_the_one_that_fails_arrive_and_it_is_named(workers):
    vocab = text.Vocab.from_list([f"w{i}" for i in range(7)])
    d = lines(["nobody"]).map(
        [text.WhitespaceTokenizer(), text.Lookup(vocab)], "text", num_parallel_workers=workers
    )
    seen = 0
    with pytest.raises(RuntimeError, match=r"Lookup.*nobody.*row 150"):
        for _ in d.create_tuple_iterator(num_epochs=1, output_numpy=True):
            seen += 1
    assert seen == 150


def padded(values, shape, fill):
    """By NumPy's `pad`."""
    cut = [v[tuple(map(slice, shape))] for v in values]
    ends = [[(0, n - m) for n, m in zip(shape, v.shape)] for v in cut]
    return np.stack([np.pad(v, e, constant_values=fill) for v, e in zip(cut, ends)])


@pytest.mark.parametrize("shapes", [[(3,)] * 4, [(0,), (5,), (2,)], [(2, 3), (1, 4)], [(2, 3)] * 3])
@pytest.mark.parametrize("dtypes", ["i", "iq", "ef"])
def test_values_are_padded_as_numpy_pads_them(shapes, dtypes):
    values = [
        np.arange(np.prod(s)).reshape(s).astype(dtypes[i % len(dtypes)])
        for i, s in enumerate(shapes)
    ]
    largest = [max(s[d] for s in shapes) for d in range(len(shapes[0]))]
    for target in (None, [2] * len(largest), [6] * len(largest)):
        got = pad_list(values, "x", target and (target, 7))
        want = padded(values, target or largest, 7 if target else 0)
        np.testing.assert_array_equal(got, want, strict=True)

"""Samplers."""

import numpy as np
import pytest

import minds.dataset as ds


def order(sampler, n=6, **columns):
    ds.config.set_seed(3)
    d = ds.NumpySlicesDataset({"x": np.arange(n), **columns}, sampler=sampler)
    return [int(x) for x, *_ in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize(
    "sampler, expected",
    [
        (lambda: ds.SequentialSampler(2, 3), [2, 3, 4]),
        (lambda: ds.SequentialSampler(), [0, 1, 2, 3, 4, 5]),
        (lambda: ds.SubsetSampler([4, 0, 4]), [4, 0, 4]),
        (lambda: ds.SubsetSampler([4, 0, 4], 2), [4, 0]),
        (lambda: [5, 1], [5, 1]),
        (lambda: ds.DistributedSampler(4, 3, shuffle=False), [3, 1]),
        (lambda: ds.DistributedSampler(4, 0, shuffle=False), [0, 4]),
        (lambda: ds.DistributedSampler(4, 0, shuffle=False, offset=1), [3]),
        (lambda: ds.DistributedSampler(4, 1, shuffle=False, offset=1), [0, 4]),
    ],
)
def test_fixed_orders(sampler, expected):
    assert order(sampler()) == expected


def test_random_sampler():
    assert (
        sorted(order(ds.RandomSampler())) == list(range(6))
        and len(order(ds.RandomSampler(num_samples=4))) == 4
    )
    drawn = order(ds.RandomSampler(replacement=True), 1000)
    assert len(drawn) == 1000 and 600 < len(set(drawn)) < 660  # 1 - 1/e of the rows


def test_subset_random_sampler():
    got = order(ds.SubsetRandomSampler(list(range(50, 100))), 100)
    assert sorted(got) == list(range(50, 100)) and got != sorted(got)


def test_distributed_shards_are_disjoint_and_cover():
    shards = [order(ds.DistributedSampler(3, i), 9) for i in range(3)]
    assert sorted(sum(shards, [])) == list(range(9))


def test_distributed_shards_agree_without_a_seed(monkeypatch):
    monkeypatch.setattr(ds.config, "explicit_seed", lambda: None)
    parts = [ds.NumpySlicesDataset(np.arange(10), num_shards=2, shard_id=i) for i in (0, 1)]
    got = [
        int(x) for p in parts for (x,) in p.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]
    assert sorted(got) == list(range(10))


def test_weighted_sampler():
    drawn = order(ds.WeightedRandomSampler([1, 0, 3] + [0] * 3997, 4000), 4000)
    assert set(drawn) == {0, 2} and 0.72 < np.mean(np.array(drawn) == 2) < 0.78
    assert sorted(order(ds.WeightedRandomSampler([0, 1, 1, 0], 2, replacement=False), 4)) == [1, 2]


def test_pk_sampler():
    label = np.array([0, 1, 0, 1, 2, 0])
    assert order(ds.PKSampler(2), label=label) == [0, 2, 1, 3, 4]
    assert order(ds.PKSampler(1, num_class=2), label=label) == [0, 1]
    d = ds.NumpySlicesDataset({"x": np.arange(6), "label": label}, sampler=ds.PKSampler(2))
    assert d.get_dataset_size() == 5


def test_users_sampler_and_child():
    class Backwards(ds.Sampler):
        def __iter__(self):
            return iter(range(self.dataset_size - 1, -1, -1))

    assert order(Backwards()) == [5, 4, 3, 2, 1, 0]
    outer = ds.SequentialSampler(1, 2)
    outer.add_child(ds.SubsetSampler([5, 3, 1]))
    assert order(outer) == [3, 1]


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: ds.SequentialSampler(-1), ValueError),
        (lambda: ds.SequentialSampler("a"), TypeError),
        (lambda: ds.RandomSampler(1), TypeError),
        (lambda: ds.SubsetSampler(["a"]), TypeError),
        (lambda: ds.DistributedSampler(2, 2), ValueError),
        (lambda: ds.WeightedRandomSampler([-1.0]), ValueError),
        (lambda: ds.WeightedRandomSampler([0, 0]), ValueError),
        (lambda: ds.WeightedRandomSampler("ab"), TypeError),
        (lambda: order(ds.SubsetSampler([9])), RuntimeError),
        (lambda: order(ds.SequentialSampler(6)), RuntimeError),
        (lambda: order(["a"]), TypeError),
        (lambda: ds.NumpySlicesDataset([1], shuffle=True, sampler=[0]), ValueError),
        (lambda: ds.NumpySlicesDataset([1], num_shards=2), ValueError),
    ],
)
def test_errors(make, error):
    with pytest.raises(error):
        make()


def test_a_sampler_has_one_child():
    outer = ds.SequentialSampler(1)
    outer.add_child(ds.SequentialSampler(1, 6))
    with pytest.raises(RuntimeError, match="this sampler already has a child"):
        outer.add_child(ds.SequentialSampler(4, 2))
    chosen = ds.NumpySlicesDataset([1, 2, 3, 4, 5, 6, 7, 8], sampler=outer)
    assert [int(x) for (x,) in chosen] == [3, 4, 5, 6, 7] and outer.get_num_samples() == 6
    assert ds.SequentialSampler().get_num_samples() is None


def test_an_iterable_as_a_sampler():
    sampler = ds.IterSampler(iter_twice := [3, 1, 1])
    assert sampler.num_samples == 3
    rows = ds.NumpySlicesDataset([5, 6, 7, 8], sampler=sampler).repeat(2)
    assert [int(x) for (x,) in rows] == [8, 6, 6] * 2 and iter_twice == [3, 1, 1]
    some = ds.NumpySlicesDataset([5, 6, 7, 8], sampler=ds.IterSampler([3, 1, 1], 2))
    assert [int(x) for (x,) in some] == [8, 6]

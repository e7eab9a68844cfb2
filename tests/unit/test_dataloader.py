"""`dataset.dataloader`: what MindSpore's loader gives, in this process and several."""

import collections
import os
import time

import numpy as np
import pytest

import minds as ms
from minds.dataset import dataloader as dl

Pair = collections.namedtuple("Pair", "x y")


class Rows(dl.Dataset):
    def __init__(self, n, make=lambda i: i):
        self.n, self.make = n, make

    def __getitem__(self, i):
        return self.make(i)

    def __len__(self):
        return self.n


class Stream(dl.IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        here = dl.get_worker_info()
        return iter(range(self.n) if here is None else range(here.id, self.n, here.num_workers))

    def __len__(self):
        return self.n


def listed(batches):
    return [b.asnumpy().tolist() for b in batches]


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_in_order(workers):
    data = Rows(7, lambda i: np.float32(i) * 2)
    loader = dl.DataLoader(data, 3, num_workers=workers)
    assert listed(loader) == [[0, 2, 4], [6, 8, 10], [12]] == listed(loader) and len(loader) == 3
    loader = dl.DataLoader(data, 3, drop_last=True, num_workers=workers)
    assert listed(loader) == [[0, 2, 4], [6, 8, 10]] and len(loader) == 2
    assert listed(dl.DataLoader(data, None, num_workers=workers)) == [0, 2, 4, 6, 8, 10, 12]
    order = [[6, 1], [0]]
    assert listed(dl.DataLoader(data, batch_sampler=order, num_workers=workers)) == [[12, 2], [0]]
    assert listed(dl.DataLoader(data, 2, sampler=[5, 4, 1], num_workers=workers)) == [[10, 8], [2]]


def test_streams():
    assert listed(dl.DataLoader(Stream(5), 2)) == [[0, 1], [2, 3], [4]]
    assert listed(dl.DataLoader(Stream(5), 2, drop_last=True)) == [[0, 1], [2, 3]]
    assert listed(dl.DataLoader(Stream(5), 2, num_workers=2)) == [[0, 2], [1, 3], [4]]
    assert list(dl.DataLoader(Stream(9), None, num_workers=2)) == list(range(9))
    assert listed(dl.DataLoader(Stream(0), 2, num_workers=2)) == []


def test_shuffles_come_from_the_generator():
    def order():
        rng = np.random.default_rng(4)
        return sum(listed(dl.DataLoader(Rows(20), 6, shuffle=True, generator=rng)), [])

    assert order() == order() != list(range(20)) and sorted(order()) == list(range(20))
    drawn = list(dl.RandomSampler(range(5), True, 70, np.random.default_rng(0)))
    assert len(drawn) == 70 and set(drawn) == set(range(5))
    assert len(list(dl.RandomSampler(range(5), num_samples=12))) == 12


def test_what_elements_become():
    batch = dl.default_collate(
        [
            {"a": np.ones(2, np.int8), "b": (1, 2.0), "c": Pair("s", ms.Tensor([1.0])), "d": b"x"},
            {"a": np.zeros(2, np.int8), "b": (3, 4.0), "c": Pair("t", ms.Tensor([2.0])), "d": b"y"},
        ]
    )
    assert batch["a"].asnumpy().tolist() == [[1, 1], [0, 0]] and batch["a"].dtype == ms.int8
    assert isinstance(batch["b"], list) and [t.dtype for t in batch["b"]] == [ms.int64, ms.float64]
    assert isinstance(batch["c"], Pair) and batch["c"].x == ("s", "t")
    assert batch["c"].y.asnumpy().tolist() == [[1], [2]] and batch["d"] == [b"x", b"y"]
    made = dl.default_convert((np.int32(3), np.array(["t"]), [np.ones(1)], 5))
    assert isinstance(made, list) and made[0].dtype == ms.int32 and made[1].dtype.kind == "U"
    assert isinstance(made[2][0], ms.Tensor) and made[3] == 5
    with pytest.raises(TypeError, match="collate"):
        dl.default_collate([object()])
    with pytest.raises(RuntimeError, match="equal size"):
        dl.default_collate([[1], [1, 2]])


def test_processes_know_themselves():
    started = []

    def who(i):
        here = dl.get_worker_info()
        return here.id, here.num_workers, os.getpid(), here.seed, len(here.dataset)

    loader = dl.DataLoader(Rows(4, who), None, num_workers=2, worker_init_fn=started.append)
    found = [list(row) for row in loader]
    assert [f[0] for f in found] == [0, 1, 0, 1] and {f[1] for f in found} == {2}
    assert len({f[2] for f in found}) == 2 and os.getpid() not in {f[2] for f in found}
    assert found[1][3] == found[0][3] + 1 and not started and dl.get_worker_info() is None


def test_errors_and_time_of_processes():
    def fails(i):
        raise KeyError("no such thing")

    with pytest.raises(KeyError, match="no such thing"):
        list(dl.DataLoader(Rows(3, fails), num_workers=1))
    with pytest.raises(RuntimeError, match="timed out"):
        list(dl.DataLoader(Rows(1, lambda i: time.sleep(30)), num_workers=1, timeout=0.3))


def test_shares():
    shares = [list(dl.DistributedSampler(range(5), 2, r, shuffle=False)) for r in range(2)]
    assert shares == [[0, 2, 4], [1, 3, 0]]
    shares = [list(dl.DistributedSampler(range(5), 2, r, False, drop_last=True)) for r in range(2)]
    assert shares == [[0, 2], [1, 3]]
    first, second = dl.DistributedSampler(range(9), 1, 0), dl.DistributedSampler(range(9), 1, 0)
    second.set_epoch(1)
    assert sorted(first) == sorted(second) == list(range(9)) and list(first) != list(second)
    assert len(list(dl.DistributedSampler(range(2), 5, 4))) == 1


@pytest.mark.parametrize(
    "given, kind, said",
    [
        ({"batch_size": 0}, ValueError, "batch_size must be positive"),
        ({"batch_size": True}, TypeError, "batch_size must be"),
        ({"shuffle": 1}, TypeError, "shuffle must be"),
        ({"shuffle": True, "sampler": [0]}, ValueError, "sampler cannot be specified with shuffle"),
        ({"batch_sampler": [[0]], "batch_size": 2}, ValueError, "batch_size cannot be specified"),
        ({"num_workers": -1}, ValueError, "num_workers must be non-negative"),
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor must only be specified"),
        ({"multiprocessing_context": "fork"}, ValueError, "multiprocessing_context must only"),
        ({"num_workers": 1, "multiprocessing_context": "spawn"}, ValueError, "'fork'"),
        ({"timeout": -1.0}, ValueError, "timeout must be non-negative"),
        ({"generator": 3}, TypeError, "generator must be"),
    ],
)
def test_wrong_arguments(given, kind, said):
    with pytest.raises(kind, match=said):
        dl.DataLoader(Rows(3), **given)


def test_wrong_datasets():
    with pytest.raises(NotImplementedError, match="__getitem__"):
        dl.DataLoader(3)
    with pytest.raises(ValueError, match="shuffle cannot be specified when dataset is iterable"):
        dl.DataLoader(Stream(3), shuffle=True)
    with pytest.raises(ValueError, match="same size"):
        dl.TensorDataset(ms.Tensor([1]), ms.Tensor([1, 2]))
    rows = dl.DataLoader(dl.TensorDataset(ms.Tensor([1, 2, 3]), ms.Tensor([4, 5, 6])), 2)
    assert [[t.asnumpy().tolist() for t in b] for b in rows] == [[[1, 2], [4, 5]], [[3], [6]]]

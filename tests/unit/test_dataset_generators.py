"""Sources in Python: what they may be, and what is said of those that give no rows."""

import numpy as np
import pytest

import minds as ms
from minds import dataset as ds
from minds.dataset import iterators, transforms, vision


def rows(d, epochs=1):
    read = d.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[v[0].tolist() for v in read] for _ in range(epochs)]


def test_what_runs_once_gives_its_rows_in_every_epoch():
    def three():
        yield from (3, 4, 5)

    d = ds.GeneratorDataset(three(), ["x"])
    assert (d.get_dataset_size(), d.output_shapes(), d.output_types()) == (3, [[]], [np.int64])
    assert rows(d, 3) == rows(d) * 3 == [[3, 4, 5]] * 3
    pairs = ds.GeneratorDataset(zip([1, 2, 3], "abc"), ["n", "c"], shuffle=True).batch(2)
    assert rows(pairs, 2) == [[[1, 2], [3]]] * 2
    a, b = (d.create_tuple_iterator(num_epochs=1, output_numpy=True) for _ in range(2))
    assert [(int(x), int(y)) for (x,), (y,) in zip(a, b)] == [(3, 3), (4, 4), (5, 5)]


def test_a_schema_says_columns_and_types():
    schema = ds.Schema()
    schema.add_column("n", ms.int32)
    schema.add_column("x", "float32")
    right = [(np.int32(1), np.float32(2))]
    d = ds.GeneratorDataset(lambda: iter(right), schema=schema)
    assert d.get_col_names() == ["n", "x"] and rows(d) == [[1]]
    wrong = ds.GeneratorDataset(lambda: iter([(1, 2.0)]), schema=schema)
    with pytest.raises(RuntimeError, match="'n' is int64, but column_types says int32"):
        rows(wrong)


@pytest.mark.parametrize(
    "row, text",
    [
        (({1},), "Data type of 1th item of the input or its converted Numpy array is expected"),
        ((1, [{1}]), "Data type of 2th item of the input"),
        ([[1, 2], [3]], "Data type of the input or its converted"),
    ],
)
def test_values_that_are_no_data(row, text):
    names = ["a", "b"][: len(row)] if isinstance(row, tuple) else ["a"]
    with pytest.raises(RuntimeError, match=text):
        rows(ds.GeneratorDataset(lambda: iter([row]), names))


def test_rows_of_unknown_number():
    class Items:
        def __getitem__(self, i):
            return i

    d = ds.GeneratorDataset(Items(), ["x"])
    for use in (d.get_dataset_size, lambda: rows(d)):
        with pytest.raises(RuntimeError, match="'__len__' method is required"):
            use()


def test_buckets_of_numbers_and_of_text():
    values = [np.array(v) for v in (5, [1], "text", ["word"], [[7], [8]])]
    d = ds.GeneratorDataset(values, ["x"], shuffle=False)
    found = d.bucket_batch_by_length(["x"], [1, 2], [1, 1, 1])
    assert [x.tolist() for x, in found.create_tuple_iterator(output_numpy=True, num_epochs=1)] == [
        [5], [[1]], ["text"], [["word"]], [[[7], [8]]]
    ]  # fmt: skip


def test_epochs_are_the_iterators_also_below_repeat():
    sizes = []

    def size(info):
        sizes.append((info.get_epoch_num(), info.get_batch_num()))
        return 2

    d = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).batch(size).repeat(2)
    assert d.get_batch_size() == -1
    rows(d, 2)
    assert [s for s in sizes if s[1] == 0] == [(0, 0), (0, 0), (1, 0), (1, 0)]


def test_arguments_of_mindspores_kinds():
    d = ds.NumpySlicesDataset([[1]])
    for made in (transforms.Compose, transforms.RandomApply, transforms.RandomChoice):
        with pytest.raises(ValueError, match="missing parentheses for instantiation"):
            made([vision.HorizontalFlip(), vision.HWC2CHW])
    for size, kind in ((-2, ValueError), ([1.5, 2], TypeError), ([2, -5], ValueError)):
        for use in (d.map, d.batch):
            with pytest.raises(kind, match=r"max_rowsize(\[.\])? (with|is not)"):
                use(lambda x: x if use == d.map else 2, max_rowsize=size)
    with pytest.raises(RuntimeError, match="should not be sharded before split"):
        ds.NumpySlicesDataset([1, 2, 3, 4], num_shards=2, shard_id=0).split([1, 1])


def test_the_list_of_iterators():
    iterators.ITERATORS_LIST.clear()
    d = ds.NumpySlicesDataset([1, 2])
    a, b = d.create_tuple_iterator(), d.create_dict_iterator()
    assert [r() for r in iterators.ITERATORS_LIST] == [a, b]
    del b
    assert [r() for r in iterators.ITERATORS_LIST] == [a]
    iterators._cleanup()
    for kind in (RuntimeError, AttributeError):
        with pytest.raises(kind, match="was stopped.*no attribute '_runtime_context'"):
            next(a)


def test_a_source_without_rows_is_refused():
    data = ds.GeneratorDataset([], ["x"])
    for ask in (data.get_dataset_size, lambda: list(data.create_tuple_iterator(num_epochs=1))):
        with pytest.raises(
            RuntimeError, match="GeneratorDataset: data row of input source must not be 0"
        ):
            ask()

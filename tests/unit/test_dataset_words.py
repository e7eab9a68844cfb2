"""What is said of wrong arguments and of users' functions: MindSpore 2.10's words, recorded."""

import numpy as np
import pytest

import minds.dataset as ds
from minds.dataset import audio, transforms, vision
from minds.dataset.callbacks import DSCallback


def numbers(**columns):
    return ds.NumpySlicesDataset(columns or {"a": [1, 2, 3], "b": [4, 5, 6]}, shuffle=False)


def rows(data):
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


def ragged():
    return ds.GeneratorDataset(lambda: ((np.arange(i),) for i in range(1, 4)), ["a"])


CASES = [
    (lambda: numbers().map(vision.Decode, ["a"]), ValueError, "may be missing parentheses for"),
    (lambda: numbers().map(len, []), ValueError, "input_columns should not be empty."),
    (lambda: numbers().map(len, ["a", ""]), ValueError, r"input_columns\[1\] should not be empty."),
    (lambda: numbers().map(len, callbacks=[5]), TypeError, r"Argument callbacks\[0\] with value 5"),
    (lambda: numbers().filter(len, None, 0), ValueError, "num_parallel_workers exceeds"),
    (
        lambda: rows(numbers().filter(lambda *x: np.ones(2))),
        RuntimeError,
        "filter: the predicate raised ValueError",
    ),
    (lambda: numbers().map(len, max_rowsize=[1, 2, 3]), TypeError, "of length 2. It has 3"),
    (lambda: numbers().batch(2, python_multiprocessing="a"), TypeError, "not of type .*bool"),
    (
        lambda: rows(numbers().batch(lambda info: 1 / 0)),
        RuntimeError,
        "batch: batch_size raised ZeroDivisionError: division by zero; in batch 0",
    ),
    (
        lambda: rows(ragged().bucket_batch_by_length(["a"], [3], [2, 2], lambda a: "s")),
        RuntimeError,
        "element_length_function raised ValueError: .* in row 0",
    ),
    (
        lambda: numbers().batch(
            2, per_batch_map=lambda a, info: (a, a), input_columns=["a"], output_columns=["c", "b"]
        ),
        RuntimeError,
        "batch: Invalid output_columns, column 'b' already exists",
    ),
    (lambda: ds.NumpySlicesDataset([1], []), ValueError, "column_names should not be empty."),
    (
        lambda: ds.NumpySlicesDataset([1], [""]),
        ValueError,
        r"column_names\[0\] should not be empty.",
    ),
    (lambda: ds.NumpySlicesDataset([1], [1]), TypeError, r"column_names\[0\] with value 1 is not"),
    (lambda: ds.NumpySlicesDataset([1], sampler=0), TypeError, "sampler should be either iterable"),
    (lambda: ds.GeneratorDataset([1], "a", sampler=0), TypeError, "sampler should be either iter"),
    (lambda: ds.GeneratorDataset([1], schema=3), ValueError, "schema should be a path to schema"),
    (
        lambda: ds.GeneratorDataset([1], "a", batch_sampler=[[0]], shuffle=True),
        ValueError,
        "batch_sampler is mutually exclusive with num_samples, shuffle, num_shards, shard_id",
    ),
    (lambda: numbers().batch(lambda: 1), ValueError, "should take one parameter .BatchInfo."),
    (lambda: numbers().batch(2, per_batch_map=5), TypeError, "5 is not a callable object"),
    (
        lambda: numbers().batch(2, per_batch_map=max, input_columns=["z"]),
        RuntimeError,
        "Invalid input_columns, 'z' of 'input_columns' doesn't exist.",
    ),
    (
        lambda: rows(numbers(a=[1]).batch(2, per_batch_map=lambda a, i: 1)),
        RuntimeError,
        "per_batch_map gave int for column 'a'",
    ),
    (
        lambda: ragged().padded_batch(2, pad_info={"a": ([-1], 7)}),
        ValueError,
        r"Input dim of shape in pad_info is not within the required interval of \[1, 2147483647\]",
    ),
    (
        lambda: ragged().padded_batch(2, pad_info={"a": ([4],)}),
        ValueError,
        "value of pad_info should be a tuple of size 2.",
    ),
    (
        lambda: numbers().rename(["a"], ["b"]).get_col_names(),
        RuntimeError,
        "already exist column name, existing column name is: b.",
    ),
    (lambda: numbers().create_dict_iterator(do_copy=5), TypeError, "Argument do_copy with value 5"),
    (
        lambda: numbers().use_sampler("a"),
        TypeError,
        "Input sampler is not an instance of a sampler",
    ),
    (
        lambda: ds.NumpySlicesDataset([1], sampler="a"),
        TypeError,
        "Unsupported sampler object of type .<class 'str'>.",
    ),
    (lambda: ds.SequentialSampler(num_samples=2**63), ValueError, "exceeds the boundary between 0"),
    (
        lambda: ds.WeightedRandomSampler((0.5, 1)),
        TypeError,
        "type of weights element must be number, but got w.0.: .0.5, 1., type: <class 'tuple'>.",
    ),
    (lambda: ds.WeightedRandomSampler([]), RuntimeError, "weights vector must not be empty"),
    (
        lambda: ds.WeightedRandomSampler([1, -0.5]),
        RuntimeError,
        "weights vector must not contain negative numbers, got: -0.5",
    ),
    (lambda: ds.WeightedRandomSampler([0, 0]), RuntimeError, "weights vector must not be all zero"),
    (lambda: DSCallback(0), ValueError, "Input step_size is not within the required interval of"),
    (
        lambda: rows(ds.GeneratorDataset(lambda: 1 / 0, ["a"])),
        RuntimeError,
        "raised ZeroDivisionError",
    ),
    (lambda: transforms.Compose((len,)), TypeError, r"is not of type \[<class 'list'>\]"),
    (lambda: audio.MelScale(f_min="0"), TypeError, r"\[<class 'int'>, <class 'float'>\]"),
    (lambda: audio.MelSpectrogram(mel_scale=1), TypeError, "Argument mel_type with value 1"),
    (lambda: vision.RandomColorAdjust(2**31), ValueError, "not within the required interval of"),
    (
        lambda: audio.AmplitudeToDB()(np.ones((2, 3)), np.ones((2, 3))),
        RuntimeError,
        "The op is OneToOne, can only accept one tensor as input.",
    ),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_words(number):
    call, kind, text = CASES[number]
    with pytest.raises(kind, match=text):
        call()


def test_what_is_longer_than_its_padding_is_cut_off():
    first, second = rows(ragged().padded_batch(2, pad_info={"a": ([2], 7)}))
    assert first[0].tolist() == [[0, 7], [0, 1]] and second[0].tolist() == [[0, 1]]


def test_the_file_of_a_row_is_named_before_the_error(tmp_path):
    record = np.arange(3073 * 4, dtype=np.int64).astype(np.uint8).reshape(4, 3073)
    record[:, 0] = range(4)
    record.tofile(tmp_path / "data_batch_1.bin")
    data = ds.Cifar10Dataset(str(tmp_path), usage="train", shuffle=False)
    assert data.get_dataset_size() == 4  # the other files of the part need not be there

    def broken(x):
        raise ValueError("no")

    said = r"map operation: \[PyFunc\] failed. The corresponding data file is: .*data_batch_1.bin"
    with pytest.raises(RuntimeError, match=said + ". Error description: .*in row 0"):
        rows(data.map(broken, "image"))
    with pytest.raises(RuntimeError, match="Cifar10Dataset API can't read the data file"):
        ds.Cifar10Dataset(str(tmp_path), usage="test")


def test_a_sampler_of_classes_below_another(tmp_path):
    fine = np.arange(40) % 20
    body = np.zeros((40, 3072), np.uint8)
    np.concatenate([np.stack([fine // 5, fine], 1), body], 1).astype(np.uint8).tofile(
        tmp_path / "test.bin"
    )
    data = ds.Cifar100Dataset(str(tmp_path), sampler=ds.PKSampler(1))
    assert [int(c) for _, c, _ in rows(data)] == [0, 1, 2, 3]
    outer = ds.SequentialSampler(num_samples=3)
    outer.add_child(ds.PKSampler(2))
    data = ds.Cifar100Dataset(str(tmp_path), sampler=outer)
    assert data.get_dataset_size() == 3 == len(rows(data))


def test_decrypted_images_must_be_bytes(tmp_path):
    (tmp_path / "k").mkdir()
    (tmp_path / "k" / "a.jpg").write_bytes(b"x")
    data = ds.ImageFolderDataset(str(tmp_path), decrypt=lambda path: path + " is a str")
    with pytest.raises(RuntimeError, match="decrypt function is not of type bytes"):
        rows(data)


def test_numbers_of_csv_are_arrays(tmp_path):
    (tmp_path / "a.csv").write_text("1,a\n2,b\n")
    data = ds.CSVDataset(str(tmp_path / "a.csv"), column_defaults=[0, ""], column_names=["n", "t"])
    assert all(isinstance(n, np.ndarray) and n.dtype == np.int32 for n, _ in rows(data))


def test_lists_of_transforms():
    for make in (transforms.Compose, transforms.RandomApply, transforms.RandomChoice):
        assert make([vision.HorizontalFlip()]) is not None

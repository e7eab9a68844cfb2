"""MindRecord files from CIFAR's Python files, of which none may run code; keys, which are refused."""

import io
import os
import pickle

import numpy as np
import pytest
from PIL import Image

from minds import mindrecord
from minds.mindrecord import FileReader


def cifar(folder, names, rng, labels):
    """Pickled batches of two images each, with labels that count up; gives all images."""
    images = []
    for number, name in enumerate(names):
        smooth = rng.integers(0, 256, (2, 3, 1, 1)) + np.zeros((2, 3, 32, 32), int)
        images.append(smooth.transpose(0, 2, 3, 1))
        batch = {b"data": smooth.reshape(2, -1).astype(np.uint8)}
        batch |= {k: [10 * i + 2 * number, 10 * i + 2 * number + 1] for i, k in enumerate(labels)}
        with open(os.path.join(folder, name), "wb") as f:
            pickle.dump(batch, f, protocol=2)
    return np.concatenate(images)


def check_cifar(path, images, names, firsts):
    reader = FileReader(path)
    for i, (row, image) in enumerate(zip(rows := list(reader.get_next()), images)):
        assert row["id"] == i and [row[n] for n in names] == [f + i for f in firsts]
        made = np.asarray(Image.open(io.BytesIO(row["data"])), int)
        assert made.shape == (32, 32, 3) and abs(made - image).max() <= 4
    assert len(rows) == len(images)


def test_cifar_10_and_100(tmp_path):
    rng, folder = np.random.default_rng(0), str(tmp_path)
    train = cifar(folder, [f"data_batch_{i}" for i in range(1, 4)], rng, [b"labels"])
    test = cifar(folder, ["test_batch"], rng, [b"labels"])
    made = os.path.join(folder, "ten.mindrecord")
    assert mindrecord.Cifar10ToMR(folder, made).transform(["label"]) == mindrecord.SUCCESS
    check_cifar(made, train, ["label"], [0])
    check_cifar(made + "_test", test, ["label"], [0])
    kinds = [b"fine_labels", b"coarse_labels"]
    train, test = (cifar(folder, [n], rng, kinds) for n in ("train", "test"))
    os.remove(os.path.join(folder, "test_batch"))
    made = os.path.join(folder, "hundred.mindrecord")
    assert mindrecord.Cifar100ToMR(folder, made).transform() == mindrecord.SUCCESS
    for path, images in ((made, train), (made + "_test", test)):
        check_cifar(path, images, ["fine_label", "coarse_label"], [0, 10])


class Harmful:
    def __reduce__(self):
        return os.mkdir, (os.environ["HARM"],)


def test_cifar_refuses_what_is_not_its_own(tmp_path, monkeypatch):
    folder, made = str(tmp_path), str(tmp_path / "a.mindrecord")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        mindrecord.Cifar10ToMR(folder + "/none", made)
    with pytest.raises(mindrecord.PathNotExistsError, match=r"data_batch_\*"):
        mindrecord.Cifar10ToMR(folder, made)
    cifar(folder, ["data_batch_1"], np.random.default_rng(0), [b"labels"])
    with pytest.raises(mindrecord.PathNotExistsError, match="test_batch"):
        mindrecord.Cifar10ToMR(folder, made)
    monkeypatch.setenv("HARM", str(tmp_path / "harm"))
    for bad in (b"", b"\x80", pickle.dumps({b"data": Harmful()}), pickle.dumps({b"data": [1]})):
        (tmp_path / "test_batch").write_bytes(bad)
        with pytest.raises(RuntimeError, match="test_batch is no file of CIFAR's"):
            mindrecord.Cifar10ToMR(folder, f"{made}{len(bad)}").transform()
    assert not (tmp_path / "harm").exists()
    with pytest.raises(ValueError, match="fields should be None or list"):
        mindrecord.Cifar10ToMR(folder, made).transform("label")


def test_keys_are_refused():
    for call, words in (
        (lambda: mindrecord.set_enc_key(3), "The input enc_key is not str."),
        (lambda: mindrecord.set_enc_key("abc"), "is not 16, 24, 32."),
        (lambda: mindrecord.set_enc_mode("x"), "The input enc_mode is invalid."),
        (lambda: mindrecord.set_enc_mode(None), "The input enc_mode is not str."),
        (lambda: mindrecord.set_dec_mode(3), "The input dec_mode is not str."),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(RuntimeError, match="neither encrypts nor decrypts"):
        mindrecord.set_enc_key("0123456789012345")

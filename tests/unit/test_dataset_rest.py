"""What waits for a training, words of Chinese, drawn boxes, caches with a file."""

import gc
import itertools
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds import nn, train
from minds.dataset import text, transforms
from minds.dataset.utils import imshow_det_bbox

SESSIONS = itertools.count(os.getpid() << 8)  # no other process has them


def _seen(workers, epochs, steps=True, step_size=2):
    seen = []

    class Steps(ds.WaitedDSCallback):
        def sync_step_begin(self, training, rows):
            seen.append(("step", training.original_args().cur_step_num, rows.cur_step_num))

    class Both(Steps):
        def sync_epoch_begin(self, training, rows):
            seen.append(("epoch", training.original_args().cur_epoch_num, rows.cur_epoch_num))

    waiting = (Steps if steps else Both)(step_size)
    x = np.ones((6, 2), np.float32)
    data = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"], shuffle=False)
    data = data.map(lambda x: x, "x", num_parallel_workers=workers, callbacks=[waiting])
    data = data.map(lambda x: x, "x", num_parallel_workers=workers).batch(2)
    net = nn.Dense(2, 1)
    train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(epochs, data, waiting)
    return seen


@pytest.mark.parametrize("workers", [1, 4])
def test_rows_wait_for_steps(workers):
    assert _seen(workers, 1) == [("step", 1, 3), ("step", 2, 5)]


def test_rows_wait_for_epochs():
    both = _seen(2, 3, steps=False)
    assert [e[1:] for e in both if e[0] == "epoch"] == [(2, 2), (3, 3)]
    assert [e for e in both if e[0] == "step"] == [("step", n, 2 * n + 1) for n in range(1, 9)]


def test_rows_that_nobody_releases_are_an_error():
    class Steps(ds.WaitedDSCallback):
        def sync_step_begin(self, training, rows):
            pass

    before = ds.config.get_callback_timeout()
    ds.config.set_callback_timeout(1)
    try:
        data = ds.NumpySlicesDataset([1, 2], shuffle=False).map(lambda x: x, callbacks=Steps())
        with pytest.raises(RuntimeError, match="ds_step_begin timed out after 1 second"):
            list(data)
    finally:
        ds.config.set_callback_timeout(before)


# ---- words. The expected ones are MindSpore 2.10's for these files.

_DICTIONARY = "天地 50 n\n玄黄 20 n\n宇宙 80 n\n洪荒 10 n\n天 30 n\n地 30 n\n日月 25 n\n"
_STATES = "-0.3 -3.14e+100 -3.14e+100 -1.5\n"
_MOVES = (
    "-3.14e+100 -0.5 -0.9 -3.14e+100\n-0.6 -3.14e+100 -3.14e+100 -0.8\n"
    "-3.14e+100 -0.3 -1.2 -3.14e+100\n-0.7 -3.14e+100 -3.14e+100 -0.7\n"
)
_SHOWS = "盈:-2,昃:-3,辰:-1\n盈:-3,昃:-1,宿:-1\n张:-1,列:-2\n列:-1,张:-2,盈:-4,昃:-4,辰:-4,宿:-4\n"


@pytest.fixture
def files(tmp_path):
    words, model = tmp_path / "words.txt", tmp_path / "model.txt"
    words.write_text(_DICTIONARY, encoding="utf-8")
    model.write_text(
        "#start\n" + _STATES + "#moves\n" + _MOVES + "#shows\n" + _SHOWS, encoding="utf-8"
    )
    return str(model), str(words)


MP, HMM, MIX = text.JiebaMode.MP, text.JiebaMode.HMM, text.JiebaMode.MIX


def _most_probable(s: str) -> list[str]:
    """By trying all ways to cut ``s``."""
    counts = {w: int(n) for w, n, _ in map(str.split, _DICTIONARY.splitlines())}
    total, least = sum(counts.values()), min(counts.values())
    best = None
    for cuts in range(2 ** (len(s) - 1)):
        ends = [i + 1 for i in range(len(s) - 1) if cuts >> i & 1] + [len(s)]
        words = [s[a:b] for a, b in zip([0, *ends], ends)]
        if all(w in counts or len(w) == 1 for w in words):
            weight = sum(np.log(counts.get(w, least) / total) for w in words)
            best = max(best or (-np.inf, []), (weight, words))
    return best[1]


@pytest.mark.parametrize("s", ["天地玄黄", "宇宙洪荒", "日月盈昃", "辰宿列张天地", "天天地地"])
def test_the_most_probable_words(s, files):
    assert text.JiebaTokenizer(*files, MP)(s).tolist() == _most_probable(s)


@pytest.mark.parametrize(
    "mode, s, words",
    [
        (MP, "天地，ab 玄黄", ["天地", "，", "a", "b", " ", "玄黄"]),
        (HMM, "ab1盈昃2.5张", ["ab1", "盈昃", "2.5", "张"]),
        (HMM, "辰宿列张", ["辰宿", "列", "张"]),
        (MIX, "天地盈昃宇宙", ["天地", "盈昃", "宇宙"]),
        (MIX, "", [""]),
    ],
)
def test_words(mode, s, words, files):
    split = text.JiebaTokenizer(*files, mode)
    assert split(s).tolist() == words
    tokens, begin, end = text.JiebaTokenizer(*files, mode, with_offsets=True)(s)
    if s:
        assert [s.encode()[b:e].decode() for b, e in zip(begin, end)] == tokens.tolist() == words


def test_words_of_the_users(files, tmp_path):
    split = text.JiebaTokenizer(*files, MP)
    assert split("列张盈").tolist() == ["列", "张", "盈"]
    split.add_word("列张")
    (tmp_path / "own.txt").write_text("张盈 999\nbad\n", encoding="utf-8")
    assert split("列张盈").tolist() == ["列张", "盈"]
    split.add_dict(str(tmp_path / "own.txt"))
    assert split("列张盈").tolist() == ["列", "张盈"]
    split.add_dict({"列张盈": 999})
    assert split("列张盈").tolist() == ["列张盈"]


def test_files_of_words_are_checked(files, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("天 x\n")
    with pytest.raises(RuntimeError, match="line 1"):
        text.JiebaTokenizer(files[0], str(bad))
    with pytest.raises(RuntimeError, match="1 lines of numbers, not 9"):
        text.JiebaTokenizer(str(bad), files[1])
    with pytest.raises(ValueError, match="jieba mode file"):
        text.JiebaTokenizer("/nothere", files[1])
    with pytest.raises(TypeError):
        text.JiebaTokenizer(*files, "MIX")


# ---- boxes


def test_boxes_are_drawn(tmp_path):
    image = np.zeros((40, 60, 3), np.uint8)
    boxes = np.array([[10, 12, 20, 15, 0.9], [45, 28, 10, 10, 0.1]])
    labels, masks = np.array([[0], [1]]), np.zeros((2, 40, 60))
    masks[0, 20, 20] = masks[1, 10, 40] = 1
    made = imshow_det_bbox(
        image,
        boxes,
        labels,
        masks,
        ["cat", "dog"],
        0.5,
        (1, 2, 250),
        show=False,
        out_file=str(tmp_path / "a.png"),
        thickness=1,
    )
    assert made[27, 20].tolist() == made[20, 10].tolist() == [250, 2, 1]  # an edge; colours are BGR
    assert made[20, 20].tolist() == [64, 0, 64]  # half of the mask's colour
    assert not made[28:39, 45:56].any()  # below the threshold
    assert not image.any() and (tmp_path / "a.png").exists()
    planes = imshow_det_bbox(image.transpose(2, 0, 1), boxes, labels, show=False)
    assert planes.shape == image.shape
    for wrong in ((image[0], boxes, labels), (image, boxes[0], labels), (image, boxes, labels[0])):
        with pytest.raises(AssertionError):
            imshow_det_bbox(*wrong, show=False)


def test_plugins_are_refused():
    with pytest.raises(NotImplementedError, match="made for MindSpore's data engine"):
        transforms.Plugin("a.so", "f")


# ---- caches


def test_rows_that_do_not_fit_are_spilled():
    cache = ds.DatasetCache(next(SESSIONS), size=1, spilling=True)

    def rows():
        data = ds.FakeImageDataset(40, (256, 256, 3), shuffle=False, cache=cache)
        return [(r["image"].copy(), r["label"]) for r in data.create_dict_iterator(1, True)]

    data = ds.FakeImageDataset(40, (256, 256, 3), shuffle=False, cache=cache)
    plain = ds.FakeImageDataset(40, (256, 256, 3), shuffle=False)
    expected = [r["image"] for r in plain.create_dict_iterator(1, True)]
    for _ in range(2):
        for row, image in zip(data.create_dict_iterator(1, True), expected):
            np.testing.assert_array_equal(row["image"], image)
            row["image"][:] = 0  # the caller's own
    stat = cache.get_stat()
    assert stat["num_mem_cached"] == 5 and stat["num_disk_cached"] == 35
    rows()
    assert (
        cache.get_stat()["num_disk_cached"] == 35
    )  # a dataset of the same arguments has the same rows
    other = ds.FakeImageDataset(3, (256, 256, 3), base_seed=7, shuffle=False, cache=cache)
    assert len([r for r in other.create_dict_iterator(1, True)]) == 3
    assert cache.get_stat()["num_disk_cached"] == 38


def test_a_full_disk_ends_the_keeping(monkeypatch):
    cache = ds.DatasetCache(next(SESSIONS), size=1, spilling=True)

    def full(*_):
        raise OSError(28, "No space left on device")

    data = ds.FakeImageDataset(8, (512, 512, 3), shuffle=False, cache=cache)
    with monkeypatch.context() as patched, pytest.warns(UserWarning, match="No space left"):
        patched.setattr("minds.dataset.shared_rows.os.pwritev", full)
        first = [r["image"] for r in data.create_dict_iterator(1, True)]
    second = [r["image"] for r in data.create_dict_iterator(1, True)]
    np.testing.assert_array_equal(np.stack(first), np.stack(second))
    assert cache.get_stat()["num_disk_cached"] == 0


SHARER = """
import sys, minds.dataset as ds
cache = ds.DatasetCache(int(sys.argv[1]))
data = ds.ImageFolderDataset(sys.argv[2], shuffle=False, cache=cache)
print(cache.get_stat()["num_mem_cached"], [int(r["image"].sum()) for r in data.create_dict_iterator(1, True)])
sys.stdout.flush()
if sys.argv[3] == "killed":
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
"""


def gone(folders) -> bool:
    """Whether the folders go: their last user has just ended."""
    until = time.monotonic() + 5
    while any(map(os.path.isdir, folders)) and time.monotonic() < until:
        time.sleep(0.01)
    return not any(map(os.path.isdir, folders))


def test_processes_share_a_session(tmp_path):
    (tmp_path / "k").mkdir()
    for i in range(4):
        (tmp_path / "k" / f"{i}.jpg").write_bytes(bytes([i + 1]) * 100)
    session = next(SESSIONS)

    def other(end):
        found = subprocess.run(
            [sys.executable, "-c", SHARER, str(session), str(tmp_path), end],
            capture_output=True,
            text=True,
        )
        return found.stdout.split(" ", 1)

    rows = "[100, 200, 300, 400]\n"
    assert other("killed") == ["0", rows]
    cache = ds.DatasetCache(session)
    assert cache.get_stat()["num_mem_cached"] == 0  # what a killed process left is nobody's
    data = ds.ImageFolderDataset(str(tmp_path), shuffle=False, cache=cache)
    first = [int(r["image"].sum()) for r in data.create_dict_iterator(1, True)]
    assert first == [100, 200, 300, 400]
    for end in ("well", "killed", "well"):
        assert other(end) == ["4", rows]
    folders = list(cache._opened._folders)
    assert all(map(os.path.isdir, folders))
    del cache, data
    gc.collect()
    assert gone(folders)
    assert other("killed") == ["0", rows]
    assert gone(folders)


def test_modules_of_mindspores_paths():
    from minds.dataset.engine.datasets import GeneratorDataset
    from minds.dataset.engine.samplers import SequentialSampler
    from minds.train.callback._callback import Callback

    assert GeneratorDataset is ds.GeneratorDataset and SequentialSampler is ds.SequentialSampler
    assert Callback is train.Callback and ms.dataset.WaitedDSCallback.waits


def test_estimated_shapes():
    batches = ds.NumpySlicesDataset([[1, 2]] * 5, "x").batch(2)
    assert batches.output_shapes() == [[2, 2]]
    assert batches.output_shapes(estimate=True) == [[None, 2]]
    ranks = ds.GeneratorDataset(lambda: ((np.zeros((1,) * n),) for n in (1, 2)), "x")
    with pytest.raises(RuntimeError, match="Inconsistent shapes, expect same shape"):
        ranks.output_shapes(estimate=True)


def test_joined_rows_have_one_rank():
    joined = ds.NumpySlicesDataset([1], "x") + ds.NumpySlicesDataset([[1, 2]], "x")
    with pytest.raises(RuntimeError, match=r"Concat: the data tensor rank .* but got: 0 and 1\."):
        list(joined)


def test_a_sampler_of_ones_own_is_reset_after_each_epoch():
    class Next(ds.Sampler):
        at = 0

        def __iter__(self):
            return iter([self.at] * self.num_samples)

        def reset(self):
            self.at = (self.at + 1) % self.dataset_size

    rows = ds.NumpySlicesDataset([5, 6, 7], sampler=Next(2)).repeat(4)
    assert [int(x) for (x,) in rows] == [5, 5, 6, 6, 7, 7, 5, 5]


def test_an_int_and_a_list_are_samplers(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    for i in range(3):
        (folder / f"{i}.png").write_bytes(bytes([i]))
    assert [int(x[0]) for x, _ in ds.ImageFolderDataset(str(tmp_path), sampler=2)] == [2]
    some = ds.NumpySlicesDataset([5, 6, 7], sampler=[2, 0, 1], num_samples=2)
    assert [int(x) for (x,) in some] == [7, 5] and some.get_dataset_size() == 2


def test_all_of_mnist_are_the_parts_that_are_there(tmp_path):
    images, labels = np.zeros((2, 3, 3), np.uint8), np.array([4, 5], np.uint8)
    for name, a in (("t10k-images-idx3-ubyte", images), ("t10k-labels-idx1-ubyte", labels)):
        head = bytes([0, 0, 8, a.ndim]) + np.array(a.shape, ">i4").tobytes()
        (tmp_path / name).write_bytes(head + a.tobytes())
    for usage in (None, "test", "all"):
        data = ds.MnistDataset(str(tmp_path), usage=usage, shuffle=False)
        assert [int(label) for _, label in data] == [4, 5]
    with pytest.raises(RuntimeError, match="no file train-images-idx3-ubyte"):
        ds.MnistDataset(str(tmp_path), usage="train")

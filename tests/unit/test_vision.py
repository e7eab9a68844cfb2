"""Image transforms against MindSpore's recorded numbers and words, Pillow, and themselves."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import vision_cases as cases
from PIL import Image

import minds.dataset as ds
from minds.dataset import buffers, rowrng
from minds.dataset import vision as v
from minds.dataset.buffers import empty
from minds.dataset.vision.fused import fused

with open(cases.RECORDED, encoding="utf-8") as f:
    RECORDED = json.load(f)
SCOPE = {"v": v, "np": np}


@pytest.fixture(autouse=True)
def _defaults():
    yield
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)


def close(made, wanted: np.ndarray) -> None:
    """The same shape and dtype, and numbers to one level, or to the last bits of a float32."""
    made = np.asarray(made)
    assert made.shape == wanted.shape and made.dtype == wanted.dtype
    if wanted.dtype.kind in "iu":
        assert np.abs(made.astype(np.int64) - wanted.astype(np.int64)).max() <= 1
    else:
        np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=2e-5)


def test_values_are_those_of_mindspore():
    wrong = []
    for call, image in cases.CASES:
        wanted = cases.unpack(RECORDED["values"][f"{call} {image}"])
        try:
            close(eval(call, SCOPE)(cases.given(image)), wanted)
        except Exception as e:
            wrong.append(f"{call} of {image}: {e!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("call", cases.WITH_BOXES)
def test_images_with_boxes_are_those_of_mindspore(call):
    made = eval(call, SCOPE)(cases.IMAGES["rgb"].copy(), cases.BOXES.copy())
    for got, wanted in zip(made, RECORDED["boxes"][call]):
        close(got, cases.unpack(wanted))


def test_refusals_are_those_of_mindspore():
    wrong = []
    for call, (kind, said) in RECORDED["errors"].items():
        try:
            eval(call, SCOPE)
            wrong.append(f"{call}: no error")
        except Exception as e:
            names = [c.__name__ for c in type(e).__mro__]
            if kind not in names or str(e) != said.replace("mindspore", "minds"):
                wrong.append(f"{call}: {names[0]}: {e}\n    {kind}: {said}")
    assert not wrong, "\n".join(wrong)


def jpeg(image: np.ndarray, **how) -> np.ndarray:
    data = io.BytesIO()
    Image.fromarray(image).save(data, "jpeg", **how)
    return np.frombuffer(data.getvalue(), np.uint8)


def scene(height: int, width: int, seed: int = 0) -> np.ndarray:
    steps = np.random.default_rng(seed).normal(0, 20, (height, width, 3))
    return np.clip(np.cumsum(steps, 1) + 128, 0, 255).astype(np.uint8)


KINDS = [{}, {"progressive": True}, {"subsampling": 0}, {"subsampling": 1}, {"quality": 30}]


@pytest.mark.parametrize("how", KINDS, ids=str)
def test_decoding_is_pillows_and_a_part_is_a_part_of_the_whole(how):
    data = jpeg(scene(61, 83), **how)
    whole = np.array(Image.open(io.BytesIO(data.tobytes())).convert("RGB"))
    np.testing.assert_array_equal(v.Decode()(data), whole)
    for top, left, height, width in [
        (0, 0, 5, 7),
        (20, 33, 17, 19),
        (40, 60, 21, 23),
        (0, 70, 61, 1),
    ]:
        step = fused([v.Decode(), v.Crop((top, left), (height, width))])[0]
        np.testing.assert_array_equal(step(data), whole[top : top + height, left : left + width])


def test_other_formats_and_colours():
    picture = Image.fromarray(scene(20, 30))
    for kind in ("png", "bmp", "webp", "tiff", "gif"):
        data = io.BytesIO()
        picture.save(data, kind)
        wanted = np.array(Image.open(data).convert("RGB"))
        np.testing.assert_array_equal(v.Decode()(data.getvalue()), wanted)
    for mode in ("CMYK", "L"):
        data = io.BytesIO()
        picture.convert(mode).save(data, "jpeg")
        wanted = np.array(Image.open(data).convert("RGB"))
        np.testing.assert_array_equal(v.Decode()(data.getvalue()), wanted)


MEAN, STD = [121.0, 115.0, 100.0], [70.0, 68.0, 71.0]
CHAINS = {
    "training": [
        v.Decode(),
        v.RandomResizedCrop(32),
        v.RandomHorizontalFlip(),
        v.Normalize(MEAN, STD),
        v.HWC2CHW(),
    ],
    "validation": [v.Decode(), v.Resize(40), v.Crop((2, 3), 32), v.ToTensor()],
    "out of order": [
        v.Decode(),
        v.RandomVerticalFlip(),
        v.Resize(50, v.Inter.AREA),
        v.RandomCrop(32, 4),
        v.Normalize(MEAN, STD),
        v.RandomHorizontalFlip(),
        v.Resize((20, 21)),
    ],
    "interrupted": [
        v.RandomCropDecodeResize(32),
        v.Invert(),
        v.RandomHorizontalFlip(),
        v.ToTensor(),
    ],
}


@pytest.mark.parametrize("name", CHAINS)
def test_transforms_as_one_walk_give_what_they_give_one_by_one(name):
    data, steps = jpeg(scene(61, 83)), fused(CHAINS[name])
    assert len(steps) < len(CHAINS[name])
    for i in range(10):
        made = []
        for transforms in (CHAINS[name], steps):
            rowrng.begin_row(1, 2, 3, i)
            value = data
            for t in transforms:
                value = t(value)
            made.append(value)
        assert made[0].dtype == made[1].dtype
        np.testing.assert_array_equal(*made)


def folder_of(tmp_path, count: int, broken=()) -> str:
    os.makedirs(tmp_path / "a")
    for i in range(count):
        data = jpeg(scene(40 + i % 5, 50, i))
        data = data[: len(data) // 2] if i in broken else data
        (tmp_path / "a" / f"{i:03d}.jpg").write_bytes(data.tobytes())
    return str(tmp_path)


def images_of(folder: str, workers: int) -> list:
    ds.config.set_seed(3)
    d = ds.ImageFolderDataset(folder, shuffle=True)
    d = d.map(CHAINS["training"], ["image"], num_parallel_workers=workers).batch(4)
    return [x[0] for x in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_the_same_numbers_by_any_number_of_workers(tmp_path):
    folder = folder_of(tmp_path, 12)
    one, three = images_of(folder, 1), images_of(folder, 3)
    assert len(one) == 3 and all(np.array_equal(a, b) for a, b in zip(one, three))


def test_broken_images_are_raised_left_out_or_replaced(tmp_path):
    folder, mode = folder_of(tmp_path, 8, broken=(2, 5)), ds.config.ErrorSamplesMode

    def rows():
        d = ds.ImageFolderDataset(folder, shuffle=False).map(v.Decode(), ["image"])
        return [x[0] for x in d.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    with pytest.raises(RuntimeError, match="truncated.*row 2"):
        rows()
    ds.config.set_error_samples_mode(mode.SKIP)
    kept = rows()
    assert len(kept) == 6
    ds.config.set_error_samples_mode(mode.REPLACE)
    replaced = rows()
    assert len(replaced) == 8
    for a, b in zip(replaced, kept + kept[:2]):
        np.testing.assert_array_equal(a, b)


def altered(data: np.ndarray, rng) -> np.ndarray:
    """A file cut, with bytes changed, put in or taken out."""
    how, data = rng.integers(4), data.copy()
    if how == 0:
        return data[: rng.integers(1, len(data))]
    if how == 1:
        data[rng.integers(0, len(data), 4)] = rng.integers(0, 256, 4)
        return data
    a, b = sorted(rng.integers(2, len(data), 2))
    if how == 2:
        return np.concatenate([data[:a], rng.integers(0, 256, 20).astype(np.uint8), data[a:]])
    return np.concatenate([data[:a], data[b:]])


def test_altered_files_give_an_image_or_an_error(request):
    rng = np.random.default_rng(7)
    files = [jpeg(scene(31, 43, i), **how) for i, how in enumerate(KINDS)]
    steps = [v.Decode(), v.RandomCropDecodeResize(16), fused(CHAINS["training"])[0]]
    made = 0
    for i in range(10_000 if request.config.getoption("--whole") else 400):
        try:
            made += steps[i % 3](altered(files[i % 5], rng)).ndim == 3
        except RuntimeError as e:
            assert "image decode failed" in str(e) or "Input Tensor has no data" in str(e)
    assert made > 50


def test_generic_loops_give_the_same_bytes(tmp_path):
    program = (
        "import numpy as np, zlib, minds.dataset.vision as v\n"
        "a = np.random.default_rng(0).integers(0, 256, (45, 67, 3)).astype(np.uint8)\n"
        "made = [v.Resize(s, k)(a) for s in ((20, 31), (90, 100), (45, 10)) for k in\n"
        "        (v.Inter.LINEAR, v.Inter.CUBIC, v.Inter.AREA, v.Inter.PILCUBIC)]\n"
        "made += [v.ToTensor()(a), v.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])(a)]\n"
        "print(zlib.crc32(b''.join(m.tobytes() for m in made)))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "MINDS_ISA": isa},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for isa in ("generic", "avx2")
    }
    assert len(said) == 1


def test_memory_is_used_again_only_when_no_view_is_left():
    a = empty((300, 400, 3), np.uint8)
    a[:] = 7
    view, where = a[::2, 1:], a.__array_interface__["data"][0]
    del a
    other = empty((300, 400, 3), np.uint8)
    other[:] = 9
    assert other.__array_interface__["data"][0] != where and (view == 7).all()
    del view
    assert empty((300, 400, 3), np.uint8).__array_interface__["data"][0] == where


def test_memory_that_waits_is_bounded(monkeypatch):
    monkeypatch.setattr(buffers, "_KEPT", 1 << 22)
    monkeypatch.setattr(buffers, "_free", {})
    for size in range(1 << 17, 1 << 21, 100_000):
        held = [empty((size,), np.uint8) for _ in range(3)]
        del held
        assert 0 < sum(n * len(d) for n, d in buffers._free.items()) <= 1 << 22


def test_mixed_batches_keep_the_sum_of_labels():
    images = np.stack([np.full((8, 9, 3), i, np.uint8) for i in (10, 200, 90)])
    labels = np.eye(3, dtype=np.float32)
    for mix in (v.MixUpBatch(1.0), v.CutMixBatch(v.ImageBatchFormat.NHWC), v.MixUp(3, 0.5)):
        made, mixed = mix(images, labels)
        assert made.shape == images.shape
        np.testing.assert_allclose(mixed.sum(1), 1, rtol=1e-6)
        for image, label in zip(made.astype(float), mixed):
            mean = label @ np.array([10.0, 200.0, 90.0])
            assert abs(image.mean() - mean) < 1


@pytest.mark.parametrize("policy", list(v.AutoAugmentPolicy))
def test_policies_keep_the_form_and_change_images(policy):
    image, changed = scene(32, 40), 0
    for i in range(30):
        for t in (v.AutoAugment(policy), v.RandAugment(), v.TrivialAugmentWide()):
            rowrng.begin_row(1, 1, 1, i)
            made = t(image)
            assert made.shape == image.shape and made.dtype == image.dtype
            changed += not np.array_equal(made, image)
    assert changed > 45


def test_the_spellings_of_mindspore_1():
    data = jpeg(scene(31, 43))
    c, p = v.c_transforms, v.py_transforms
    np.testing.assert_array_equal(c.Decode()(data), v.Decode()(data))
    steps = p.Compose([p.Decode(), p.CenterCrop(20), p.ToTensor(), p.Normalize([0.5], [0.25])])
    wanted = v.CenterCrop(20)(v.Decode(True)(data))
    wanted = (np.asarray(wanted).transpose(2, 0, 1) / np.float32(255) - np.float32(0.5)) * 4
    (made,) = steps(data)
    np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="rgb"):
        c.Decode(False)


@pytest.mark.parametrize("old, new", [(280, 90), (200, 224), (280, 500), (7, 21)])
def test_nearest_takes_the_pixels_that_opencv_takes(old, new):
    row = np.arange(old, dtype=np.float32).reshape(1, old)
    wanted = np.floor(np.arange(new) * (1.0 / (new / old)))  # of 280 to 90: 9 are not i * 280 / 90
    np.testing.assert_array_equal(v.Resize((1, new), v.Inter.NEAREST)(row)[0], wanted)


def test_auto_contrast_is_rounded_as_a_float():
    image = np.arange(256, dtype=np.uint8).repeat(4).reshape(32, 32)[:30]  # 0 to 239
    image[0, :3] = 3
    low, high = 3, 236
    cut = v.AutoContrast(cutoff=1.0)(np.clip(image, low, high))
    scale = np.float32(255) / np.float32(high - low)
    levels = np.arange(256, dtype=np.float32) * scale - np.float32(low) * scale
    wanted = np.clip(levels.astype(np.int64), 0, 255)[np.clip(image, low, high)]
    np.testing.assert_array_equal(cut, wanted)


BYTES = {  # MindSpore 2.10's bytes
    "AdjustBrightness(0.3)": [0, 2, 3, 4, 14, 26, 30, 45, 60, 75, 76, 76],
    "AdjustBrightness(1.3)": [1, 6, 12, 20, 58, 110, 130, 195, 255, 255, 255, 255],
    "AdjustGamma(2.0, 0.7)": [0, 0, 0, 0, 5, 19, 27, 62, 110, 173, 175, 176],
    "AdjustGamma(0.5)": [16, 35, 48, 62, 107, 147, 160, 196, 226, 253, 254, 254],
    "AdjustHue(0.19999999999999996)": [7, 1, 9, 69, 15, 85, 171, 100, 200, 252, 251, 253],
    "AdjustSaturation(1.3)": [0, 5, 10, 7, 46, 98, 88, 153, 218, 251, 252, 253],
    "AdjustContrast(1.3)": [0, 0, 0, 0, 26, 78, 97, 162, 227, 255, 255, 255],
}


@pytest.mark.parametrize("case", BYTES)
def test_bytes_round_as_mindspores(case):
    name, arguments = case.rstrip(")").split("(")
    rows = [[1, 5, 9], [15, 45, 85]], [[100, 150, 200], [251, 252, 253]]
    op = getattr(v, name)(*map(float, arguments.split(",")))
    assert op(np.array(rows, np.uint8)).ravel().tolist() == BYTES[case]


def test_one_image_is_mixed_for_each_of_a_batch():
    image, label = np.full((4, 5, 3), 7, np.uint8), np.array([[0, 1]])
    mix = v.MixUp(2, 0.2, is_single=False)
    for _ in range(2):
        images, labels = mix(image, label)
        assert images.shape == (2, 4, 5, 3) and labels.shape == (2, 2)
        np.testing.assert_allclose(images, 7)
        np.testing.assert_allclose(labels, [[0, 1], [0, 1]])

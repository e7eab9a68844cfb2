"""Calls of image transforms whose results by MindSpore 2.10 are recorded in vision_recorded.json.

Run by an interpreter that has MindSpore, this file writes them anew.
"""

import base64
import json
import os
import re
import sys
import zlib

import numpy as np

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vision_recorded.json")


def _smooth(height: int, width: int, channels: int) -> np.ndarray:
    y, x = np.mgrid[:height, :width]
    planes = [127 + 80 * np.sin(x / 3 + k) + 40 * np.cos(y / 2 - k) for k in range(channels)]
    return np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)


def _images() -> dict:
    state, noise = 12345, np.empty(9 * 11 * 3, np.uint8)
    for i in range(noise.size):  # not NumPy's generator, whose numbers may change with its version
        state = (state * 1103515245 + 12345) % 2**31
        noise[i] = state >> 16 & 255
    rgb = _smooth(10, 13, 3)
    return {
        "rgb": rgb,
        "noise": noise.reshape(9, 11, 3),
        "grey": _smooth(8, 9, 1)[..., 0],
        "float": (rgb / 255).astype(np.float32),
        "pillow": rgb,
    }


IMAGES = _images()
_KINDS = ("NEAREST", "BILINEAR", "BICUBIC", "AREA")
_POINTS = "[[0, 0], [12, 0], [12, 9], [0, 9]], [[1, 1], [11, 2], [10, 8], [2, 7]]"


def _cases() -> list:
    made = []

    def add(call: str, *images: str) -> None:
        made.extend((call, image) for image in images)

    for f in ("0.3", "1.7"):
        for name in ("Brightness", "Contrast", "Saturation", "Sharpness"):
            add(f"v.Adjust{name}({f})", "rgb", "noise", "pillow")
    for f in ("-0.3", "0.2", "0.5"):
        add(f"v.AdjustHue({f})", "rgb", "noise", "pillow")
    add("v.AdjustGamma(0.5)", "rgb", "grey", "pillow")
    add("v.AdjustGamma(2.0, 0.8)", "noise", "pillow")
    for cut in ("", "10", "20.5, [3, 100]"):
        add(f"v.AutoContrast({cut})", "rgb", "grey", "noise")
    add("v.Equalize()", "rgb", "grey", "noise", "pillow")
    add("v.Invert()", "rgb", "float", "pillow")
    add("v.Posterize(3)", "rgb", "grey", "pillow")
    add("v.Solarize(100)", "rgb", "grey")
    add("v.Solarize((30, 100))", "noise", "pillow")
    for kind in _KINDS:
        for size in ("(5, 6)", "(21, 17)", "7", "(10, 5)"):
            add(f"v.Resize({size}, v.Inter.{kind})", "rgb", "noise", "grey", "float")
        add(f"v.Affine(15, (0.1, -0.2), 1.2, (5, -10), v.Inter.{kind}, 7)", "rgb", "noise", "grey")
        add(f"v.Rotate(33, v.Inter.{kind})", "rgb", "noise", "grey")
        add(f"v.Rotate(33, v.Inter.{kind}, True, None, (1, 2, 3))", "rgb", "noise")
        add(f"v.Rotate(20, v.Inter.{kind}, False, (2, 5), 9)", "rgb")
        add(f"v.Perspective({_POINTS}, v.Inter.{kind})", "rgb", "noise")
        add(f"v.ResizedCrop(1, 2, 6, 7, (5, 9), v.Inter.{kind})", "rgb", "grey")
    add("v.Resize((5, 6), v.Inter.PILCUBIC)", "rgb", "noise")
    add("v.Resize((5, 6), v.Inter.ANTIALIAS)", "pillow")
    add("v.Rotate(90, expand=True)", "rgb")
    for size in ("4", "(14, 20)", "(5, 20)"):
        add(f"v.CenterCrop({size})", "rgb", "grey", "pillow")
    for mode in ("CONSTANT", "EDGE", "REFLECT", "SYMMETRIC"):
        add(f"v.Pad((1, 2, 3, 4), (5, 6, 7), v.Border.{mode})", "rgb", "grey", "pillow")
        add(f"v.PadToSize((14, 17), (1, 2), 5, v.Border.{mode})", "rgb", "grey")
    for kernel in ("3", "(3, 7)", "5, 2.0", "(5, 3), (1.0, 3.0)"):
        add(f"v.GaussianBlur({kernel})", "rgb", "noise", "float")
    for mode in range(12):
        add(f"v.ConvertColor(v.ConvertMode({mode}))", "grey" if mode in (8, 9) else "rgb")
    add("v.Erase(2, 3, 4, 5, (1, 2, 3))", "rgb", "float")
    add("v.HWC2CHW()", "rgb", "grey")
    add("v.Normalize([120.0, 110.0, 100.0], [70.0, 68.0, 71.0])", "rgb", "noise")
    add("v.Rescale(2, -1.5)", "rgb", "grey")
    add("v.ToTensor()", "rgb", "grey", "pillow")
    add("v.RgbToHsv(True)", "rgb", "float")
    add("v.HsvToRgb(True)", "float")
    add("v.Grayscale(3)", "pillow")
    for op in ("HorizontalFlip()", "VerticalFlip()", "RandomInvert(1.0)", "RandomEqualize(1.0)"):
        add(f"v.{op}", "rgb")
    add("v.RandomRotation((20, 20), v.Inter.BILINEAR)", "rgb", "pillow")
    add("v.RandomColor((0.5, 0.5))", "rgb", "pillow")
    add("v.RandomSharpness((1.8, 1.8))", "rgb", "pillow")
    add("v.RandomResizedCrop((5, 6), (1.0, 1.0), (1.3, 1.3))", "rgb")
    add("v.RandomAffine((10, 10), None, (1.1, 1.1), (5, 5, 3, 3), v.Inter.BILINEAR)", "rgb")
    return made


CASES = _cases()
BOXES = np.array([[1, 2, 5, 4], [6, 1, 7, 9]], np.float32)
WITH_BOXES = [
    "v.RandomHorizontalFlipWithBBox(1.0)",
    "v.RandomVerticalFlipWithBBox(1.0)",
    "v.ResizeWithBBox((20, 31))",
    "v.ResizeWithBBox(7)",
    "v.RandomCropWithBBox((10, 13))",
    "v.BoundingBoxAugment(v.Invert(), 1.0)",
    "v.BoundingBoxAugment(v.Rotate(90), 1.0)",
]
REFUSED = [
    "v.AdjustBrightness('a')",
    "v.AdjustBrightness(-1)",
    "v.AdjustGamma(-1)",
    "v.AdjustHue(0.6)",
    "v.Affine(200, (0, 0), 1.0, 0)",
    "v.Affine(0, (0, 0, 0), 1.0, 0)",
    "v.Affine(0, (0, 0), 0, 0)",
    "v.Affine(0, (0, 0), 1.0, (1, 2, 3))",
    "v.Affine(0, (0, 0), 1.0, 0, 'a')",
    "v.AutoContrast(50)",
    "v.AutoContrast(1, 300)",
    "v.AutoContrast(1, 'a')",
    "v.CenterCrop((1, 2, 3))",
    "v.CenterCrop(0)",
    "v.ConvertColor(3)",
    "v.Crop((-1, 0), 3)",
    "v.Crop((0,), 3)",
    "v.CutMixBatch(v.ImageBatchFormat.NHWC, 0)",
    "v.CutMixBatch(v.ImageBatchFormat.NHWC, 1, 2)",
    "v.CutOut(0)",
    "v.Decode(3)",
    "v.Erase(1, 1, 0, 1)",
    "v.Erase(1, 1, 1, 1, (1, 2))",
    "v.FiveCrop([])",
    "v.GaussianBlur(4)",
    "v.GaussianBlur((3, 4))",
    "v.GaussianBlur(3, -1)",
    "v.Grayscale(2)",
    "v.MixUp(0, 1.0)",
    "v.MixUpBatch(-1)",
    "v.Normalize([1.0], [1.0, 2.0])",
    "v.Normalize([256.0], [1.0])",
    "v.Normalize([1.0], [0.0])",
    "v.NormalizePad([1.0], [1.0], 'int8')",
    "v.Pad((1, 2, 3))",
    "v.Pad(-1)",
    "v.Pad(1, (1, 2))",
    "v.PadToSize((1, 2, 3))",
    "v.Perspective([[0, 0]] * 3, [[0, 0]] * 4)",
    "v.Posterize(9)",
    "v.Posterize(1.1)",
    "v.RandAugment(2, 40)",
    "v.RandomAffine(1, (2, 0))",
    "v.RandomAffine(1, scale=(2, 1))",
    "v.RandomAffine((2, 1))",
    "v.RandomColor((1,))",
    "v.RandomColor((-1, 1))",
    "v.RandomColorAdjust(-1)",
    "v.RandomColorAdjust(hue=(0.3, 0.2))",
    "v.RandomCrop(3, pad_if_needed=1)",
    "v.RandomErasing(1.5)",
    "v.RandomErasing(0.5, (1, 0))",
    "v.RandomErasing(0.5, value=300)",
    "v.RandomHorizontalFlip(2)",
    "v.RandomLighting('a')",
    "v.RandomPerspective(1)",
    "v.RandomPosterize((1, 9))",
    "v.RandomPosterize((1,))",
    "v.RandomResizedCrop(3, (2, 1))",
    "v.RandomResizedCrop(3, ratio=(0, 1))",
    "v.RandomResizedCrop(3, max_attempts=0)",
    "v.RandomRotation(-1)",
    "v.RandomSelectSubpolicy([])",
    "v.RandomSelectSubpolicy([[(3, 1)]])",
    "v.RandomSolarize((3,))",
    "v.Rescale('a', 1)",
    "v.Resize('a')",
    "v.Resize(0)",
    "v.Resize(2, 3)",
    "v.Rotate('a')",
    "v.Rotate(3, center=3)",
    "v.SlicePatches(0, 2)",
    "v.SlicePatches(2, 2, 1)",
    "v.Solarize((3, 1))",
    "v.TenCrop(3, 1)",
    "v.TrivialAugmentWide(1)",
    "v.UniformAugment([], 2)",
    "v.UniformAugment([v.Invert()], 2)",
    "v.Invert()(3)",
    "v.Invert()([[1]])",
    "v.Decode()(3)",
    "v.Decode()(np.zeros((2, 2), np.uint8))",
    "v.AdjustContrast(1.0)(np.zeros((2, 2), np.uint8))",
    "v.AdjustContrast(1.0)(np.zeros((2, 2, 4), np.uint8))",
    "v.AdjustContrast(1.0)(np.zeros((2, 2, 3)))",
    "v.Crop((0, 0), 5)(np.zeros((2, 2, 3)))",
    "v.ResizedCrop(0, 0, 5, 5, 3)(np.zeros((2, 2, 3)))",
    "v.RandomCrop(5)(np.zeros((2, 2, 3)))",
    "v.Posterize(3)(np.zeros((2, 2, 3)))",
    "v.encode_png(np.zeros((2, 2, 4), np.uint8))",
    "v.encode_jpeg(np.zeros((2, 2)))",
    "v.encode_jpeg(np.zeros((2, 2), np.uint8), 101)",
    "v.get_image_size(np.zeros(3))",
    "v.get_image_size(3)",
    "v.read_image(3)",
    "v.read_file('/no/such/file')",
]


def given(name: str):
    """The image that a case is called with."""
    if name != "pillow":
        return IMAGES[name].copy()
    from PIL import Image

    return Image.fromarray(IMAGES[name])


def pack(a) -> dict:
    a = np.ascontiguousarray(a)
    data = base64.b64encode(zlib.compress(a.tobytes(), 9)).decode()
    return {"shape": a.shape, "dtype": a.dtype.str, "data": data}


def unpack(p: dict) -> np.ndarray:
    data = zlib.decompress(base64.b64decode(p["data"]))
    return np.frombuffer(data, p["dtype"]).reshape(p["shape"])


def said(error: Exception) -> str:
    """What an error says, without the frame that MindSpore draws around it."""
    found = re.search(r"Error Message: \n-+\n(?:\[ERROR\] )?(.*?)\n-----", str(error), re.DOTALL)
    return (found.group(1) if found else str(error)).strip()


def _record(v) -> None:
    recorded = {"values": {}, "boxes": {}, "errors": {}}
    scope = {"v": v, "np": np}
    for call, image in CASES:
        recorded["values"][f"{call} {image}"] = pack(np.asarray(eval(call, scope)(given(image))))
    for call in WITH_BOXES:
        both = eval(call, scope)(IMAGES["rgb"].copy(), BOXES.copy())
        recorded["boxes"][call] = [pack(x) for x in both]
    for call in REFUSED:
        try:
            eval(call, scope)
        except Exception as e:
            recorded["errors"][call] = [type(e).__name__, said(e)]
    with open(RECORDED, "w", encoding="utf-8") as f:
        json.dump(recorded, f, indent=0)


if __name__ == "__main__":
    import mindspore.dataset.vision as reference

    _record(reference)
    sys.exit()

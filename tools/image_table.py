"""Write docs/images.md: the transforms of images, and how they run.

python tools/image_table.py
"""

import inspect
import os

from minds.dataset import vision
from minds.dataset.vision.images import ImageTransform, Planned

PAGE = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "images.md"
)
INTRO = """# Transforms of images

Written by `python tools/image_table.py` from the classes themselves. Each has MindSpore's name,
arguments, words of errors, and numbers: `tests/unit/test_vision.py` holds them to results of MindSpore
2.10 that are recorded, to one level.

`make docs` draws what each does to an image.

A transform takes NumPy arrays (H, W) or (H, W, C), and Pillow images. *Pillow*: a Pillow image becomes
one; the others make an array of it. *One walk*: transforms of this kind that follow one another in
`map`, or in a `Compose`, are done together by the native core, without the interpreter lock: the part
that is wanted is cut while a JPEG file is decoded, resized, mirrored, normalised and laid out row by
row, straight into the result. Random ones draw the same numbers whether they are joined or not.

JPEG files are decoded by libjpeg-turbo: the library that Pillow's wheel brings, or the system's
`libjpeg.so.62`, opened while running through its own C interface of version 62. Other formats, four
colours, and machines without that library use Pillow. A truncated or broken file is a RuntimeError that
names the row; `dataset.config.set_error_samples_mode` leaves such rows out or replaces them. Videos are
read by PyAV, with the libraries of FFmpeg in it (`pip install av`, or `minds[video]`); without it they are an
ImportError that says so.

What is different from MindSpore: GIF and WebP files are read too; `NormalizePad` gives the channel of
zeros per pixel; `AdjustHue` of floats turns the hue; `AdjustGamma` of floats takes the gain once;
`read_image` refuses truncated files; `ConvertColor` refuses images of one channel where three are meant.

| transform | | |
| --- | --- | --- |
"""


def kinds(made: type) -> str:
    """How a transform runs, for people."""
    if not issubclass(made, ImageTransform):
        return ""
    found = ["Pillow"] * (made._of_pillow is not None)
    return ", ".join(found + ["one walk"] * issubclass(made, Planned))


def page() -> str:
    """The text of docs/images.md."""
    rows = []
    for name in sorted(vision.__all__):
        made = getattr(vision, name)
        if inspect.ismodule(made):
            continue
        said = " ".join(inspect.getdoc(made).split("\n\n")[0].split())
        how = kinds(made) if inspect.isclass(made) else "function"
        rows.append(f"| `{name}` | {said} | {how} |")
    return INTRO + "\n".join(rows) + "\n"


if __name__ == "__main__":
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page())

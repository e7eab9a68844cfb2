"""Write docs/images.md and docs/transforms.md: the transforms, how they run, and an example of each.

python tools/image_table.py
"""

import inspect
import os

from minds.dataset import audio, text, transforms, vision
from minds.dataset.vision.images import ImageTransform, Planned

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
INTRO = """# Transforms of images

Written by `python tools/image_table.py` from the classes themselves. Each has MindSpore's name,
arguments, words of errors, and numbers: `tests/unit/test_vision.py` holds them to results of MindSpore
2.10 that are recorded, to one level.

![What each does to an image: the image, then what it becomes](images.jpg)

The picture is drawn by `python tools/site/pictures.py`; `make docs` makes a page of it, with the calls.

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

| transform | | | example |
| --- | --- | --- | --- |
"""
OTHERS = """# Transforms of texts, sounds and arrays

Written by `python tools/image_table.py` from the classes themselves; the examples are those of their
docstrings, which `make test` runs. Transforms of images are in [images.md](images.md).
"""
FAMILIES = {"Texts": text, "Sounds": audio, "Arrays": transforms}


def kinds(made: type) -> str:
    """How a transform runs, for people."""
    if not issubclass(made, ImageTransform):
        return ""
    found = ["Pillow"] * (made._of_pillow is not None)
    return ", ".join(found + ["one walk"] * issubclass(made, Planned))


def example(made) -> str:
    """The last statement of the docstring's example and what it gives, as a cell of a table."""
    lines = (inspect.getdoc(made) or "").partition("Examples:")[2].splitlines()
    lines = [line.strip() for line in lines]
    begins = [i for i, line in enumerate(lines) if line.startswith(">>> ")]
    if not begins:
        return ""
    said = lines[begins[-1]][4:]
    more = [line for line in lines[begins[-1] + 1 :] if line]
    if any(line.startswith("...") for line in more):
        return ""
    cells = [said, *more[:1]] if len(more) == 1 and len(said) + len(more[0]) < 110 else [said]
    return " → ".join(f"`{cell}`" for cell in cells).replace("|", "\\|")


def summary(made) -> str:
    """The first paragraph of a docstring in one line."""
    return " ".join((inspect.getdoc(made) or "").split("\n\n")[0].split()).replace("|", "\\|")


def names(module) -> list[str]:
    """What a module offers, but for other modules."""
    return sorted(n for n in module.__all__ if not inspect.ismodule(getattr(module, n)))


def page() -> str:
    """The text of docs/images.md."""
    rows = []
    for name in names(vision):
        made = getattr(vision, name)
        how = kinds(made) if inspect.isclass(made) else "function"
        rows.append(f"| `{name}` | {summary(made)} | {how} | {example(made)} |")
    return INTRO + "\n".join(rows) + "\n"


def others() -> str:
    """The text of docs/transforms.md."""
    found = OTHERS
    for title, module in FAMILIES.items():
        found += f"\n## {title}\n\n| name | | example |\n| --- | --- | --- |\n"
        for name in names(module):
            made = getattr(module, name)
            found += f"| `{name}` | {summary(made)} | {example(made)} |\n"
    return found


if __name__ == "__main__":
    for name, written in (("images.md", page()), ("transforms.md", others())):
        with open(os.path.join(DOCS, name), "w", encoding="utf-8") as f:
            f.write(written)

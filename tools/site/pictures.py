"""Pictures of what each transform of images does to one, and the page that shows them."""

from __future__ import annotations

import os

import numpy as np
from PIL import Image, ImageDraw

from minds.dataset import config, vision
from minds.dataset.vision import AutoAugmentPolicy, ConvertMode, Inter

WIDTH, HEIGHT, GAP = 160, 120, 8
DRAWS = 4
"""So many results of a random transform are shown."""

CORNERS = ([0, 0], [160, 0], [160, 120], [0, 120])
CALLS = {
    "AdjustBrightness": (1.6,),
    "AdjustContrast": (2.0,),
    "AdjustGamma": (2.2,),
    "AdjustHue": (0.3,),
    "AdjustSaturation": (0.2,),
    "AdjustSharpness": (8.0,),
    "Affine": (15.0, (0.1, 0.0), 0.8, (10.0, 0.0)),
    "AutoAugment": (AutoAugmentPolicy.IMAGENET,),
    "AutoContrast": (10.0,),
    "CenterCrop": ((80, 80),),
    "ConvertColor": (ConvertMode.COLOR_RGB2BGR,),
    "Crop": ((20, 30), (70, 90)),
    "CutOut": (40, 2),
    "Equalize": (),
    "Erase": (30, 40, 50, 60),
    "FiveCrop": ((70, 90),),
    "GaussianBlur": (9, 4.0),
    "Grayscale": (3,),
    "HorizontalFlip": (),
    "Invert": (),
    "Pad": (12, (200, 30, 30)),
    "PadToSize": ((140, 190),),
    "Perspective": (CORNERS, ([20, 10], [150, 0], [140, 110], [0, 100]), Inter.BILINEAR),
    "Posterize": (2,),
    "RandAugment": (),
    "RandomAdjustSharpness": (8.0, 0.5),
    "RandomAffine": (20, (0.1, 0.1), (0.7, 1.2), 10),
    "RandomAutoContrast": (10.0, None, 0.5),
    "RandomColor": ((0.1, 1.9),),
    "RandomColorAdjust": ((0.5, 1.5), (0.5, 1.5), (0.3, 1.7), (-0.2, 0.2)),
    "RandomCrop": ((80, 100), 10),
    "RandomEqualize": (0.5,),
    "RandomGrayscale": (0.5,),
    "RandomHorizontalFlip": (0.5,),
    "RandomInvert": (0.5,),
    "RandomLighting": (1.5,),
    "RandomPerspective": (0.5, 1.0),
    "RandomPosterize": ((1, 4),),
    "RandomResize": ((60, 80),),
    "RandomResizedCrop": ((120, 160), (0.2, 0.8)),
    "RandomRotation": (40,),
    "RandomSharpness": ((0.1, 9.0),),
    "RandomSolarize": ((80, 200),),
    "RandomVerticalFlip": (0.5,),
    "Resize": ((60, 160),),
    "ResizedCrop": (20, 30, 60, 80, (120, 160)),
    "Rotate": (30,),
    "SlicePatches": (2, 2),
    "Solarize": ((100, 220),),
    "TenCrop": ((70, 90),),
    "TrivialAugmentWide": (),
    "VerticalFlip": (),
}
"""The arguments with which each transform is shown."""


def scene() -> np.ndarray:
    """An image with colours, edges, letters and a texture, (120, 160, 3) of uint8."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    sky = np.stack([90 + x // 3, 140 + y // 2, 230 - y // 2], -1).astype(np.uint8)
    noise = np.random.default_rng(1).integers(0, 50, (HEIGHT, WIDTH, 1))
    ground = np.array([60, 120, 50]) + noise - 25
    image = Image.fromarray(np.where(y[..., None] > 80, ground, sky).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    draw.ellipse((112, 12, 142, 42), fill=(250, 220, 90))
    draw.rectangle((36, 56, 92, 98), fill=(190, 80, 60))
    draw.polygon([(28, 56), (100, 56), (64, 26)], fill=(110, 50, 50))
    draw.rectangle((56, 72, 72, 98), fill=(70, 40, 30))
    draw.text((104, 90), "minds", fill="white", font_size=18)
    return np.asarray(image)


def results(name: str, image: np.ndarray) -> list[np.ndarray]:
    """What a transform makes of an image: several of a random one."""
    transform = getattr(vision, name)(*CALLS[name])
    random = name.startswith(("Random", "RandAug", "AutoAug", "Trivial"))
    found = []
    for _ in range(DRAWS if random else 1):
        try:
            made = transform(image)
        except (TypeError, ValueError):  # it takes Pillow's images only
            made = transform(Image.fromarray(image))
        found += made if isinstance(made, tuple) else [made]
    return [np.asarray(f).astype(np.uint8) for f in found]


def strip(images: list[np.ndarray]) -> Image.Image:
    """Images beside one another."""
    width = sum(i.shape[1] + GAP for i in images) - GAP
    whole = Image.new("RGB", (width, max(i.shape[0] for i in images)), "white")
    at = 0
    for image in images:
        whole.paste(Image.fromarray(image), (at, 0))
        at += image.shape[1] + GAP
    return whole


def call(name: str) -> str:
    """The call as a reader would write it."""
    return f"vision.{name}({', '.join(map(_written, CALLS[name]))})"


def _written(value) -> str:
    kind = type(value).__name__
    return f"{kind}.{value.name}" if hasattr(value, "name") else repr(value)


def write(folder: str) -> int:
    """Write the pictures and their page; how many there are."""
    os.makedirs(os.path.join(folder, "pictures"), exist_ok=True)
    config.set_seed(4)
    image = scene()
    text = "# Pictures of transforms\n\nThe image, then what it becomes; four times where chance decides.\n"
    for name in CALLS:
        picture = os.path.join("pictures", f"{name}.png")
        strip([image, *results(name, image)]).save(os.path.join(folder, picture))
        text += f"\n## {name}\n\n`{call(name)}`\n\n![{name}]({picture})\n"
    with open(os.path.join(folder, "pictures.md"), "w", encoding="utf-8") as f:
        f.write(text)
    return len(CALLS)


def _seen(found: list[np.ndarray], image: np.ndarray) -> np.ndarray:
    """The first that is not the image as it was."""
    return next((f for f in found if f.shape != image.shape or (f != image).any()), found[0])


def sheet(columns: int = 4) -> Image.Image:
    """All transforms on one picture: of each its name, the image, and what it becomes."""
    config.set_seed(4)
    image, wide, high = scene(), WIDTH * 3 // 2 + 3 * GAP, HEIGHT * 3 // 4 + 3 * GAP + 12
    whole = Image.new("RGB", (columns * wide, -(-len(CALLS) // columns) * high), "white")
    draw = ImageDraw.Draw(whole)
    for i, name in enumerate(sorted(CALLS)):
        x, y = i % columns * wide + GAP, i // columns * high + GAP
        draw.text((x, y), name, fill="black")
        for k, shown in enumerate((image, _seen(results(name, image), image))):
            small = Image.fromarray(shown)
            small.thumbnail((WIDTH * 3 // 4, HEIGHT * 3 // 4))
            whole.paste(small, (x + k * (WIDTH * 3 // 4 + GAP), y + 14))
    return whole


if __name__ == "__main__":
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sheet().save(os.path.join(here, "docs", "images.jpg"), quality=70)

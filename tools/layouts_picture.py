"""docs/layouts.svg, the pictures of docs/parallel.md: ``python tools/layouts_picture.py``."""

import pathlib

from minds.parallel import Layout, layout_picture

FILE = pathlib.Path(__file__).parents[1] / "docs" / "layouts.svg"


def picture() -> str:
    """A matrix on four devices, in six ways."""
    layout = Layout((2, 2), ("dp", "mp"))
    ways = [
        ("None", "None"),
        ("dp", "None"),
        ("None", "mp"),
        ("dp", "mp"),
        (("dp", "mp"), "None"),
        ("None", ("mp", "dp")),
    ]
    return layout_picture({_told(way): layout(*way) for way in ways})


def _told(way: tuple) -> str:
    axes = [f"({', '.join(a)})" if isinstance(a, tuple) else a for a in way]
    return f"layout({', '.join(axes)})"


if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
